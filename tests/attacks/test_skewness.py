"""Skewness finds the largest gain in confidence, which models of shares bound."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import shoal
from shoal.attacks import Skewness, Target
from tests.attacks.conftest import ALGORITHMS, attacked, patients, plan_of, quick

# HIV: 2 of 10 rows, but 2 of 4 in the first class; flu: 8 of 10, and 6 of 6 in the second.
SKEWED = pl.DataFrame({"age": ["1"] * 4 + ["2"] * 6, "ill": ["HIV", "HIV", "flu", "flu"] + ["flu"] * 6})


def skewed(*models: object) -> Target:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    return Target({"release": SKEWED}, shoal.Plan(columns=columns, models=list(models)))


def test_the_largest_gain_by_hand() -> None:
    (outcome,) = Skewness().attack(skewed(shoal.KAnonymity(k=2)))
    assert outcome.success == pytest.approx(0.3) and outcome.bound is None and outcome.baseline == 0
    assert outcome.low == outcome.high == outcome.success


def test_a_bound_is_that_of_the_value_which_comes_closest() -> None:
    (equal,) = Skewness().attack(skewed(shoal.TCloseness("ill", t=0.3)))
    assert equal.bound == pytest.approx(0.3) and equal.holds
    assert not Skewness().attack(skewed(shoal.TCloseness("ill", t=0.29)))[0].holds
    # at β = 1, HIV may rise by 0.2, and flu to certainty
    (likeness,) = Skewness().attack(skewed(shoal.BetaLikeness("ill", beta=1)))
    assert (likeness.success, likeness.bound) == (pytest.approx(0.3), pytest.approx(0.2)) and not likeness.holds


def test_of_equally_close_values_the_one_with_the_largest_gain_is_reported() -> None:
    """At t = 0.3, HIV rises by 0.3 to its limit, and flu by 0.2 to certainty. The order of classes is no reason."""
    found = {round(Skewness().attack(skewed(shoal.TCloseness("ill", t=0.3)))[0].success, 6) for _ in range(50)}
    assert found == {0.3}


def test_distances_that_know_similar_values_bound_no_share() -> None:
    assert shoal.TCloseness("ill", t=0.1, distance="ordered").confidence("flu", 0.5) == 1
    assert shoal.TCloseness("ill", t=0.1, reference="input").confidence("flu", 0.5) == 1


@given(frame=patients(), t=st.sampled_from([0.1, 0.25, 0.4, 0.6]), algorithm=ALGORITHMS)
@quick
def test_t_closeness_bounds_the_gain(frame: pl.DataFrame, t: float, algorithm: object) -> None:
    target = attacked(frame, plan_of(shoal.TCloseness("ill", t=t), shoal.KAnonymity(k=2), algorithm=algorithm))
    of_ill = next(outcome for outcome in Skewness().attack(target) if outcome.column == "ill")
    assert of_ill.holds and (of_ill.bound is None or of_ill.bound <= t + 1e-12)


MODELS = [
    shoal.BetaLikeness("ill", beta=1),
    shoal.BetaLikeness("ill", beta=0.5, variant="enhanced"),
    shoal.DeltaDisclosure("ill", delta=1.5),
    shoal.AlphaK("ill", alpha=0.6, k=2),
    shoal.AlphaK("ill", alpha=0.3, k=2, values=("flu",)),
    shoal.LDiversity("ill", l=2, variant="recursive", c=2),
]


@pytest.mark.parametrize("model", MODELS)
@given(frame=patients(), suppression=st.sampled_from([0.0, 0.2]))
@quick
def test_models_of_shares_bound_the_gain(model: object, frame: pl.DataFrame, suppression: float) -> None:
    assume("flu" in frame["ill"].to_list())  # a model may name it
    plan = plan_of(model, release=shoal.ReleaseSettings(suppression=suppression))
    outcomes = Skewness().attack(attacked(frame, plan))
    assert all(outcome.holds for outcome in outcomes)
