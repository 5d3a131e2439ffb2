from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import TableError
from shoal.hierarchies.base import text_of
from shoal.table import as_text, typed

MISSING = ["", "?", "NA"]


def guess(values: list[Any], dtype: Any = pl.String) -> tuple[str, list[Any]]:
    found = typed(pl.Series("x", values, dtype=dtype), type=None, missing=MISSING)
    return found.type, found.values.to_list()


def declared(values: list[Any], type: str, dtype: Any = pl.String) -> list[Any]:
    return typed(pl.Series("x", values, dtype=dtype), type=type, missing=MISSING).values.to_list()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2021-03-04 10:15", datetime(2021, 3, 4, 10, 15)),
        ("2021-03-04T10:15:30", datetime(2021, 3, 4, 10, 15, 30)),
        ("2021-03-04 10:15:30.5", datetime(2021, 3, 4, 10, 15, 30, 500_000)),
        (" 2021-03-04T10:15:30.000001 ", datetime(2021, 3, 4, 10, 15, 30, 1)),
        ("2021-03-04T10:15:30Z", datetime(2021, 3, 4, 10, 15, 30)),
        ("04.03.2021 10:15", datetime(2021, 3, 4, 10, 15)),
        ("4.3.2021 9:05:01", datetime(2021, 3, 4, 9, 5, 1)),
        ("31/03/2021 10:15", datetime(2021, 3, 31, 10, 15)),
        ("3/31/2021 10:15", datetime(2021, 3, 31, 10, 15)),
    ],
)
def test_date_times_are_recognized(text: str, expected: datetime) -> None:
    assert guess([text, "?", None]) == ("datetime", [expected, None, None])
    assert declared([text, "?"], "datetime") == [expected, None]


@pytest.mark.parametrize(
    "values",
    [
        ["2021-03-04 24:00"],
        ["2021-03-04 10:60"],
        ["2021-02-30 10:15"],
        ["2021-03-04 10"],
        ["2021-03-04 10:15+01:00"],
        ["2021-03-04 10:15:30.1234567"],
        ["2021-03-04 10:15", "2021-03-05 10:15Z"],
        ["2021-03-04 10:15", "04.03.2021 10:15"],
        ["03/04/2021 10:15", "01/02/2021 11:15"],
        ["2021-03-04 10:15", "x"],
        ["2021-03-04 10:15", "2021-03-05"],
    ],
)
def test_other_texts_are_no_date_times(values: list[str]) -> None:
    assert guess(values) == ("text", values)


def test_date_times_at_midnight_are_dates() -> None:
    assert guess(["2021-03-04 00:00:00", "2021-03-05T00:00", "2021-03-06"]) == (
        "date",
        [date(2021, 3, 4), date(2021, 3, 5), date(2021, 3, 6)],
    )
    assert declared(["2021-03-04 00:00:00.000"], "date") == [date(2021, 3, 4)]


def test_a_date_may_be_declared_a_date_time() -> None:
    assert declared(["2021-03-04", "2021-03-04 10:15"], "datetime") == [
        datetime(2021, 3, 4),
        datetime(2021, 3, 4, 10, 15),
    ]
    assert declared([date(2021, 3, 4)], "datetime", pl.Date) == [datetime(2021, 3, 4)]
    assert declared([datetime(2021, 3, 4)], "datetime", pl.Datetime("ns")) == [datetime(2021, 3, 4)]


def test_values_that_are_no_date_times_are_counted() -> None:
    with pytest.raises(TableError, match="1 of its 2 values are not") as caught:
        declared(["2021-03-04 10:15", "Zebulon"], "datetime")
    assert "Zebulon" not in str(caught.value)
    assert "2021-03-04" not in str(caught.value)
    with pytest.raises(TableError, match="days and months could be swapped"):
        declared(["03/04/2021 10:15", "01/02/2021 11:15"], "datetime")
    with pytest.raises(TableError, match="1 of its 1 values are not"):
        declared(["2021-03-04 10:15"], "date")


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_native_date_times_keep_their_type(unit: Any) -> None:
    moments = [datetime(2020, 1, 1), datetime(2020, 1, 1, 1, 2, 3, 500_000), None]
    assert guess(moments, pl.Datetime(unit)) == ("datetime", moments)


def test_date_times_finer_than_a_microsecond_are_text() -> None:
    column = pl.Series("x", [1_500_000_000_000_000_001], dtype=pl.Int64).cast(pl.Datetime("ns"))
    assert guess(column.to_list(), pl.Datetime("us"))[0] == "datetime"
    assert typed(column, type=None, missing=()).type == "text"
    assert as_text(column).to_list() == ["2017-07-14 02:40:00.000000001"]


def test_time_zones_are_converted_to_utc() -> None:
    summer = pl.Series("x", [datetime(2021, 7, 1, 12), datetime(2021, 1, 1, 12)]).dt.replace_time_zone("Europe/Berlin")
    found = typed(summer, type=None, missing=())
    assert found.values.to_list() == [datetime(2021, 7, 1, 10), datetime(2021, 1, 1, 11)]
    assert as_text(summer).to_list() == ["2021-07-01 10:00:00", "2021-01-01 11:00:00"]
    days = pl.Series("x", [datetime(2021, 7, 1)]).dt.replace_time_zone("Europe/Berlin")
    assert typed(days, type=None, missing=()).values.to_list() == [date(2021, 7, 1)]


def test_the_hour_that_occurs_twice_stays_two_values() -> None:
    instants = pl.Series("x", [datetime(2021, 10, 31, 0, 30), datetime(2021, 10, 31, 1, 30)])
    berlin = instants.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin")
    assert as_text(berlin).n_unique() == 2


@given(st.lists(st.datetimes(), min_size=1, max_size=5))
def test_the_canonical_text_of_a_date_time_reads_as_the_same(moments: list[datetime]) -> None:
    column = pl.Series("x", moments, dtype=pl.Datetime("us"))
    text = text_of(column)
    assert typed(text, type="datetime", missing=()).values.to_list() == moments
    assert text.sort().to_list() == text_of(column.sort()).to_list()
    assert as_text(pl.concat([column, pl.Series("x", [datetime(2020, 1, 1, 1)])]))[:-1].to_list() == text.to_list()


def test_a_step_of_a_microsecond_is_seen() -> None:
    first = datetime(1800, 1, 1, 1)
    column = pl.Series("x", [first, first + timedelta(microseconds=1)])
    assert text_of(column).to_list() == ["1800-01-01 01:00:00", "1800-01-01 01:00:00.000001"]
