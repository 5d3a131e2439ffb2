"""What all charts share."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from shoal.report.charts import ALL, drawn
from shoal.report.charts.base import axis, end_of
from tests.report.charts.drawings import examples


@given(st.lists(st.just(0.0) | st.floats(1e-9, 1e9)), st.sampled_from(["share", "count", "number"]))
def test_no_value_is_beyond_the_end_of_its_axis(values: list[float], kind: str) -> None:
    end = end_of(values, kind)
    largest = max(values, default=0.0)
    assert end > 0 and end >= largest * (1 - 1e-9)
    assert largest <= 0 or end <= 1.6 * largest or (kind == "count" and end <= largest + 4)


def test_the_numbers_of_an_axis_stay_inside_the_plot() -> None:
    drawn = axis((0.0, 1.0), "share")
    assert 'x="0%" y="14" text-anchor="start">0 %' in drawn and 'x="100%" y="14" text-anchor="end">100 %' in drawn


def test_counts_on_an_axis_are_whole_numbers() -> None:
    drawn = axis((1.0, 4.0), "count")
    assert re.findall(r">([^<]+)</text>", drawn) == ["1", "2", "3", "4"] and 'x="33.333%"' in drawn
    assert re.findall(r">([^<]+)</text>", axis((5.0, 5.0), "count")) == ["5"]


def test_every_kind_is_drawn_and_escaped() -> None:
    assert {each.kind for each in examples()} == set(ALL)
    for chart in examples():
        html = drawn(chart)
        assert "<svg" in html and "<b>" not in html and "nan" not in html
