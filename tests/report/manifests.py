"""Manifests to report on, as JSON has them and as values."""

from __future__ import annotations

from typing import Any

from shoal.manifest import Manifest
from shoal.report import Facts, PrivateFigures, Report
from shoal.report.document import Chart, Section, Table
from shoal.report.numbers import cell

HOSTILE = '<script>alert("&")</script>'


def facts(given: dict[str, Any]) -> Facts:
    """The facts of a report: the steward's if the manifest has timings, which only the steward sees."""
    found = Manifest.from_json(given)
    return Facts(found, private=PrivateFigures() if found.timings else None)


def report(given: dict[str, Any]) -> Report:
    return Report.of(facts(given))


def section(given: dict[str, Any], key: str) -> Section:
    """The section with this key, which must be there."""
    found = report(given).document.section(key)
    assert found is not None
    return found


def table(given: dict[str, Any], key: str, place: int = 0) -> Table:
    """One of the tables of a section, with those behind its charts."""
    blocks = section(given, key).blocks
    tables = [each if isinstance(each, Table) else each.table for each in blocks if isinstance(each, Table | Chart)]
    return tables[place]


def cells(given: dict[str, Any], key: str, place: int = 0) -> list[dict[str, str]]:
    """The rows of a table as they are shown, each by column."""
    shown = table(given, key, place)
    return [
        {column.name: cell(each, column.kind) for column, each in zip(shown.columns, row, strict=True)}
        for row in shown.rows
    ]


def manifest(**changes: Any) -> dict[str, Any]:
    """A small manifest with something of everything."""
    found: dict[str, Any] = {
        "shoal_version": "9.8.7",
        "rows_in": 12000,
        "rows_released": 11400,
        "rows_suppressed": 600,
        "classes": 950,
        "form": "generalized",
        "algorithm": "mondrian",
        "models": [
            {"kind": "k-anonymity", "k": 5, "achieved": {"k": 6}, "holds": True, "failing_classes": 0},
            {
                "kind": "l-diversity",
                "column": "diagnosis",
                "l": 3,
                "achieved": {"l": 3},
                "holds": True,
                "failing_classes": 0,
            },
        ],
        "measures": {
            "ncp": 0.25,
            "ncp_by_column": {"age": 0.4, "zip": 0.1},
            "discernibility": 150000,
            "discernibility_ratio": 0.00104,
            "discernibility_per_row": 13.1,
            "precision": 0.5,
            "precision_by_column": {"age": None, "zip": 0.5},
            "average_class_size": 12.0,
            "suppressed_rows": 600,
            "suppressed_share": 0.05,
            "item_loss": 0.125,
        },
        "timings": {"read": 0.5, "total": 1.25},
        "warnings": ["No model covers sensitive column 'stage': it is released without protection."],
        "notes": ["The plan counts persons."],
        "levels": {"zip": 2},
    }
    return {**found, **changes}


def failing() -> dict[str, Any]:
    """The same, with 7 of 950 classes that are not diverse enough."""
    found = manifest()
    found["models"][1].update(holds=False, failing_classes=7, achieved={"l": 2})
    return found


def hostile() -> dict[str, Any]:
    """A manifest in which every text that could come from a plan or a table tries to break out."""
    return manifest(
        shoal_version=HOSTILE,
        algorithm=HOSTILE,
        models=[
            {"kind": HOSTILE, "column": HOSTILE, HOSTILE: [HOSTILE], "achieved": {HOSTILE: HOSTILE}, "holds": True},
        ],
        measures={"ncp": 0.1, "ncp_by_column": {HOSTILE: 0.1}},
        timings={HOSTILE: 1.0},
        warnings=[HOSTILE],
        notes=[HOSTILE],
        levels={HOSTILE: 1},
        missing={"columns": [HOSTILE], "share_of_rows": 0.1},
    )
