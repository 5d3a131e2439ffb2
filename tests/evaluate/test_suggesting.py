"""Suggesting a plan: thresholds and promises are kept, the best plan is proposed, and cancelling leaves nothing."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import CannotBeMet, PlanError, ShoalError
from shoal.evaluate import suggesting
from shoal.evaluate.suggesting import suggest
from shoal.models import KAnonymity, LDiversity
from tests.evaluate.test_comparing import patients, plan_of

FRAME = patients()
GIVEN = plan_of(3)
RISK = {"highest": 0.2, "average": 0.08}


@pytest.fixture(scope="module")
def found() -> shoal.Suggestion:
    return suggest(FRAME, GIVEN, risk=RISK, budget=25)


def test_the_best_plan_within_the_thresholds_is_proposed(found: shoal.Suggestion) -> None:
    assert found.proposed is not None
    meeting = [each for each in found.tried if each.meets]
    assert found.proposed.loss == min(each.loss for each in meeting if each.loss is not None)
    assert any(each.exceeded and (each.loss or 1) < found.proposed.loss for each in found.tried)
    assert len(found.tried) == 25


def test_the_proposed_plan_keeps_promises_and_thresholds(found: shoal.Suggestion) -> None:
    release = shoal.anonymize(FRAME, found.plan)
    sizes = release.frame.group_by(list(release.plan.quasi_identifiers)).len()["len"]
    assert 1 / sizes.min() <= 0.2
    assert len(sizes) / release.frame.height <= 0.08
    assert found.proposed is not None
    assert release.measures["ncp"] == pytest.approx(found.proposed.release.ncp)  # type: ignore[union-attr]
    assert not shoal.risk(release.frame, found.plan, attacks=False).exceeded
    assert found.plan.risk.given == RISK


def test_no_variant_promises_less(found: shoal.Suggestion) -> None:
    assert found.tried[0].plan.models == GIVEN.models
    for place, each in enumerate(found.tried):
        k, l = each.plan.models
        assert isinstance(k, KAnonymity)
        assert k.k >= (5 if place else 3)  # the given plan is tried as it is
        assert l == LDiversity("ill", l=2)
        assert each.plan.release.suppression == 0
        assert each.plan.columns["ill"] == GIVEN.columns["ill"]
        assert each.plan.release == GIVEN.release


def test_the_front_is_that_of_brute_force(found: shoal.Suggestion) -> None:
    points = [(each.name, each.risk, each.loss or 0.0) for each in found.complete]
    front = {
        name
        for name, risk, loss in points
        if not any(r <= risk and o <= loss and (r, o) != (risk, loss) for _, r, o in points)
    }
    assert {each.name for each in found.front} == front


def test_the_result_does_not_depend_on_the_number_of_workers() -> None:
    one, three = (suggest(FRAME, GIVEN, risk=RISK, budget=14, workers=workers) for workers in (1, 3))
    assert one == three


def test_a_plan_without_thresholds_is_improved_too() -> None:
    found = suggest(FRAME, GIVEN, budget=12)
    assert found.proposed is not None
    assert found.proposed.loss is not None
    assert found.proposed.loss <= (found.tried[0].loss or 1)
    assert "no threshold is set" in str(found)


def test_suppression_is_used_only_if_allowed() -> None:
    without = suggest(FRAME, GIVEN, risk=RISK, budget=12)
    assert {each.plan.release.suppression for each in without.tried} == {0.0}
    allowed = suggest(FRAME, GIVEN, risk=RISK, budget=12, suppression=0.04)
    assert {each.plan.release.suppression for each in allowed.tried} == {0.0, 0.04}


def test_nothing_may_meet_the_thresholds() -> None:
    found = suggest(FRAME, GIVEN, risk={"average": 0.003}, budget=15)
    assert found.proposed is None
    assert found.closest is not None
    with pytest.raises(CannotBeMet, match=r"meets the thresholds\. Closest is") as caught:
        _ = found.plan
    assert caught.value.exit_code == 3


def test_models_that_cannot_be_met_are_explained() -> None:
    found = suggest(FRAME, GIVEN.changed(models=[LDiversity("ill", l=4)]), budget=4)
    with pytest.raises(CannotBeMet, match="can be met") as caught:
        _ = found.plan
    assert "l-diversity" in str(caught.value)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"use": "sums"}, "no use"),
        ({"use": "classification"}, "target"),
        ({"risk": {"hihgest": 0.1}}, "not a key"),
        ({"risk": {"highest": 1.5}}, "invalid"),
        ({"risk": {"k_map": 3}}, "'k_map' cannot be checked. A reference"),
        ({"risk": {"population_uniques": 0.1}}, "sampling fraction"),
        ({"budget": 0}, "budget"),
        ({"workers": 0}, "number of workers"),
        ({"suppression": 2.0}, "suppression"),
    ],
)
def test_what_is_wrong_is_said(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(ShoalError, match=words):
        suggest(FRAME, GIVEN, **{"budget": 3, **changed})


def test_a_threshold_that_is_no_number_is_refused_without_its_value() -> None:
    with pytest.raises(PlanError, match="'average' is not a number") as refused:
        suggest(FRAME, GIVEN, risk={"average": "CANARY"})  # type: ignore[dict-item]
    assert "CANARY" not in str(refused.value)


def test_without_a_quasi_identifier_there_is_nothing_to_vary() -> None:
    columns = dict.fromkeys(FRAME.columns, shoal.insensitive())
    with pytest.raises(PlanError, match="no quasi-identifier"):
        suggest(FRAME, shoal.Plan(columns=columns, models=[KAnonymity(k=3)]), budget=3)


def test_a_table_that_does_not_fit_is_refused_at_once() -> None:
    with pytest.raises((PlanError, ShoalError), match="city"):
        suggest(FRAME.drop("city"), GIVEN)


def test_cancelling_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Enough(Exception):
        pass

    def cancel(step: str, share: float) -> None:
        if step == "suggest" and share > 0.2:
            raise Enough

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.chdir(tmp_path)
    before = threading.active_count()
    with pytest.raises(Enough):
        suggest(FRAME, GIVEN, risk=RISK, budget=30, progress=cancel)
    assert threading.active_count() == before
    assert list(tmp_path.iterdir()) == []


def test_large_tables_are_ranked_by_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggesting, "SAMPLED_ABOVE", 200)
    monkeypatch.setattr(suggesting, "SAMPLE", 150)
    found = suggest(FRAME, GIVEN, risk={"average": 0.1}, budget=30)
    assert {each.sampled for each in found.tried} == {150, None}
    assert found.proposed is not None
    assert found.proposed.sampled is None
    assert found.proposed.release is not None
    assert found.proposed.release.rows_in == 300
    assert "sample of 150 rows" in str(found)
    assert len(found.tried) <= 30


def test_a_limit_in_seconds_is_said() -> None:
    found = suggest(FRAME, GIVEN, risk=RISK, budget=30, seconds=0.0)
    assert 0 < len(found.tried) < 30
    assert "ended after 0 seconds" in " ".join(found.notes)


def test_it_is_at_least_as_good_as_plans_by_hand() -> None:
    """The quick version of `benchmarks/suggesting.py`."""
    rng = np.random.default_rng(5)
    rows = 400
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "city": [f"C{int(each)}" for each in rng.geometric(0.3, rows)],
            "ill": [["flu", "HIV", "rash"][int(each)] for each in rng.integers(0, 3, rows)],
        }
    )
    thresholds = shoal.RiskSettings(average=0.06)
    made = {
        f"{algorithm} {k}": GIVEN.changed(models=[KAnonymity(k=k), LDiversity("ill", l=2)], algorithm=algorithm)
        for k in (10, 13)
        for algorithm in (shoal.Mondrian(), shoal.Mondrian(refine=True), shoal.KMember(), shoal.Optimal(local=True))
    }
    tried = shoal.frontier(frame, made)
    best = min(each.ncp for each in tried.releases if each.average_risk <= 0.06)
    found = suggest(frame, GIVEN, risk=thresholds, budget=30)
    assert found.proposed is not None
    assert found.proposed.loss is not None
    assert found.proposed.loss <= best
