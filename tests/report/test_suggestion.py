"""The suggestion as text, JSON and a drawing: what was tried, what is proposed and why."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import CannotBeMet
from shoal.report.suggestion import ONE_PLAN, PRIVATE, PROMISE, Suggestion, Tried
from shoal.risks.measuring import Exceeded
from tests.evaluate.test_comparing import plan_of
from tests.report.test_comparison import compared, shares

PLAN = plan_of(3)
TOO_RISKY = (Exceeded("average", 0.05, 0.1),)


def tried(name: str, risk: float, loss: float, **changed: object) -> Tried:
    return Tried(name, PLAN, compared(name, risk, loss), loss, **changed)  # type: ignore[arg-type]


def suggestion(*found: Tried, **changed: object) -> Suggestion:
    return Suggestion("general", "information loss", {"average": 0.05}, found, **changed)  # type: ignore[arg-type]


FOUND = suggestion(
    tried("given", 0.05, 0.4),
    tried("cheap", 0.1, 0.1, exceeded=TOO_RISKY),
    tried("best", 0.04, 0.3),
    Tried("none", PLAN, reason="k is larger than the table."),
    tried("small", 0.01, 0.05, sampled=100),
)


def test_the_best_that_meets_the_thresholds_on_all_rows_is_proposed() -> None:
    assert FOUND.proposed is FOUND.tried[2]
    assert [each.name for each in FOUND.front] == ["cheap", "best"]
    assert FOUND.plan == PLAN


def test_it_says_why() -> None:
    said = " ".join(FOUND.sentences())
    assert "5 plans were tried; 2 of them meet the models and the thresholds (average 5 %)." in said
    assert "Proposed: best." in said
    assert "The given plan (mondrian): information loss 40 %." in said
    assert "cheap would lose less (10 %), but 'average' is 10 % (accepted: 5 %)." in said
    for sentence in (PROMISE, PRIVATE, ONE_PLAN):
        assert sentence in said
    assert said.count("Publish") == 1


def test_the_table_has_the_best_plan_first() -> None:
    rows = FOUND.table()
    assert [row[0] for row in rows] == ["best", "given", "cheap", "none", "small"]
    assert [row[-1] for row in rows] == [
        "proposed",
        "",
        "exceeds average",
        "cannot be met: k is larger than the table.",
        "on a sample of 100 rows",
    ]
    assert all(len(row) == len(FOUND.head) for row in rows)
    assert "NCP" in Suggestion("counts", "query error", {}, FOUND.tried).head


def test_it_is_json_and_html() -> None:
    written = json.loads(json.dumps(FOUND.to_json()))
    assert written["proposed"] == "best"
    assert "k-anonymity" in written["plan"]
    assert written["front"] == ["cheap", "best"]
    assert written["tried"][1]["exceeded"] == [{"threshold": "average", "accepted": 0.05, "measured": 0.1}]
    assert written["tried"][3]["reason"] == "k is larger than the table."
    page = FOUND._repr_html_()
    assert "Proposed: best." in page
    assert "<svg" in page
    assert "best" in str(FOUND)


def test_the_drawing_names_the_given_and_the_proposed_plan() -> None:
    drawing = ElementTree.fromstring(FOUND.svg())
    texts = [each.text for each in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"proposed", "given plan"} <= set(texts)
    assert "cheap" not in texts
    assert "cheap: risk 10 %" in FOUND.svg()
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}circle"))) == 3


def test_what_is_closest_is_said() -> None:
    near = tried("near", 0.06, 0.5, exceeded=(Exceeded("average", 0.05, 0.06),))
    found = suggestion(tried("far", 0.1, 0.1, exceeded=TOO_RISKY), near)
    assert found.closest is near
    with pytest.raises(CannotBeMet, match=r"Closest is near: 'average' is 6 % \(accepted: 5 %\)"):
        _ = found.plan
    assert " ".join(found.sentences()).count("Closest is near") == 1
    assert "Closest" not in " ".join(found.without_reason()), "the error of the command says it"
    assert "Publish" not in " ".join(found.sentences()), "there is nothing to publish"
    assert found.to_json()["plan"] is None


def test_one_plan_is_spoken_of_in_the_singular() -> None:
    risky = suggestion(tried("far", 0.1, 0.1, exceeded=TOO_RISKY))
    assert "1 plan was tried; it does not meet the models and the thresholds" in str(risky)
    assert "The plan that was tried does not meet the thresholds. Closest is far" in str(risky)
    unmet = suggestion(Tried("none", PLAN, reason="k is larger than the table."))
    assert "The plan that was tried cannot be met. k is larger than the table." in str(unmet)
    assert "1 plan was tried; it meets the models" in str(suggestion(tried("a", 0.01, 0.1)))
    assert "2 plans were tried; 1 of them meets the" in str(suggestion(tried("a", 0.01, 0.1), *risky.tried))


def test_every_mark_of_the_drawing_is_explained() -> None:
    note = "Filled: not dominated. Orange ring: exceeds a threshold. Grey ring: another plan is better."
    assert f"{note} Dotted: accepted average.<" in FOUND.svg()
    assert f"{note}<" in Suggestion("general", "information loss", {}, FOUND.tried).svg(), "no line is drawn"


def test_a_figure_that_must_be_large_is_exceeded_from_below() -> None:
    assert tried("a", 0.1, 0.1, exceeded=(Exceeded("k_map", 6, 3),)).excess == 2
    assert tried("a", 0.1, 0.1, exceeded=(Exceeded("uniques", 0.0, 0.1),)).excess == float("inf")


@given(st.lists(st.tuples(shares, shares, st.booleans()), min_size=1, max_size=9))
def test_the_front_and_the_proposed_plan_are_those_of_brute_force(points: list[tuple[float, float, bool]]) -> None:
    found = suggestion(
        *(tried(f"p{n}", risk, loss, exceeded=() if ok else TOO_RISKY) for n, (risk, loss, ok) in enumerate(points))
    )
    front = {each.name for each in found.front}
    for number, (risk, loss, _) in enumerate(points):
        beaten = any(r <= risk and o <= loss and (r, o) != (risk, loss) for r, o, _ in points)
        assert (f"p{number}" in front) is not beaten
    meeting = [(loss, risk) for risk, loss, ok in points if ok]
    proposed = found.proposed
    assert (proposed is None) is not bool(meeting)
    if proposed is not None:
        assert (proposed.loss, proposed.risk) == min(meeting)
