"""Assembling the released table: columns by class and by row, sorted by all columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Codes, Int32, Int64
from shoal.coded.keys import distinct_rows
from shoal.coded.recoding import Shown
from shoal.table import Runs


@dataclass(frozen=True)
class RowColumn:
    """A column whose cells depend on the row.

    `codes` [n] are codes of its distinct values. `ranks` int32 are the ranks of these values, nulls first. `cells` are
    what is shown of each of them.
    """

    codes: Codes
    ranks: Int32
    cells: pl.Series

    def keys(self, rows: Int64) -> Int32:
        """The sort keys of the given rows."""
        return self.ranks[self.codes[rows]]

    def taken(self, rows: Int64) -> pl.Series:
        """The cells of the given rows."""
        return self.cells.gather(self.codes[rows])


class ClassColumn:
    """A column with the label of each class. Its dictionary is sorted, so codes sort like labels."""

    def __init__(self, name: str, shown: Shown) -> None:
        used = np.unique(shown.codes)
        texts = sorted({shown.labels[code] for code in used.tolist()})
        place = {text: number for number, text in enumerate(texts)}
        of_label = np.zeros(len(shown.labels), np.int32)
        of_label[used] = [place[shown.labels[code]] for code in used.tolist()]
        self.name, self.of_class, self.kind = name, of_label[shown.codes], pl.Enum(texts)

    def taken(self, classes: Int32) -> pl.Series:
        """The cells of rows in the given classes."""
        return pl.Series(self.name, self.of_class[classes].view(np.uint32)).cat.to(self.kind)


class Kinds(NamedTuple):
    """Kinds of identical released rows: the class int32 [k], one of its rows int64 [k], and the number of rows."""

    class_of: Int32
    row: Int64
    times: Int64


class Assembled(NamedTuple):
    """A sorted table, whose runs are distinct rows, and the run int32 [kinds] of each kind."""

    table: Runs
    place: Int32


def assembled(columns: Mapping[str, RowColumn | ClassColumn], kinds: Kinds) -> Assembled:
    """The rows of all kinds, sorted by all columns; equal rows are one run."""
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
    return Assembled(Runs(pl.DataFrame(cells), times), place)


def rows_of_runs(run: Int32) -> Int64:
    """int64 [released rows]: the rows in the order of their runs, those of a run in their own order.

    `run` int32 [n]: the run of each row, -1 if it is suppressed.
    """
    order = in_order(run + 1, int(run.max(initial=-1)) + 2)
    return order[np.count_nonzero(run < 0) :]


def in_order(ids: Int32, room: int) -> Int64:
    """int64 [n]: the positions of ids, all below `room`, in ascending order of ids; a stable sort."""
    from shoal.kernels.distinct import counting_order

    order: Int64 = counting_order(ids, room)
    return order


def sorted_rows(keys: list[Int32]) -> Int64:
    """int64 [rows]: the rows sorted by all keys, the first key first."""
    ids, firsts, _ = distinct_rows(keys)
    return in_order(ids, len(firsts))


def numbered_by_appearance(class_of: Int32, classes: int) -> Int64:
    """int64 [classes]: numbers of the classes from 1, in the order of their first appearance."""
    present, firsts = np.unique(class_of, return_index=True)
    numbers = np.zeros(classes, np.int64)
    numbers[present[np.argsort(firsts)]] = np.arange(1, len(present) + 1)
    return numbers


def counted_by_class(linked: Runs, class_id: str, column: str) -> pl.DataFrame:
    """The class, `value` and `count` of each value of a column in each class, sorted."""
    values = linked.rows.select(class_id, pl.col(column).alias("value"), pl.Series("count", linked.times))
    return values.group_by(class_id, "value").agg(pl.col("count").sum()).sort(class_id, "value", nulls_last=False)
