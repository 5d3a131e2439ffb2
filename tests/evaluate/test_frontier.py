"""The frontier of plans: what each release is, whatever the number of workers, and what could not be met."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import shoal
from shoal.algorithms import Optimal
from shoal.errors import ShoalError
from shoal.evaluate.frontier import frontier
from shoal.models import KAnonymity
from tests.evaluate.test_comparing import patients, plan_of

PLANS = {
    "strict": plan_of(12),
    "loose": plan_of(3),
    "worse": plan_of(3, algorithm=Optimal()),
    "impossible": plan_of(3).changed(models=[KAnonymity(k=301)]),
}


def test_every_plan_is_released_as_by_itself() -> None:
    found = frontier(patients(), PLANS, queries=True)
    assert [each.name for each in found.releases] == ["strict", "loose", "worse"]
    alone = shoal.compare({name: shoal.anonymize(patients(), PLANS[name]) for name in ("strict", "loose", "worse")})
    for one, two in zip(found.releases, alone.releases, strict=True):
        assert (one.ncp, one.average_risk, one.models, one.classes) == (
            two.ncp,
            two.average_risk,
            two.models,
            two.classes,
        )
        assert one.query_error is not None
    assert [each.name for each in found.front] == [each.name for each in alone.front]
    assert found.plans["worse"] == PLANS["worse"]


def test_a_plan_that_cannot_be_met_is_listed_with_the_reason() -> None:
    found = frontier(patients(), PLANS)
    assert list(found.unmet) == ["impossible"]
    assert "301" in found.unmet["impossible"]
    assert "'impossible' cannot be met" in str(found)


def test_the_result_does_not_depend_on_workers_and_order() -> None:
    plans = list(PLANS.items())
    first = frontier(patients(), dict(plans), workers=1)
    assert frontier(patients(), dict(plans), workers=4) == first
    order = np.random.default_rng(1).permutation(len(plans))
    other = frontier(patients(), dict(plans[place] for place in order), workers=2)
    assert {each.name: each for each in other.releases} == {each.name: each for each in first.releases}
    assert {each.name for each in other.front} == {each.name for each in first.front}


def test_unnamed_plans_are_numbered() -> None:
    found = frontier(patients(60), [plan_of(3), plan_of(5)])
    assert [each.name for each in found.releases] == ["plan 1", "plan 2"]


def test_cancelling_ends_the_workers() -> None:
    class Enough(Exception):
        pass

    def cancel(step: str, share: float) -> None:
        assert step == "frontier"
        if share > 0:
            raise Enough

    before = threading.active_count()
    with pytest.raises(Enough):
        frontier(patients(3000), [plan_of(k) for k in range(2, 30)], workers=2, progress=cancel)
    assert threading.active_count() == before


@pytest.mark.parametrize("plans", [{}, [], ["plan.toml"], {"a": 5}])
def test_what_is_no_plan_is_refused(plans: object) -> None:
    with pytest.raises(ShoalError, match="plan"):
        frontier(patients(20), plans)  # type: ignore[arg-type]
