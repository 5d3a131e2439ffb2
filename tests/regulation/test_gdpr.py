from __future__ import annotations

from shoal.regulation import view
from tests.regulation.tables import FIGURES, PLAN, RAW


def test_the_three_risks_have_a_section_each() -> None:
    single, link, infer = view("gdpr", RAW, PLAN, FIGURES).sections
    assert [line.what for line in single.lines][:3] == ["Quasi-identifiers", "Unique rows", "Highest risk"]
    assert [line.what for line in link.lines][1:] == ["Attack 'linkage'"]
    assert "Attack 'homogeneity' on 'diagnosis'" in [line.what for line in infer.lines]


def test_numbers_of_records_link_unless_the_plan_removes_them() -> None:
    kept = PLAN.changed(columns={**PLAN.columns, "mrn": PLAN.columns["remark"]})
    assert view("gdpr", RAW, PLAN, FIGURES).sections[1].lines[0].status == "not found"
    assert view("gdpr", RAW, kept, FIGURES).sections[1].lines[0].details["columns"] == ["mrn"]
