"""The risk of folders: of one release, and of two of the same people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import KnowledgeNeeded, PlanError, PromiseBroken, ShoalError, TableError
from shoal.risks.measuring import Settings
from shoal.risks.releases import is_release, require_accepted, risk_together, source_of
from tests.risks.attacked import Told, pretend
from tests.risks.tables import plan_of

QUIET = Settings(attacks=False)


def people(seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"age": rng.integers(20, 60, 80), "sex": rng.choice(["f", "m"], 80)})


def saved(
    folder: Path, name: str, frame: pl.DataFrame, k: int = 3, form: str = "generalized", **thresholds: float
) -> Path:
    frame.write_csv(folder / "people.csv")
    models = [shoal.KAnonymity(k=k)]
    columns = {"age": shoal.quasi(), "sex": shoal.quasi()}
    if form == "anatomy":
        models, columns = [shoal.LDiversity("sex", l=2)], {"age": shoal.quasi(), "sex": shoal.sensitive()}
    plan = shoal.Plan(
        columns=columns,
        models=models,
        data=shoal.Data(source=str(folder / "people.csv")),
        release=shoal.ReleaseSettings(form=form),
        risk=shoal.RiskSettings(**thresholds),
    )
    shoal.anonymize_to(plan, folder / name)
    return folder / name


def test_a_folder_is_measured_with_its_own_plan_or_another(tmp_path: Path) -> None:
    out = saved(tmp_path, "out", people())
    found = source_of(out, None).risk(QUIET)
    assert found.rows == 80 and found.figures["prosecutor"]["smallest_class"] >= 3
    narrow = source_of(out, plan_of(["age"], risk=shoal.RiskSettings(highest=0.01))).risk(QUIET)
    assert narrow.columns == ("age",) and [each.threshold for each in narrow.exceeded] == ["highest"]
    assert is_release(out) and not is_release(tmp_path)


def test_thresholds_are_those_of_the_private_plan_beside_a_release(tmp_path: Path) -> None:
    out = saved(tmp_path, "out", people(), highest=0.01)
    found = source_of(out, None).risk(QUIET)
    assert found.thresholds == {"highest": 0.01} and [each.threshold for each in found.exceeded] == ["highest"]
    assert any("private plan" in note for note in found.notes)
    assert risk_together(out, out, None, QUIET).risk.thresholds == {"highest": 0.01}
    given = source_of(out, plan_of(["age", "sex"])).risk(QUIET)
    assert given.thresholds == {} and not any("private plan" in note for note in given.notes)


def test_only_thresholds_are_taken_from_the_private_plan(tmp_path: Path) -> None:
    out = saved(tmp_path, "out", people())
    private = tmp_path / "out.private" / "plan.toml"
    text = private.read_text(encoding="utf-8").replace("k = 3", "k = 40")
    private.write_text(text + '\n[risk]\naverage = 0.5\nweight = "age"\n', encoding="utf-8")
    source = source_of(out, None)
    assert source.plan.risk == shoal.RiskSettings(average=0.5)
    assert source.plan.models == (shoal.KAnonymity(k=3),)


def test_a_private_plan_that_cannot_be_read_is_an_error_and_a_missing_one_is_none(tmp_path: Path) -> None:
    out = saved(tmp_path, "out", people(), highest=0.01)
    private = tmp_path / "out.private" / "plan.toml"
    private.write_text("[risk", encoding="utf-8")
    with pytest.raises(PlanError, match="not valid TOML"):
        source_of(out, None)
    private.unlink()
    found = source_of(out, None).risk(QUIET)
    assert found.thresholds == {} and found.notes == ()


def test_a_released_file_has_the_risk_of_its_folder(tmp_path: Path) -> None:
    out = saved(tmp_path, "out", people())
    plan = plan_of(["age", "sex"])
    assert source_of(out / "release.csv", plan).risk(QUIET).figures == source_of(out, plan).risk(QUIET).figures


def test_a_released_file_is_not_read_as_the_source_of_the_plan(tmp_path: Path) -> None:
    """Released files are always comma-separated, whatever the source was."""
    out = saved(tmp_path, "out", people())
    plan = plan_of(["age", "sex"], data=shoal.Data(separator=";", unlisted="drop"))
    assert source_of(out / "release.csv", plan).main.rows.width == 2
    people().write_csv(tmp_path / "raw.csv", separator=";")
    assert source_of(tmp_path / "raw.csv", plan).main.rows.width == 2


def test_a_table_needs_a_plan_and_a_folder_must_be_a_release(tmp_path: Path) -> None:
    people().write_csv(tmp_path / "people.csv")
    with pytest.raises(PlanError, match="needs a plan"):
        source_of(tmp_path / "people.csv", None).risk(QUIET)
    with pytest.raises(TableError, match="not the folder of a release"):
        source_of(tmp_path, None).risk(QUIET)
    with pytest.raises(TableError, match="not the folder of a release"):
        source_of(tmp_path, plan_of(["age"]), engine="local").risk(QUIET)
    with pytest.raises(TableError, match="two releases"):
        risk_together(tmp_path, tmp_path, None, QUIET)


def test_an_anatomy_is_measured_and_explained(tmp_path: Path) -> None:
    found = source_of(saved(tmp_path, "out", people(), form="anatomy"), None).risk(QUIET)
    assert found.columns == ("age",) and "anatomy" in found.notes[0]


def test_two_releases_of_one_table_are_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attacks = pretend(monkeypatch, Told(kind="intersection"))
    old, new = saved(tmp_path, "old", people(), 3), saved(tmp_path, "new", people(), 5)
    found = risk_together(old, new, None, Settings())
    assert found.same_source is True and "made from the same table" in found.warnings[0]
    (target,) = attacks.targets
    assert target.earlier["release"].height == 80 and target.tables["release"].height == 80
    assert found.to_json()["same_source"] is True and found.to_json()["attacks"][0]["kind"] == "intersection"


def test_releases_of_other_tables_and_unknown_sources_are_told_apart(tmp_path: Path) -> None:
    old, new = saved(tmp_path, "old", people(0)), saved(tmp_path, "new", people(1))
    found = risk_together(old, new, None, QUIET)
    assert found.same_source is False and found.warnings == ()
    (tmp_path / "old.private" / "steward.json").write_text(json.dumps({"input_sha256": None}))
    found = risk_together(old, new, None, QUIET)
    assert found.same_source is None and "is not known" in found.warnings[0]


def test_the_raw_table_of_a_release_reaches_the_attacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attacks = pretend(monkeypatch, Told())
    out = saved(tmp_path, "out", people())
    found = source_of(out, None).checked_with(tmp_path / "people.csv").risk(Settings())
    assert attacks.targets[-1].raw.height == 80
    assert any("checked against the raw table" in note for note in found.notes)
    risk_together(out, out, None, Settings(), raw=tmp_path / "people.csv")
    assert attacks.targets[-1].raw.height == 80 and attacks.targets[-1].earlier is not None
    source_of(out, None).risk(Settings())
    assert attacks.targets[-1].raw is None


def test_the_raw_table_is_read_as_the_plan_says(tmp_path: Path) -> None:
    out = saved(tmp_path, "out", people())
    people().write_csv(tmp_path / "raw.txt", separator="~")
    plan = plan_of(["age", "sex"], data=shoal.Data(separator="~", unlisted="drop"))
    raw = source_of(out, plan).checked_with(tmp_path / "raw.txt").raw
    assert raw is not None and raw.columns == ["age", "sex"]


def test_a_raw_table_is_for_folders_and_needs_the_columns_of_the_release(tmp_path: Path) -> None:
    out = saved(tmp_path, "out", people())
    with pytest.raises(TableError, match="not the folder of a release"):
        source_of(tmp_path / "people.csv", plan_of(["age"])).checked_with(tmp_path / "people.csv")
    people().drop("sex").write_csv(tmp_path / "other.csv")
    with pytest.raises(TableError, match="has no column 'sex', which the release has"):
        source_of(out, None).checked_with(tmp_path / "other.csv")
    with pytest.raises(TableError, match="There is no file"):
        source_of(out, None).checked_with(tmp_path / "nothere.csv")


def test_another_table_than_the_input_is_warned_of(tmp_path: Path) -> None:
    out = saved(tmp_path, "out", people())
    same = source_of(out, None).checked_with(tmp_path / "people.csv").risk(QUIET)
    assert same.warnings == ()
    people(1).write_csv(tmp_path / "other.csv")
    (warning,) = source_of(out, None).checked_with(tmp_path / "other.csv").risk(QUIET).warnings
    assert "not the file from which the release was made" in warning


def test_the_gate_stops_exceeded_beaten_and_unchecked_risk(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, plan = people(), plan_of(["age", "sex"])
    with pytest.raises(ShoalError, match="nothing was judged") as refused:
        require_accepted(shoal.risk(frame, plan, attacks=False))
    assert not isinstance(refused.value, PromiseBroken)
    require_accepted(shoal.risk(frame, plan, thresholds=shoal.RiskSettings(highest=1.0), attacks=False))
    with pytest.raises(PromiseBroken, match="thresholds exceeded: highest"):
        require_accepted(shoal.risk(frame, plan, thresholds=shoal.RiskSettings(highest=0.1), attacks=False))
    with pytest.raises(ShoalError, match=r"cannot be checked: 'population_uniques'\. .*sampling fraction"):
        require_accepted(shoal.risk(frame, plan, thresholds=shoal.RiskSettings(population_uniques=0.1), attacks=False))
    pretend(monkeypatch, Told(bound=0.1))
    with pytest.raises(PromiseBroken, match="beat their bound: linkage"):
        require_accepted(shoal.risk(frame, plan))


def test_accepted_risk_is_not_published(tmp_path: Path) -> None:
    """Thresholds are the steward's; two plans that differ in them publish the same bytes."""
    frame, folders = people(), []
    frame.write_csv(tmp_path / "people.csv")
    for number, risk in enumerate([shoal.RiskSettings(), shoal.RiskSettings(highest=0.5)]):
        plan = plan_of(["age", "sex"], risk=risk)
        shoal.anonymize(frame, plan).save(tmp_path / str(number))
        folders.append(tmp_path / str(number))
    for path in folders[0].rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (folders[1] / path.relative_to(folders[0])).read_bytes()


def test_an_anatomy_is_not_intersected_and_this_is_said(tmp_path: Path) -> None:
    old = saved(tmp_path, "old", people(), form="anatomy")
    together = risk_together(old, saved(tmp_path, "new", people()), None, QUIET)
    assert any("Intersection was not tried" in warning for warning in together.to_json()["warnings"])
    plain = risk_together(tmp_path / "new", tmp_path / "new", None, QUIET)
    assert not any("Intersection" in warning for warning in plain.warnings)


def with_items(folder: Path, **settings: Any) -> Path:
    """A release that promises something about labels which only the knowledge table has."""
    (folder / "diseases.csv").write_text("label,item\ncold,ache|cough\nflu,ache|cough|fever\ngout,ache\n")
    frame = pl.DataFrame({"age": [31, 32, 33, 34], "ill": ["fever", "cough", "", "ache"]})
    column = shoal.quasi_sensitive(knowledge=str(folder / "diseases.csv"), **settings)
    models = [shoal.KAnonymity(k=2), shoal.QSDiversity("ill", c=1, l=2)]
    plan = shoal.Plan(columns={"age": shoal.quasi(), "ill": column}, models=models)
    shoal.anonymize(frame, plan).save(folder / "out")
    return folder / "out"


def test_a_promise_about_labels_is_not_accepted_without_its_knowledge_table(tmp_path: Path) -> None:
    out = with_items(tmp_path)
    found = source_of(out, None).risk(Settings())
    assert found.unattacked == ("ill",) and found.to_json()["unattacked"] == ["ill"]
    assert any("'indirect' was not run" in warning for warning in found.warnings)
    assert "1 column could not be attacked" in str(found)
    with pytest.raises(KnowledgeNeeded, match="--knowledge ill=FILE") as refused:
        require_accepted(found)
    assert refused.value.exit_code == 2
    assert source_of(out, None).risk(QUIET).unattacked == ()


def test_a_promise_about_labels_is_attacked_with_the_table_that_is_given_or_published(tmp_path: Path) -> None:
    out = with_items(tmp_path)
    found = source_of(out, None).with_knowledge([str(tmp_path / "diseases.csv")]).risk(Settings())
    assert "indirect" in [outcome.kind for outcome in found.attacks] and found.unattacked == ()
    require_accepted(found)
    together = risk_together(out, out, None, Settings(), knowledge=[f"ill={tmp_path / 'diseases.csv'}"])
    assert together.risk.unattacked == ()
    (tmp_path / "other.csv").write_text("label,item\nplague,fever\n")
    with pytest.raises(TableError, match="its hash differs"):
        source_of(out, None).with_knowledge([str(tmp_path / "other.csv")])


def test_a_published_knowledge_table_is_used_without_asking(tmp_path: Path) -> None:
    found = source_of(with_items(tmp_path, publish_knowledge=True), None).risk(Settings())
    assert "indirect" in [outcome.kind for outcome in found.attacks] and found.unattacked == ()


def of_persons(**thresholds: float) -> tuple[pl.DataFrame, shoal.Plan]:
    """Two classes of ten rows each: one of two persons, one of ten."""
    who = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, *range(2, 12)]
    frame = pl.DataFrame({"who": who, "age": [20] * 10 + [40] * 10, "ill": ["a", "b"] * 10})
    plan = shoal.Plan(
        columns={"who": shoal.identifier(), "age": shoal.quasi(), "ill": shoal.insensitive()},
        models=[shoal.KAnonymity(k=2)],
        data=shoal.Data(person="who"),
        risk=shoal.RiskSettings(**thresholds),
    )
    return frame, plan


def test_individuals_are_counted_while_a_release_is_made(tmp_path: Path) -> None:
    frame, plan = of_persons()
    release = shoal.anonymize(frame, plan)
    found = shoal.frontier(frame, [plan]).releases[0]
    assert (found.highest_risk, found.counts_rows) == (0.5, False)
    together = shoal.compare({"a": release, "b": release})
    assert together.releases[0].highest_risk == 0.5 and "counts rows" not in str(together)


def test_the_private_folder_says_what_individuals_risk(tmp_path: Path) -> None:
    frame, plan = of_persons(highest=0.2, marketer=0.5)
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    found = source_of(tmp_path / "out", None).risk(QUIET)
    assert found.figures["prosecutor"]["highest"] == 0.5 and found.in_individuals and not found.individuals
    assert [each.threshold for each in found.exceeded] == ["highest"] and found.unchecked == ("marketer",)
    assert any("Only the prosecutor risk counts individuals" in each for each in found.warnings)
    with pytest.raises(ShoalError, match=r"'marketer'\. The plan counts individuals, and only rows can be counted"):
        require_accepted(found)


def test_without_the_private_folder_no_threshold_is_said_to_be_met(tmp_path: Path) -> None:
    frame, plan = of_persons()
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    steward = tmp_path / "out.private" / "steward.json"
    told = json.loads(steward.read_text(encoding="utf-8"))
    steward.write_text(json.dumps({**told, "digest": "0" * 64}), encoding="utf-8")  # that of another release
    risky = shoal.read_plan(tmp_path / "out" / "plan.toml").changed(risk=shoal.RiskSettings(highest=0.2, average=0.01))
    found = source_of(tmp_path / "out", risky).risk(QUIET)
    assert found.figures["prosecutor"]["highest"] == 0.1, "in rows"
    assert found.unchecked == ("highest",) and [each.threshold for each in found.exceeded] == ["average"]
    assert "not checked" in str(found) and "10 %" in str(found)
    compared = shoal.compare(tmp_path / "out", shoal.anonymize(frame, plan))
    assert [each.counts_rows for each in compared.releases] == [True, False]
    assert "The risk of 'out' counts rows." in str(compared)


def test_linkage_says_that_rows_are_counted(tmp_path: Path) -> None:
    frame, plan = of_persons()
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    linkage = [each for each in source_of(tmp_path / "out", None).risk(Settings()).attacks if each.kind == "linkage"]
    assert linkage and all("Rows are counted" in each.measured for each in linkage)
