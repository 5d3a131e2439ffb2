"""Publishing: attaches the labels of its class to every row, sorts by all released columns, and keeps a witness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.keys import distinct_by, distinct_rows
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
from shoal.engines.base import Published, Witness
from shoal.engines.columns import Columns
from shoal.engines.dictionary import Dictionary
from shoal.forms.base import ByClass, ByValue, Content, Layout
from shoal.table import Runs, as_text


@dataclass(frozen=True)
class CountedTable:
    """The rows as they were counted.

    `codes`: counted column → the code of each of its distinct values. `row_of` int32 [n]: the distinct row of each row.
    `firsts` int64 [d]: a row of each distinct row. `weight` int64 [d]: the number of its rows.
    """

    codes: Mapping[str, Int32]
    row_of: Int32
    firsts: Int64
    weight: Int64

    def determines(self, name: str, column: RowColumn) -> bool:
        """Whether rows that were counted as equal have equal cells in a column."""
        if name not in self.codes or len(self.codes[name]) != len(column.ranks):
            return False
        codes = self.codes[name]
        rank_of = np.zeros(int(codes.max(initial=0)) + 1, np.int32)
        rank_of[codes] = column.ranks
        return bool((rank_of[codes] == column.ranks).all())


def publish(
    stored: Columns,
    dictionary: Callable[[str], Dictionary],
    counted: CountedTable,
    partition: Partition,
    layout: Layout,
    person: str | None,
    input_rows: Int64 | None,
) -> Published:
    """The tables of a layout: every row has the labels of its class, and rows are sorted by all columns.

    `dictionary`: the dictionary of a column to whose values a layout refers.
    """

    def of(name: str, content: Content) -> RowColumn | ClassColumn:
        if isinstance(content, ByClass):
            return ClassColumn(name, content.shown)
        if isinstance(content, ByValue):
            return RowColumn(dictionary(name).codes, ranks_of(content.texts), content.texts)
        return unchanged(stored.coded(name))

    columns = {name: of(name, content) for name, content in layout.columns.items()}
    by_value = {name: of(name, ByValue(texts)) for name, texts in layout.counted_texts.items()}
    by_row = {name: column for name, column in (columns | by_value).items() if isinstance(column, RowColumn)}
    entry_of = _entries(counted, partition, list(by_row.values()))
    if layout.class_id:
        kinds, kind_of = _kinds(counted, partition, by_row, entry_of)
        tables, place, linked = with_class_ids(partition.classes, layout, by_row, kinds)
    else:
        edited = {name: _edited(edit, entry_of) for name, edit in partition.edits.items() if name in columns}
        kinds, kind_of = _kinds(counted, partition, {**by_row, **edited}, entry_of)
        table, place = assembled({**columns, **edited}, kinds)
        tables, linked = {layout.main: table}, None
    run_of_kind = np.append(place, np.int32(-1))  # the last is of suppressed rows
    witness = Witness(lambda: run_of_kind[kind_of], input_rows, linked=linked)
    if person is not None:
        codes, persons = stored.coded(person)
        witness = replace(witness, persons=persons.gather(codes[rows_of_runs(witness.run)]))
    return Published(tables, witness)


def unchanged(coded: Dictionary) -> RowColumn:
    """A column that is released unchanged. Real numbers are distinguished and sorted by all their digits.

    A file has nothing where a number is NaN, so NaN comes before all numbers, as missing values do.
    """
    values = coded.distinct
    texts = values.cast(pl.String).replace("NaN", "") if values.dtype.is_float() else as_text(values)
    return RowColumn(coded.codes, ranks_of(texts), values)


def _entries(counted: CountedTable, partition: Partition, columns: Sequence[RowColumn]) -> Int32:
    """int32 [n]: the entry of the partition to which every row belongs, -1 for suppressed rows.

    Of rows that the search does not distinguish, those that sort first by all released columns go to the first class,
    and within it to the first entry.
    """
    of_row = np.full(len(counted.firsts), -1, np.int32)
    of_row[partition.row] = np.arange(len(partition.row), dtype=np.int32)
    entry_of = of_row[counted.row_of]
    divided = divided_rows(partition, counted.weight)
    if divided.any():
        _divide(entry_of, counted, partition, columns, divided)
    return entry_of


def divided_rows(partition: Partition, weight: Int64) -> Flags:
    """bool [d]: the distinct rows that are divided between entries, or between an entry and suppression."""
    divided = np.zeros(len(weight), np.bool_)
    divided[partition.row[partition.weight != weight[partition.row]]] = True
    return divided


def _divide(
    entry_of: Int32, counted: CountedTable, partition: Partition, columns: Sequence[RowColumn], divided: Flags
) -> None:
    """Distributes the rows of divided distinct rows over their entries, in place."""
    at = np.flatnonzero(divided[counted.row_of])
    order = at[sorted_rows([counted.row_of[at], *(column.keys(at) for column in columns)])]
    entries = np.flatnonzero(divided[partition.row])
    entries = entries[np.argsort(partition.row[entries], kind="stable")]
    row, weight = partition.row[entries], partition.weight[entries]
    sizes = np.where(divided, counted.weight, 0)
    before = np.cumsum(weight) - weight
    begins = (np.cumsum(sizes) - sizes)[row] + before - before[np.searchsorted(row, row)]
    entry_of[at] = -1
    for entry, begin, rows in zip(entries.tolist(), begins.tolist(), weight.tolist(), strict=True):
        entry_of[order[begin : begin + rows]] = entry


def _kinds(
    counted: CountedTable, partition: Partition, columns: Mapping[str, RowColumn], entry_of: Int32
) -> tuple[Kinds, Int32]:
    """The kinds of identical released rows, and int32 [n] the kind of every row, -1 if it is suppressed.

    If the counted rows determine all cells, the kinds are the entries of the partition.
    """
    # Entries of one row with different sets share the example of the row, which has only one of them.
    if not partition.edits and all(counted.determines(name, column) for name, column in columns.items()):
        return Kinds(partition.class_of, counted.firsts[partition.row], partition.weight), entry_of
    place = np.append(partition.class_of + np.int32(1), np.int32(0))  # suppressed rows come first, as one kind
    by_row = list(columns.values())

    def codes_of(a: int, rows: slice) -> Int32:
        classes = place[entry_of[rows]]
        if a == 0:
            return classes
        keys = by_row[a - 1].ranks[by_row[a - 1].codes[rows]]
        return np.where(classes > 0, keys, np.int32(0))

    sizes = [partition.classes + 1, *(int(column.ranks.max(initial=0)) + 1 for column in by_row)]
    kind_of, examples, times = distinct_by(sizes, len(entry_of), codes_of)
    classes = place[entry_of[examples]]
    suppressed = int((classes == 0).any())
    kinds = Kinds(classes[suppressed:] - np.int32(1), examples[suppressed:], times[suppressed:])
    return kinds, kind_of - np.int32(suppressed)


def with_class_ids(
    classes: int, layout: Layout, columns: Mapping[str, RowColumn], kinds: Kinds
) -> tuple[dict[str, Runs], Int32, Runs]:
    """The main table with the class number of each row, and the tables that count values by class.

    Returned with them are the run of each kind, and what the tables do not link: class and counted values of each run.
    Classes are numbered by the first of their rows in sorted order, so numbers reveal nothing about input order.
    """
    keys = [columns[name].keys(kinds.row) for name in layout.columns]
    in_turn = kinds.class_of[sorted_rows([*keys, kinds.class_of])]
    numbers = numbered_by_appearance(in_turn, classes)[kinds.class_of]
    linking = [columns[name].keys(kinds.row) for name in layout.counted]
    place, firsts, _ = distinct_rows([*keys, numbers.astype(np.int32), *linking])
    times = np.zeros(len(firsts), np.int64)
    np.add.at(times, place, kinds.times)
    rows, class_ids = kinds.row[firsts], pl.Series(layout.class_id, numbers[firsts])
    main, linked = (
        Runs(pl.DataFrame([*(columns[name].taken(rows).alias(name) for name in names), class_ids]), times)
        for names in (layout.columns, layout.counted)
    )
    tables = {layout.main: main}
    for name, table in layout.counted.items():
        tables[table] = Runs.of(counted_by_class(linked, layout.class_id, name))
    return tables, place, linked


def _edited(edit: Edit, entry_of: Int32) -> RowColumn:
    """A column that publishes the set of each row's entry; suppressed rows have the set of some other."""
    texts = edit.domain.texts
    codes = edit.codes[np.maximum(entry_of, 0)] if len(edit.codes) else np.zeros(len(entry_of), np.int32)
    return RowColumn(codes.astype(np.uint32), ranks_of(texts), texts)


def ranks_of(texts: pl.Series) -> Int32:
    """int32 [n]: the dense rank of every text, nulls first."""
    return texts.rank("dense").fill_null(0).to_numpy().astype(np.int32)
