from __future__ import annotations

import pytest
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.models import AlphaK
from tests.models.hand import finding, verdicts
from tests.models.strategies import COLUMN, SHARE
from tests.oracle import alpha_k

STRATEGY = st.builds(
    AlphaK,
    column=COLUMN,
    alpha=SHARE,
    k=st.integers(1, 4),
    values=st.one_of(st.none(), st.just(("HIV", "9", "not in the table"))),
)
ORACLE = alpha_k.passes


def test_a_share_exactly_at_alpha_passes() -> None:
    three_of_ten = ["HIV"] * 3 + ["flu"] * 2 + ["rash"] * 2 + ["ulcer"] * 3
    assert verdicts(AlphaK("disease", alpha=0.3, k=2), three_of_ten) == [True]
    assert verdicts(AlphaK("disease", alpha=0.29, k=2), three_of_ten) == [False]
    assert verdicts(AlphaK("disease", alpha=1 / 3, k=2), ["HIV", "flu", "rash"]) == [False]  # 0.3333333333333333


def test_k_is_asked_for_too() -> None:
    assert verdicts(AlphaK("disease", alpha=1, k=3), ["HIV"] * 3, ["flu"] * 2) == [True, False]


def test_only_listed_values_are_bounded_and_they_need_not_occur() -> None:
    model = AlphaK("disease", alpha=0.4, k=2, values=("HIV", "unheard of"))
    assert verdicts(model, ["flu", "flu", "HIV"], ["HIV", "flu"]) == [True, False]
    assert finding(model, ["flu", "flu"]).achieved == {"alpha": 0, "k": 2}


def test_missing_values_are_not_bounded_but_belong_to_the_class() -> None:
    model = AlphaK("disease", alpha=0.5, k=2)
    assert verdicts(model, [None, None, "flu"], [None, None]) == [True, True]
    assert verdicts(model, [None, None, "flu"], [None, "flu"], missing_counts=True) == [False, True]
    listed = AlphaK("disease", alpha=0.5, k=2, values=("flu",))
    assert verdicts(listed, [None, None, "flu"], missing_counts=True) == [True]


def test_a_class_is_counted_once_however_many_of_its_values_fail() -> None:
    found = finding(AlphaK("disease", alpha=0.3, k=4), ["flu", "HIV"], ["flu"] * 3 + ["HIV"] * 3)
    assert (found.failing, found.achieved) == (2, {"alpha": 0.5, "k": 2})


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"alpha": 0, "k": 2}, "alpha must be a number above 0 and at most 1; got 0"),
        ({"alpha": 1.5, "k": 2}, "alpha must be a number above 0 and at most 1; got 1.5"),
        ({"alpha": 0.5, "k": 0}, "k must be an integer of at least 1; got 0"),
        ({"alpha": 0.5, "k": 2, "values": "HIV"}, "values must be a non-empty list"),
        ({"alpha": 0.5, "k": 2, "values": [1, True]}, "values must be a non-empty list"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(PlanError, match=f"AlphaK {said}"):
        AlphaK("disease", **parameters)  # type: ignore[arg-type]


def test_listed_values_are_kept_as_a_tuple() -> None:
    assert AlphaK("disease", alpha=0.5, k=2, values=["HIV"]).values == ("HIV",)  # type: ignore[arg-type]
