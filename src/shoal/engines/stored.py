"""The engine of a table whose columns are stored as codes: all operations, in memory that follows distinct rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Codes, Flags, Int32, Int64
from shoal.coded.coding import DistinctValues
from shoal.coded.keys import KeyCounts, distinct_by, distinct_recoded
from shoal.coded.partition import Partition
from shoal.engines.base import CountedColumns, Published, Repeats, Tally
from shoal.engines.columns import Columns, parts, tallied, unequal
from shoal.engines.dictionary import Dictionary, canonical, dictionary
from shoal.engines.publishing import CountedTable, publish
from shoal.engines.repeats import repeats
from shoal.forms.base import Layout
from shoal.models.evidence import COUNT
from shoal.table import Runs, as_text
from shoal.verification.faithful import Pairs
from shoal.verification.labelled import coded_cells, is_coded
from shoal.verification.regrouping import counted_rows

_LARGEST_COUNTED = 1 << 22
"""Up to this many possible pairs, they are counted in one array."""
_MOST_ROWS_TALLIED = 1 << 23
"""Up to this many rows, a tally lists every row; beyond, equal ones are counted."""
_MANY = 1 << 22
"""Rows that are looked at at once."""


class _Picked(NamedTuple):
    """The rows of the chosen distinct rows: int64 their numbers, and int32 their distinct rows; None if they are many.

    `chosen` bool [d] are the distinct rows.
    """

    chosen: Flags
    at: Int64 | None
    row_of: Int32 | None


class StoredEngine:
    """The rows of one table, given by its columns; an engine is one of these for each way to store columns."""

    in_parts: ClassVar[bool] = False

    def __init__(self, columns: Columns, input_rows: Int64 | None = None) -> None:
        self._columns = columns
        self._input_rows = input_rows  # int64 [n], the input row of every row; None if no input row was dropped
        self._counted = CountedTable({}, np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._canonical: dict[str, Dictionary] = {}
        self._tallied: _Picked | None = None
        self._lock = Lock()

    @property
    def columns(self) -> tuple[str, ...]:
        return self._columns.names

    @property
    def rows(self) -> int:
        return self._columns.rows

    def distinct(self, column: str) -> DistinctValues:
        codes, values = self._dictionary(column)
        return DistinctValues(values, tallied(codes, len(values)))

    def kept(self, dropped: Mapping[str, Flags]) -> Flags:
        """bool [n]: the rows in which no column has a dropped value: column → bool [distinct values]."""
        keep = np.ones(self.rows, np.bool_)
        for name, flags in dropped.items():
            if flags.any():
                codes = self._dictionary(name).codes
                for part in parts(self.rows, _MANY):
                    keep[part] &= ~flags[codes[part]]
        return keep

    def input_rows(self, rows: Int64) -> Int64:
        """The input rows of some rows of this engine."""
        return rows if self._input_rows is None else self._input_rows[rows]

    def count(self, codes: Mapping[str, Int32], person: str | None = None) -> CountedColumns:
        columns = [(self._dictionary(name).codes, of_value) for name, of_value in codes.items()]
        if person is not None:
            numbers, persons = self._dictionary(person)
            columns.append((numbers, np.arange(len(persons), dtype=np.int32)))
        self._tallied = None
        if not columns:  # no column tells rows apart
            weight = np.array([self.rows], np.int64)
            self._counted = CountedTable(codes, np.zeros(self.rows, np.int32), np.zeros(1, np.int64), weight)
            return CountedColumns(np.zeros((0, 1), np.int32), weight)
        row_of, firsts, weight = distinct_recoded(columns)
        self._counted = CountedTable(codes, row_of, firsts, weight)
        return CountedColumns(np.stack([of_value[of_row[firsts]] for of_row, of_value in columns]), weight)

    def joint(self, codes: Mapping[str, Int32]) -> CountedColumns:
        columns = [(self._dictionary(name).codes, of_value) for name, of_value in codes.items()]
        _, firsts, weight = distinct_recoded(columns)
        return CountedColumns(np.stack([of_value[of_row[firsts]] for of_row, of_value in columns]), weight)

    def reference(self, column: str, texts: pl.Series, person: str | None = None) -> pl.DataFrame:
        coded, value = self._dictionary(column), texts.alias("value")
        if person is None:
            counts = pl.Series("count", tallied(coded.codes, len(value)))
            rows, size = pl.DataFrame([value, counts]), pl.col("count").sum()
        else:
            numbers, persons = self._dictionary(person)
            values, who, _ = self._combined([(coded.codes, len(value)), (numbers, len(persons))])
            rows = pl.DataFrame([value.gather(values), pl.Series("person", who)])
            size = pl.col("person").n_unique().alias("count")
        return rows.group_by("value").agg(size.cast(pl.Int64)).sort("value")

    def tally(self, column: str, rows: Flags) -> Tally:
        codes, values = self._dictionary(column)
        picked = self._pick(rows)
        if picked.at is not None and picked.row_of is not None:
            at = picked.at
            return Tally(codes[at].astype(np.int64), picked.row_of, np.ones(len(at), np.int64))
        found, width = KeyCounts(), max(len(values), 1)
        for part in parts(self.rows, _MANY):
            row_of = self._counted.row_of[part]
            at = np.flatnonzero(rows[row_of])
            found.add(row_of[at].astype(np.int64) * width + codes[part][at], len(rows) * width)
        row, value = np.divmod(found.keys, width)
        return Tally(value, row.astype(np.int32), found.counts)

    def repeats(self, column: str, missing: Sequence[str], most: int, sample: int = 1) -> Repeats:
        hashes, kind = self._columns.hashes(column), self._columns.kind(column)
        return repeats(hashes, kind, missing, self._counted.row_of, most, sample)

    def publish(self, partition: Partition, layout: Layout, person: str | None = None) -> Published:
        return publish(self._columns, self._dictionary, self._counted, partition, layout, person, self._input_rows)

    def behind(self, run: Int32, runs: int) -> Int64:
        behind = np.zeros(max(runs, int(run.max(initial=-1)) + 1) + 1, np.int64)
        for part in parts(len(run), _MANY):
            behind += np.bincount(run[part] + 1, minlength=len(behind))
        return behind

    def pairs(self, column: str, cells: pl.Series, run: Int32) -> Pairs:
        codes, raw = canonical(self._columns.checked(column))
        of_run, released = coded_cells(cells) if is_coded(cells) else dictionary(cells)
        return _pairs(codes, len(raw), of_run, released, run)

    def differing(self, column: str, cells: pl.Series, run: Int32) -> int:
        codes, raw = self._columns.checked(column)
        if raw.dtype != cells.dtype:  # a missing value may be written as empty text
            raw, cells = raw.cast(pl.String).fill_null(""), cells.cast(pl.String).fill_null("")
        if 4 * len(raw) > self.rows:  # nearly every row has a value of its own, so pairs would be as many as rows
            return sum(unequal(raw.gather(codes[part]), cells, run[part]) for part in parts(self.rows))
        found = _pairs(codes, len(raw), *dictionary(cells), run)
        differ = raw.gather(found.value).ne_missing(found.released.gather(found.cell)).to_numpy()
        return int(found.rows[differ].sum())

    def other_persons(self, person: str, persons: pl.Series, times: Int64, run: Int32) -> int:
        place = np.full(len(run), -1, np.int32)
        released = np.flatnonzero(run >= 0)  # sorted by other means than when the persons were found
        place[released[np.argsort(run[released], kind="stable")]] = np.arange(len(released), dtype=np.int32)
        return self.differing(person, persons, place)

    def lacking(self, columns: Sequence[str], missing: Sequence[str]) -> int:
        lacking = np.zeros(self.rows, np.bool_)
        for name in columns:
            codes, values = self._columns.coded(name)
            texts = as_text(values).str.strip_chars()
            flags = (texts.is_null() | texts.is_in(list(missing))).fill_null(True).to_numpy()
            for part in parts(self.rows, _MANY):
                lacking[part] |= flags[codes[part]]
        return int(np.count_nonzero(lacking))

    def raw_rows(self, columns: Sequence[str]) -> pl.DataFrame:
        coded = {name: self._columns.coded(name) for name in columns}
        *codes, counts = self._combined([(each.codes, len(each.distinct)) for each in coded.values()])
        cells = [
            each.distinct.gather(of_row).alias(name) for (name, each), of_row in zip(coded.items(), codes, strict=True)
        ]
        return pl.DataFrame([*cells, pl.Series(COUNT, counts)])

    def each(self, task: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        return map(task, items)  # one after the other, so that only one of them is in memory

    def regroup(self, table: Runs, columns: Sequence[str]) -> pl.DataFrame:
        return counted_rows(table, columns)

    def _dictionary(self, name: str) -> Dictionary:
        """The dictionary of a column in which equal values, such as null and NaN, have one code."""
        exact = self._columns.coded(name)
        if not exact.distinct.dtype.is_float():
            return exact
        with self._lock:
            if name not in self._canonical:
                self._canonical[name] = canonical(exact)
            return self._canonical[name]

    def _combined(self, columns: Sequence[tuple[Codes, int]]) -> list[Int64]:
        """The distinct combinations of codes, each below its size: a code of every column, and the number of rows."""
        sizes = [max(size, 1) for _, size in columns]
        found = distinct_by(sizes, self.rows, lambda a, rows: columns[a][0][rows])
        return [*(codes[found.firsts].astype(np.int64) for codes, _ in columns), found.counts]

    def _pick(self, rows: Flags) -> _Picked:
        with self._lock:  # several columns are tallied in the same rows, one after the other
            if self._tallied is None or self._tallied.chosen is not rows:
                many = int(self._counted.weight[rows].sum()) > _MOST_ROWS_TALLIED
                at = None if many else np.concatenate([*self._rows_of(rows), np.zeros(0, np.int64)])
                self._tallied = _Picked(rows, at, None if at is None else self._counted.row_of[at])
            return self._tallied

    def _rows_of(self, rows: Flags) -> Iterator[Int64]:
        """The rows of the chosen distinct rows, in parts."""
        for part in parts(self.rows, _MANY):
            yield np.flatnonzero(rows[self._counted.row_of[part]]) + part.start


def _pairs(codes: Codes, size: int, of_run: Codes, released: pl.Series, run: Int32) -> Pairs:
    """The distinct pairs of a raw value, one of `size`, and a released cell, with the number of their rows."""
    from shoal.kernels.distinct import counted_pairs

    width = max(len(released), 1)
    room = size * width
    if room <= _LARGEST_COUNTED:
        counts = np.zeros(room, np.int64)
        for part in parts(len(run), _MANY):
            counts += counted_pairs(codes[part].astype(np.uint32), run[part], of_run, room, width)
        keys = np.flatnonzero(counts)
        rows = counts[keys]
    else:
        found = KeyCounts()
        for part in parts(len(run), _MANY):
            seen = np.flatnonzero(run[part] >= 0)
            found.add(codes[part][seen].astype(np.int64) * width + of_run[run[part][seen]], room)
        keys, rows = found.keys, found.counts
    value, cell = np.divmod(keys, width)
    return Pairs(released, value, cell, rows)
