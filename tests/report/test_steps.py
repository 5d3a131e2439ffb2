"""The steps of PAIS: what is told of them is true, and a search ends where the plan says."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import Pais
from shoal.errors import PlanError
from shoal.models import LKC, KAnonymity
from tests.pets import QUASI, frame, plan


@pytest.mark.parametrize("goal", ["general", "classification"])
@pytest.mark.parametrize("score", ["sparing", "weighted", "paper"])
def test_steps_tell_truly_how_the_release_came_about(pets: Path, goal: str, score: str) -> None:
    table = frame(1, 300)
    asked = plan(pets, LKC(2, 4, 0.5, "ill", ("HIV",)), goal=goal, score=score)
    release = shoal.anonymize(table, asked)
    steps, values = release.manifest.steps, release.manifest.step_values
    assert steps
    for number, step in enumerate(steps, start=1):
        shorter = shoal.anonymize(table, asked.changed(algorithm=Pais(goal, score, stop_at=number)))
        assert shorter.manifest.steps is not None
        assert shorter.manifest.steps[-1].score == step.score
        assert shorter.verification.classes == step.classes
        assert shorter.verification.sizes.min() == step.smallest_class
        assert shorter.measures["discernibility_ratio"] == pytest.approx(step.discernibility_ratio)
        assert shorter.measures["ncp"] == pytest.approx(step.ncp)
        achieved = shorter.achieved["lkc"]
        assert (achieved["support"], achieved["confidence"]) == (step.support, pytest.approx(step.confidence))
        assert all(0 <= a < b <= len(values[step.column]) for a, b in pairwise(step.parts))
    for name in QUASI:
        assert set(values[name]) == set(release.frame[name])
    told = pl.DataFrame(release.steps)
    assert told["classes"].to_list() == [step.classes for step in steps] and told["value"][0] == "*"


def test_nothing_is_named_that_is_not_released(pets: Path) -> None:
    release = shoal.anonymize(frame(1, 300), plan(pets, LKC(2, 4, 0.5, "ill", ("HIV",)), stop_at=2))
    told = [value for values in release.manifest.step_values.values() for value in values]
    assert set(told) <= {value for name in QUASI for value in release.frame[name]}


def test_stop_at_a_measure(pets: Path) -> None:
    asked = plan(pets, LKC(2, 4, 0.5, "ill", ("HIV",)), stop_at={"ncp": 0.8})
    steps = shoal.anonymize(frame(1, 300), asked).manifest.steps
    assert steps
    assert steps[-1].ncp <= 0.8 < min([step.ncp for step in steps[:-1]], default=1.0)
    path = pets.with_name("plan.toml")
    path.write_text(asked.to_toml(), encoding="utf-8")
    assert shoal.read_plan(path).algorithm == asked.algorithm


def test_steps_count_rows_left_out_as_lost(pets: Path) -> None:
    asked = plan(pets, LKC(2, 4, 1, "ill")).changed(data=shoal.Data(missing_rows="drop"))
    release = shoal.anonymize(frame(1, 300, missing=True), asked)
    assert release.manifest.rows_suppressed > 30
    steps = release.manifest.steps
    assert steps
    for name in ("ncp", "discernibility_ratio"):
        assert getattr(steps[-1], name) == pytest.approx(release.measures[name])


def test_stop_at_nothing_releases_the_tops(pets: Path) -> None:
    release = shoal.anonymize(frame(1, 50), plan(pets, KAnonymity(2), stop_at=0))
    assert release.verification.classes == 1 and release.manifest.steps == ()


@pytest.mark.parametrize("wrong", [-1, True, 1.5, {"loss": 1}, {"ncp": 2}, {"ncp": 0.5, "discernibility_ratio": 0.1}])
def test_a_senseless_stop_is_refused(wrong: Any) -> None:
    with pytest.raises(PlanError, match="stop_at"):
        Pais(stop_at=wrong)
