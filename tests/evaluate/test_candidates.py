"""Candidates: promises are never weakened, names tell candidates apart, and neighbours differ in one setting."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.evaluate.candidates import (
    Candidate,
    Change,
    Setting,
    floor_of,
    needed_floor,
    neighbours,
    starts,
    with_floor,
)
from shoal.models import AlphaK, KAnonymity, LDiversity, TCloseness
from tests.evaluate.test_comparing import plan_of

GIVEN = plan_of(5)
LOST = {"age": 0.4, "city": 0.7}
SETTING = Setting(GIVEN, "general", 5, 0.02, {"age": 4}, by_level=True)


@given(st.integers(1, 60), st.integers(1, 60), st.booleans())
def test_promises_are_never_weakened(asked: int, k: int, has_k: bool) -> None:
    others = [LDiversity("ill", l=2), TCloseness("ill", t=0.3), AlphaK("ill", alpha=0.9, k=3)]
    plan = GIVEN.changed(models=[*([KAnonymity(k=max(asked, 2))] if has_k else []), *others])
    models = with_floor(plan, k)
    assert [model for model in models if not isinstance(model, KAnonymity)] == others
    floors = [model.k for model in models if isinstance(model, KAnonymity)]
    assert all(floor >= max(asked, 2) for floor in floors) if has_k else True
    assert floor_of(plan.changed(models=models)) >= max(k, floor_of(plan))


@given(st.floats(0.001, 1))
def test_the_highest_risk_is_bounded_by_the_smallest_class(highest: float) -> None:
    k = needed_floor(GIVEN, {"highest": highest})
    assert k >= 5
    assert 1 / k <= highest
    assert k == 5 or 1 / (k - 1) > highest


def test_a_candidate_is_the_plan_with_its_settings() -> None:
    candidate = Candidate(shoal.Optimal(local=True), 9, 0.01).having(Change("age", "weight", 2.0))
    plan = candidate.having(Change("city", "drop")).plan(GIVEN)
    assert plan.algorithm == shoal.Optimal(local=True)
    assert plan.release.suppression == 0.01
    assert plan.columns["age"].weight == 2.0
    assert plan.columns["city"].role == "drop"
    assert plan.models[0] == KAnonymity(k=9)
    assert Candidate(GIVEN.algorithm, 5).plan(GIVEN) == GIVEN


def test_settings_of_a_column_replace_each_other() -> None:
    candidate = Candidate(shoal.Mondrian(), 5).having(Change("age", "weight", 2.0)).having(Change("age", "finest", 1))
    assert candidate.having(Change("age", "weight", 1.0)).changes == (Change("age", "finest", 1),)
    assert candidate.having(Change("age", "drop")).changes == (Change("age", "drop"),)
    assert candidate.weight("age") == 2.0
    assert candidate.weight("city") == 1.0


def test_names_tell_candidates_apart() -> None:
    begun = list(starts(SETTING, 100))
    around = [near for each in begun for near in neighbours(each, SETTING, LOST, 2.0)]
    found: dict[str, Candidate] = {}
    for candidate in [*begun, *around]:
        assert found.setdefault(candidate.name, candidate) == candidate
    assert "optimal (local), k = 5, suppression 0.02" in found
    assert "mondrian (refine), k = 5, without city" in found


def test_neighbours_differ_in_one_setting() -> None:
    centre = Candidate(shoal.Optimal(), 5)
    for near in neighbours(centre, SETTING, LOST, 2.0):
        differing = [
            field.name
            for field in dataclasses.fields(centre)
            if getattr(near, field.name) != getattr(centre, field.name)
        ]
        assert len(differing) == 1
        assert len(near.changes) <= 1
        assert near.suppression <= 0.02


def test_only_columns_that_are_mostly_lost_are_dropped_unless_a_classifier_uses_them() -> None:
    def dropped(use: str) -> list[str]:
        setting = dataclasses.replace(SETTING, use=use)
        near = neighbours(Candidate(shoal.Mondrian(), 5), setting, LOST, 2.0)
        return [change.column for each in near for change in each.changes if change.key == "drop"]

    assert dropped("general") == ["city"]
    assert dropped("classification") == ["city", "age"]


@pytest.mark.parametrize(("use", "by_target"), [("general", False), ("classification", True)])
def test_algorithms_for_a_target_are_for_classification(use: str, by_target: bool) -> None:
    begun = starts(dataclasses.replace(SETTING, use=use), 100)
    assert any(each.algorithm.wants_target for each in begun) is by_target


def test_large_tables_and_lattices_have_other_starts() -> None:
    large = list(starts(dataclasses.replace(SETTING, by_level=False), 60_000))
    assert shoal.KMember(bounded=True, refine=True) in [each.algorithm for each in large]
    assert not any(each.algorithm.kind == "optimal" for each in large)


def test_the_given_plan_is_tried_as_it_is_before_larger_classes() -> None:
    own = floor_of(SETTING.plan)
    first, larger = list(starts(dataclasses.replace(SETTING, k=own + 5), 100))[:2]
    assert first.plan(SETTING.plan).models == SETTING.plan.models
    assert (first.k, larger.k) == (own, own + 5)
