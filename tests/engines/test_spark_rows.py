"""Only dictionaries that fit reach the driver, and what a frame computes must not change."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.engines.spark_frames import Driver
from shoal.engines.spark_rows import coded_rows, rows_without
from shoal.errors import TableError
from tests.spark import needs_spark, scattered

pytestmark = needs_spark

FRAME = pl.DataFrame({"age": [20 + row % 9 for row in range(90)], "who": [f"p{row}" for row in range(90)]})


def test_dictionaries_that_do_not_fit_are_not_brought_to_the_driver(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.engines.spool._SMALL", 1000)
    rows = scattered(session, FRAME)
    with pytest.raises(TableError, match="'who' needs the most"):
        coded_rows(rows, {}, {"age": True, "who": True}, Driver(1000))


def test_an_error_of_spark_names_no_value(session: Any) -> None:
    rows = session.createDataFrame([("secret",)], "a string").selectExpr("cast(a as int) as a")
    with pytest.raises(TableError, match="Spark could not compute") as raised:
        coded_rows(rows, {}, {"a": True}, Driver(1 << 30))
    assert "secret" not in str(raised.value)


def test_a_frame_that_changes_is_refused(session: Any) -> None:
    def changing(batches: Any) -> Any:
        import os

        import pyarrow as pa

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"a": [os.urandom(8).hex()]})

    rows = session.range(200).mapInArrow(changing, "a string")
    with pytest.raises(TableError, match="other values than when it was first read"):
        coded_rows(rows, {}, {"a": True}, Driver(1 << 30))


def test_a_set_that_is_a_list_is_coded_as_text(session: Any) -> None:
    rows = session.createDataFrame([(["b", "a"],), ([],), (None,), (["b", "a"],)], "items array<string>")
    found = coded_rows(rows, {"items": ";"}, {"items": True}, Driver(1 << 30))
    values, counts = found.coded["items"]
    assert dict(zip(values.to_list(), counts.tolist(), strict=True)) == {"b;a": 2, None: 2}


def test_values_that_no_row_has_any_more_are_gone(session: Any) -> None:
    found = coded_rows(scattered(session, FRAME), {}, {"age": True, "who": False}, Driver(1 << 30))
    fewer = rows_without(found, {"c0": (found.coded["age"].values > 22).to_numpy()})
    assert sorted(fewer.coded["age"].values) == [20, 21, 22]
    assert fewer.rows == 30 and fewer.coded["age"].counts.tolist() == [10, 10, 10]
