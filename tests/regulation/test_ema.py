from __future__ import annotations

from shoal.regulation import view
from tests.regulation.tables import FIGURES, PLAN, RAW


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
