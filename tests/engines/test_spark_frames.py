"""Counted rows reach the driver only if they fit, and errors of Spark name no value."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.engines.spark_frames import Driver, explained, running_totals, spread, summed
from shoal.errors import CannotBeMet, TableError
from tests.spark import needs_spark

pytestmark = needs_spark


def test_counted_rows_that_do_not_fit_are_not_brought_to_the_driver(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.engines.spark_frames._SMALL", 1000)
    rows = session.range(1000).selectExpr("id", "1 as n")
    with pytest.raises(TableError, match="1,000 distinct rows"):
        Driver(1000).collected(rows)


def test_equal_rows_are_summed(session: Any) -> None:
    rows = session.range(10).selectExpr("cast(id % 2 as int) as a", "id as n")
    found = Driver(1 << 30).collected(summed(rows))
    assert sorted(found.rows()) == [(0, 20), (1, 25)]
    assert Driver(1 << 30).total(rows) == 45


def test_running_totals_begin_anew_in_every_group(session: Any) -> None:
    rows = session.createDataFrame([(1, 5, 2), (1, 3, 4), (2, 1, 7), (1, 4, 1)], "row int, k0 int, n bigint")
    found = pl.DataFrame(running_totals(rows, "row", ["k0"], "begin").toArrow()).sort("row", "k0")
    assert found["begin"].to_list() == [0, 4, 5, 0]


def test_other_errors_pass(session: Any) -> None:
    with pytest.raises(ZeroDivisionError), explained():
        _ = 1 // 0


@pytest.mark.parametrize("largest", [1 << 30, 0], ids=["in executors", "on the driver"])
def test_tasks_for_items_give_their_results_in_order(
    session: Any, monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    monkeypatch.setattr("shoal.engines.spark_frames._LARGEST_CELL", largest)
    items = [np.arange(number) for number in (5, 0, 3, 8, 1)]
    assert list(spread(session, Driver(1 << 30), np.sum, items)) == [10, 0, 3, 28, 0]
    assert list(spread(session, Driver(1 << 30), np.sum, [])) == []


def test_a_task_that_fails_explains_itself(session: Any) -> None:
    with pytest.raises(TableError, match="Every class needs rows"):
        list(spread(session, Driver(1 << 30), _failing, [1, 2]))


def _failing(item: int) -> int:
    raise CannotBeMet("Every class needs rows.")
