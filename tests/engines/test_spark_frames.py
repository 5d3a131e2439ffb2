"""Counted rows reach the driver only if they fit, and errors of Spark name no value."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.engines.spark_frames import Driver, _explanation, explained, running_totals, spread, summed
from shoal.errors import Cancelled, CannotBeMet, MissingExtra, ShoalError, TableError
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


def test_an_interrupt_cancels_the_jobs_of_all_threads(session: Any) -> None:
    driver, failed = Driver(1 << 30), list[BaseException]()

    def sleeping(batches: Any) -> Any:
        import time

        for batch in batches:
            time.sleep(60)
            yield batch

    def other() -> None:
        try:
            driver.total(session.range(2).selectExpr("id as n").mapInArrow(sleeping, "n bigint"))
        except TableError as error:
            failed.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    while not session.sparkContext.statusTracker().getActiveJobsIds():
        time.sleep(0.05)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), driver.working(session):
        raise KeyboardInterrupt
    thread.join(30)
    assert time.monotonic() - began < 30 and len(failed) == 1
    with pytest.raises(Cancelled):
        driver.total(session.range(2).selectExpr("id as n"))
    assert Driver(1 << 30).total(session.range(2).selectExpr("id as n")) == 1  # other runs go on


class Failure(Exception):
    """An error of Spark with this condition and message."""

    def __init__(self, message: str, condition: str | None = None) -> None:
        super().__init__(message)
        self.getCondition = lambda: condition


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (Failure("…ModuleNotFoundError: No module named 'polars'\n…"), MissingExtra, "lacks the package 'polars'"),
        (Failure("ModuleNotFoundError: No module named 'shoal.engines'"), MissingExtra, "lacks the package 'shoal'"),
        (Failure('Cannot run program "python9": error=2'), MissingExtra, "no program 'python9'"),
        (Failure("[PYTHON_VERSION_MISMATCH] …"), MissingExtra, "another version of Python"),
        (Failure("… is bigger than spark.driver.maxResultSize (1 GiB)"), TableError, "raise spark.driver.max"),
        (Failure("…", "JAVA_GATEWAY_EXITED"), MissingExtra, "Java 17"),
        (Failure("…", "UNSUPPORTED_TIME_TYPE"), TableError, "times of day"),
        (Failure("cell 'secret'", "CAST_INVALID_INPUT"), TableError, "CAST_INVALID_INPUT"),
        (Failure("shoal.errors.TableError: Column 'a' has other values."), TableError, "Column 'a' has other values."),
    ],
)
def test_errors_say_what_to_do(error: Any, kind: type[ShoalError], text: str) -> None:
    found = _explanation(error)
    assert type(found) is kind and text in str(found) and "secret" not in str(found)


def test_a_file_that_spark_cannot_read_any_more_is_named(session: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        pl.DataFrame({"age": ["31", "47"]}).write_parquet(tmp_path / f"{name}.parquet")
    frame = session.read.parquet(str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet"))
    (tmp_path / "b.parquet").unlink()
    with pytest.raises(TableError, match=r"Spark cannot read the file .*/b\.parquet: it does not exist any more\."):
        Driver(1 << 20).collected(frame.groupBy("age").count())


def test_the_kind_of_an_error_is_named_without_values(session: Any) -> None:
    rows = session.range(3).selectExpr("cast(concat('secret', id) as int) as id", "1 as n")
    with pytest.raises(TableError, match="CAST_INVALID_INPUT") as raised:
        Driver(1 << 20).collected(rows)
    assert "secret" not in str(raised.value)
