"""Executors find the entry and the run of every row, whichever part of the table they see."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.coded.partition import Partition
from shoal.coded.recoding import Exact
from shoal.engines.entering import BEGIN, ENTRY, ROW, ByRun, Divided, Entered, OfDivided, Traced
from shoal.engines.tasks import TIMES, Finder, Located

SAME = np.arange(3, dtype=np.int32)
LOCATED = Located(Finder.of(SAME[None]), (("c0", SAME),))
WEIGHT = np.array([4, 3, 5])
ROWS = pl.DataFrame(
    {
        "c0": pl.Series([0, 0, 1, 2, 2, 0], dtype=pl.Int32),
        "c1": pl.Series([0, 1, 0, 1, 0, 1], dtype=pl.Int32),
        TIMES: pl.Series([2, 1, 3, 2, 3, 1], dtype=pl.Int64),
    }
)
# Row 0 is divided between the classes 0 and 1, and one of its rows is suppressed; row 2 loses two rows.
PARTITION = Partition(np.array([0, 2, 0, 1]), np.array([0, 2, 4]), np.array([2, 3, 1, 3]), Exact())
DIVIDED = np.array([True, False, True])


def test_rows_get_the_entry_of_their_distinct_row() -> None:
    found = Entered(LOCATED, np.array([-1, 3, -1], np.int32), ("c0", "c1"))(ROWS)
    assert found.rows() == [(1, 0, 3, 3)]
    assert found.columns == ["c0", "c1", ENTRY, TIMES]


def test_divided_rows_are_counted_with_their_keys() -> None:
    turned = np.array([1, 0], np.int32)
    found = OfDivided(LOCATED, DIVIDED, {"k0": ("c1", turned)}, ("c1",))(ROWS)
    assert found.columns == [ROW, "k0", "c1", TIMES]
    assert sorted(found.rows()) == [(0, 0, 1, 2), (0, 1, 0, 2), (2, 0, 1, 2), (2, 1, 0, 3)]


def counted(rows: list[tuple[int, int, int, int]]) -> pl.DataFrame:
    kinds = {ROW: pl.Int32, "c1": pl.Int32, TIMES: pl.Int64, BEGIN: pl.Int64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def test_the_first_rows_go_to_the_first_entry_and_the_last_are_suppressed() -> None:
    divided = Divided.of(PARTITION, WEIGHT, DIVIDED, ("c1",))
    found = divided(counted([(0, 7, 3, 0), (0, 8, 1, 3), (2, 7, 2, 0), (2, 8, 3, 2)]))
    assert found.columns == ["c1", ENTRY, TIMES]
    assert found.rows() == [(7, 0, 2), (7, 2, 1), (7, 1, 2), (8, 1, 1)]


def test_parts_of_the_rows_are_divided_as_all_of_them() -> None:
    divided = Divided.of(PARTITION, WEIGHT, DIVIDED, ("c1",))
    alone = [divided(counted([(0, c1, 1, c1)])) for c1 in range(4)]
    assert [part.rows() for part in alone] == [[(0, 0, 1)], [(1, 0, 1)], [(2, 2, 1)], []]


TRACED = Traced(LOCATED, np.array([1, 0, 1], np.int32))


def test_rows_are_counted_by_run_for_several_columns_in_one_pass() -> None:
    task = ByRun(TRACED, ((None, None), ("c1", np.array([8, 9], np.int32)), ("c0", None)))
    found = {number: set[tuple[int, int, int]]() for number in range(3)}
    for number, *counted in task(ROWS).rows():
        found[number].add(tuple(counted))
    assert found[0] == {(0, 0, 3), (0, 1, 9)}
    assert found[1] == {(0, 8, 3), (0, 9, 5), (1, 9, 4)}
    assert found[2] == {(0, 1, 4), (1, 0, 3), (2, 1, 5)}
