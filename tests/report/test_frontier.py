"""The frontier as text and JSON: plans that could not be met are told."""

from __future__ import annotations

import json

from shoal.report.comparison import ONE_ONLY
from shoal.report.frontier import Frontier
from tests.evaluate.test_comparing import plan_of
from tests.report.test_comparison import compared

PLANS = {"a": plan_of(3), "b": plan_of(4), "none": plan_of(5)}


def test_it_is_a_comparison_with_plans() -> None:
    found = Frontier((compared("a", 0.1, 0.2), compared("b", 0.2, 0.3)), PLANS, {"none": "k is larger than the table."})
    assert [each.name for each in found.front] == ["a"]
    said = str(found)
    assert "'none' cannot be met: k is larger than the table." in said
    assert ONE_ONLY in said
    assert "b is better" not in said
    assert "a is better" in found._repr_html_()
    written = json.loads(json.dumps(found.to_json()))
    assert written["unmet"] == {"none": "k is larger than the table."}
    assert written["front"] == ["a"]
    assert "k = 4" in written["plans"]["b"]


def test_nothing_may_be_met() -> None:
    found = Frontier((), PLANS, {"none": "no."})
    assert str(found).splitlines()[1:] == ["None of the plans can be met.", "'none' cannot be met: no."]
    assert found.svg().startswith("<svg")
