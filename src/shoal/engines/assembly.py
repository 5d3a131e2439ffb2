"""Putting released rows together: columns by class and by row, sorted by all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Int32, Int64, UInt32
from shoal.coded.keys import distinct_rows
from shoal.coded.recoding import Shown


@dataclass(frozen=True)
class RowColumn:
    """A column whose cells depend on the row: `codes` uint32 [n] into its distinct values, whose places in sort order,
    nulls first, are `ranks` int32. `cells` are given by row, or by distinct value."""

    codes: UInt32
    ranks: Int32
    cells: pl.Series
    by_value: bool

    def keys(self, rows: Int64) -> Int32:
        """The sort key of some rows."""
        return self.ranks[self.codes[rows]]

    def taken(self, rows: Int64) -> pl.Series:
        """The cells of some rows."""
        return self.cells.gather(self.codes[rows] if self.by_value else rows)


class ClassColumn:
    """A column that shows the label of the class. Labels stand sorted in its dictionary, so codes sort as labels do."""

    def __init__(self, name: str, shown: Shown) -> None:
        used = np.unique(shown.codes)
        texts = sorted({shown.labels[code] for code in used.tolist()})
        place = {text: number for number, text in enumerate(texts)}
        of_label = np.zeros(len(shown.labels), np.int32)
        of_label[used] = [place[shown.labels[code]] for code in used.tolist()]
        self.name, self.of_class, self.kind = name, of_label[shown.codes], pl.Enum(texts)

    def taken(self, classes: Int32) -> pl.Series:
        """The cells of rows of these classes."""
        return pl.Series(self.name, self.of_class[classes].view(np.uint32)).cat.to(self.kind)


class Kinds(NamedTuple):
    """Rows that are released alike: of each kind its class int32 [k], one of its rows int64 [k], and how many rows."""

    class_of: Int32
    row: Int64
    times: Int64


class Assembled(NamedTuple):
    """A sorted table, and int32 [kinds] the place of each kind among its distinct rows, of which there are so many."""

    table: pl.DataFrame
    place: Int32
    distinct: int


def assembled(columns: Mapping[str, RowColumn | ClassColumn], kinds: Kinds) -> Assembled:
    """The rows of all kinds, sorted by all columns; equal rows are made once and repeated."""
    keys = [
        column.of_class[kinds.class_of] if isinstance(column, ClassColumn) else column.keys(kinds.row)
        for column in columns.values()
    ]
    place, firsts, _ = distinct_rows(keys)
    times = np.zeros(len(firsts), np.int64)
    np.add.at(times, place, kinds.times)
    classes, rows = kinds.class_of[firsts], kinds.row[firsts]
    cells = [
        column.taken(classes) if isinstance(column, ClassColumn) else column.taken(rows).alias(name)
        for name, column in columns.items()
    ]
    table = pl.DataFrame(cells)[np.repeat(np.arange(len(firsts)), times)]
    return Assembled(table, place, len(firsts))


def in_order(ids: Int32, room: int) -> Int64:
    """int64 [n]: the places of ids, all below `room`, in ascending order; equal ones as they stood."""
    from shoal.kernels.distinct import counting_order

    order: Int64 = counting_order(ids, room)
    return order


def sorted_rows(keys: list[Int32]) -> Int64:
    """int64 [rows]: the rows in ascending order of all keys, the first key first."""
    ids, firsts, _ = distinct_rows(keys)
    return in_order(ids, len(firsts))


def numbered_by_appearance(class_of: Int32, classes: int) -> Int64:
    """int64 [classes]: a number from 1 for every class, in the order in which they first appear."""
    present, firsts = np.unique(class_of, return_index=True)
    numbers = np.zeros(classes, np.int64)
    numbers[present[np.argsort(firsts)]] = np.arange(1, len(present) + 1)
    return numbers


def counted_by_class(linked: pl.DataFrame, class_id: str, column: str) -> pl.DataFrame:
    """The class, `value` and `count`: how often each value of a column occurs in each class, sorted."""
    groups = linked.group_by(class_id, pl.col(column).alias("value")).agg(pl.len().cast(pl.Int64).alias("count"))
    return groups.sort(class_id, "value", nulls_last=False)
