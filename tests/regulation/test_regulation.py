"""What every view must keep: it can be read, holds no value, and judges nothing."""

from __future__ import annotations

import json

import polars as pl
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.plan import RiskSettings
from shoal.regulation import ALL, view
from shoal.regulation.base import NOT_A_JUDGEMENT
from tests.regulation.tables import FIGURES, PLAN, RAW, RELEASED

KINDS = [cls.kind for cls in ALL]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("table", [RAW, RELEASED], ids=["raw", "released"])
def test_a_view_shows_no_value_and_judges_nothing(kind: str, table: pl.DataFrame) -> None:
    found = view(kind, table, PLAN, FIGURES)
    shown = found.text() + json.dumps(found.to_json())
    for word in ("compliant", "compliance", "anonymous", "safe to"):
        assert word not in shown.lower()
    for value in ("Smith", "example.org", "1930-", "03601", "Farley", "C34", "1000000"):
        assert value not in shown
    assert NOT_A_JUDGEMENT in found.text() and found.to_json()["note"] == NOT_A_JUDGEMENT


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_needs_only_the_figures_that_are_always_there(kind: str) -> None:
    assert view(kind, RAW, PLAN, {"rows": 12, "uniques": 3}).sections


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_works_with_roles_by_pattern(kind: str) -> None:
    plan = shoal.Plan(roles={"quasi-identifier": ["a*", "z*"], "drop": ["c*"]}, models=[shoal.KAnonymity(k=2)])
    table = RAW.select("age", "zip", "city")
    assert "'age'" in view(kind, table, plan, FIGURES).text()


def test_an_unknown_view_is_refused() -> None:
    with pytest.raises(ShoalError, match=r"no view 'hippa'.*did you mean 'hipaa'\?"):
        view("hippa", RAW, PLAN, FIGURES)


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_reads_the_figures_of_a_measured_table(kind: str) -> None:
    plan = PLAN.changed(risk=RiskSettings(highest=0.2, marketer=1.0))
    found = view(kind, RAW, plan, shoal.risk(RAW, plan, attacks=False).to_json())
    lines = {line.what: line for section in found.sections for line in section.lines}
    assert lines["Highest risk"].status == "exceeded" and lines["Highest risk"].details["accepted"] == 0.2
    assert lines["Expected share"].status == "within"
    assert lines["Unique rows"].details["measured"] == 0  # each of the three individuals occurs four times
