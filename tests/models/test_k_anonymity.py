from __future__ import annotations

from hypothesis import strategies as st

from shoal.models import KAnonymity
from tests.models.hand import finding, verdicts
from tests.oracle import k_anonymity

STRATEGY = st.builds(KAnonymity, k=st.integers(2, 6))
ORACLE = k_anonymity.passes


def test_a_class_of_exactly_k_passes() -> None:
    assert verdicts(KAnonymity(k=3), ["flu"] * 3, ["flu"] * 2) == [True, False]


def test_missing_values_are_persons_too() -> None:
    assert verdicts(KAnonymity(k=2), [None, None]) == [True]


def test_achieved_is_the_smallest_class() -> None:
    found = finding(KAnonymity(k=3), ["flu"] * 5, ["rash"] * 2)
    assert (found.holds, found.failing, found.achieved) == (False, 1, {"k": 2})
