"""Missing-value patterns: which cells of an individual are missing may identify the row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.attacks import promises
from shoal.attacks.base import Attack, Outcome, of_maximum, of_share
from shoal.attacks.target import CLASS, Target
from shoal.progress import Progress, silent


@dataclass(frozen=True)
class MissingPatterns(Attack):
    """Links individuals by the columns in which their row has no value: alone, and together with their class.

    A model bounds the patterns of quasi-identifiers, because rows of a class have the same. Columns that are released
    unchanged and sensitive columns may set the rows of a class apart.
    """

    kind: ClassVar[str] = "missing-patterns"
    about: ClassVar[str] = "links individuals by the columns in which they have no value"
    against: ClassVar[str] = "k-anonymity"
    knows: ClassVar[str] = "The columns in which an individual has no value, for example because of a test not taken."

    def applies(self, target: Target) -> str:
        return "" if _missing(target, target.published) else "The table shows no missing value."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        quasi = target.quasi_identifiers
        others = [name for name in target.published if name not in quasi]
        outcomes = []
        if shown := _missing(target, quasi):
            patterns = _counted(target, shown)
            outcomes.append(
                of_maximum(
                    self,
                    1 / float(patterns.min()),  # type: ignore[arg-type]
                    target.rows,
                    baseline=1 / target.rows,
                    bound=promises.link(target),
                    measured="The largest chance to find a row by its missing quasi-identifiers alone.",
                    case="alone",
                )
            )
        progress("other columns", 0.5)
        if shown := _missing(target, others):
            rows = pl.DataFrame([pl.Series(CLASS, target.labelled.of_run), *shown])
            outcomes.append(
                of_share(
                    self,
                    rows.group_by(pl.all()).len().height,
                    target.rows,
                    baseline=len(target.labelled) / target.rows,
                    bound=None,
                    measured="The expected share of links to the right row by the class and the missing values of "
                    "other columns; the baseline is that by the class alone.",
                    knows=f"All quasi-identifiers of an individual. {self.knows}",
                    case="with the class",
                )
            )
        return tuple(outcomes)


def _counted(target: Target, shown: Sequence[pl.Series]) -> pl.Series:
    """The number of rows with each pattern."""
    patterns = pl.DataFrame([flags.alias(str(number)) for number, flags in enumerate(shown)])
    rows = patterns.with_columns(pl.Series("rows", target.main.times))
    return rows.group_by(patterns.columns).agg(pl.col("rows").sum())["rows"]


def _missing(target: Target, columns: Sequence[str]) -> list[pl.Series]:
    """For each column that shows a missing value, which runs do."""
    return [flags for flags in map(target.missing, columns) if flags.any()]
