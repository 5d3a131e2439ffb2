"""What a measure sees of a release: counts and losses, never a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from shoal.arrays import Float64, Int64


@dataclass(frozen=True)
class Outcome:
    """A release in numbers. `class_rows` int64: rows of each class after regrouping the released labels.

    `rows`, `loss` and `level` speak of the classes the search made: int64 [c], float64 [c, q] each (see Released).
    Suppressed rows are those of the input that are not released, whatever the reason.
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
        """float64 [q]: what is known of classes, summed over released rows. The last digit of a matrix product would
        depend on the number of threads."""
        sums: Float64 = (self.rows[:, None] * of_classes).sum(axis=0)
        return sums


class Measure(Protocol):
    """One figure about a release, or several that belong together."""

    name: ClassVar[str]
    goal: ClassVar[str]
    """Which way is better: "lower" or "higher"."""
    about: ClassVar[str]

    def of(self, outcome: Outcome) -> Mapping[str, object]:
        """Figures by name, ready for the manifest."""
        ...
