"""What an engine is: it moves the rows of one table and decides nothing. Row numbers and frames stay inside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol, Self

import polars as pl

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.coding import DistinctValues
from shoal.coded.partition import Partition
from shoal.forms.base import Layout


class CountedColumns(NamedTuple):
    """The distinct combinations of some coded columns: `codes` int32 [columns, d] and `weight` int64 [d], how many rows
    each stands for. They ascend, the first column first."""

    codes: Int32
    weight: Int64


class Tally(NamedTuple):
    """How often the raw values of a column occur beside distinct rows: `value` int64 [m] into its distinct values,
    `row` int32 [m] the distinct row, `times` int64 [m]."""

    value: Int64
    row: Int32
    times: Int64


class Repeats(NamedTuple):
    """How the values of a column repeat: how many there are, how many rows have one, how many rows share theirs with
    another row; and `pairs` int32 [2, p], distinct rows of some pairs of rows that share a value."""

    values: int
    rows: int
    sharing: int
    pairs: Int32


@dataclass(frozen=True)
class Witness:
    """What only the steward may know of the released rows, in the order of the main table; it is never published.

    `find_rows` gives int64, the input row behind each, where somebody asks. `persons`: whose it is, where the plan
    counts persons. `linked`: class and sensitive values of each, where the published tables do not link them.
    """

    find_rows: Callable[[], Int64]
    persons: pl.Series | None = None
    linked: pl.DataFrame | None = None

    @cached_property
    def row(self) -> Int64:
        """int64 [released rows]: the input row behind each row of the main table."""
        return self.find_rows()


@dataclass(frozen=True)
class Published:
    """The published tables by name, the main one first, and the private witness."""

    tables: Mapping[str, pl.DataFrame]
    witness: Witness

    @property
    def main(self) -> pl.DataFrame:
        """The table that has a row for every released one."""
        return next(iter(self.tables.values()))


class Engine(Protocol):
    """The rows of one table."""

    kind: ClassVar[str]

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def rows(self) -> int: ...

    def distinct(self, column: str) -> DistinctValues:
        """The distinct raw values of a column with their counts."""
        ...

    def without(self, dropped: Mapping[str, Flags]) -> Self:
        """The rows in which no column has a dropped value: column → bool [distinct values]."""
        ...

    def count(self, codes: Mapping[str, Int32], person: str | None = None) -> CountedColumns:
        """The distinct rows of some columns, given the code of each of their distinct raw values: one group-by.

        A `person` column is numbered by the engine and counted as the last one.
        """
        ...

    def forget(self, columns: Sequence[str]) -> None:
        """Frees the memory of columns whose values nobody asks for again."""
        ...

    def reference(self, column: str, texts: pl.Series, person: str | None = None) -> pl.DataFrame:
        """`value`, `count`: how many rows, or persons, have each text, given the text of every distinct raw value."""
        ...

    def tally(self, column: str, rows: Flags) -> Tally:
        """The raw values of a column beside the chosen distinct rows, bool [d], of the last `count`."""
        ...

    def repeats(self, column: str, missing: Sequence[str], most: int) -> Repeats:
        """How the values of a column repeat, missing ones aside; about `most` pairs of rows that share a value."""
        ...

    def publish(self, partition: Partition, layout: Layout, person: str | None = None) -> Published:
        """The tables of a layout: every row with the labels of its class, sorted by all released columns."""
        ...

    def regroup(self, table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct released rows of some columns with their counts, for verification."""
        ...
