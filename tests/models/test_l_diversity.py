from __future__ import annotations

import pytest
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.models import LDiversity, Monotone
from tests.models.hand import finding, verdicts
from tests.models.strategies import COLUMN, RATIO
from tests.oracle import l_diversity

STRATEGY = st.one_of(
    st.builds(LDiversity, column=COLUMN, l=st.integers(2, 4)),
    st.builds(LDiversity, column=COLUMN, l=st.sampled_from([1.2, 1.5, 2, 2.0, 2.5, 3]), variant=st.just("entropy")),
    st.builds(LDiversity, column=COLUMN, l=st.integers(2, 4), variant=st.just("recursive"), c=RATIO),
)
ORACLE = l_diversity.passes


class TestDistinct:
    def test_exactly_l_values_pass(self) -> None:
        assert verdicts(LDiversity("disease", l=2), ["flu", "HIV"], ["flu", "flu"]) == [True, False]

    def test_a_missing_value_counts_only_where_the_plan_says_so(self) -> None:
        model = LDiversity("disease", l=2)
        assert verdicts(model, ["flu", None], [None, None]) == [False, False]
        assert verdicts(model, ["flu", None], [None, None], missing_counts=True) == [True, False]

    def test_achieved_is_the_fewest_values(self) -> None:
        assert finding(LDiversity("disease", l=2), ["flu", "HIV", "rash"], ["flu", "HIV"]).achieved == {"l": 2}
        assert finding(LDiversity("disease", l=2), ["flu", "HIV"], [None]).achieved == {"l": 0}


class TestEntropy:
    @pytest.mark.parametrize("l", [2, 3, 4, 5])
    @pytest.mark.parametrize("times", [1, 3, 7, 10])
    def test_uniform_over_l_values_is_exactly_l(self, l: int, times: int) -> None:
        values = ["flu", "HIV", "rash", "ulcer", "asthma"][:l] * times
        assert verdicts(LDiversity("disease", l=l, variant="entropy"), values) == [True]
        assert verdicts(LDiversity("disease", l=l + 1e-9, variant="entropy"), values) == [False]
        assert finding(LDiversity("disease", l=l, variant="entropy"), values).achieved == {"l": l}

    def test_the_example_told_to_users(self) -> None:
        found = finding(LDiversity("disease", l=2, variant="entropy"), ["HIV"] * 4 + ["flu"])
        assert not found.holds
        assert found.achieved["l"] == pytest.approx(1.65, abs=0.005)

    def test_missing_values_are_left_out_of_the_distribution(self) -> None:
        model = LDiversity("disease", l=2, variant="entropy")
        assert verdicts(model, ["flu", "HIV", None, None, None], [None]) == [True, False]
        assert verdicts(model, ["flu", "HIV", None, None, None], missing_counts=True) == [True]
        assert finding(model, ["flu", "HIV"], [None]).achieved == {"l": 0}


class TestRecursive:
    def test_the_definition_is_strict(self) -> None:
        model = LDiversity("disease", l=2, variant="recursive", c=3)
        assert verdicts(model, ["HIV"] * 3 + ["flu"]) == [False]  # 3 < 3 · 1 does not hold
        assert verdicts(model, ["HIV"] * 2 + ["flu"]) == [True]

    def test_the_bound_is_taken_as_written(self) -> None:
        values = ["HIV"] * 3 + ["flu"] * 10  # r1 = 10, tail 3: 10 < c · 3
        assert verdicts(LDiversity("disease", l=2, variant="recursive", c=3.3333333333333335), values) == [True]
        assert verdicts(LDiversity("disease", l=2, variant="recursive", c=3.333333333333333), values) == [False]
        tenths = ["HIV"] * 10 + ["flu"] * 3  # 3 of 10: c = 0.3 would be equality were the two exchanged
        assert verdicts(LDiversity("disease", l=2, variant="recursive", c=0.1 + 0.2), tenths) == [False]

    def test_fewer_than_l_values_fail_for_any_c(self) -> None:
        found = finding(LDiversity("disease", l=3, variant="recursive", c=10**9), ["HIV", "flu"])
        assert (found.holds, found.achieved) == (False, {"l": 3, "c": None})

    def test_achieved_is_the_c_above_which_it_holds(self) -> None:
        found = finding(LDiversity("disease", l=2, variant="recursive", c=3), ["HIV"] * 3 + ["flu"] * 2, ["HIV", "flu"])
        assert (found.holds, found.achieved) == (True, {"l": 2, "c": 1.5})

    @pytest.mark.parametrize(("c", "floor"), [(2, 2), (1, 3), (0.5, 4), (0.4, 4), (0.3, 5)])
    def test_the_floor_is_reached(self, c: float, floor: int) -> None:
        model = LDiversity("disease", l=2, variant="recursive", c=c)
        assert model.floor == floor
        assert verdicts(model, ["flu", "HIV", "rash", "ulcer", "asthma"][:floor]) == [True]
        assert verdicts(model, ["flu", "HIV", "rash", "ulcer", "asthma"][: floor - 1]) == [False]


def test_monotony_and_floor_follow_the_variant() -> None:
    assert LDiversity("d", l=3).monotone is Monotone.UPWARD
    assert LDiversity("d", l=2.5, variant="entropy").monotone is Monotone.UNION
    assert LDiversity("d", l=2.5, variant="entropy").floor == 3
    assert LDiversity("d", l=3, variant="recursive", c=1).monotone is Monotone.UNION


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"l": 1}, "l must be an integer of at least 2; got 1"),
        ({"l": 2.5}, "l must be an integer of at least 2; got 2.5"),
        ({"l": 1, "variant": "entropy"}, "l must be a number above 1"),
        ({"l": 2, "variant": "recursive"}, "c must be a number above 0; got None"),
        ({"l": 2, "variant": "recursive", "c": 0}, "c must be a number above 0; got 0"),
        ({"l": 2, "c": 3}, "c belongs to the variant 'recursive'"),
        ({"l": 2, "variant": "distnict"}, "variant must be one of 'distinct', 'entropy', 'recursive'"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(PlanError, match=f"LDiversity {said}"):
        LDiversity("disease", **parameters)  # type: ignore[arg-type]
