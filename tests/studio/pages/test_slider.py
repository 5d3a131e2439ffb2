"""The strips of the slider."""

from __future__ import annotations

from shoal.report.steps import Step
from shoal.studio.pages.slider import _figures, _strip
from shoal.studio.replaying import Shown


def test_a_strip_escapes_labels_and_marks_what_is_new() -> None:
    html = _strip("<b>", [Shown("<i>", 0.5), Shown("x", 0.5, is_new=True)])
    assert "<i>" not in html and "<b>&lt;b&gt;" not in html.replace('<b title="&lt;b&gt;">', "")
    assert html.count('class="new"') == 1 and "2 labels" in html


def test_many_parts_are_drawn_together() -> None:
    html = _strip("zip", [Shown(str(n), 1 / 5000) for n in range(5000)])
    assert html.count("<span") < 130 and "5,000 labels" in html


def test_the_figures_follow_the_step() -> None:
    step = Step(1, "age", "*", ("a", "b"), 1.0, 7, 3, 0.25, 0.1, 9, 0.4)
    assert [value for _, value, _ in _figures(step)] == ["7", "3", "25 %", "40 %"]
    assert _figures(None)[1][1] == "100 %"
