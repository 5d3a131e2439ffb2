"""The local engine: it holds a table in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import ClassVar, Self

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int32, Int64, UInt32
from shoal.coded.coding import DistinctValues
from shoal.coded.keys import distinct_packed, distinct_recoded, distinct_rows
from shoal.coded.partition import Edit, Partition
from shoal.engines.assembly import (
    ClassColumn,
    Kinds,
    RowColumn,
    assembled,
    counted_by_class,
    numbered_by_appearance,
    rows_of_runs,
    sorted_rows,
)
from shoal.engines.base import CountedColumns, Published, Repeats, Tally, Witness
from shoal.engines.dictionary import Dictionary, dictionary
from shoal.engines.repeats import repeats
from shoal.errors import PromiseBroken
from shoal.forms.base import ByClass, ByValue, Content, Layout
from shoal.models.evidence import COUNT
from shoal.table import Runs, as_text
from shoal.verification.faithful import Pairs
from shoal.verification.labelled import coded_cells, is_coded
from shoal.verification.regrouping import counted_rows

_LARGEST_COUNTED = 1 << 22
"""Up to this many possible pairs, they are counted in one array."""
_PART = 1 << 17
"""Rows that are compared at once, few enough to stay in the cache of a processor."""


class LocalEngine:
    """A table in memory. Every column is dictionary-coded at most once, on first use."""

    kind: ClassVar[str] = "local"

    def __init__(self, frame: pl.DataFrame, input_rows: Int64 | None = None) -> None:
        self._frame = frame
        self._input_rows = input_rows  # int64 [n], the input row of every row; None if no input row was dropped
        self._dictionaries: dict[str, Dictionary] = {}
        self._locks = {name: Lock() for name in frame.columns}
        self._row_of, self._firsts = np.zeros(0, np.int32), np.zeros(0, np.int64)
        self._counted: Mapping[str, Int32] = {}
        self._tallied: tuple[Flags, Int64, Int32] | None = None
        self._tally_lock = Lock()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._frame.columns)

    @property
    def rows(self) -> int:
        return self._frame.height

    def distinct(self, column: str) -> DistinctValues:
        codes, values = self._dictionary(column)
        return DistinctValues(values, np.bincount(codes, minlength=len(values)))

    def without(self, dropped: Mapping[str, Flags]) -> Self:
        keep = np.ones(self.rows, np.bool_)
        for name, flags in dropped.items():
            if flags.any():
                keep &= ~flags[self._dictionary(name).codes]
        if keep.all():
            return self
        return type(self)(self._frame.filter(pl.Series(keep)), self._input(np.flatnonzero(keep)))

    def count(self, codes: Mapping[str, Int32], person: str | None = None) -> CountedColumns:
        columns = [(self._dictionary(name).codes, of_value) for name, of_value in codes.items()]
        if person is not None:
            numbers, persons = self._dictionary(person)
            columns.append((numbers, np.arange(len(persons), dtype=np.int32)))
        self._counted, self._tallied = codes, None
        if not columns:  # no column tells rows apart
            self._row_of, self._firsts = np.zeros(self.rows, np.int32), np.zeros(1, np.int64)
            return CountedColumns(np.zeros((0, 1), np.int32), np.array([self.rows], np.int64))
        self._row_of, self._firsts, weight = distinct_recoded(columns)
        return CountedColumns(np.stack([of_value[of_row[self._firsts]] for of_row, of_value in columns]), weight)

    def reference(self, column: str, texts: pl.Series, person: str | None = None) -> pl.DataFrame:
        coded, value = self._dictionary(column), texts.alias("value")
        if person is None:
            counts = pl.Series("count", np.bincount(coded.codes, minlength=len(value)))
            rows, size = pl.DataFrame([value, counts]), pl.col("count").sum()
        else:
            rows = pl.DataFrame([value.gather(coded.codes), self._frame[person].alias("person")])
            size = pl.col("person").n_unique().alias("count")
        return rows.group_by("value").agg(size.cast(pl.Int64)).sort("value")

    def tally(self, column: str, rows: Flags) -> Tally:
        with self._tally_lock:  # several columns are tallied in the same rows, one after the other
            if self._tallied is None or self._tallied[0] is not rows:
                at = np.flatnonzero(rows[self._row_of])
                self._tallied = rows, at, self._row_of[at]
            _, at, row_of = self._tallied
        return Tally(self._dictionary(column).codes[at].astype(np.int64), row_of, np.ones(len(at), np.int64))

    def repeats(self, column: str, missing: Sequence[str], most: int, sample: int = 1) -> Repeats:
        return repeats(self._frame[column], missing, self._row_of, most, sample)

    def publish(self, partition: Partition, layout: Layout, person: str | None = None) -> Published:
        columns = {name: self._column(name, content) for name, content in layout.columns.items()}
        counted = {name: self._column(name, ByValue(texts)) for name, texts in layout.counted_texts.items()}
        by_row = {name: column for name, column in (columns | counted).items() if isinstance(column, RowColumn)}
        entry_of = self._entries(partition, list(by_row.values()))
        if layout.class_id:
            return self._with_class_ids(partition, layout, by_row, entry_of, person)
        edited = {name: _edited(edit, entry_of) for name, edit in partition.edits.items() if name in columns}
        columns, by_row = {**columns, **edited}, {**by_row, **edited}
        kinds, kind_of = self._kinds(partition, by_row, entry_of)
        table, place = assembled(columns, kinds)
        run_of_kind = np.append(place, np.int32(-1))  # the last is of suppressed rows
        witness = Witness(lambda: run_of_kind[kind_of], self._input_rows)
        if person is not None:
            witness = replace(witness, persons=self._frame[person].gather(rows_of_runs(witness.run)))
        return Published({layout.main: table}, witness)

    def pairs(self, column: str, cells: pl.Series, run: Int32) -> Pairs:
        from shoal.kernels.distinct import counted_pairs

        codes, raw = self._checked_dictionary(column)
        of_run, released = coded_cells(cells) if is_coded(cells) else dictionary(cells)
        width, room = len(released), len(raw) * len(released)
        if room <= _LARGEST_COUNTED:
            counts = counted_pairs(codes, run, of_run, room, width)
            keys = np.flatnonzero(counts)
            rows = counts[keys]
        else:
            seen = np.flatnonzero(run >= 0)
            every = codes[seen].astype(np.int64) * width + of_run[run[seen]]
            _, firsts, rows = distinct_packed(every, room)
            keys = every[firsts]
        value, cell = np.divmod(keys, max(width, 1))
        return Pairs(released, value, cell, rows)

    def differing(self, column: str, cells: pl.Series, run: Int32) -> int:
        raw = self._frame[column]
        if raw.dtype != cells.dtype:  # a missing value may be written as empty text
            raw, cells = raw.cast(pl.String).fill_null(""), cells.cast(pl.String).fill_null("")
        return sum(_unequal(raw[part], cells, run[part]) for part in _parts(self.rows))

    def lacking(self, columns: Sequence[str], missing: Sequence[str]) -> int:
        texts = self._frame.select(as_text(self._frame[name]).str.strip_chars() for name in columns)
        gone = pl.all().is_null() | pl.all().is_in(list(missing))
        return int(texts.select(pl.any_horizontal(gone).sum()).item())

    def raw_rows(self, columns: Sequence[str]) -> pl.DataFrame:
        return self._frame.group_by(columns).agg(pl.len().cast(pl.Int64).alias(COUNT))

    def regroup(self, table: Runs, columns: Sequence[str]) -> pl.DataFrame:
        return counted_rows(table, columns)

    # -- columns ------------------------------------------------------------------------------------------------

    def _dictionary(self, name: str) -> Dictionary:
        with self._locks[name]:
            if name not in self._dictionaries:
                self._dictionaries[name] = dictionary(self._frame[name])
            return self._dictionaries[name]

    def _checked_dictionary(self, name: str) -> Dictionary:
        """The dictionary of a column, compared with the column."""
        found, column = self._dictionary(name), self._frame[name]
        distinct = found.distinct
        if column.dtype.is_float():  # only their canonical text is coded
            distinct, column = as_text(distinct), as_text(column)
        if any(_unequal(column[part], distinct, found.codes[part]) for part in _parts(self.rows)):
            raise PromiseBroken(f"The codes of column '{name}' do not stand for its values. Nothing was published.")
        return found

    def _column(self, name: str, content: Content) -> RowColumn | ClassColumn:
        if isinstance(content, ByClass):
            return ClassColumn(name, content.shown)
        if isinstance(content, ByValue):
            return RowColumn(self._dictionary(name).codes, _ranks(content.texts), content.texts, by_value=True)
        column = self._frame[name]
        # Real numbers are distinguished by all their digits, which the canonical text does not show.
        if not column.dtype.is_float():
            coded = self._dictionary(name)
            return RowColumn(coded.codes, _ranks(as_text(coded.distinct)), column, by_value=False)
        coded = dictionary(column.cast(pl.String))
        # A file has nothing where a number is NaN, so NaN comes before all numbers, as missing values do.
        return RowColumn(coded.codes, _ranks(coded.distinct.replace("NaN", "")), column, by_value=False)

    # -- rows ---------------------------------------------------------------------------------------------------

    def _input(self, rows: Int64) -> Int64:
        """The input rows of some rows of this engine."""
        return rows if self._input_rows is None else self._input_rows[rows]

    def _entries(self, partition: Partition, columns: Sequence[RowColumn]) -> Int32:
        """int32 [n]: the entry of the partition to which every row belongs, -1 for suppressed rows.

        Of rows that the search does not distinguish, those that sort first by all released columns go to the first
        class, and within it to the first entry.
        """
        weight = np.bincount(self._row_of, minlength=len(self._firsts))
        if not partition.splits(weight):
            of_row = np.full(len(self._firsts), -1, np.int32)
            of_row[partition.row] = np.arange(len(partition.row), dtype=np.int32)
            return of_row[self._row_of]
        every = np.arange(self.rows)
        order = sorted_rows([self._row_of, *(column.keys(every) for column in columns)])
        by_row = np.argsort(partition.row, kind="stable")
        before = np.cumsum(partition.weight[by_row]) - partition.weight[by_row]
        row = partition.row[by_row]
        first_of_row = before[np.searchsorted(row, row)]
        start = (np.cumsum(weight) - weight)[row] + before - first_of_row
        entry_of = np.full(self.rows, -1, np.int32)
        for entry, begin, rows in zip(by_row.tolist(), start.tolist(), partition.weight[by_row].tolist(), strict=True):
            entry_of[order[begin : begin + rows]] = entry
        return entry_of

    def _kinds(self, partition: Partition, columns: Mapping[str, RowColumn], entry_of: Int32) -> tuple[Kinds, Int32]:
        """The kinds of identical released rows, and int32 [n] the kind of every row, -1 if it is suppressed.

        If the counted rows determine all cells, the kinds are the entries of the partition.
        """
        # Entries of one row with different sets share the example of the row, which has only one of them.
        if not partition.edits and all(self._is_determined(name, column) for name, column in columns.items()):
            return Kinds(partition.class_of, self._firsts[partition.row], partition.weight), entry_of
        kept = np.flatnonzero(entry_of >= 0)
        classes = partition.class_of[entry_of[kept]]
        ids, examples, times = distinct_rows([classes, *(column.keys(kept) for column in columns.values())])
        kind_of = np.full(self.rows, -1, np.int32)
        kind_of[kept] = ids
        return Kinds(classes[examples], kept[examples], times), kind_of

    def _is_determined(self, name: str, column: RowColumn) -> bool:
        """Whether rows that were counted as equal have equal cells in a column."""
        if name not in self._counted or len(self._counted[name]) != len(column.ranks):
            return False
        codes = self._counted[name]
        rank_of = np.zeros(int(codes.max(initial=0)) + 1, np.int32)
        rank_of[codes] = column.ranks
        return bool((rank_of[codes] == column.ranks).all())

    def _with_class_ids(
        self,
        partition: Partition,
        layout: Layout,
        columns: Mapping[str, RowColumn],
        entry_of: Int32,
        person: str | None,
    ) -> Published:
        """The main table with the class number of each row, and the tables that count values by class.

        Classes are numbered by the first of their rows in sorted order, so numbers reveal nothing about input order.
        """
        kinds, kind_of = self._kinds(partition, columns, entry_of)
        keys = [columns[name].keys(kinds.row) for name in layout.columns]
        numbers = numbered_by_appearance(kinds.class_of[sorted_rows([*keys, kinds.class_of])], partition.classes)[
            kinds.class_of
        ]
        linking = [columns[name].keys(kinds.row) for name in layout.counted]
        place, firsts, _ = distinct_rows([*keys, numbers.astype(np.int32), *linking])
        times = np.zeros(len(firsts), np.int64)
        np.add.at(times, place, kinds.times)
        rows, class_ids = kinds.row[firsts], pl.Series(layout.class_id, numbers[firsts])
        main, linked = (
            Runs(pl.DataFrame([*(columns[name].taken(rows).alias(name) for name in names), class_ids]), times)
            for names in (layout.columns, layout.counted)
        )
        counting = {
            table: Runs.of(counted_by_class(linked, layout.class_id, name)) for name, table in layout.counted.items()
        }
        run_of_kind = np.append(place, np.int32(-1))  # the last is of suppressed rows
        witness = Witness(lambda: run_of_kind[kind_of], self._input_rows, linked=linked)
        if person is not None:
            witness = replace(witness, persons=self._frame[person].gather(rows_of_runs(witness.run)))
        return Published({layout.main: main, **counting}, witness)


def _edited(edit: Edit, entry_of: Int32) -> RowColumn:
    """A column that publishes the set of each row's entry; suppressed rows have the set of some other."""
    texts = edit.domain.texts
    codes = edit.codes[np.maximum(entry_of, 0)] if len(edit.codes) else np.zeros(len(entry_of), np.int32)
    return RowColumn(codes.astype(np.uint32), _ranks(texts), texts, by_value=True)


def _parts(rows: int) -> Iterator[slice]:
    return (slice(begin, begin + _PART) for begin in range(0, rows, _PART))


def _unequal(column: pl.Series, distinct: pl.Series, codes: Int32 | UInt32) -> int:
    """The number of cells that are not the value of their code; cells with a negative code do not count."""
    if codes.min(initial=0) < 0:
        coded = codes >= 0
        column, codes = column.filter(pl.Series(coded)), codes[coded]
    return len(column) - int(distinct.gather(codes).eq_missing(column).sum())


def _ranks(texts: pl.Series) -> Int32:
    """int32 [n]: the dense rank of every text, nulls first."""
    return texts.rank("dense").fill_null(0).to_numpy().astype(np.int32)
