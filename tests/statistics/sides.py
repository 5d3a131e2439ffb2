"""Sides of small tables for tests of statistics: columns of ranges and of categories, given cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.statistics.base import Cells, Joint, Level, Members, Numbers, Side

Cell = float | str | tuple[float, float] | set[str] | None
"""A number, a text, a range, a set, or None for a missing value."""
Rows = Mapping[str, Sequence[Cell]]


@dataclass(frozen=True)
class ListedCells:
    """Cells in the order of the rows, one each."""

    cells: Sequence[Cell]

    @property
    def rows(self) -> Int64:
        return np.ones(len(self.cells), np.int64)

    def numbers(self) -> Numbers:
        ends = [each if isinstance(each, tuple) else (each, each) for each in self.cells]
        low, high = (np.array([np.nan if end[i] is None else end[i] for end in ends], np.float64) for i in (0, 1))
        with np.errstate(invalid="ignore"):
            middle = np.where(np.isfinite(low) & np.isfinite(high), low / 2 + high / 2, np.nan)
        return Numbers(low, high, middle, whole=True)

    def members(self, levels: Sequence[Level]) -> Members:
        share = np.array([[self._share(cell, level) for cell in self.cells] for level in levels])
        share = share.reshape(len(levels), len(self.cells))
        absent: Flags = np.array([cell is None for cell in self.cells])
        return Members.told(share, share == 1, share > 0, absent, absent)

    def _share(self, cell: Cell, level: Level) -> float:
        if cell is None:
            return 0.0
        if isinstance(cell, str | set):
            members = {cell} if isinstance(cell, str) else cell
            return len(members & {*level.values}) / len(members)
        low, high = cell if isinstance(cell, tuple) else (cell, cell)
        inside = [number for number in range(int(low), int(high) + 1) if self._within(number, level)]
        return len(inside) / (int(high) - int(low) + 1)

    def _within(self, number: int, level: Level) -> bool:
        return (level.least is None or number >= level.least) and (level.below is None or number < level.below)


@dataclass(frozen=True)
class ListedSide:
    """Rows of a table."""

    columns: Rows

    def alone(self, column: str) -> Cells:
        return ListedCells(self.columns[column])

    def within(self, column: str) -> Cells:
        return ListedCells(self.columns[column])

    def joint(self, groups: Mapping[str, Int32]) -> Joint:
        codes = np.array([*groups.values()], np.int32)
        return Joint(codes, np.ones(codes.shape[1], np.int64))

    def counts_by_class(self, column: str) -> bool:
        return False


@dataclass(frozen=True)
class ListedSides:
    """A table before and after."""

    before: Side
    after: Side
    named: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fewest: int = 1

    def is_number(self, column: str) -> bool:
        return column not in self.named

    def levels(self, column: str) -> tuple[Level, ...]:
        return tuple(Level(name, (name,)) for name in self.named[column])

    def number(self, column: str, written: object) -> float:
        return float(str(written))


def sides(before: Rows, after: Rows, fewest: int = 1, **named: Sequence[str]) -> ListedSides:
    """Both sides of a table; `named`: column of text → its levels."""
    return ListedSides(ListedSide(before), ListedSide(after), named, fewest)
