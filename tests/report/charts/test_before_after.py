"""Before and after."""

from __future__ import annotations

from shoal.report.charts.before_after import before_after
from tests.report.charts.drawings import example


def test_a_ring_before_and_a_disc_after() -> None:
    drawn = before_after(example("before-after"))
    assert '<circle class="before" cx="100%"' in drawn and '<circle class="after" cx="20%"' in drawn
    assert "100 % → 20 %" in drawn and "– → 5 %" in drawn


def test_a_number_that_is_not_known_has_no_mark() -> None:
    marks = before_after(example("before-after")).partition('class="key"')[0]
    assert marks.count('class="before"') == 2 and marks.count('class="after"') == 3 and marks.count('class="way"') == 2
