from __future__ import annotations

from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies import Dates

EVERY = ("month", "quarter", "year", "decade", "century")


def test_labels() -> None:
    hierarchy = Dates(EVERY).build(pl.Series([date(1969, 12, 31), date(2024, 3, 9)]))
    assert hierarchy.path(0) == (
        "1969-12-31",
        "1969-12",
        "1969-Q4",
        "1969",
        "[1960, 1969]",
        "[1900, 1999]",
        "*",
    )
    assert hierarchy.path(1)[1:5] == ("2024-03", "2024-Q1", "2024", "[2020, 2029]")


def test_a_week_may_begin_in_the_year_before() -> None:
    hierarchy = Dates(("week",)).build(pl.Series([date(2020, 12, 31), date(2021, 1, 3), date(2021, 1, 4)]))
    assert hierarchy.levels[1].labels == ("2020-W53", "2021-W01")
    assert hierarchy.levels[1].of_leaf.tolist() == [0, 0, 1]


@given(st.sets(st.dates(), min_size=1, max_size=30), st.sets(st.sampled_from(EVERY), min_size=1))
def test_every_date_lies_in_its_periods(days: set[date], chosen: set[str]) -> None:
    levels = tuple(level for level in EVERY if level in chosen)
    values = sorted(days)
    hierarchy = Dates(levels).build(pl.Series(values))
    for leaf, day in enumerate(values):
        year, decade, century = f"{day.year:04d}", day.year // 10 * 10, day.year // 100 * 100
        expected = {
            "month": f"{year}-{day.month:02d}",
            "quarter": f"{year}-Q{(day.month + 2) // 3}",
            "year": year,
            "decade": f"[{decade:04d}, {decade + 9:04d}]",
            "century": f"[{century:04d}, {century + 99:04d}]",
        }
        assert hierarchy.path(leaf) == (day.isoformat(), *(expected[level] for level in levels), "*")


@given(st.dates())
def test_weeks_are_those_of_iso(day: date) -> None:
    year, week, _ = day.isocalendar()
    assert Dates(("week",)).build(pl.Series([day])).path(0)[1] == f"{year:04d}-W{week:02d}"


def test_a_week_does_not_nest() -> None:
    with pytest.raises(PlanError, match="a week can span two months"):
        Dates(("week", "month"))


def test_levels_go_upwards() -> None:
    with pytest.raises(PlanError, match=r'levels = \["month", "year"\]'):
        Dates(("year", "month"))
    with pytest.raises(PlanError, match="without repetition"):
        Dates(("year", "year"))


def test_unknown_levels_are_refused_with_the_closest() -> None:
    with pytest.raises(PlanError, match="did you mean 'month'"):
        Dates(("months",))
    with pytest.raises(PlanError, match="at least one"):
        Dates(())


def test_only_dates_are_taken() -> None:
    with pytest.raises(HierarchyError, match='type = "date"'):
        Dates().build(pl.Series(["2024-01-01"]))
