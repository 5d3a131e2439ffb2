from __future__ import annotations

from shoal.regulation import view
from tests.regulation.tables import FIGURES, PLAN, RAW, RELEASED


def test_direct_identifiers_that_the_plan_keeps_stand_out() -> None:
    kept, removed, quasi = view("ema", RAW, PLAN, FIGURES).sections[0].lines
    assert (kept.status, kept.details["columns"]) == ("found", ["remark"])
    assert removed.details["columns"] == ["name", "email", "mrn"]
    assert quasi.details["columns"] == ["birth_date", "zip", "age", "city"]
    without = view("ema", RAW.drop("remark"), PLAN, FIGURES).sections[0].lines[0]
    assert without.status == "not found"


def test_the_threshold_is_the_stewards() -> None:
    risk = view("ema", RAW, PLAN, FIGURES).sections[2]
    assert "The guidance names 0.09" in risk.about and "the steward decides" in risk.about
    assert risk.lines[-1].details == {"highest": 0.09, "marketer": 0.25}


def test_identifiers_that_a_release_no_longer_has_are_those_of_the_plan() -> None:
    removed = view("ema", RELEASED, PLAN, FIGURES).sections[0].lines[1]
    assert removed.details["columns"] == ["name", "email", "mrn"]


def test_a_published_plan_does_not_state_what_was_removed() -> None:
    published = PLAN.changed(columns={name: column for name, column in PLAN.columns.items() if not column.removed})
    removed = view("ema", RELEASED, published, FIGURES).sections[0].lines[1]
    assert "not stated in the plan" in removed.result and removed.details["columns"] == []
