"""Private figures: risk, shares in the input, warnings with remedies, suppressed rows."""

from __future__ import annotations

import ast
from pathlib import Path

import polars as pl

import shoal
from shoal.figures.private import PrivateFigures, Remedied, remedied
from shoal.warnings import Warning
from tests.figures.releases import released

SOURCE = Path(shoal.__file__).parent


def test_the_risk_falls_from_the_exact_rows_to_the_released_ones() -> None:
    found = released().figures.private
    assert found.risk_before is not None and found.risk_after is not None
    assert (found.risk_before.highest, found.risk_after.highest, found.risk_after.classes) == (1.0, 0.2, 4)


def test_the_classes_of_an_anatomy_lower_no_risk_of_finding_a_row() -> None:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    plan = shoal.Plan(
        columns=columns, models=[shoal.LDiversity("ill", l=2)], release=shoal.ReleaseSettings(form="anatomy")
    )
    release = shoal.anonymize(pl.DataFrame({"age": range(20), "ill": ["flu", "cold"] * 10}), plan)
    assert release.figures.private.risk_before is not None and release.figures.private.risk_after is None
    section = release.steward_report.document.section("risk")
    assert section is not None and "highest prosecutor risk 100 %, average 100 %" in str(section)


def test_shares_of_the_input_are_those_of_its_rows() -> None:
    assert released().figures.private.input_shares == {"ill": {"flu": 0.5}}


def test_suppressed_rows_have_reasons() -> None:
    assert released().figures.private.suppressed == {"missing values": 0, "search": 0}
    assert PrivateFigures().suppressed == {}


def test_a_warning_is_divided_into_what_it_states_and_what_to_do() -> None:
    both = Warning("Column 'a' is unique. Remove it.", remedy="Remove it.")
    only = Warning("Column 'b' is not covered.", serious=True, remedy="Add a model.")
    assert remedied([both, only]) == (
        Remedied("Column 'a' is unique.", "Remove it.", False),
        Remedied("Column 'b' is not covered.", "Add a model.", True),
    )
    assert Warning("Nothing can be done.").fact == "Nothing can be done."


def test_every_warning_says_what_to_do() -> None:
    lacking = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Warning":
                lacking += [] if any(each.arg == "remedy" for each in node.keywords) else [f"{path.name}:{node.lineno}"]
    assert not lacking
