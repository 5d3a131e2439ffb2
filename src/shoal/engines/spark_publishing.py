"""Publishing from Spark: executors find the entry of every row, and the driver assembles the kinds of released rows.

Which row is shown where stays in Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import polars as pl

from shoal.arrays import Int32, Int64
from shoal.coded.partition import Edit, Partition
from shoal.engines.assembly import ClassColumn, Kinds, RowColumn, assembled
from shoal.engines.base import Published, Witness
from shoal.engines.dictionary import Dictionary, dictionary
from shoal.engines.entering import BEGIN, ENTRY, ROW, ByRun, Divided, Entered, OfDivided, Traced
from shoal.engines.publishing import divided_rows, ranks_of, unchanged, with_class_ids
from shoal.engines.spark_frames import mapped, running_totals, schema_of, summed
from shoal.engines.spark_rows import CodedRows
from shoal.engines.tasks import TIMES, Finder, Keyed, Located
from shoal.forms.base import ByClass, ByValue, Content, Layout
from shoal.verification.faithful import Pairs
from shoal.verification.labelled import coded_cells, is_coded

_AT_ONCE = 1 << 26
"""Bytes of released cells that executors compare in one pass."""


@dataclass(frozen=True)
class SparkTrace:
    """The released rows in Spark: coded rows with their entries, and the run of the main table that shows each.

    `shown`: column → the cells of its runs, all of which are compared in one pass, if they fit.
    """

    frame: Any
    traced: Traced
    rows: CodedRows
    shown: Mapping[str, pl.Series]
    _lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    def behind(self, runs: int) -> Int64:
        """int64 [runs + 1]: the number of rows that each run shows; the first are those that none shows."""
        with self._lock:
            found = self._in_one_pass[None, None]
        behind = np.zeros(runs + 1, np.int64)
        behind[found["cell"].to_numpy() + 1] = found[TIMES].to_numpy()
        behind[0] = self.rows.rows - behind.sum()
        return behind

    def pairs(self, name: str, codes: Any, cells: pl.Series) -> Pairs:
        """The distinct pairs of a raw and a released cell of a column; `codes`: the new code of each of its codes."""
        released, found = self._cells_of(name, cells)
        found = found.with_columns(pl.Series("value", codes.astype(np.int64)[found["value"].to_numpy()]))
        found = found.group_by("value", "cell").agg(pl.col(TIMES).sum()).sort("value", "cell")
        return Pairs(
            released, found["value"].to_numpy(), found["cell"].cast(pl.Int64).to_numpy(), found[TIMES].to_numpy()
        )

    def differing(self, name: str, cells: pl.Series) -> int:
        """The number of rows whose raw cell is not the released one, character for character."""
        raw = self.rows.coded[name].values
        released, found = self._cells_of(name, cells)
        if raw.dtype != released.dtype:  # a missing value may be written as empty text
            raw, released = (each.cast(pl.String).fill_null("") for each in (raw, released))
        differ = raw.gather(found["value"]).ne_missing(released.gather(found["cell"]))
        return int(found[TIMES].filter(differ).sum())

    def other_persons(self, name: str, persons: pl.Series, times: Int64) -> int:
        """The number of released rows, in runs of these lengths, whose person is not that of a row of their run."""
        run = pl.Series("cell", np.repeat(np.arange(len(times), dtype=np.int32), times))
        told = pl.DataFrame([run, persons.alias("value")]).group_by("cell", "value").len("told")
        found = self._counted([(name, None)])[0]
        found = found.with_columns(self.rows.coded[name].values.gather(found["value"]).alias("value"))
        both = told.join(found, on=["cell", "value"], how="left", nulls_equal=True)
        return int((both["told"].cast(pl.Int64) - both[TIMES].fill_null(0)).clip(0).sum())

    def persons(self, name: str) -> pl.Series:
        """The person of every released row, in the order of the main table."""
        found = self._counted([(name, None)])[0].sort("cell", "value")
        return self.rows.coded[name].values.gather(np.repeat(found["value"].to_numpy(), found[TIMES].to_numpy()))

    def _cells_of(self, name: str, cells: pl.Series) -> tuple[pl.Series, pl.DataFrame]:
        """The distinct cells, and the counted pairs of a code and the position of a cell.

        Other cells than those that were published are compared in a pass of their own.
        """
        of_run, released = _numbered(cells)
        with self._lock:
            known = self._in_one_pass.get((name, of_run.tobytes()))
        return released, self._counted([(name, of_run)])[0] if known is None else known

    @cached_property
    def _in_one_pass(self) -> Mapping[tuple[str | None, bytes | None], pl.DataFrame]:
        """What was counted for the rows of every run, and for every shown column, if all of them fit."""
        columns: list[tuple[str | None, Int32 | None]] = [(None, None)]
        if sum(len(cells) for cells in self.shown.values()) * 4 <= _AT_ONCE:
            columns += [(name, _numbered(cells)[0]) for name, cells in self.shown.items()]
        keys = [(name, None if cells is None else cells.tobytes()) for name, cells in columns]
        return dict(zip(keys, self._counted(columns), strict=True))

    def _counted(self, columns: Sequence[tuple[str | None, Int32 | None]]) -> list[pl.DataFrame]:
        coded = tuple((None if name is None else self.rows.code(name), cells) for name, cells in columns)
        most = self.rows.rows * len(coded)
        task, schema = ByRun(self.traced, coded), schema_of(("column", "value", "cell"))
        found = self.rows.driver.counted(self.frame, task, schema, most)
        return [found.filter(pl.col("column") == number).drop("column") for number in range(len(coded))]


def _numbered(cells: pl.Series) -> tuple[Int32, pl.Series]:
    """int32 [runs]: the position of every cell among the distinct ones, which are returned too."""
    of_run, released = coded_cells(cells) if is_coded(cells) else dictionary(cells)
    return of_run.astype(np.int32), released


def publish(
    rows: CodedRows,
    canonical: Mapping[str, Dictionary],
    located: Located,
    weight: Int64,
    partition: Partition,
    layout: Layout,
    person: str | None,
) -> Published:
    """The tables of a layout: every row has the labels of its class, and rows are sorted by all columns.

    `canonical`: column → the code, among values of which null and NaN are one, of each of its codes. `located` finds
    the distinct row, whose weight is int64 [d], of each row.
    """

    columns = {name: _column(rows, canonical, name, content) for name, content in layout.columns.items()}
    by_value = {name: _by_value(canonical[name], texts) for name, texts in layout.counted_texts.items()}
    by_row = {name: column for name, column in (columns | by_value).items() if isinstance(column, RowColumn)}
    keys = {name: (rows.code(name), column.ranks[column.codes]) for name, column in by_row.items()}
    entered = _entered(rows, located, weight, partition, list(keys.values()))
    if not layout.class_id:
        edited = {name: _edited(edit) for name, edit in partition.edits.items() if name in columns}
        by_row |= edited
        keys |= {name: (ENTRY, column.ranks[column.codes]) for name, column in edited.items()}
    kinds = _Kinds.of(entered, partition, by_row, keys, rows)
    if layout.class_id:
        tables, place, linked = with_class_ids(partition.classes, layout, kinds.columns, kinds.kinds)
    else:
        table, place = assembled({**columns, **kinds.columns}, kinds.kinds)
        tables, linked = {layout.main: table}, None
    main = tables[layout.main].rows if linked is None else tables[layout.main].rows.with_columns(linked.rows)
    shown = {name: main[name] for name in main.columns if name in rows.coded}
    trace = SparkTrace(entered, Traced(kinds.located, place), rows, shown)
    persons = None if person is None else trace.persons(person)
    return Published(tables, Witness(lambda: trace, persons=persons, linked=linked))


def _column(
    rows: CodedRows, canonical: Mapping[str, Dictionary], name: str, content: Content
) -> RowColumn | ClassColumn:
    """A released column; the codes of one that depends on the row are those of its distinct values."""
    if isinstance(content, ByClass):
        return ClassColumn(name, content.shown)
    if isinstance(content, ByValue):
        return _by_value(canonical[name], content.texts)
    values = rows.coded[name].values
    return unchanged(Dictionary(np.arange(len(values), dtype=np.uint32), values))


def _by_value(canonical: Dictionary, texts: pl.Series) -> RowColumn:
    return RowColumn(canonical.codes, ranks_of(texts), texts)


def _edited(edit: Edit) -> RowColumn:
    """A column that publishes the set of each row's entry; its codes are those of the entries."""
    return RowColumn(edit.codes.astype(np.uint32), ranks_of(edit.domain.texts), edit.domain.texts)


def _entered(
    rows: CodedRows,
    located: Located,
    weight: Int64,
    partition: Partition,
    keys: Sequence[tuple[str, Int32]],
) -> Any:
    """The released rows as codes, with the entry of the partition to which each belongs."""
    columns = tuple(rows.code(name) for name in rows.coded)
    divided = divided_rows(partition, weight)
    of_row = np.full(len(weight), -1, np.int32)
    of_row[partition.row] = np.arange(len(partition.row), dtype=np.int32)
    of_row[divided] = -1
    schema = schema_of((*columns, ENTRY))
    entered = mapped(rows.frame, Entered(located, of_row, columns), schema)
    if not divided.any():
        return entered
    numbered = {f"k{number}": key for number, key in enumerate(keys)}
    task = OfDivided(located, divided, numbered, columns)
    counted = summed(mapped(rows.frame, task, schema_of((ROW, *numbered, *columns))))
    # Codes decide between rows that are released alike, so that a partition that is computed again is divided alike.
    in_turn = running_totals(counted, ROW, (*numbered, *columns), BEGIN)
    return entered.unionByName(mapped(in_turn, Divided.of(partition, weight, divided, columns), schema))


@dataclass(frozen=True)
class _Kinds:
    """The kinds of released rows: their classes and times, their columns by kind, and how executors find them."""

    kinds: Kinds
    columns: Mapping[str, RowColumn]
    located: Located

    @staticmethod
    def of(
        entered: Any,
        partition: Partition,
        by_row: Mapping[str, RowColumn],
        keys: Mapping[str, tuple[str, Int32]],
        rows: CodedRows,
    ) -> _Kinds:
        """Counts the released rows by class and by the ranks of the columns that depend on the row."""
        counted = {"class": (ENTRY, partition.class_of), **{f"k{n}": keys[name] for n, name in enumerate(by_row)}}
        names = list(counted)
        found = rows.driver.counted(entered, Keyed(counted), schema_of(names), rows.rows).sort(names)
        codes = np.ascontiguousarray(found.select(names).to_numpy().T, np.int32)
        kinds = Kinds(codes[0], np.arange(found.height), found[TIMES].to_numpy())
        columns = {name: _by_rank(column, codes[n + 1]) for n, (name, column) in enumerate(by_row.items())}
        return _Kinds(kinds, columns, Located(Finder.of(codes), tuple(counted.values())))


def _by_rank(column: RowColumn, ranks: Int32) -> RowColumn:
    """A column of kinds, given the rank of each: the cell of a rank is that of the first value with it."""
    first = np.zeros(int(column.ranks.max(initial=0)) + 1, np.uint32)
    first[column.ranks[::-1]] = np.arange(len(column.ranks), dtype=np.uint32)[::-1]
    return RowColumn(first[ranks], column.ranks, column.cells)
