"""Prevalence in groups, worked by hand, and its bounds against all values that labels allow."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.statistics.prevalence import Prevalence
from tests.statistics.sides import Rows, sides


def test_prevalence_worked_by_hand() -> None:
    """Two of three F and one of three M are ill; one row is released as {F, M}, another as {flu, cold}."""
    before: Rows = {"ill": ["flu", "flu", "cold", "flu", "cold", "cold"], "sex": ["F", "F", "F", "M", "M", "M"]}
    after: Rows = {
        "ill": ["flu", {"flu", "cold"}, "cold", "flu", "cold", "cold"],
        "sex": ["F", "F", {"F", "M"}, "M", "M", "M"],
    }
    found = Prevalence("ill", values=("flu",), by=("sex",)).compared(sides(before, after, sex=["F", "M"]))
    women, men = found.figures
    # 1 + ½ cases among 2 + ½ rows; at least 1 of 3 rows, at most 2 of 2
    assert (women.name, women.before, women.after) == ("sex F", 0.6666666667, 0.6)
    assert (women.low, women.high) == (0.3333333333, 1.0)
    assert (men.before, men.low, men.high) == (0.3333333333, 0.25, 0.3333333333)
    assert found.title == "Prevalence of 'ill' flu by sex"
    assert found.notes == (), "all other values have no rows, and are no group"


def test_groups_with_too_few_rows_are_counted() -> None:
    rows: Rows = {"ill": ["flu"] * 4, "sex": ["F", "F", "F", "M"]}
    found = Prevalence("ill", values=("flu",), by=("sex",)).compared(sides(rows, rows, 2, sex=["F", "M"]))
    assert [each.name for each in found.figures] == ["sex F"]
    assert found.notes == ("1 group with fewer than 2 rows.",)


@pytest.mark.parametrize("request_", [{"of": "ill", "values": ("I11",)}, {"of": "age", "least": 100}])
def test_values_without_a_row_are_told(request_: dict[str, Any]) -> None:
    """A row of the release may have one: its label may stand for it."""
    before: Rows = {"ill": ["flu", "cold", "flu"], "age": [10.0, 20.0, 30.0]}
    after: Rows = {"ill": ["flu", {"cold", "I11"}, "flu"], "age": [10.0, (20, 120), 30.0]}
    found = Prevalence(**request_).compared(sides(before, after))
    assert found.notes == ("No row of the input has one of the values.",) and found.figures[0].before == 0


def test_prevalence_of_numbers_in_bands() -> None:
    before: Rows = {"age": [10.0, 30.0, 70.0, 80.0], "cost": [1.0, 9.0, 9.0, 1.0]}
    after: Rows = {"age": [(10, 29), (30, 39), (60, 79), (80, 89)], "cost": before["cost"]}
    found = Prevalence("cost", least=5, by=("age",), bands={"age": (40, 70)}).compared(sides(before, after))
    by_name = {each.name: each for each in found.figures}
    young, old = by_name["age below 40"], by_name["age 70 and above"]
    assert (young.before, young.after, young.low, young.high) == (0.5, 0.5, 0.5, 0.5)
    # half of [60, 79] is 70 and above: ½ case among 1 + ½ rows
    assert (old.before, old.after, old.low, old.high) == (0.5, 0.3333333333, 0.0, 0.5)


_ROW = st.tuples(
    st.sampled_from([{"flu"}, {"cold"}, {"flu", "cold"}, {None}]), st.sampled_from([{"F"}, {"M"}, {"F", "M"}])
)


@given(st.lists(_ROW, min_size=1, max_size=5))
def test_bounds_hold_for_all_values_that_labels_allow(rows: list[tuple[set[Any], set[str]]]) -> None:
    """They are the smallest and the largest share, if the group of every row is known."""
    after: Rows = {
        "ill": [None if None in ill else ill for ill, _ in rows],
        "sex": [sex for _, sex in rows],
    }
    both = sides(after, after, 0, sex=["F", "M"])
    found = Prevalence("ill", values=("flu",), by=("sex",)).compared(both).figures[0]
    shares = []
    for ills, sexes in product(product(*(ill for ill, _ in rows)), product(*(sex for _, sex in rows))):
        inside = [ill for ill, sex in zip(ills, sexes, strict=True) if sex == "F" and ill is not None]
        shares += [sum(ill == "flu" for ill in inside) / len(inside)] if inside else []
    if not shares:
        assert found.low is None and found.high is None
        return
    assert isinstance(found.low, float) and isinstance(found.high, float)
    assert found.low <= min(shares) + 1e-9 and found.high >= max(shares) - 1e-9
    if all(len(sex) == 1 for _, sex in rows):
        assert (found.low, found.high) == pytest.approx((min(shares), max(shares)))


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"of": "ill"}, "needs either values, or least or below"),
        ({"of": "ill", "values": ("a",), "least": 3}, "needs either values"),
        ({"of": "age", "least": 9, "below": 3}, "least must be smaller"),
        ({"of": "", "values": ("a",)}, "must be the name of a column"),
        ({"of": "ill", "values": ("a",), "by": ("ill",)}, "cannot be by"),
        ({"of": "ill", "values": ("a",), "bands": {"age": (1,)}}, "not in by"),
        ({"of": "ill", "values": ("a",), "by": ("age",), "bands": {"age": (3, 3)}}, "must be ascending"),
    ],
)
def test_wrong_requests_are_refused(request_: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        Prevalence(**request_)


def test_too_many_groups_are_refused() -> None:
    rows: Rows = {name: [float(n) for n in range(50)] for name in "abcd"}
    request = Prevalence("a", least=3, by=("b", "c", "d"), bands={name: tuple(range(20)) for name in "bcd"})
    with pytest.raises(PlanError, match="9,261 groups"):
        request.compared(sides(rows, rows))
