from __future__ import annotations

from shoal.regulation import view
from tests.regulation.tables import FIGURES, PLAN, RAW, RELEASED


def test_safe_harbor_lists_all_kinds_and_what_cannot_be_checked() -> None:
    harbor, expert = view("hipaa", RAW, PLAN, FIGURES).sections
    assert len(harbor.lines) == 19 and harbor.lines[-1].status == "check"
    assert [line.what for line in expert.lines[:3]] == ["Quasi-identifiers", "Sensitive columns", "Models"]


def test_ages_that_the_plan_top_codes_at_90_are_one_category() -> None:
    dates = next(
        line for line in view("hipaa", RELEASED, PLAN, FIGURES).sections[0].lines if line.what.startswith("C,")
    )
    assert [each["rows"] for each in dates.details["columns"] if each["column"] == "age"] == [3]


def test_the_source_of_the_small_areas_is_stated() -> None:
    assert "census of 2000" in view("hipaa", RAW, PLAN, FIGURES).text()
