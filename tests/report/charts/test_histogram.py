"""Histograms."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from shoal.report.charts.histogram import histogram
from shoal.report.document import Column
from tests.report.charts.drawings import chart, example


def test_bins_are_as_wide_as_their_ends_are_apart() -> None:
    """The second bin has 13 rows and is 20/12 as wide as the first: 7.8 rows per 12 years, on an axis up to 8."""
    drawn = histogram(example("histogram"))
    assert 'x="16.667%" y="2.5%" width="27.778%" height="97.5%"' in drawn
    assert 'd="M0 1000L0 500L166.67 500L166.67 100' in drawn, "the first series is an outline"
    assert "wider bins: rows per bin of the narrowest width" in drawn


def test_the_same_rows_per_year_are_equally_high() -> None:
    """A wide bin that holds what was folded is no peak; months and years are equally wide."""
    columns = (Column("From", "date"), Column("Before", "date"), Column("Rows", "number"))
    years = ("1990-01-01", "1991-01-01", "1992-01-01", "1993-01-01", "1996-01-01")
    bins = [(*ends, rows) for ends, rows in zip(pairwise(years), (9, 9, 9, 27), strict=True)]
    drawn = histogram(chart("histogram", columns, *bins))
    assert len(set(re.findall(r'height="([\d.]+%)"', drawn.replace('height="100%"', "")))) == 1
    same = histogram(chart("histogram", columns, *((*ends, 9) for ends in pairwise(years[:4]))))
    assert "wider" not in same


def test_one_series_is_filled() -> None:
    columns = (Column("from", "number"), Column("to", "number"), Column("rows", "count"))
    drawn = histogram(chart("histogram", columns, (0, 1, 3)))
    assert "outline" not in drawn and drawn.count("mark series-0") == 2


def test_no_bins_are_no_reason_to_fail() -> None:
    columns = (Column("from", "number"), Column("to", "number"), Column("a", "count"), Column("b", "count"))
    assert "<svg" in histogram(chart("histogram", columns))


def test_the_numbers_below_are_ends_of_bins() -> None:
    assert all(f">{each}</text>" in histogram(example("histogram")) for each in (18, 30, 50, 90))


@pytest.mark.parametrize(
    ("ends", "shown"),
    [
        (
            ["2024-01-01", "2024-04-01", "2024-07-01", "2024-10-01", "2025-01-01"],
            "2024-01 2024-04 2024-07 2024-10 2025-01",
        ),
        (["1990-01-01", "2000-01-01", "2010-01-01"], "1990 2000 2010"),
        (["9999-01-01", "9999-12-31"], "9999-01-01 9999-12-31"),
    ],
)
def test_the_dates_below_are_exact(ends: list[str], shown: str) -> None:
    columns = (Column("From", "date"), Column("Before", "date"), Column("Rows", "number"))
    drawn = histogram(chart("histogram", columns, *((low, high, 3) for low, high in pairwise(ends))))
    axis = drawn[drawn.index('<svg class="axis"') :]
    assert " ".join(re.findall(r">([^<]+)</text>", axis)) == shown
    assert ('class="inner dated"' in axis) == (len(ends) > 3), "a narrow page leaves out dates beside the middle"


def test_dates_below_stand_apart() -> None:
    columns = (Column("From", "date"), Column("Before", "date"), Column("Rows", "number"))
    ends = ["2024-11-01", "2024-12-01", "2025-02-01", "2025-03-01", "2025-04-01"]
    drawn = histogram(chart("histogram", columns, *((low, high, 3) for low, high in pairwise(ends))))
    places = [float(each) for each in re.findall(r'<text x="([\d.]+)%" y="14"', drawn)]
    assert places[0] == 0 and places[-1] == 100
    assert all(right - left >= 23 for left, right in pairwise(places))
