"""Homogeneity attack: a class with a single sensitive value discloses it without identifying anyone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.attacks.base import Attack, Outcome, of_share
from shoal.attacks.promises import class_shares, is_never_certain, shares
from shoal.attacks.target import Target
from shoal.progress import Progress, silent


@dataclass(frozen=True)
class Homogeneity(Attack):
    """Finds the rows of classes that have a single sensitive value.

    A class with missing values only discloses nothing.
    Paper: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006.
    """

    kind: ClassVar[str] = "homogeneity"
    about: ClassVar[str] = "reads the sensitive value of a class in which all rows have the same"
    against: ClassVar[str] = "l-diversity"
    knows: ClassVar[str] = "All quasi-identifiers of an individual, and so the class."

    def applies(self, target: Target) -> str:
        return "" if target.sensitive else "The table has no sensitive column."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        outcomes = []
        for place, column in enumerate(target.sensitive):
            progress(column, place / len(target.sensitive))
            certain = class_shares(target, column).filter(pl.col("count") == pl.col("size"))
            whole = shares(target, column)
            outcomes.append(
                of_share(
                    self,
                    int(certain["size"].sum()),
                    target.rows,
                    baseline=float((whole["total"] == target.rows).any()),
                    bound=0.0 if is_never_certain(target, column) else None,
                    measured="The share of rows whose sensitive value is certain, because their class has no other.",
                    column=column,
                )
            )
        return tuple(outcomes)
