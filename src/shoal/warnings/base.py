"""What warnings are and what they see: a plan, its table and, after a search, the partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.engines.base import Engine
from shoal.engines.fitting import Fitted, published_columns
from shoal.plan import Plan

NOTEWORTHY = 0.01
"""The smallest share of rows that causes a warning."""


GENERALIZE = "Make it a quasi-identifier, or remove it."
"""What to do about an unchanged column that identifies individuals or reveals a quasi-identifier."""


@dataclass(frozen=True)
class Warning:
    """A risk that no model of the plan covers, in sentences with column names and counts but without values.

    `serious`: it identifies individuals, or a promise protects no one. `public`: anyone can compute it from the plan
    and the released tables. All others come from the input and are for the steward only.
    """

    text: str
    serious: bool = False
    public: bool = False
    about: str | None = None
    """The unchanged column whose values reveal something."""
    rank: int = 0
    """Of several warnings about one column, only the serious one of the highest rank is shown: a copied column would
    cause many, with the same remedy. 2: it contains identifiers, 1: it reveals another column, 0: all others."""
    remedy: str = ""
    """What to do about it, in one sentence; the text may end with it."""

    @property
    def fact(self) -> str:
        """The text without the remedy."""
        return self.text.removesuffix(self.remedy).rstrip() if self.remedy else self.text

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Case:
    """The input of a warning. Before a search, there are no classes and `partition` is None."""

    fitted: Fitted
    partition: Partition | None
    plan: Plan

    @property
    def coded(self) -> Coded:
        return self.fitted.coded

    @property
    def engine(self) -> Engine:
        return self.fitted.engine

    @cached_property
    def unchanged(self) -> Mapping[str, None]:
        """The columns that are not generalized, sensitive and set-valued ones included; a mapping, to look up fast."""
        coded = set(self.coded.names)
        return {name: None for name in published_columns(self.engine.columns, self.plan) if name not in coded}

    def classes(self) -> Int64:
        """int64 [d]: the class of every distinct row, -1 if it is suppressed; before a search, 0 for all rows.

        Of a distinct row that is divided between classes, one class counts.
        """
        if self.partition is None:
            return np.zeros(len(self.coded.counted), np.int64)
        class_of = np.full(len(self.coded.counted), -1, np.int64)
        class_of[self.partition.row] = self.partition.class_of
        return class_of

    def called(self, name: str) -> str:
        """How a sentence begins that is about an unchanged column, or one from which only items are removed."""
        if name in self.plan.quasi_sensitive:
            return f"Quasi-sensitive column '{name}' is released"
        return f"{'Sensitive column' if name in self.plan.sensitive else 'Column'} '{name}' is released unchanged"


def serious(warnings: tuple[Warning, ...]) -> int:
    """The number of serious warnings."""
    return sum(warning.serious for warning in warnings)


def serious_first(warnings: Iterable[Warning]) -> tuple[Warning, ...]:
    """The warnings in their order, serious ones before all others."""
    return tuple(sorted(warnings, key=lambda warning: not warning.serious))
