"""`shoal.risk`: every measure and attack of one table, judged by the thresholds of its plan."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import PlanError
from shoal.risks import ALL
from shoal.risks.measuring import Settings, risk_of_sizes
from tests.risks.attacked import Told, pretend
from tests.risks.tables import plan_of

PEOPLE = pl.DataFrame({"age": [30, 30, 30, 41, 52], "sex": ["f", "f", "m", "m", "m"], "ill": list("abcab")})


def risk(**given: Any) -> shoal.Risk:
    return shoal.risk(PEOPLE, plan_of(["age", "sex"]), attacks=False, **given)


def test_without_further_knowledge_some_measures_are_not_computed() -> None:
    found = risk()
    assert (found.rows, found.classes, found.uniques) == (5, 4, 3)
    assert set(found.figures) | set(found.not_measured) == {measure.name for measure in ALL}
    lacking = {"journalist", "population_uniques", "individual", "k_map", "presence", "disclosure"}
    assert set(found.not_measured) == lacking
    assert found.holds


def test_all_measures_are_computed_with_a_reference_and_a_fraction() -> None:
    found = risk(reference=PEOPLE, sampling_fraction=0.5)
    assert set(found.not_measured) == {"disclosure"} and found.figures["k_map"]["k"] == 1
    assert found.by_overlap == ("journalist", "marketer", "k_map", "presence")
    assert found.to_json()["marketer"]["compared_by"] == "overlap" and found.to_json()["reference_rows"] == 5


def test_json_has_the_figures_of_the_contract() -> None:
    found = json.loads(json.dumps(risk().to_json()))
    assert (found["rows"], found["uniques"]) == (5, 3)
    assert found["prosecutor"]["highest"] == 1 and found["prosecutor"]["average"] == 4 / 5
    assert found["prosecutor"]["compared_by"] == "equality" and found["marketer"]["compared_by"] == "equality"
    assert found["k_map"] is None and found["attacks"] == []


def test_thresholds_of_the_plan_are_judged() -> None:
    given = shoal.RiskSettings(highest=0.5, average=0.8, k_map=2)
    found = shoal.risk(PEOPLE, plan_of(["age", "sex"], risk=given), attacks=False)
    assert [(each.threshold, each.accepted, each.measured) for each in found.exceeded] == [("highest", 0.5, 1.0)]
    assert found.unchecked == ("k_map",) and not found.holds
    assert found.figures["prosecutor"]["rows_at_risk"] == 3
    assert [each.threshold for each in risk(thresholds=given, reference=PEOPLE).exceeded] == ["highest", "k_map"]


def test_attacks_get_the_table_and_their_bound_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    attacks = pretend(monkeypatch, Told(bound=0.5), Told(kind="homogeneity", column="ill", bound=0.2))
    found = shoal.risk(PEOPLE, plan_of(["age", "sex"]), reference=PEOPLE, seed=7)
    (target,) = attacks.targets
    assert target.tables["release"].expanded().equals(PEOPLE) and target.reference.equals(PEOPLE) and target.seed == 7
    assert [outcome.holds for outcome in found.attacks] == [True, False] and not found.holds
    assert [each["kind"] for each in found.to_json()["attacks"]] == ["linkage", "homogeneity"]


def test_attacks_get_the_raw_table(monkeypatch: pytest.MonkeyPatch) -> None:
    attacks = pretend(monkeypatch)
    shoal.risk(PEOPLE.head(4), plan_of(["age", "sex"]), raw=PEOPLE)
    assert attacks.targets[-1].raw.equals(PEOPLE)


def test_pandas_and_roles_in_bulk() -> None:
    pandas = pytest.importorskip("pandas")
    plan = shoal.Plan(roles={"quasi-identifier": ["a*", "sex"], "drop": ["ill"]}, models=[shoal.KAnonymity(k=2)])
    frame = pandas.DataFrame(PEOPLE.to_dict(as_series=False))
    assert shoal.risk(frame, plan, attacks=False).figures == risk().figures


@pytest.mark.parametrize("fraction", [0, 1.5, -1, float("nan"), "0.5", True])
def test_a_sampling_fraction_is_a_share(fraction: Any) -> None:
    with pytest.raises(PlanError, match="above 0 and at most 1"):
        Settings(sampling_fraction=fraction)


def test_progress_is_reported_and_may_cancel() -> None:
    steps: list[str] = []
    risk(reference=PEOPLE, progress=lambda step, _share: steps.append(step))
    assert {"count", "reference", "risk", "special uniques"} <= set(steps)

    def cancel(_step: str, _share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        risk(progress=cancel)


def test_a_release_is_measured_by_its_labels() -> None:
    plan = plan_of(["age", "sex"])
    release = shoal.anonymize(PEOPLE.drop("ill"), plan)
    found = shoal.risk(release.frame, plan, attacks=False)
    assert found.uniques == 0 and found.figures["prosecutor"]["smallest_class"] >= 2


def test_figures_follow_the_content_and_not_the_order_of_rows() -> None:
    shuffled = PEOPLE.sample(fraction=1.0, shuffle=True, seed=3)
    plan = plan_of(["age", "sex"])
    assert shoal.risk(shuffled, plan, attacks=False) == shoal.risk(PEOPLE, plan, attacks=False)


def test_class_sizes_alone_give_the_figures_that_need_no_columns() -> None:
    found = risk_of_sizes(np.array([1, 1, 2, 1]), shoal.RiskSettings(highest=0.5))
    whole = risk(thresholds=shoal.RiskSettings(highest=0.5))
    assert set(found.figures) == {"prosecutor", "marketer", "sample_uniques"}
    assert all(found.figures[name] == whole.figures[name] for name in found.figures)
    assert found.exceeded == whole.exceeded and (found.rows, found.classes, found.uniques) == (5, 4, 3)


@pytest.mark.parametrize("seed", [-1, 2**32, 10**30])
def test_a_seed_is_one_that_every_attack_can_use(seed: int) -> None:
    with pytest.raises(PlanError, match="from 0 to 4294967295"):
        Settings(seed=seed)
