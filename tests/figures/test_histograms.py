"""Histograms of released ranges."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal.figures.histograms import MOST_BINS, binned, histogram, round_ends, spread, written_ends
from shoal.release.public import public_plan
from shoal.verification.labelled import labelled
from tests.figures.releases import released


def test_rows_of_a_range_are_spread_evenly_and_points_fall_into_one_bin() -> None:
    low, high, rows = np.array([0.0, 5.0]), np.array([10.0, 5.0]), np.array([8.0, 3.0])
    assert spread(low, high, rows, np.array([0.0, 5.0, 10.0])).tolist() == [4.0, 7.0]


def test_a_whole_number_covers_everything_up_to_the_next() -> None:
    """Ages [20, 24] and [60, 64], ten rows each, in bins of two years: a fifth of the rows for each age."""
    found = released().figures.public.columns
    assert found is not None
    shown = found.columns[0].histogram
    assert shown is not None and shown.ends[:3] == (20.0, 22.0, 24.0) and shown.rows[:4] == (4.0, 4.0, 2.0, 0.0)
    assert sum(shown.rows) == 20 and shown.unplaced == 0


def test_text_and_one_value_have_no_histogram() -> None:
    release = released()
    plan = public_plan(release.plan, release.draft.tables)
    columns = labelled(release.draft.tables, plan)
    assert histogram("sex", columns["sex"], plan) is None


def test_dates_are_binned_by_months_or_years() -> None:
    assert written_ends("date", round_ends(0, 58, "date")) == ("1970-01-01", "1970-02-01", "1970-03-01")
    years = written_ends("date", round_ends(-20_000, 19_000, "date"))
    assert all(str(end).endswith("-01-01") for end in years) and len(years) <= MOST_BINS + 1
    assert written_ends("integer", [5.0, 10.0]) == (5.0, 10.0)


@pytest.mark.parametrize("last", ["9999-12-31", "0001-12-31"])
def test_the_first_and_the_last_year_have_bins(last: str) -> None:
    days = float(pl.Series([last]).str.to_date().to_physical()[0])
    ends = round_ends(days - 300, days + 1, "date")
    assert ends[0] <= days - 300 and len(ends) >= 2


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.sampled_from(["integer", "real"]))
@example(-5e-324, 100.0, "real")
def test_bins_cover_the_values_and_are_few(low: float, width: float, type: str) -> None:
    high = low + width
    ends = round_ends(low, high, type)
    tolerance = 1e-6 * max(abs(low), abs(high), 1e-300)  # a value that is that near to 0 counts in the bin from 0 on
    assert ends[0] <= low + tolerance and ends[-1] >= high - tolerance and 2 <= len(ends) <= MOST_BINS + 2


def test_values_beyond_the_ends_count_in_the_last_bins() -> None:
    assert binned(np.array([-3.0, 1.0, 99.0]), np.array([1, 2, 4]), np.array([0.0, 2.0, 4.0])).tolist() == [3, 4]


def test_a_row_without_a_range_is_counted_apart() -> None:
    frame = pl.DataFrame({"age": [*range(20, 30), *[None] * 6], "ill": ["a", "b"] * 8})
    plan = shoal.Plan(columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=3)])
    columns = shoal.anonymize(frame, plan).figures.public.columns
    assert columns is not None and columns.columns[0].missing == 6
    shown = columns.columns[0].histogram
    assert shown is not None and shown.unplaced == 6 and round(sum(shown.rows)) == 10


@pytest.mark.parametrize("values", [(0.0, 5e-324), (0.0, 1e-307)])
def test_a_range_too_narrow_for_bins_has_no_histogram(values: tuple[float, float]) -> None:
    frame = pl.DataFrame({"x": [values[0]] * 10 + [values[1]] * 10, "ill": ["a", "b"] * 10})
    plan = shoal.Plan(columns={"x": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=5)])
    columns = shoal.anonymize(frame, plan).figures.public.columns
    assert columns is not None and columns.columns[0].histogram is None
