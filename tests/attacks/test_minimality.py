"""What an algorithm did not keep apart tells why: the minimality attack of Wong et al. on their table."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.attacks import Minimality, Target
from tests.attacks.conftest import ward

# Both individuals of q1 have HIV. With α = 1/2, q1 must be merged with q2, and would not be otherwise.
RAW = pl.DataFrame({"q": ["q1"] * 2 + ["q2"] * 5, "ill": ["HIV"] * 2 + ["flu"] * 5})
PLAN = shoal.Plan(
    columns={"q": shoal.quasi(), "ill": shoal.sensitive()},
    models=[shoal.AlphaK("ill", alpha=0.5, k=2, values=("HIV",))],
)


@pytest.mark.parametrize("algorithm", [shoal.Mondrian(), shoal.Optimal()])
def test_a_generalization_that_was_needed_discloses_why(algorithm: object) -> None:
    plan = PLAN.changed(algorithm=algorithm)
    target = Target(shoal.anonymize(RAW, plan).tables, plan, raw=RAW)
    assert Minimality().applies(target) == "" and target.main["q"].n_unique() == 1
    (outcome,) = Minimality().attack(target)
    assert outcome.baseline == pytest.approx((2 * 2 / 7 + 5 * 5 / 7) / 7)
    assert outcome.success == 1 and outcome.bound is None  # of 21 tables, only one leads to this release


def test_every_table_leads_to_a_release_that_sees_no_sensitive_value() -> None:
    frame = pl.DataFrame({"age": [20, 21, 22, 40, 41, 42], "ill": ["a", "b", "c"] * 2})
    plan = shoal.Plan(columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=3)])
    (outcome,) = Minimality().attack(Target(shoal.anonymize(frame, plan).tables, plan, raw=frame))
    assert outcome.success == pytest.approx(outcome.baseline) == pytest.approx(1 / 3)


def test_when_it_cannot_be_tried() -> None:
    plan, frame = ward()
    tables = shoal.anonymize(frame, plan).tables
    assert "raw table" in Minimality().applies(Target(tables, plan))
    assert "not released" in Minimality().applies(Target(tables, plan, raw=frame[:9]))
    large = pl.concat([frame] * 4)
    assert "more than 40 rows" in Minimality().applies(Target({"release": large}, plan, raw=large))
