"""Publishing from Spark: executors find the entry of every row, and the driver assembles the kinds of released rows.

Which row is shown where stays in Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal.arrays import Int32, Int64
from shoal.coded.partition import Edit, Partition
from shoal.engines.assembly import ClassColumn, Kinds, RowColumn, assembled
from shoal.engines.base import Published, Witness
from shoal.engines.dictionary import Dictionary, dictionary
from shoal.engines.entering import BEGIN, ENTRY, ROW, ByRun, Differing, Divided, Entered, OfDivided, Traced
from shoal.engines.publishing import divided_rows, ranks_of, unchanged, with_class_ids
from shoal.engines.spark_frames import collected, mapped, running_totals, schema_of, summed
from shoal.engines.spark_rows import CodedRows
from shoal.engines.tasks import TIMES, Finder, Keyed, Located
from shoal.forms.base import ByClass, ByValue, Content, Layout
from shoal.verification.faithful import Pairs
from shoal.verification.labelled import coded_cells, is_coded


@dataclass(frozen=True)
class SparkTrace:
    """The released rows in Spark: coded rows with their entries, and the run of the main table that shows each."""

    frame: Any
    traced: Traced
    rows: int
    most_bytes: int

    def behind(self, runs: int) -> Int64:
        """int64 [runs + 1]: the number of rows that each run shows; the first are those that none shows."""
        found = self._by_run(None, np.zeros(1, np.int32), None)
        behind = np.zeros(runs + 1, np.int64)
        behind[found["cell"].to_numpy() + 1] = found[TIMES].to_numpy()
        behind[0] = self.rows - behind.sum()
        return behind

    def pairs(self, code: str, codes: Any, cells: pl.Series) -> Pairs:
        """The distinct pairs of a raw and a released cell of a column."""
        of_run, released = coded_cells(cells) if is_coded(cells) else dictionary(cells)
        found = self._by_run(code, codes.astype(np.int32), of_run.astype(np.int32)).sort("value", "cell")
        value, cell = (found[name].cast(pl.Int64).to_numpy() for name in ("value", "cell"))
        return Pairs(released, value, cell, found[TIMES].to_numpy())

    def differing(self, code: str, raw: pl.Series, cells: pl.Series) -> int:
        """The number of rows whose raw cell is not the released one, character for character."""
        if raw.dtype != cells.dtype:  # a missing value may be written as empty text
            raw, cells = raw.cast(pl.String).fill_null(""), cells.cast(pl.String).fill_null("")
        task = Differing(self.traced, code, raw, cells)
        found = collected(summed(mapped(self.frame, task, schema_of(()))), self.most_bytes)
        return int(found[TIMES].sum() or 0)

    def other_persons(self, code: str, raw: pl.Series, persons: pl.Series, times: Int64) -> int:
        """The number of released rows, in runs of these lengths, whose person is not that of a row of their run."""
        run = pl.Series("cell", np.repeat(np.arange(len(times), dtype=np.int32), times))
        told = pl.DataFrame([run, persons.alias("value")]).group_by("cell", "value").len("told")
        found = self._by_run(code, np.arange(len(raw), dtype=np.int32), None)
        found = found.with_columns(raw.gather(found["value"]).alias("value"))
        both = told.join(found, on=["cell", "value"], how="left", nulls_equal=True)
        return int((both["told"].cast(pl.Int64) - both[TIMES].fill_null(0)).clip(0).sum())

    def persons(self, code: str, raw: pl.Series) -> pl.Series:
        """The person of every released row, in the order of the main table."""
        found = self._by_run(code, np.arange(len(raw), dtype=np.int32), None).sort("cell", "value")
        return raw.gather(np.repeat(found["value"].to_numpy(), found[TIMES].to_numpy()))

    def _by_run(self, code: str | None, codes: Int32, cells: Int32 | None) -> pl.DataFrame:
        task = ByRun(self.traced, code, codes, cells)
        return collected(summed(mapped(self.frame, task, schema_of(("value", "cell")))), self.most_bytes)


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
    kinds = _Kinds.of(entered, partition, by_row, keys, rows.most_bytes)
    if layout.class_id:
        tables, place, linked = with_class_ids(partition.classes, layout, kinds.columns, kinds.kinds)
    else:
        table, place = assembled({**columns, **kinds.columns}, kinds.kinds)
        tables, linked = {layout.main: table}, None
    trace = SparkTrace(entered, Traced(kinds.located, place), rows.rows, rows.most_bytes)
    persons = None if person is None else trace.persons(rows.code(person), rows.coded[person].values)
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
        most_bytes: int,
    ) -> _Kinds:
        """Counts the released rows by class and by the ranks of the columns that depend on the row."""
        counted = {"class": (ENTRY, partition.class_of), **{f"k{n}": keys[name] for n, name in enumerate(by_row)}}
        names = list(counted)
        found = collected(summed(mapped(entered, Keyed(counted), schema_of(names))), most_bytes).sort(names)
        codes = np.ascontiguousarray(found.select(names).to_numpy().T, np.int32)
        kinds = Kinds(codes[0], np.arange(found.height), found[TIMES].to_numpy())
        columns = {name: _by_rank(column, codes[n + 1]) for n, (name, column) in enumerate(by_row.items())}
        return _Kinds(kinds, columns, Located(Finder.of(codes), tuple(counted.values())))


def _by_rank(column: RowColumn, ranks: Int32) -> RowColumn:
    """A column of kinds, given the rank of each: the cell of a rank is that of the first value with it."""
    first = np.zeros(int(column.ranks.max(initial=0)) + 1, np.uint32)
    first[column.ranks[::-1]] = np.arange(len(column.ranks), dtype=np.uint32)[::-1]
    return RowColumn(first[ranks], column.ranks, column.cells)
