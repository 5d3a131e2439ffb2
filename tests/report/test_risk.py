"""The steward's report shows the risk of the released rows; the published one does not."""

from __future__ import annotations

import polars as pl

import shoal
from shoal.manifest import Manifest
from shoal.report import Report
from shoal.report.risk import risk_lines

FRAME = pl.DataFrame({"age": [20, 21, 22, 23, 40, 41], "sex": ["f", "f", "m", "m", "f", "m"]})


def released(**thresholds: float) -> shoal.Release:
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "sex": shoal.quasi()},
        models=[shoal.KAnonymity(k=2)],
        risk=shoal.RiskSettings.model_validate(thresholds),
    )
    return shoal.anonymize(FRAME, plan)


def test_a_published_manifest_has_no_risk() -> None:
    assert risk_lines(Manifest()) == ()
    release = released(highest=0.2)
    assert not release.manifest.risk and "Risk of the released rows" not in release.report.page()


def test_the_steward_sees_figures_thresholds_and_what_exceeds_them() -> None:
    release = released(highest=0.2, average=1.0)
    verdicts = {(line.measure, line.figure): (line.value, line.verdict) for line in risk_lines(release.steward)}
    assert verdicts["prosecutor", "highest"] == ("33.3 %", "EXCEEDED")
    assert verdicts["prosecutor", "average"][1] == "accepted"
    assert verdicts["sample uniques", "rows"] == ("0", "")
    page, text = release.steward_report.page(), release.steward_report.text()
    assert "Risk of the released rows" in page and "EXCEEDED" in page
    assert "Risk of the released rows" in text and "EXCEEDED" in text


def test_a_manifest_that_was_saved_is_shown_alike() -> None:
    steward = released(highest=0.2).steward
    again = Manifest.from_json(steward.to_json())
    assert risk_lines(again) == risk_lines(steward) and Report(again).text()
