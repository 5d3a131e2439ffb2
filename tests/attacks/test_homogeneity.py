"""Homogeneity reads a value where a class has no other, and never under l-diversity."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks import Homogeneity, Target
from tests.attacks.conftest import ALGORITHMS, attacked, patients, plan_of, quick


def test_a_class_with_one_value_is_disclosed() -> None:
    frame = pl.DataFrame({"age": ["1", "1", "2", "2", "3", "3"], "ill": ["x", "x", "x", "y", None, None]})
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])
    (outcome,) = Homogeneity().attack(Target({"release": frame}, plan))
    assert (outcome.success, outcome.tried, outcome.baseline, outcome.bound) == (2 / 6, 6, 0.0, None)
    assert outcome.low < outcome.success < outcome.high and outcome.column == "ill"
    guarded = plan.changed(models=[shoal.LDiversity("ill", l=2)])
    assert not Homogeneity().attack(Target({"release": frame}, guarded))[0].holds


MODELS = [
    shoal.LDiversity("ill", l=2),
    shoal.LDiversity("ill", l=1.5, variant="entropy"),
    shoal.LDiversity("ill", l=2, variant="recursive", c=3),
    shoal.PSensitive(p=2, k=2, columns=("ill",)),
    shoal.MultiSensitive(l=2, k=2, columns=("ill", "drug")),
    shoal.AlphaK("ill", alpha=0.7, k=2),
]


@pytest.mark.parametrize("model", MODELS)
@given(frame=patients(), algorithm=ALGORITHMS)
@quick
def test_diversity_leaves_nothing(model: object, frame: pl.DataFrame, algorithm: object) -> None:
    outcomes = Homogeneity().attack(attacked(frame, plan_of(model, algorithm=algorithm)))
    of_ill = next(outcome for outcome in outcomes if outcome.column == "ill")
    assert of_ill.bound == 0 and of_ill.success == 0 and of_ill.holds


@given(frame=patients(), form=st.sampled_from(["generalized", "anatomy"]))
@quick
def test_in_every_form(frame: pl.DataFrame, form: str) -> None:
    plan = plan_of(shoal.LDiversity("ill", l=2), release=shoal.ReleaseSettings(form=form))
    assert all(outcome.holds for outcome in Homogeneity().attack(attacked(frame, plan)))


def test_nothing_is_promised_if_persons_are_counted() -> None:
    frame = pl.DataFrame({"age": ["1", "1"], "ill": ["x", "x"]})
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    models = [shoal.LDiversity("ill", l=2)]
    plan = shoal.Plan(columns=columns, models=models, data=shoal.Data(person="who"))
    (outcome,) = Homogeneity().attack(Target({"release": frame}, plan))
    assert outcome.bound is None and outcome.holds and outcome.success == 1
