"""The engine interface: an engine moves the rows of one table and decides nothing.

Row numbers and frames do not leave the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import polars as pl

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.coding import DistinctValues
from shoal.coded.partition import Partition
from shoal.engines.assembly import rows_of_runs
from shoal.forms.base import Layout
from shoal.table import Runs
from shoal.verification.faithful import Pairs, Trace


class CountedColumns(NamedTuple):
    """The distinct combinations of some coded columns, sorted, the first column first.

    `codes` int32 [columns, d] are the combinations. `weight` int64 [d] is the number of rows of each.
    """

    codes: Int32
    weight: Int64


class Tally(NamedTuple):
    """Counts of the raw values of a column by distinct row.

    `value` int64 [m] indexes the distinct values, `row` int32 [m] is the distinct row, `times` int64 [m] the count.
    """

    value: Int64
    row: Int32
    times: Int64


class Repeats(NamedTuple):
    """How the values of a column repeat.

    `values`: the number of distinct values. `rows`: the number of rows with a value. `sharing`: the number of rows that
    share their value with another row. `pairs` int32 [2, p]: the distinct rows of some pairs of rows with equal values.
    """

    values: int
    rows: int
    sharing: int
    pairs: Int32


@dataclass(frozen=True)
class Witness:
    """The private record of the released rows. It is never published.

    `find_runs` computes, when it is needed, the trace: which run of the main table shows each row of the engine. Where
    columns are stored, that is int32 [n], -1 if the row is suppressed; the rows of a run are in the order of the input.
    In Spark, it stays in Spark. `input_rows` int64 [n]: the input row of each
    row of the engine; None if the plan dropped none. `persons`: the person of each released row, if the plan counts
    persons. `linked`: class and sensitive values of each run, if the published tables do not link them.
    """

    find_runs: Callable[[], Trace]
    input_rows: Int64 | None = None
    persons: pl.Series | None = None
    linked: Runs | None = None

    @cached_property
    def run(self) -> Trace:
        """Which run of the main table shows each row that was not dropped."""
        return self.find_runs()

    @cached_property
    def row(self) -> Int64:
        """int64 [released rows]: the input row of each row of the main table."""
        rows = rows_of_runs(self.run)
        return rows if self.input_rows is None else self.input_rows[rows]


@dataclass(frozen=True)
class Published:
    """The published tables by name, the main one first, and the private witness."""

    tables: Mapping[str, Runs]
    witness: Witness

    @property
    def main(self) -> Runs:
        """The table with one row for every released row."""
        return next(iter(self.tables.values()))


class Engine(Protocol):
    """The rows of one table."""

    kind: ClassVar[str]
    in_parts: ClassVar[bool]
    """Whether each released table is a folder of parts; otherwise it is one file."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def rows(self) -> int: ...

    def distinct(self, column: str) -> DistinctValues:
        """The distinct raw values of a column, with their counts."""
        ...

    def without(self, dropped: Mapping[str, Flags]) -> Self:
        """The rows in which no column has a dropped value: column → bool [distinct values]."""
        ...

    def count(self, codes: Mapping[str, Int32], person: str | None = None) -> CountedColumns:
        """The distinct rows of some columns, counted with one group-by.

        `codes`: column → the code of each of its distinct raw values. The engine numbers a `person` column itself and
        counts it as the last column.
        """
        ...

    def joint(self, codes: Mapping[str, Int32]) -> CountedColumns:
        """The distinct rows of some columns, as `count` gives them; those of the last `count` remain."""
        ...

    def behind(self, run: Trace, runs: int) -> Int64:
        """int64 [runs + 1]: the number of rows that each run shows; the first are those that none shows.

        `run`: the trace of the rows, which the witness of what this engine published has.
        """
        ...

    def pairs(self, column: str, cells: pl.Series, run: Trace) -> Pairs:
        """The distinct pairs of a raw and a released cell of a column, with the number of their rows.

        `cells`: the cells of runs of equal released rows.
        """
        ...

    def differing(self, column: str, cells: pl.Series, run: Trace) -> int:
        """The number of rows whose raw cell is not the released one, character for character."""
        ...

    def other_persons(self, person: str, persons: pl.Series, times: Int64, run: Trace) -> int:
        """The number of released rows whose person is not that of their row; `times` are the lengths of the runs."""
        ...

    def lacking(self, columns: Sequence[str], missing: Sequence[str]) -> int:
        """The number of rows in which one of the columns is empty or one of the `missing` texts."""
        ...

    def raw_rows(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct raw rows of some columns, with COUNT, the number of rows of each."""
        ...

    def reference(self, column: str, texts: pl.Series, person: str | None = None) -> pl.DataFrame:
        """`value`, `count`: the number of rows, or persons, with each text; `texts` has one per distinct raw value."""
        ...

    def tally(self, column: str, rows: Flags) -> Tally:
        """The counts of a column's raw values in the chosen distinct rows, bool [d], of the last `count`."""
        ...

    def repeats(self, column: str, missing: Sequence[str], most: int, sample: int = 1) -> Repeats:
        """How the non-missing values of a column repeat, with about `most` pairs of rows that share a value.

        With a `sample` of n, only about one in n values is looked at, with all its rows.
        """
        ...

    def publish(self, partition: Partition, layout: Layout, person: str | None = None) -> Published:
        """The tables of a layout; every row has the labels of its class, and rows are sorted by all columns."""
        ...

    def each(self, task: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """The results of a task for each of some items, in their order. An engine with several machines uses them."""
        ...

    def regroup(self, table: Runs, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct released rows of some columns with their counts, for verification."""
        ...
