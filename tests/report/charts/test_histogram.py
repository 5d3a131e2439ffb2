"""Histograms."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from shoal.report.charts.histogram import histogram
from shoal.report.document import Column
from tests.report.charts.drawings import chart, example


def test_bins_are_as_wide_as_their_ends_are_apart() -> None:
    drawn = histogram(example("histogram"))
    assert 'x="16.667%" y="18.75%" width="27.778%" height="81.25%"' in drawn
    assert 'd="M0 1000L0 750L166.67 750L166.67 250' in drawn, "the first series is an outline"


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
    assert ('class="inner dated"' in axis) == (len(ends) > 2), "a narrow page leaves out every other date"
