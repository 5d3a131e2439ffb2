"""The part that p-sensitivity and its extension share: enough rows, and enough different values, in every class."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

import numpy as np

from shoal.arrays import Flags, Int64
from shoal.coded.stats import ClassStats
from shoal.errors import PlanError
from shoal.models.base import ColumnsModel, Monotone
from shoal.roles.parameters import whole_number


class SensitivityModel(ColumnsModel, Protocol):
    """A model of at least k individuals and at least p different values in every class, whatever counts as different.

    Truta and Vinay (2006), and Campan and Truta (2006), state three conditions that every table must meet. The first,
    p at most k, concerns the parameters. The second, p different values in the table, is that the model holds on all
    rows as one class. The third bounds the number of classes.
    """

    p: int
    k: int

    def __post_init__(self) -> None:
        whole_number(self, "p", self.p, 2)
        whole_number(self, "k", self.k, 2)
        if self.p > self.k:
            raise PlanError(
                f"{type(self).__name__} p must be at most k; got p = {self.p} and k = {self.k}.",
                allowed="A class of k rows cannot hold more than k values.",
                hint="raise k, or lower p.",
            )
        self._check_columns()

    @property
    def monotone(self) -> Monotone:
        return Monotone.UPWARD

    @property
    def floor(self) -> int:
        return self.k

    def fewest_values(self, column: str) -> int:
        return self.p

    def sensitivity(self, column: str) -> int:
        return self.p

    def passes(self, stats: ClassStats) -> Flags:
        passing = stats.sizes >= self.k
        for column in self.known_columns:
            passing &= self.different(stats, column) >= self.p
        return passing

    def remedy(self, stats: ClassStats) -> str:
        k = min(self.k, int(stats.sizes[0]))
        p = min(self.p, k, *(int(self.different(stats, column)[0]) for column in self.known_columns))
        return f"p = {p}, k = {k}" if p >= 2 else ""

    def most_classes(self, whole: ClassStats) -> int | None:
        if whole.counts_persons:  # one person may bring all values of a class
            return None
        return min(most_classes(self.frequencies(whole, column), self.p) for column in self.known_columns)

    @abstractmethod
    def different(self, stats: ClassStats, column: str) -> Int64:
        """int64 [classes]: how many different values of a column each class holds, without missing ones."""
        ...

    @abstractmethod
    def frequencies(self, whole: ClassStats, column: str) -> Int64:
        """The number of rows of each different value of a column in the table, which is a single class."""
        ...


def most_classes(frequencies: Int64, p: int) -> int:
    """The largest number of classes in which every class can hold p different values, by the third condition.

    A class holds at most p − i of the p − i most frequent values, so i of its rows have another value. Of those, the
    table has n − cf(p − i), where cf adds up the largest frequencies.

    >>> most_classes(np.array([90, 5, 5]), 2), most_classes(np.array([90, 5, 5]), 3)
    (10, 5)
    """
    descending = np.sort(frequencies)[::-1]
    others = descending.sum() - np.cumsum(descending)
    return min((int(others[min(p - i, len(others)) - 1]) // i if len(others) else 0) for i in range(1, p))
