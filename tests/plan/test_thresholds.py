"""Thresholds of risk: optional, checked with the plan, written back to TOML."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import PlanError
from shoal.plan import Plan, RiskSettings, read_plan
from shoal.plan.toml import from_tables, to_tables
from tests.plan.tables import BASE


def test_a_plan_without_thresholds_accepts_any_risk() -> None:
    plan = from_tables(BASE, Path())
    assert plan.risk.given == {} and "risk" not in to_tables(plan)


def test_thresholds_come_from_the_plan_file_and_return_to_it(tmp_path: Path) -> None:
    plan = from_tables(BASE | {"risk": {"highest": 0.2, "average": 0, "k_map": 5, "weight": "w"}}, Path())
    assert plan.risk.given == {"highest": 0.2, "average": 0.0, "k_map": 5}
    assert plan.risk.weight == "w"
    path = tmp_path / "plan.toml"
    path.write_text(plan.to_toml(), encoding="utf-8")
    assert read_plan(path).risk == plan.risk


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        ({"highest": 1.5}, "less than or equal to 1"),
        ({"average": -0.1}, "greater than or equal to 0"),
        ({"average": float("nan")}, "'average'"),
        ({"k_map": 0}, "greater than or equal to 1"),
        ({"k_map": 2.5}, "'k_map'"),
        ({"highes": 0.2}, "'highes' is not a key of 'risk'"),
        ({"highest": "low"}, "a number"),
    ],
)
def test_other_values_are_refused_with_the_plan(given: dict[str, object], fact: str) -> None:
    with pytest.raises(PlanError, match=fact):
        from_tables(BASE | {"risk": given}, Path())


def test_settings_may_be_given_in_python() -> None:
    plan = from_tables(BASE, Path())
    assert plan.changed(risk=RiskSettings(highest=0.5)).risk.given == {"highest": 0.5}
    assert isinstance(plan, Plan)
