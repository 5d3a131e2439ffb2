"""The steward's report shows the risk of the released rows; the published one does not."""

from __future__ import annotations

import polars as pl

import shoal
from shoal.manifest import Manifest
from shoal.report import Facts, PrivateFigures
from shoal.report.document import Chart, Figure, Table
from shoal.report.sections.risk import ReleasedRisk
from tests.figures import releases

FRAME = pl.DataFrame({"age": [20, 21, 22, 23, 40, 41], "sex": ["f", "f", "m", "m", "f", "m"]})


def released(**thresholds: float) -> shoal.Release:
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "sex": shoal.quasi()},
        models=[shoal.KAnonymity(k=2)],
        risk=shoal.RiskSettings.model_validate(thresholds),
    )
    return shoal.anonymize(FRAME, plan)


def test_a_published_report_has_no_risk() -> None:
    release = released(highest=0.2)
    assert not release.manifest.risk and "Risk of the released rows" not in release.report.page()
    assert ReleasedRisk.section(Facts(release.steward)) is None, "not even with the figures of the steward"


def test_the_steward_sees_figures_thresholds_and_what_exceeds_them() -> None:
    release = released(highest=0.2, average=1.0)
    table = ReleasedRisk.of(Facts(release.steward, private=PrivateFigures()))[0]
    assert isinstance(table, Table)
    lines = {row[:2]: row[2:] for row in table.rows}
    assert lines["prosecutor", "highest"] == (Figure(1 / 3, "share"), Figure(0.2, "share"), False)
    assert lines["prosecutor", "average"][2] is True
    assert lines["sample uniques", "rows"] == (Figure(0, "number"), Figure(None, "number"), None)
    page, text = release.steward_report.page(), release.steward_report.text()
    for shown in (page, text):
        assert "Risk of the released rows" in shown and "33.3 %" in shown
        assert "The intruder knows that the individual is in the table." in shown
    assert "✗ fails" in page and "FAILS" in text


def test_the_risk_of_exact_rows_is_compared_with_that_of_the_release() -> None:
    release = releases.released()
    chart, counts, figures, *_ = ReleasedRisk.of(Facts(release.steward, *release.figures))
    assert isinstance(chart, Chart) and chart.table.rows == (
        ("Highest prosecutor risk", 1.0, 0.2),
        ("Average prosecutor risk", 1.0, 0.2),
        ("Unique rows", 1.0, 0.0),
    )
    assert isinstance(counts, Table) and counts.rows[1] == ("Classes", 20, 4)
    assert isinstance(figures, Table)
    repeated = {("prosecutor", "highest"), ("prosecutor", "average"), ("sample uniques", "rows")}
    assert not repeated & {row[:2] for row in figures.rows}


def test_without_figures_there_is_no_section() -> None:
    assert ReleasedRisk.of(Facts(Manifest())) == ()


def test_a_manifest_that_was_saved_is_shown_alike() -> None:
    steward = released(highest=0.2).steward
    again = Manifest.from_json(steward.to_json())
    assert ReleasedRisk.of(Facts(again)) == ReleasedRisk.of(Facts(steward)) != ()


def test_persons_are_counted_before_and_after_and_against_thresholds() -> None:
    rows = pl.DataFrame({"who": [*range(10), *range(10)], "age": [20] * 10 + [40] * 10, "ill": ["a", "b"] * 10})
    several = rows.with_columns(who=pl.Series([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, *range(2, 12)]))
    plan = shoal.Plan(
        columns={"who": shoal.identifier(), "age": shoal.quasi(), "ill": shoal.insensitive()},
        models=[shoal.KAnonymity(k=2)],
        data=shoal.Data(person="who"),
        risk=shoal.RiskSettings(highest=0.2),
    )
    release = shoal.anonymize(several, plan)
    after = release.figures.private.risk_after
    assert after is not None and after.persons and after.highest == 0.5  # two persons have the ten rows
    assert release.steward.risk["prosecutor"]["highest"] == 0.5 and release.steward.risk["individuals"] is True
    assert "highest" in release.steward.risk["exceeded"], "by persons; by rows it would be 10 %"
    assert "1 threshold of the plan is exceeded" in release.steward_report.text()


def test_the_thresholds_of_an_anatomy_are_judged_by_its_exact_rows() -> None:
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.sensitive()},
        models=[shoal.LDiversity("ill", l=2)],
        release=shoal.ReleaseSettings(form="anatomy"),
        risk=shoal.RiskSettings(highest=0.2),
    )
    release = shoal.anonymize(FRAME.with_columns(ill=pl.Series(["flu", "cold"] * 3)), plan)
    _exact, table, *_ = ReleasedRisk.of(Facts(release.steward, *release.figures))
    assert isinstance(table, Table)
    lines = {row[:2]: row[2:] for row in table.rows}
    assert lines["prosecutor", "highest"] == (Figure(1.0, "share"), Figure(0.2, "share"), False)
    assert lines["sample uniques", "rows"][0] == Figure(6, "number"), "no comparison shows it above"
    assert "but 1 threshold of the plan is exceeded" in release.steward_report.text()
    assert "1 threshold" not in release.report.text()
