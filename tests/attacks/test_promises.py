"""Bounds follow from the parameters of the models."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.attacks import promises
from shoal.attacks.target import Target

FRAME = pl.DataFrame({"age": ["1", "1", "2", "2"], "ill": ["x", "y", "x", None], "drug": ["a", "b", "c", "d"]})
COLUMNS = {"age": shoal.quasi(), "ill": shoal.sensitive(), "drug": shoal.sensitive()}


def target(*models: object, **settings: object) -> Target:
    return Target({"release": FRAME}, shoal.Plan(columns=COLUMNS, models=list(models), **settings))


def test_the_strictest_model_bounds_links() -> None:
    assert promises.link(target(shoal.KAnonymity(k=4), shoal.LDiversity("ill", l=2))) == 1 / 4
    assert promises.link(target(shoal.TCloseness("ill", t=0.2))) is None
    assert promises.link(target(shoal.LKC(l=1, k=3, c=0.5, column="ill"))) is None  # classes may be of one row


def test_persons_are_not_in_the_rows() -> None:
    counting = target(shoal.KAnonymity(k=4), shoal.LDiversity("ill", l=2), data=shoal.Data(person="who"))
    assert promises.link(counting) is None and not promises.is_never_certain(counting, "ill")
    assert promises.limited(counting, "ill") is None


def test_models_of_other_columns_promise_nothing() -> None:
    of_ill = target(shoal.LDiversity("ill", l=2))
    assert promises.is_never_certain(of_ill, "ill") and not promises.is_never_certain(of_ill, "drug")


def test_a_distance_may_exclude_certainty() -> None:
    assert promises.is_never_certain(target(shoal.TCloseness("ill", t=0.4)), "ill")  # x has 1/2 of the rows
    assert not promises.is_never_certain(target(shoal.TCloseness("ill", t=0.5)), "ill")


def test_the_strictest_limit_of_each_value() -> None:
    limits = promises.limited(target(shoal.TCloseness("ill", t=0.4), shoal.BetaLikeness("ill", beta=0.5)), "ill")
    assert limits is not None and limits["value"].to_list() == ["x", "y"]
    assert limits["limit"].to_list() == [pytest.approx(0.75), pytest.approx(0.375)]
    assert promises.limited(target(shoal.LDiversity("ill", l=2)), "ill") is None


def test_shares_in_classes_count_missing_values() -> None:
    shares = promises.class_shares(target(shoal.KAnonymity(k=2)), "ill")
    assert sorted(shares["confidence"].to_list()) == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(("limits", "fewest"), [(None, 3), ({"drug": 1}, 2), ({"drug": 0}, 1), ({"drug": 9}, 3)])
def test_limits_of_multi_sensitive_weaken_its_promise(limits: dict[str, int] | None, fewest: int) -> None:
    model = shoal.MultiSensitive(l=3, k=3, columns=("ill", "drug"), limits=limits)
    assert (model.fewest_values("drug"), model.fewest_values("ill")) == (fewest, 3)
