"""What a measure sees of a release: counts and losses, never a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from shoal.arrays import Float64, Int64


@dataclass(frozen=True)
class Outcome:
    """A release in numbers.

    `class_rows` int64: the rows of each class after regrouping the released labels. `lost` float64 [q]: the loss of
    all released cells of each column. `raised` float64 [q]: the sum over these cells of level / height, NaN without
    levels. Suppressed rows are all input rows that are not released, for whatever reason. `removal`: set-valued column
    → its removal cost and the cost of removing every item; None without such columns, and in public.
    """

    columns: tuple[str, ...]
    rows_in: int
    class_rows: Int64
    lost: Float64
    raised: Float64
    removal: Mapping[str, tuple[float, float]] | None = None

    @property
    def released(self) -> int:
        return int(self.class_rows.sum())

    @property
    def suppressed(self) -> int:
        return self.rows_in - self.released

    def mean(self, of_column: Float64) -> Float64:
        """float64 [q]: the mean over all rows of a figure that is summed over released cells, 1 for suppressed ones."""
        return (of_column + self.suppressed) / self.rows_in


class Measure(Protocol):
    """One figure about a release, or several that belong together."""

    name: ClassVar[str]
    goal: ClassVar[str]
    """Which direction is better: "lower" or "higher"."""
    about: ClassVar[str]

    def of(self, outcome: Outcome) -> Mapping[str, object]:
        """Figures by name, ready for the manifest."""
        ...
