"""What a measure sees of a release: counts and losses, never a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from shoal.arrays import Float64, Int64


@dataclass(frozen=True)
class Outcome:
    """A release in numbers.

    `class_rows` int64: the rows of each class after regrouping the released labels. `rows` int64 [c], `loss` and
    `level` float64 [c, q]: of the classes that the search made (see Shown). Suppressed rows are all input rows that are
    not released, for whatever reason.
    """

    columns: tuple[str, ...]
    rows_in: int
    class_rows: Int64
    rows: Int64
    loss: Float64
    level: Float64

    @property
    def released(self) -> int:
        return int(self.class_rows.sum())

    @property
    def suppressed(self) -> int:
        return self.rows_in - self.released

    def summed(self, of_classes: Float64) -> Float64:
        """float64 [q]: a figure given per class, summed over all released rows.

        It is no matrix product, because the last digit of one would depend on the number of threads.
        """
        sums: Float64 = (self.rows[:, None] * of_classes).sum(axis=0)
        return sums


class Measure(Protocol):
    """One figure about a release, or several that belong together."""

    name: ClassVar[str]
    goal: ClassVar[str]
    """Which direction is better: "lower" or "higher"."""
    about: ClassVar[str]

    def of(self, outcome: Outcome) -> Mapping[str, object]:
        """Figures by name, ready for the manifest."""
        ...
