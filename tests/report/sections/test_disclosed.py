"""What the classes disclose, in the report: every number is that of the JSON, and only published trees are public."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.hierarchies import Icd10Cm
from shoal.manifest import Manifest
from shoal.percent import percent
from shoal.report import Facts, PrivateFigures, Report
from shoal.report.document import Chart, Heading
from shoal.report.sections.disclosed import Disclosed
from shoal.risks.measuring import Settings
from shoal.risks.releases import source_of
from tests.risks.trees import PATHS, tree_in

HEADING = "What the classes disclose"


def release_of(folder: Path, *models: Any, **parts: Any) -> shoal.Release:
    """A table in which some classes of three lie under one node."""
    ills = [*PATHS]
    frame = pl.DataFrame(
        {
            "where": [str(row // 3) for row in range(36)],
            "ill": [ills[(row // 9 * 3 + row % 3) % 6] for row in range(36)],
            "code": [("C50.9", "C34.1", "J45.9", "I10")[row // 4 % 4] for row in range(36)],
        }
    )
    columns = {
        "where": shoal.quasi(),
        "ill": shoal.sensitive(tree_in(folder), protected=("cancer", "blood")),
        "code": shoal.sensitive(Icd10Cm(), protected=("C00-D49", "F01-F99")),
    }
    return shoal.anonymize(frame, shoal.Plan(columns=columns, models=[*models], **parts))


def numbers(audit: dict[str, Any]) -> list[list[str]]:
    """The counts of an audit in the order of the report's tables."""
    every = []
    for column in audit["columns"]:
        for level in [*column["levels"], column["extended"]]:
            names = ("failing_classes", "failing_rows", "disclosing_classes", "disclosing_rows")
            every.append([f"{level[name]:,}" for name in names])
        for node in column["nodes"]:
            share = percent(node["largest_share"])
            every.append([f"{node['rows']:,}", share, *(f"{node[name]:,}" for name in names[2:])])
    return every


def _columns(report: Report) -> list[str]:
    """The columns that the audit of a report covers."""
    section = report.document.section("disclosure")
    return [] if section is None else [block.text for block in section.blocks if isinstance(block, Heading)]


def test_the_steward_sees_every_tree_and_the_public_those_that_are_published(tmp_path: Path) -> None:
    release = release_of(tmp_path, shoal.KAnonymity(k=3))
    assert release.manifest.disclosure == {} and HEADING not in release.report.page()
    assert [each["column"] for each in release.steward.disclosure["columns"]] == ["ill", "code"]
    assert _columns(release.steward_report) == ["ill", "code"]
    promised = release_of(tmp_path, shoal.ExtendedPSensitive(p=2, k=3, columns=("ill",)))
    assert [each["column"] for each in promised.manifest.disclosure["columns"]] == ["ill"]
    assert _columns(promised.report) == ["ill"] and _columns(promised.steward_report) == ["ill", "code"]
    assert promised.manifest.disclosure["rows"] == 0 and "No class discloses a protected node" in promised.report.text()


def test_every_number_of_the_page_is_that_of_the_json(tmp_path: Path) -> None:
    release = release_of(tmp_path, shoal.KAnonymity(k=3))
    release.save(tmp_path / "out")
    audit = json.loads((tmp_path / "out.private" / "steward.json").read_text(encoding="utf-8"))["disclosure"]
    page = (tmp_path / "out.private" / "report.html").read_text(encoding="utf-8")
    section = page[page.index('<h2 id="disclosure">') :].partition("</section>")[0]
    shown = re.sub(r"<details>.*?</details>", "", section, flags=re.DOTALL)  # shares, behind the drawing
    rows = [re.findall(r'data-name="[^"]*"[^>]*>([^<]*)<', row) for row in re.findall(r"<tr><th.*?</tr>", shown)]
    assert [row for row in rows if row] == numbers(audit)
    drawn = re.findall(r'<span class="numbers">([^<]*)<br>([^<]*)</span>', section)
    levels = [level for column in audit["columns"] for level in (*column["levels"], column["extended"])]
    table = audit["table"]
    assert drawn == [
        (percent(each["disclosing_classes"] / table["classes"]), percent(each["disclosing_rows"] / table["rows"]))
        for each in levels
    ]
    assert audit["rows"] > 0, "otherwise nothing is compared"


def test_the_published_manifest_is_the_audit_of_the_published_folder(tmp_path: Path) -> None:
    release = release_of(tmp_path, shoal.ExtendedPSensitive(p=2, k=3))
    release.save(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    found = source_of(tmp_path / "out", None).risk(Settings(attacks=False)).figures["disclosure"]
    shown = {**found, "columns": [{**each, "levels": None, "nodes": None} for each in found["columns"]]}
    stated = manifest["disclosure"]
    assert {**stated, "columns": [{**each, "levels": None, "nodes": None} for each in stated["columns"]]} == shown
    counts = [numbers({"columns": [{**each, "nodes": []} for each in audit["columns"]]}) for audit in (found, stated)]
    assert counts[0] == counts[1], "the published tree has no names of levels and nodes, but the same counts"
    assert shoal.verify_folder(tmp_path / "out").holds


def test_no_node_with_fewer_rows_than_a_class_is_named_in_public(tmp_path: Path) -> None:
    release = release_of(tmp_path, shoal.ExtendedPSensitive(p=2, k=3))
    nodes = {
        each["column"]: [node["node"] for node in each["nodes"]] for each in release.manifest.disclosure["columns"]
    }
    assert nodes == {"ill": ["cancer", "blood"], "code": ["C00-D49"]}, "no row lies under F01-F99"
    own = {each["column"]: len(each["nodes"]) for each in release.steward.disclosure["columns"]}
    assert own == {"ill": 2, "code": 2}


def test_the_threshold_is_judged_in_the_report_of_the_steward(tmp_path: Path) -> None:
    accepted = shoal.RiskSettings(disclosing=0.01)
    release = release_of(tmp_path, shoal.KAnonymity(k=3), risk=accepted)
    assert release.steward.risk["exceeded"]["disclosing"]["measured"] == release.steward.disclosure["share"]
    assert set(release.steward.risk["disclosure"]) == {"classes", "rows", "share"}
    assert "FAILS" in release.steward_report.text()


def test_a_saved_manifest_is_shown_alike(tmp_path: Path) -> None:
    steward = release_of(tmp_path, shoal.KAnonymity(k=3)).steward
    again = Manifest.from_json(json.loads(json.dumps(steward.to_json())))
    assert Disclosed.of(Facts(again)) == Disclosed.of(Facts(steward)) and Disclosed.of(Facts(again))


def test_names_are_escaped() -> None:
    counts = dict.fromkeys(("failing_classes", "failing_rows", "disclosing_classes", "disclosing_rows"), 1)
    node = {
        "node": "<n>",
        "name": "<m>",
        "rows": 1,
        **dict.fromkeys(("disclosing_classes", "disclosing_rows", "largest_share"), 1),
    }
    level = {"level": 0, "name": "<v>", **counts}
    column = {"column": "<b>", "p": 2, "p_from": "default", "levels": [level], "extended": counts, "nodes": [node]}
    table = {"classes": 1, "rows": 1, "smallest_class": 1, "anatomy": False, "individuals": True}
    audit = {"classes": 1, "rows": 1, "share": 1.0, "table": table, "columns": [column]}
    page = Report.of(Facts(Manifest(rows_in=1, disclosure=audit), private=PrivateFigures())).page()
    assert not any(f"<{letter}>" in page for letter in "bnmv") and page.count("&lt;v&gt;") >= 2
    assert "share of individuals" in page and "by default" in page


def test_no_other_node_or_value_is_named(tmp_path: Path) -> None:
    page = release_of(tmp_path, shoal.KAnonymity(k=3)).steward_report.page()
    page = page[page.index(f"{HEADING}</h2>") :].partition("</section>")[0]
    assert "C00-D49 (Neoplasms)" in page and "cancer" in page
    assert not any(name in page for name in ("leukemia", "solid", "infection", "C50.9", "I10"))


@pytest.mark.parametrize("share", [0.0, 0.004, 0.3, 1.0])
def test_classes_that_disclose_are_drawn_as_shares(share: float) -> None:
    rows = int(1000 * share)
    counts = {"failing_classes": rows, "failing_rows": rows, "disclosing_classes": rows, "disclosing_rows": rows}
    column = {"column": "a", "p": 2, "p_from": "plan", "levels": [{"level": 0, "name": "", **counts}], "nodes": []}
    table = {"classes": 1000, "rows": 1000, "smallest_class": 1, "anatomy": False, "individuals": False}
    audit = {"table": table, "columns": [{**column, "extended": counts}]}
    charts = [each for each in Disclosed.of(Facts(Manifest(disclosure=audit))) if isinstance(each, Chart)]
    assert [chart.table.rows for chart in charts] == (
        [(("0", share, share), ("strong ancestors", share, share))] * (rows > 0)
    )
