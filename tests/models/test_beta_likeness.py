from __future__ import annotations

import math

import pytest
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.models import BetaLikeness
from tests.models.hand import finding, verdicts
from tests.models.strategies import COLUMN, RATIO
from tests.oracle import beta_likeness

STRATEGY = st.builds(BetaLikeness, column=COLUMN, beta=RATIO, variant=st.sampled_from(["basic", "enhanced"]))
ORACLE = beta_likeness.passes


def test_a_gain_exactly_at_beta_passes() -> None:
    """HIV has 3 of 20 in the table and 3 of 10 in the class: it gains exactly once its share."""
    classes = (["HIV"] * 3 + ["flu"] * 7, ["flu"] * 10)
    assert verdicts(BetaLikeness("disease", beta=1), *classes) == [True, True]
    assert verdicts(BetaLikeness("disease", beta=0.999999999999), *classes) == [False, True]
    assert finding(BetaLikeness("disease", beta=1), *classes).achieved == {"beta": 1}


def test_a_share_that_falls_is_no_gain() -> None:
    assert verdicts(BetaLikeness("disease", beta=0.5), ["flu"] * 4, ["flu"] * 4 + ["HIV"]) == [True, False]


def test_enhanced_keeps_frequent_values_from_certainty() -> None:
    """Flu has 1/2 of the table: a class of nothing else gains 1, above −ln 1/2 = 0.69."""
    classes = (["flu"] * 2, ["HIV", "rash"])
    assert verdicts(BetaLikeness("disease", beta=1), *classes) == [True, True]
    assert verdicts(BetaLikeness("disease", beta=1, variant="enhanced"), *classes) == [False, True]


def test_enhanced_also_asks_for_beta() -> None:
    classes = (["HIV", "flu", "flu", "flu"], ["flu"] * 4)  # HIV: 1/8 → 1/4, a gain of 1; flu: 7/8 → 1, a gain of 1/7
    assert -math.log(7 / 8) < 1 / 7 < 1 < -math.log(1 / 8)
    assert verdicts(BetaLikeness("disease", beta=1, variant="basic"), *classes) == [True, True]
    assert verdicts(BetaLikeness("disease", beta=1, variant="enhanced"), *classes) == [True, False]
    assert verdicts(BetaLikeness("disease", beta=0.9, variant="enhanced"), *classes) == [False, False]


def test_one_value_overall_never_gains() -> None:
    assert verdicts(BetaLikeness("disease", beta=0.1, variant="enhanced"), ["flu"], ["flu"] * 3) == [True, True]


def test_missing_is_a_value_like_any_other() -> None:
    assert verdicts(BetaLikeness("disease", beta=0.5), [None, None], ["flu", "flu"]) == [False, False]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"beta": 0}, "beta must be a number above 0; got 0"),
        ({"beta": 1, "variant": "better"}, "variant must be one of 'basic', 'enhanced'"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(PlanError, match=f"BetaLikeness {said}"):
        BetaLikeness("disease", **parameters)  # type: ignore[arg-type]
