"""A table as runs of adjacent equal rows, so that a sorted release takes memory for its distinct rows alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int64


@dataclass(frozen=True, eq=False)
class Runs:
    """A table in which row r of `rows` stands `times[r]` times, int64 of at least 1, one after the other.

    Neighbouring runs may have equal rows.

    >>> Runs(pl.DataFrame({"a": ["x", "y"]}), np.array([2, 1])).expanded()["a"].to_list()
    ['x', 'x', 'y']
    """

    rows: pl.DataFrame
    times: Int64

    @staticmethod
    def of(frame: pl.DataFrame) -> Runs:
        """A table whose rows are runs of one row each."""
        return Runs(frame, np.ones(frame.height, np.int64))

    @staticmethod
    def adjacent(frame: pl.DataFrame) -> Runs:
        """A table whose adjacent equal rows are one run."""
        starts = run_starts(frame)
        if len(starts) == frame.height:
            return Runs.of(frame)
        return Runs(frame[starts], np.diff(starts, append=frame.height))

    @cached_property
    def height(self) -> int:
        """The number of rows of the table."""
        return int(self.times.sum())

    @property
    def columns(self) -> list[str]:
        return self.rows.columns

    def __getitem__(self, name: str) -> pl.Series:
        """The cells of a column, one for every run."""
        return self.rows[name]

    def with_rows(self, rows: pl.DataFrame) -> Runs:
        """The same runs with other cells."""
        return Runs(rows, self.times)

    def filtered(self, kept: Flags) -> Runs:
        """Some of the runs: bool [runs]."""
        return Runs(self.rows.filter(pl.Series(kept)), self.times[kept])

    def counted(self, column: str) -> pl.DataFrame:
        """The distinct cells of a column, and `rows` int64, the number of rows of each; a column is counted once."""
        if column not in self._counts:
            cells = self.rows.select(pl.col(column), pl.Series("\x00rows", self.times))
            counts = cells.group_by(column).agg(pl.col("\x00rows").sum())
            self._counts[column] = counts.rename({"\x00rows": "rows"})
        return self._counts[column]

    @cached_property
    def _counts(self) -> dict[str, pl.DataFrame]:
        return {}

    def run_of(self, rows: Int64) -> Int64:
        """int64: the run of each of some rows, which are given by their numbers."""
        return np.searchsorted(np.cumsum(self.times), rows, "right")

    def expanded(self) -> pl.DataFrame:
        """The table with all its rows."""
        if self.height == len(self.times) or not self.rows.width:  # without columns there are no cells to repeat
            return self.rows
        return self.rows[np.repeat(np.arange(len(self.times)), self.times)]

    def parts(self, size: int) -> Iterator[Runs]:
        """The table in consecutive parts of `size` rows, the last of which may be shorter."""
        ends = np.cumsum(self.times)
        for begin in range(0, self.height, size):
            end = min(begin + size, self.height)
            first, last = int(np.searchsorted(ends, begin, "right")), int(np.searchsorted(ends, end))
            bounds = np.minimum(ends[first : last + 1], end)
            yield Runs(self.rows[first : last + 1], np.diff(bounds, prepend=begin))


def run_starts(frame: pl.DataFrame) -> Int64:
    """int64 [runs]: the first row of every run of equal rows; null and NaN equal themselves."""
    if not frame.height or not frame.width:
        return np.arange(frame.height)
    changed = frame.select(pl.any_horizontal(pl.all().ne_missing(pl.all().shift(1)))).to_series().to_numpy().copy()
    changed[:1] = True  # the first row has no predecessor
    return np.flatnonzero(changed)


def joined(parts: list[Runs]) -> Runs:
    """The runs of all parts, one after the other; runs that a part divides remain divided."""
    return Runs(pl.concat([part.rows for part in parts]), np.concatenate([part.times for part in parts]))
