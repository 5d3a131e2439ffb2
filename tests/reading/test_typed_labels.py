"""Typed labels say what the labels say, for every kind of label and hierarchy."""

from __future__ import annotations

from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import labels
from shoal.errors import TableError
from shoal.hierarchies import Dates, File, Flat, HierarchySpec, Intervals, Learned, Prefix
from shoal.reading.typed_labels import LabelColumn, label_type, typed_labels
from shoal.roles.columns import Column, quasi

TREE = File("jobs.csv")


def said(
    *texts: str, settings: Column | None = None, spec: HierarchySpec | None = None, **book: object
) -> list[tuple[object, ...]]:
    listed = {"labels": list(texts), **book} if book else {}
    return typed_labels(LabelColumn("c", texts, settings or quasi(), spec, listed)).rows()


def test_numbers() -> None:
    assert said("[30, 39]", "41", "*", "") == [
        ("range", 30, 39, 34.5),
        ("value", 41, 41, 41.0),
        ("any", None, None, None),
        ("missing", None, None, None),
    ]
    assert said("[0.5, 1]", "-2") == [("range", 0.5, 1.0, 0.75), ("value", -2.0, -2.0, -2.0)]


def test_whole_numbers_stay_exact() -> None:
    big = 2**63 - 1
    assert said(f"[{big - 1}, {big}]")[0][:3] == ("range", big - 1, big)


def test_the_ends_that_top_and_bottom_coding_opened_are_null() -> None:
    settings = quasi(top=90, bottom=18)
    rows = said("[80, 90]", "90", "[18, 20]", "[18, 90]", "[30, 39]", settings=settings)
    assert [row[:3] for row in rows] == [
        ("range", 80, None),
        ("range", 90, None),
        ("range", None, 20),
        ("range", None, None),
        ("range", 30, 39),
    ]
    assert [row[3] for row in rows] == [None, None, None, None, 34.5]


def test_an_interval_that_reaches_beyond_the_top_is_open() -> None:
    (row,) = said("[90, 94]", settings=quasi(top=92.5), spec=Intervals((5,)))
    assert row == ("range", 90, None, None)


def test_bounds_of_dates_and_of_date_times() -> None:
    (day,) = said("[2020-01-01, 2020-12-31]", settings=quasi(top=date(2020, 12, 31)))
    assert day == ("range", date(2020, 1, 1), None, None)
    moments = quasi(type="datetime", bottom=date(2020, 1, 1))
    (moment,) = said("[2020-01-01 00:00:00, 2020-01-02 08:00:00]", settings=moments)
    assert moment == ("range", None, datetime(2020, 1, 2, 8), None)


def test_periods_have_their_first_and_last_day() -> None:
    rows = said("2024-02", "2024-Q1", "2024", "[2020, 2029]", "2024-02-29", "*", spec=Dates())
    assert rows == [
        ("range", date(2024, 2, 1), date(2024, 2, 29), date(2024, 2, 15)),
        ("range", date(2024, 1, 1), date(2024, 3, 31), date(2024, 2, 15)),
        ("range", date(2024, 1, 1), date(2024, 12, 31), date(2024, 7, 1)),
        ("range", date(2020, 1, 1), date(2029, 12, 31), date(2024, 12, 31)),
        ("value", date(2024, 2, 29), date(2024, 2, 29), date(2024, 2, 29)),
        ("any", None, None, None),
    ]


def test_periods_of_date_times_end_with_their_last_microsecond() -> None:
    rows = said("2024-02-29 23h", "2024-02-29", "2024-02-29 23:05:00", spec=Dates(("hour", "day")))
    last = datetime(2024, 2, 29, 23, 59, 59, 999_999)
    assert [row[:3] for row in rows] == [
        ("range", datetime(2024, 2, 29, 23), last),
        ("range", datetime(2024, 2, 29), last),
        ("value", datetime(2024, 2, 29, 23, 5), datetime(2024, 2, 29, 23, 5)),
    ]


def test_sets_are_lists_without_escapes() -> None:
    rows = said("{a, b}", "{, x\\, y}", "\\*", "\\\\x", "plain", "*", "")
    assert rows == [
        ("set", ["a", "b"]),
        ("set", [None, "x, y"]),
        ("value", ["*"]),
        ("value", ["\\x"]),
        ("value", ["plain"]),
        ("any", None),
        ("missing", None),
    ]


def test_nodes_of_a_tree_list_no_members() -> None:
    rows = said("nurse", "health care", "*", spec=TREE, levels=[0, 1, 2], shares=[0.0, 0.4, 1.0])
    assert rows == [("value", ["nurse"], 0), ("node", None, 1), ("any", None, 2)]


def test_without_levels_a_label_that_loses_something_is_a_node() -> None:
    rows = said("nurse", "health care", "{a, b}", spec=TREE, levels=[None] * 3, shares=[0.0, 0.4, 0.2])
    assert rows == [("value", ["nurse"]), ("node", None), ("set", ["a", "b"])]


def test_a_prefix_is_a_node_and_a_short_value_is_itself() -> None:
    rows = said("021*", "07", spec=Prefix(), levels=[2, 2], shares=[0.4, 0.0])
    assert rows == [("node", None, 2), ("value", ["07"], 2)]


@pytest.mark.parametrize(
    ("texts", "settings", "spec", "expected"),
    [
        (["02139", "10001"], quasi(), None, "text"),
        (["1", "2"], quasi(type="text"), None, "text"),
        (["1", "*"], quasi(), Flat(), "integer"),
        (["1*", "12"], quasi(type="integer"), Prefix(), "text"),
        (["group 1 of 4"], quasi(), Learned(), "text"),
        (["{1, 2}"], quasi(), None, "text"),
        (["*"], quasi(), Intervals((5,)), "real"),
        (["*"], quasi(), Dates(), "date"),
        (["*"], quasi(), Dates(("hour",)), "datetime"),
        (["*"], quasi(), None, "text"),
        (["*"], quasi(type="date"), None, "date"),
        (["[1, 2.5]"], quasi(), None, "real"),
        (["[9, 3e+16]"], quasi(), None, "real"),
        (["[-1e+16, 0.4]", "1e-7"], quasi(), None, "real"),
        (["[2020-01-01, 2020-02-01]"], quasi(), None, "date"),
    ],
)
def test_types(texts: list[str], settings: Column, spec: HierarchySpec | None, expected: str) -> None:
    assert label_type(LabelColumn("c", texts, settings, spec)) == expected


def test_labels_that_do_not_fit_the_type_are_an_error_without_a_value() -> None:
    with pytest.raises(TableError, match="Column 'c' is declared integer") as raised:
        said("SECRET", settings=quasi(type="integer"))
    assert "SECRET" not in str(raised.value)


def test_a_column_without_labels() -> None:
    assert said() == []


@given(st.lists(st.tuples(st.integers(-(2**62), 2**62), st.integers(0, 100)), min_size=1))
def test_ranges_come_back_as_they_were_written(ranges: list[tuple[int, int]]) -> None:
    texts = [labels.span(str(low), str(low + width)) for low, width in ranges]
    for (low, width), row in zip(ranges, said(*texts), strict=True):
        assert row[:3] == ("range" if width else "value", low, low + width)


@given(st.lists(st.lists(st.text(min_size=1), min_size=1), min_size=1))
def test_sets_of_any_text_come_back_as_they_were_written(sets: list[list[str]]) -> None:
    texts = [labels.one_of(members) for members in sets]
    settings = quasi(type="text")
    for members, row in zip(sets, said(*texts, settings=settings), strict=True):
        distinct = sorted(set(members))
        assert row == ("set" if len(distinct) > 1 else "value", distinct)


@given(st.lists(st.tuples(st.dates(), st.dates()), min_size=1))
def test_ranges_of_dates_come_back_as_they_were_written(ranges: list[tuple[date, date]]) -> None:
    ordered = [(min(pair), max(pair)) for pair in ranges]
    rows = said(*(labels.span(low.isoformat(), high.isoformat()) for low, high in ordered), settings=quasi(type="date"))
    assert [row[1:3] for row in rows] == ordered
    assert all(low <= row[3] <= high for (low, high), row in zip(ordered, rows, strict=True))  # type: ignore[operator]


@given(st.sampled_from(["month", "quarter", "year", "decade", "century"]), st.dates(min_value=date(100, 1, 1)))
def test_a_day_lies_in_its_period(level: str, day: date) -> None:
    label = Dates((level,)).build(pl.Series([day])).path(0)[1]
    ((_, low, high, middle),) = said(label, spec=Dates((level,)))
    assert low <= day <= high and low <= middle <= high  # type: ignore[operator]
