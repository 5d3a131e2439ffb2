"""What Spark executors do to publish: they find the entry of the partition, and the released run, of coded rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.partition import Partition
from shoal.engines.tasks import TIMES, Located, summed

ENTRY, ROW, BEGIN = "entry", "row", "begin"


@dataclass(frozen=True)
class Entered:
    """Coded rows with the entry of their distinct row, `of_row` int32 [d]; rows whose entry is -1 are left out."""

    located: Located
    of_row: Int32
    columns: tuple[str, ...]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        entry = self.of_row[self.located.rows(frame)]
        found = frame.select(*self.columns, pl.Series(ENTRY, entry), TIMES)
        return summed(found.filter(pl.Series(entry >= 0)))


@dataclass(frozen=True)
class OfDivided:
    """The coded rows of divided distinct rows, bool [d], with the keys by which they are divided.

    `keys`: key → the column that it is of, and int32, the key of each of its codes.
    """

    located: Located
    divided: Flags
    keys: Mapping[str, tuple[str, Int32]]
    columns: tuple[str, ...]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        rows = self.located.rows(frame)
        keys = [pl.Series(key, of_code[frame[name].to_numpy()]) for key, (name, of_code) in self.keys.items()]
        found = frame.select(pl.Series(ROW, rows), *keys, *self.columns, TIMES)
        return summed(found.filter(pl.Series(self.divided[rows])))


@dataclass(frozen=True)
class Divided:
    """Divides the rows of distinct rows between their entries, the first rows to the first entry.

    All divided rows stand in one line: those of distinct row r begin at `first[r]`, int64 [d]. Entry `entries[e]` holds
    those from `starts[e]` to before `ends[e]`; rows in none of them are suppressed.
    """

    first: Int64
    entries: Int32
    starts: Int64
    ends: Int64
    columns: tuple[str, ...]

    @staticmethod
    def of(partition: Partition, weight: Int64, divided: Flags, columns: tuple[str, ...]) -> Divided:
        """The division of the distinct rows of this weight, int64 [d]."""
        entries = np.flatnonzero(divided[partition.row])
        entries = entries[np.argsort(partition.row[entries], kind="stable")]
        row, held = partition.row[entries], partition.weight[entries]
        sizes = np.where(divided, weight, 0)
        first, before = np.cumsum(sizes) - sizes, np.cumsum(held) - held
        starts = first[row] + before - before[np.searchsorted(row, row)]
        return Divided(first, entries.astype(np.int32), starts, starts + held, columns)

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        begin = self.first[frame[ROW].to_numpy()] + frame[BEGIN].to_numpy()
        end = begin + frame[TIMES].to_numpy()
        low = np.searchsorted(self.ends, begin, "right")
        pieces = np.maximum(np.searchsorted(self.starts, end, "left") - low, 0)
        of = np.repeat(np.arange(frame.height), pieces)
        entry = low[of] + np.arange(len(of)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        times = np.minimum(end[of], self.ends[entry]) - np.maximum(begin[of], self.starts[entry])
        found = frame[of].select(*self.columns, pl.Series(ENTRY, self.entries[entry]), pl.Series(TIMES, times))
        return found.filter(pl.col(TIMES) > 0)


@dataclass(frozen=True)
class Traced:
    """Finds the run of the main table that shows each row: `run` int32 is that of each kind of released rows."""

    located: Located
    run: Int32

    def runs(self, frame: pl.DataFrame) -> Int32:
        """int32 [n]: the run of every row."""
        return self.run[self.located.rows(frame)]


@dataclass(frozen=True)
class ByRun:
    """The combinations of a column's code and a run, or the cell of a run, counted: `column`, `value`, `cell`, `n`.

    `columns`: for each, its name in the frame, None for rows without a value; and `cells` int32 [runs], the number of
    each run's cell, None for the run itself.
    """

    traced: Traced
    columns: tuple[tuple[str | None, Int32 | None], ...]

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        runs = self.traced.runs(frame)
        return pl.concat(self._of(number, frame, runs) for number in range(len(self.columns)))

    def _of(self, number: int, frame: pl.DataFrame, runs: Int32) -> pl.DataFrame:
        name, cells = self.columns[number]
        value = pl.Series("value", np.zeros(frame.height, np.int32)) if name is None else frame[name].alias("value")
        cell = pl.Series("cell", runs if cells is None else cells[runs])
        found = summed(pl.DataFrame([value, cell, frame[TIMES]]))
        return found.select(pl.lit(number, pl.Int32).alias("column"), "value", "cell", TIMES)
