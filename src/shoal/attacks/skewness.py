"""Skewness attack: a sensitive value may be far more frequent in a class than in the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.attacks.base import Attack, Outcome, of_maximum
from shoal.attacks.promises import class_shares, limited, shares
from shoal.attacks.target import Target
from shoal.progress import Progress, silent


@dataclass(frozen=True)
class Skewness(Attack):
    """Finds the class and value with the largest gain in confidence: its share in the class less that in the table.

    If the models bound shares, the reported gain is the one that comes closest to its own bound, or exceeds it most:
    a bound may depend on how frequent a value is.
    Paper: Li, Li, Venkatasubramanian 2007.
    """

    kind: ClassVar[str] = "skewness"
    about: ClassVar[str] = "finds values that are far more frequent in a class than in the table"
    against: ClassVar[str] = "t-closeness"
    knows: ClassVar[str] = (
        "All quasi-identifiers of an individual, and the share of every sensitive value in the table."
    )

    def applies(self, target: Target) -> str:
        return "" if target.sensitive else "The table has no sensitive column."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        outcomes = []
        for place, column in enumerate(target.sensitive):
            progress(column, place / len(target.sensitive))
            outcomes.append(self._attacked(target, column))
        return tuple(outcomes)

    def _attacked(self, target: Target, column: str) -> Outcome:
        limits = limited(target, column)
        known = shares(target, column).with_columns(limit=pl.lit(1.0)) if limits is None else limits
        gains = class_shares(target, column).join(known, on="value")
        gains = gains.with_columns(gain=pl.col("confidence") - pl.col("share"))
        gains = gains.with_columns(beyond=pl.col("confidence") - pl.col("limit"))
        for figure in (*(["beyond"] if limits is not None else []), "gain", "value"):  # faster than to sort all
            gains = gains.filter(pl.col(figure) == pl.col(figure).max())
        gain, allowed = (gains["gain"][0], (gains["limit"] - gains["share"])[0]) if gains.height else (0.0, 0.0)
        closest = "of the class and the value that come closest to what the models allow"
        return of_maximum(
            self,
            max(gain, 0.0),
            target.rows,
            baseline=0.0,
            bound=None if limits is None else allowed,
            measured="The share of a value in a class less its share in the table, "
            + ("the largest of all classes and values." if limits is None else f"{closest}."),
            column=column,
        )
