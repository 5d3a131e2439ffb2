from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import TableError
from shoal.hierarchies.base import text_of
from shoal.table import TYPES, Notation, Typed, as_text, typed

MARKER = "Zebulon-4711"
MISSING = ["", "?", "NA"]


def guess(values: list[Any], dtype: Any = None, missing: list[str] = MISSING) -> Typed:
    return typed(pl.Series("x", values, dtype=dtype, strict=False), type=None, missing=missing)


def declared(values: list[Any], type: str, dtype: Any = None) -> list[Any]:
    return typed(pl.Series("x", values, dtype=dtype), type=type, missing=MISSING).values.to_list()


def refused(values: list[Any], type: str | None, *words: str, dtype: Any = None) -> None:
    with pytest.raises(TableError) as caught:
        typed(pl.Series("x", values, dtype=dtype), type=type, missing=MISSING)
    assert "Column 'x'" in str(caught.value)
    for word in words:
        assert word in str(caught.value)
    for value in values:
        assert len(str(value)) < 4 or str(value) not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "type", "expected"),
    [
        (["39", " 50 ", "?", None, "-3", " NA "], "integer", [39, 50, None, None, -3, None]),
        (["9007199254740993", "9223372036854775807"], "integer", [9007199254740993, 9223372036854775807]),
        (["9223372036854775808", "1"], "text", ["9223372036854775808", "1"]),
        (["9007199254740993.5", "1.5"], "text", ["9007199254740993.5", "1.5"]),
        (["02139", "10001"], "text", ["02139", "10001"]),
        (["007.5", "1.5"], "text", ["007.5", "1.5"]),
        (["+1", "2"], "text", ["+1", "2"]),
        (["1_000", "2"], "text", ["1_000", "2"]),
        (["12,5", "-0,25", "3", "?"], "real", [12.5, -0.25, 3.0, None]),
        (["1,234", "0,5"], "real", [1.234, 0.5]),
        (["0,123"], "real", [0.123]),
        (["1,234", "12,345", "7"], "text", ["1,234", "12,345", "7"]),
        (["1,5", "1.5"], "text", ["1,5", "1.5"]),
        (["1,5", "1,2,3"], "text", ["1,5", "1,2,3"]),
        (["01,5", "2,5"], "text", ["01,5", "2,5"]),
        (["1.234,5"], "text", ["1.234,5"]),
        (["1.5", "2", "-.5", "1e3", "0"], "real", [1.5, 2.0, -0.5, 1000.0, 0.0]),
        (["1e+16", "0.5"], "real", [1e16, 0.5]),
        (["9", "3E+16", "2e20"], "real", [9.0, 3e16, 2e20]),
        (["9100000000000000", "0.5"], "real", [9.1e15, 0.5]),
        (["12E45", "34E56"], "text", ["12E45", "34E56"]),
        (["1e999", "1"], "text", ["1e999", "1"]),
        (["inf", "1"], "text", ["inf", "1"]),
        (["NaN", "1.0"], "text", ["NaN", "1.0"]),
        (["1.5", "x"], "text", ["1.5", "x"]),
        ([" a ", "b"], "text", [" a ", "b"]),
        (["?", "", None], "text", [None, None, None]),
        ([], "text", []),
        (["2020-01-31", "?", "1999-12-01"], "date", [date(2020, 1, 31), None, date(1999, 12, 1)]),
        (["2020/01/31"], "date", [date(2020, 1, 31)]),
        (["31.1.2020", "01.02.2020"], "date", [date(2020, 1, 31), date(2020, 2, 1)]),
        (["1/31/2020", "02/03/2020"], "date", [date(2020, 1, 31), date(2020, 2, 3)]),
        (["31/1/2020", "02/03/2020"], "date", [date(2020, 1, 31), date(2020, 3, 2)]),
        (["01/02/2020", "03/04/2020"], "text", ["01/02/2020", "03/04/2020"]),
        (["31/01/2020", "01/31/2020"], "text", ["31/01/2020", "01/31/2020"]),
        (["2020-01-31", "31.01.2020"], "text", ["2020-01-31", "31.01.2020"]),
        (["2020-02-30", "2020-01-01"], "text", ["2020-02-30", "2020-01-01"]),
        (["0000-01-01"], "text", ["0000-01-01"]),
        (["2020-13-01"], "text", ["2020-13-01"]),
        (["20-01-01"], "text", ["20-01-01"]),
        (["2020-01-01 10:00"], "datetime", [datetime(2020, 1, 1, 10)]),
    ],
)
def test_text_columns_are_guessed(values: list[str | None], type: str, expected: list[Any]) -> None:
    found = guess(values, pl.String)
    assert (found.type, found.values.to_list()) == (type, expected)
    assert found.values.name == "x"


@pytest.mark.parametrize(
    ("values", "dtype", "type", "expected"),
    [
        ([1, None], pl.Int8, "integer", [1, None]),
        ([1, 2], pl.UInt64, "integer", [1, 2]),
        ([2**63, 1], pl.UInt64, "text", ["9223372036854775808", "1"]),
        ([2**80, 1], pl.Int128, "text", [str(2**80), "1"]),
        ([1.0, float("nan"), None], pl.Float64, "real", [1.0, None, None]),
        ([0.1], pl.Float32, "real", [0.1]),
        ([True, False, None], pl.Boolean, "text", ["true", "false", None]),
        ([date(2020, 1, 1), None], pl.Date, "date", [date(2020, 1, 1), None]),
        ([datetime(2020, 1, 1), None], pl.Datetime("ns"), "date", [date(2020, 1, 1), None]),
        ([datetime(2020, 1, 1), None], pl.Datetime("us", "UTC"), "date", [date(2020, 1, 1), None]),
        (
            [datetime(2020, 1, 1), datetime(2020, 1, 1, 1, 2, 3, 500_000)],
            pl.Datetime("ms"),
            "datetime",
            [datetime(2020, 1, 1), datetime(2020, 1, 1, 1, 2, 3, 500_000)],
        ),
        ([Decimal("1.50"), Decimal("2")], pl.Decimal(10, 2), "real", [1.5, 2.0]),
        ([Decimal("7")], pl.Decimal(10, 0), "integer", [7]),
        (["1", "2"], pl.Categorical, "text", ["1", "2"]),
        (["1", "?"], pl.Enum(["1", "?"]), "text", ["1", None]),
        ([timedelta(hours=1)], pl.Duration, "text", ["PT1H"]),
        ([time(1, 2)], pl.Time, "text", ["01:02:00"]),
        ([None, None], pl.Null, "text", [None, None]),
    ],
)
def test_typed_columns_keep_their_type(values: list[Any], dtype: Any, type: str, expected: list[Any]) -> None:
    found = guess(values, dtype)
    assert (found.type, found.values.to_list()) == (type, expected)
    physical = {
        "integer": pl.Int64,
        "real": pl.Float64,
        "date": pl.Date,
        "datetime": pl.Datetime("us"),
        "text": pl.String,
    }
    assert found.values.dtype == physical[type]


def test_missing_values_of_numbers_are_known_by_their_text() -> None:
    assert guess([1, 999, -1], missing=["999", "-1"]).values.to_list() == [1, None, None]
    assert guess([1.5, 999.0], missing=["999"]).values.to_list() == [1.5, None]
    assert guess([date(2020, 1, 1), date(1900, 1, 1)], missing=["1900-01-01"]).values.to_list()[1] is None


@pytest.mark.parametrize(
    ("values", "dtype", "type", "expected"),
    [
        (["007", " +5 ", "39.0", "?"], pl.String, "integer", [7, 5, 39, None]),
        ([39.0, None], pl.Float64, "integer", [39, None]),
        (["1", "2"], pl.Categorical, "integer", [1, 2]),
        (["1", "+2.5", "007.5"], pl.String, "real", [1.0, 2.5, 7.5]),
        (["1", "+2,5", "007,5", ",5"], pl.String, "real", [1.0, 2.5, 7.5, 0.5]),
        ([1, 2], pl.Int32, "real", [1.0, 2.0]),
        (["1e300"], pl.String, "real", [1e300]),
        (["39", " 50", "?"], pl.String, "text", ["39", " 50", None]),
        ([1, 2], pl.Int64, "text", ["1", "2"]),
        ([1.0, 2.5], pl.Float64, "text", ["1", "2.5"]),
        ([float("inf")], pl.Float64, "text", ["inf"]),
        ([date(2020, 1, 1)], pl.Date, "text", ["2020-01-01"]),
        (["2020-01-31", None], pl.String, "date", [date(2020, 1, 31), None]),
        (["1/31/2020", "1/2/2020"], pl.String, "date", [date(2020, 1, 31), date(2020, 1, 2)]),
        (["?", ""], pl.String, "integer", [None, None]),
        (["?", ""], pl.String, "date", [None, None]),
    ],
)
def test_a_declared_type_is_applied(values: list[Any], dtype: Any, type: str, expected: list[Any]) -> None:
    assert declared(values, type, dtype) == expected


@pytest.mark.parametrize(
    ("values", "dtype", "type", "count"),
    [
        (["1", MARKER, "39.5", "?"], pl.String, "integer", "2 of its 4"),
        (["9223372036854775808"], pl.String, "integer", "1 of its 1"),
        ([2**63], pl.UInt64, "integer", "1 of its 1"),
        ([39.5, 1.0], pl.Float64, "integer", "1 of its 2"),
        ([float("inf"), 1.0], pl.Float64, "integer", "1 of its 2"),
        (["1.5", "1,5", "inf", "NaN", "1e999", MARKER], pl.String, "real", "5 of its 6"),
        (["1,236", "7"], pl.String, "real", "1 of its 2"),
        (["39,5"], pl.String, "integer", "1 of its 1"),
        ([True], pl.Boolean, "integer", "1 of its 1"),
        (["2020-01-01", "0000-01-01", "2020-13-01", "2020-02-30", MARKER], pl.String, "date", "4 of its 5"),
        (["2020-01-01", "31.12.2020"], pl.String, "date", "1 of its 2"),
        ([20200131], pl.Int64, "date", "1 of its 1"),
        ([datetime(2020, 1, 1, 5)], pl.Datetime, "date", "1 of its 1"),
    ],
)
def test_a_declared_type_that_does_not_fit_is_refused(values: list[Any], dtype: Any, type: str, count: str) -> None:
    refused(values, type, f"declared {type}", f"{count} values are not", dtype=dtype)


def test_dates_whose_days_and_months_could_be_swapped_are_refused() -> None:
    refused(["01/02/2020", "03/04/2020"], "date", "could be swapped", 'dates = "day-first"')


def test_infinite_numbers_are_counted_and_refused() -> None:
    for type in (None, "real"):
        refused([1.0, float("inf"), float("-inf")], type, "2 infinite values", "finite")


@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime("us"), pl.Datetime("ms", "UTC")])
def test_dates_outside_the_calendar_are_counted_and_refused(dtype: Any) -> None:
    largest = 2**31 - 1 if dtype == pl.Date else 2**63 - 1
    column = pl.Series("x", [0, largest, -largest], dtype=pl.Int64 if dtype != pl.Date else pl.Int32).cast(dtype)
    with pytest.raises(TableError, match="contains 2 dates outside the calendar"):
        typed(column, type=None, missing=MISSING)
    edges = pl.Series("x", [date(1, 1, 1), date(9999, 12, 31)])
    assert typed(edges, type=None, missing=MISSING).values.to_list() == edges.to_list()


@pytest.mark.parametrize("values", [[[MARKER]], [{"a": MARKER}], [MARKER.encode()]])
def test_columns_without_faithful_text_are_refused(values: list[Any]) -> None:
    refused(values, None, "contains", "values", "text")
    with pytest.raises(TableError):
        as_text(pl.Series("x", values))


def test_unknown_types_are_refused() -> None:
    refused(["1"], "number", *TYPES)


@given(st.lists(st.text(st.sampled_from("0123456789.-/+eE ?axé"), max_size=10) | st.none(), max_size=5))
def test_a_guess_can_also_be_declared_and_text_is_never_altered(values: list[str | None]) -> None:
    column = pl.Series("x", values, dtype=pl.String)
    guessed = typed(column, type=None, missing=MISSING)
    again = typed(column, type=guessed.type, missing=MISSING)
    assert again.values.equals(guessed.values, check_dtypes=True, null_equal=True)
    assert len(guessed.values) == len(column)
    assert as_text(column).to_list() == values
    kept = [None if value is None or value.strip() in MISSING else value for value in values]
    assert typed(column, type="text", missing=MISSING).values.to_list() == kept


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([1, -(2**62), None]),
        pl.Series([1.0, 2.5, -0.125, 1e20, 1e-7, None]),
        pl.Series([date(2020, 1, 2), None]),
        pl.Series(["a", " b", "", None]),
    ],
)
def test_text_agrees_with_the_labels_of_hierarchies(column: pl.Series) -> None:
    assert as_text(column).to_list() == text_of(column).to_list()


@pytest.mark.parametrize(
    ("notation", "values", "type", "expected"),
    [
        (Notation(decimal=","), ["1,234", "7"], "real", [1.234, 7.0]),
        (Notation(decimal=","), ["1.5", "7"], "text", ["1.5", "7"]),
        (Notation(decimal=","), ["7", "8"], "integer", [7, 8]),
        (Notation(decimal="."), ["1,5", "7"], "text", ["1,5", "7"]),
        (Notation(dates="day-first"), ["01/02/2020", "03/04/2020"], "date", [date(2020, 2, 1), date(2020, 4, 3)]),
        (Notation(dates="month-first"), ["01/02/2020", "03/04/2020"], "date", [date(2020, 1, 2), date(2020, 3, 4)]),
        (Notation(dates="month-first"), ["13/02/2020"], "text", ["13/02/2020"]),
        (Notation(dates="day-first"), ["01/02/2020 10:15"], "datetime", [datetime(2020, 2, 1, 10, 15)]),
        (Notation(dates="month-first"), ["01.02.2020"], "date", [date(2020, 2, 1)]),
    ],
)
def test_the_plan_states_how_numbers_and_dates_are_written(
    notation: Notation, values: list[str], type: str, expected: list[Any]
) -> None:
    column = pl.Series("x", values)
    guessed = typed(column, type=None, missing=MISSING, notation=notation)
    assert (guessed.type, guessed.values.to_list()) == (type, expected)
    assert typed(column, type=type, missing=MISSING, notation=notation).values.to_list() == expected


def test_the_notation_of_native_columns_does_not_matter() -> None:
    assert typed(pl.Series([1.5]), type=None, missing=(), notation=Notation(decimal=",")).values.to_list() == [1.5]
    assert typed(pl.Series([1.5]), type="real", missing=(), notation=Notation(decimal=",")).values.to_list() == [1.5]
    assert typed(pl.Series([2.0]), type="integer", missing=(), notation=Notation(decimal=",")).values.to_list() == [2]
    days = pl.Series([date(2020, 1, 2)])
    assert typed(days, type="datetime", missing=(), notation=Notation(dates="day-first")).values.to_list() == [
        datetime(2020, 1, 2)
    ]
