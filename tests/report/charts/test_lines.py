"""Lines."""

from __future__ import annotations

from shoal.report.charts.lines import lines
from shoal.report.document import Column
from tests.report.charts.drawings import chart, example


def test_a_line_goes_through_the_numbers_that_are_known() -> None:
    drawn = lines(example("lines"))
    assert 'd="M0 0L500 500L1000 750"' in drawn and 'd="M500 800L1000 600"' in drawn
    assert "step 2: loss 50 %" in drawn


def test_many_points_are_drawn_without_dots() -> None:
    columns = (Column("step", "count"), Column("loss", "share"))
    assert "circle" not in lines(chart("lines", columns, *((n, 0.5) for n in range(100))))
    assert "<svg" in lines(chart("lines", columns, (1, 0.5))) and "<svg" in lines(chart("lines", columns))
