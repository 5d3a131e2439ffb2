"""Scatter plots."""

from __future__ import annotations

from shoal.report.charts.scatter import scatter
from tests.report.charts.drawings import example


def test_points_that_count_are_filled() -> None:
    drawn = scatter(example("scatter"))
    assert 'class="counts" cx="11.111%"' in drawn or 'class="counts" cx="10%"' in drawn
    assert 'class="ignored"' in drawn and "not dominated" in drawn


def test_a_name_that_would_cover_another_one_is_left_to_the_tip() -> None:
    drawn = scatter(example("scatter"))
    assert drawn.count('text-anchor="start">a</text>') == 1 and ">b</text>" not in drawn
    assert "<title>b: loss 10 %, risk 20 %</title>" in drawn and "a rather long nam…" in drawn
