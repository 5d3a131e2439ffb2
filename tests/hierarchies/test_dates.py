from __future__ import annotations

from datetime import date, datetime, time, timedelta
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies import Dates
from shoal.hierarchies.dates import covers, period
from shoal.hierarchies.placing import number_of

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


ALL_LEVELS = ("hour", "day", *EVERY)


def test_labels_of_date_times() -> None:
    hierarchy = Dates(ALL_LEVELS).build(pl.Series([datetime(2024, 3, 9, 14, 5), datetime(2024, 3, 9, 14, 5, 0, 1)]))
    assert hierarchy.path(0)[:5] == ("2024-03-09 14:05:00", "2024-03-09 14h", "2024-03-09", "2024-03", "2024-Q1")
    assert hierarchy.path(1)[:2] == ("2024-03-09 14:05:00.000001", "2024-03-09 14h")


@given(st.sets(st.datetimes(), min_size=1, max_size=20), st.sets(st.sampled_from(ALL_LEVELS), min_size=1))
def test_every_date_time_lies_in_its_periods(moments: set[datetime], chosen: set[str]) -> None:
    spec = Dates(tuple(level for level in ALL_LEVELS if level in chosen))
    values = sorted(moments)
    hierarchy = spec.build(pl.Series(values, dtype=pl.Datetime("us")))
    for leaf, moment in enumerate(values):
        number = number_of(hierarchy.path(leaf)[0])
        assert not isinstance(number, float)
        ticks = (moment - datetime.combine(moment, time(0))) // timedelta(microseconds=1)
        assert number == moment.toordinal() + Fraction(ticks, 86_400_000_000)
        assert all(covers(label, number, timed=True) for label in hierarchy.path(leaf)[:-1])
    assert spec.paths(hierarchy.leaves) == [hierarchy.path(leaf) for leaf in range(len(values))]
    for number, level in enumerate(hierarchy.levels):
        assert not np.isnan(spec.placed(level.labels).by_level[number]).any()


def test_a_label_does_not_cover_what_lies_beside_it() -> None:
    for label, inside, outside in [
        ("2024-03-09 14h", "2024-03-09 14:59:59.999999", "2024-03-09 15:00:00"),
        ("2024-03-09", "2024-03-09 23:59:59.999999", "2024-03-10 00:00:00"),
        ("2024", "2024-12-31 23:59:59.999999", "2025-01-01 00:00:00"),
        ("9999", "9999-12-31 23:59:59.999999", "9998-12-31 23:59:59"),
        ("[2024-01-01 00:00:00, 2024-01-02 00:00:00]", "2024-01-02 00:00:00", "2024-01-02 00:00:00.000001"),
    ]:
        assert covers(label, _moment(inside), timed=True)
        assert not covers(label, _moment(outside), timed=True)


def _moment(text: str) -> Fraction:
    number = number_of(text)
    assert isinstance(number, Fraction)
    return number


def test_finer_levels_lose_less() -> None:
    labels = ["2024-03-09 14:05:00", "2024-03-09 14h", "2024-03-09", "2024-03", "2024", "[2020, 2029]", "*"]
    spec = Dates(("hour", "day", "month", "year", "decade"))
    losses = spec.placed(labels).losses.tolist()
    assert losses[:-1] == sorted(set(losses))
    assert (losses[0], losses[-1]) == (0.0, 1.0)
    assert spec.placed(labels).levels.tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_weeks_nest_above_days_and_hours() -> None:
    path = Dates(("hour", "day", "week")).build(pl.Series([datetime(2021, 1, 3, 7)])).path(0)
    assert path == ("2021-01-03 07:00:00", "2021-01-03 07h", "2021-01-03", "2020-W53", "*")


def test_dates_without_a_time_have_no_hours() -> None:
    with pytest.raises(HierarchyError, match="need a column of date-times"):
        Dates(("day", "month")).build(pl.Series([date(2024, 1, 1)]))


@pytest.mark.parametrize("levels", [EVERY, ("week",)])
def test_the_last_day_of_the_calendar_lies_in_its_periods(levels: tuple[str, ...]) -> None:
    spec, last = Dates(levels), date(9999, 12, 31)
    path = spec.build(pl.Series([last])).path(0)
    assert all(covers(label, last.toordinal(), timed=False) for label in path[:-1])
    assert spec.placed(path).known


def test_a_period_has_its_first_and_last_day_or_microsecond() -> None:
    assert period("2024-W01", timed=False) == (date(2024, 1, 1), date(2024, 1, 7))
    assert period("2024-02", timed=True) == (datetime(2024, 2, 1), datetime(2024, 2, 29, 23, 59, 59, 999_999))
    assert period("9999", timed=True) == (datetime(9999, 1, 1), datetime.max)
    assert period("*", timed=False) is None


@given(st.datetimes(), st.sampled_from(["hour", "day", *EVERY]))
def test_a_moment_lies_in_its_period(moment: datetime, level: str) -> None:
    label = Dates((level,)).build(pl.Series([moment])).path(0)[1]
    first, last = period(label, timed=True) or (None, None)
    assert first <= moment <= last
