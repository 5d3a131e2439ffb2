"""Disclosure as a measure of risk: absent without a tree, judged by the threshold, never a node that data names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.errors import PromiseBroken, ShoalError
from shoal.risks.measuring import Settings
from shoal.risks.releases import require_accepted, source_of
from tests.risks.trees import tree_in

FRAME = pl.DataFrame({"where": list("aaabbb"), "ill": ["lung", "liver", "lung", "flu", "lung", "ulcer"]})


def plan_in(folder: Path, **parts: object) -> shoal.Plan:
    columns = {"where": shoal.quasi(), "ill": shoal.sensitive(tree_in(folder), protected=("cancer",))}
    return shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=3)], **parts)  # type: ignore[arg-type]


def test_without_a_tree_there_is_no_audit() -> None:
    plan = shoal.Plan(columns={"where": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=3)])
    found = shoal.risk(FRAME, plan, attacks=False)
    assert "disclosure" not in found.figures and found.to_json()["disclosure"] is None
    assert found.not_measured["disclosure"] == "No sensitive column of the plan has a hierarchy."


def test_a_table_that_lacks_the_sensitive_column_has_no_audit(tmp_path: Path) -> None:
    found = shoal.risk(FRAME.select("where"), plan_in(tmp_path), attacks=False)
    assert "disclosure" in found.not_measured


def test_the_threshold_bounds_the_share_of_rows(tmp_path: Path) -> None:
    strict = shoal.risk(FRAME, plan_in(tmp_path, risk=shoal.RiskSettings(disclosing=0.4)), attacks=False)
    assert [(each.threshold, each.measured) for each in strict.exceeded] == [("disclosing", 0.5)]
    with pytest.raises(PromiseBroken, match="thresholds exceeded: disclosing"):
        require_accepted(strict)
    require_accepted(shoal.risk(FRAME, plan_in(tmp_path, risk=shoal.RiskSettings(disclosing=0.5)), attacks=False))


def test_a_threshold_without_a_tree_cannot_be_checked() -> None:
    plan = shoal.Plan(
        columns={"where": shoal.quasi(), "ill": shoal.sensitive()},
        models=[shoal.KAnonymity(k=3)],
        risk=shoal.RiskSettings(disclosing=0.4),
    )
    with pytest.raises(ShoalError, match=r"cannot be checked: 'disclosing'\. No sensitive column"):
        require_accepted(shoal.risk(FRAME, plan, attacks=False))


def test_json_names_protected_nodes_and_no_other(tmp_path: Path) -> None:
    found = shoal.risk(FRAME, plan_in(tmp_path))
    html = re.sub(r'style="[^"]*"', "", found._repr_html_())  # a border is solid too
    shown = json.dumps(found.to_json()) + str(found) + html
    assert "cancer" in shown and json.loads(json.dumps(found.to_json()))["disclosure"]["rows"] == 3
    assert not any(name in shown for name in ("lung", "liver", "solid", "infection", "stomach", "digestive"))


def test_a_release_whose_tree_is_not_published_says_which_plan_to_use(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "in.csv")
    plan = plan_in(tmp_path, data=shoal.Data(source=str(tmp_path / "in.csv")))
    shoal.anonymize_to(plan, tmp_path / "out")
    found = source_of(tmp_path / "out", None).risk(Settings())
    assert "The hierarchy file of column 'ill' is not at hand." in found.not_measured["disclosure"]
    assert not any(outcome.kind == "similarity" for outcome in found.attacks)
    given = source_of(tmp_path / "out", plan).risk(Settings())
    assert given.figures["disclosure"]["rows"] == 3


def test_a_published_tree_is_audited_from_the_folder_alone(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "in.csv")
    plan = plan_in(tmp_path, data=shoal.Data(source=str(tmp_path / "in.csv")))
    plan = plan.changed(models=(*plan.models, shoal.ExtendedPSensitive(p=2, k=3)))
    shoal.anonymize_to(plan, tmp_path / "out")
    found = source_of(tmp_path / "out", None).risk(Settings())
    (column,) = found.figures["disclosure"]["columns"]
    assert found.figures["disclosure"]["rows"] == 0 and column["p_from"] == "plan"
    assert len(column["levels"]) == 3 and column["extended"]["failing_classes"] == 0
    assert [(node["node"], node["rows"]) for node in column["nodes"]] == [("cancer", 4)]
