from __future__ import annotations

import math

import pytest
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.models import DeltaDisclosure
from tests.models.hand import finding, verdicts
from tests.models.strategies import COLUMN
from tests.oracle import delta_disclosure

STRATEGY = st.builds(
    DeltaDisclosure, column=COLUMN, delta=st.sampled_from([0.2, 0.5, 0.6931471805599453, 1, 1.5, 2, 3])
)
ORACLE = delta_disclosure.passes


def test_the_definition_is_strict() -> None:
    """HIV: 1/4 of the table, 1/2 of the first class. A ratio of 2 exactly at δ = ln 2 fails."""
    classes = (["HIV", "flu"], ["HIV"] + ["flu"] * 5)
    assert verdicts(DeltaDisclosure("disease", delta=math.log(2)), *classes) == [False, True]
    assert verdicts(DeltaDisclosure("disease", delta=math.log(2) + 1e-9), *classes) == [True, True]


def test_a_value_absent_from_a_class_fails_for_every_delta() -> None:
    found = finding(DeltaDisclosure("disease", delta=1000), ["flu", "HIV"], ["flu"] * 50)
    assert (found.failing, found.achieved) == (1, {"delta": None})
    assert verdicts(DeltaDisclosure("disease", delta=1000), ["flu", "HIV"], ["flu"] * 50) == [True, False]


def test_missing_is_a_value_like_any_other_and_may_be_absent() -> None:
    assert verdicts(DeltaDisclosure("disease", delta=9), ["flu", None], ["flu"]) == [True, False]


def test_falling_shares_count_as_much_as_rising_ones() -> None:
    classes = (["HIV"] * 5 + ["flu"] * 5, ["HIV"] * 1 + ["flu"] * 9)  # the table: 3/10
    found = finding(DeltaDisclosure("disease", delta=1), *classes)
    assert found.failing == 1
    assert found.achieved["delta"] == pytest.approx(math.log(3))


def test_parameters_are_checked() -> None:
    with pytest.raises(PlanError, match="DeltaDisclosure delta must be a number above 0; got 0"):
        DeltaDisclosure("disease", delta=0)
