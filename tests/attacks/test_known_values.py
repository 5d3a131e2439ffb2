"""Few known values find and disclose an individual, but not beyond K and C of LKC."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks import KnownValues, Target
from tests.attacks.conftest import attacked, patients, plan_of, quick

# Two men are 34 years old, and both have HIV.
FRAME = pl.DataFrame(
    {
        "sex": ["m", "m", "m", "f", "f", "f"],
        "age": ["34", "34", "50", "34", "50", "50"],
        "zip": ["1", "1", "1", "1", "1", "1"],
        "ill": ["HIV", "HIV", "flu", "flu", "HIV", "flu"],
    }
)
COLUMNS = {"sex": shoal.quasi(), "age": shoal.quasi(), "zip": shoal.quasi(), "ill": shoal.sensitive()}


def of_frame(model: object) -> Target:
    return Target({"release": FRAME}, shoal.Plan(columns=COLUMNS, models=[model]))


def test_the_number_of_known_values_is_stated() -> None:
    outcomes = KnownValues(known=1).attack(of_frame(shoal.KAnonymity(k=2)))
    assert all("any 1 known quasi-identifier" in outcome.measured for outcome in outcomes)
    outcomes = KnownValues().attack(of_frame(shoal.KAnonymity(k=2)))
    assert all("any 2 known quasi-identifiers" in outcome.measured for outcome in outcomes)


def test_sex_and_age_disclose_hiv() -> None:
    link, infer = KnownValues(known=2).attack(of_frame(shoal.LKC(l=2, k=2, c=0.5, column="ill")))
    assert (link.success, link.bound) == (1.0, 0.5) and not link.holds  # one woman is 34
    assert (infer.success, infer.bound) == (1.0, 0.5) and not infer.holds
    assert infer.column == "ill" and infer.baseline == 0.5 and "Any 2 quasi-identifiers" in infer.knows


def test_one_value_is_not_enough() -> None:
    link, infer = KnownValues(known=1).attack(of_frame(shoal.LKC(l=1, k=3, c=0.7, column="ill")))
    assert (link.success, link.bound) == (pytest.approx(1 / 3), pytest.approx(1 / 3)) and link.holds
    assert infer.success == pytest.approx(2 / 3) and infer.holds


def test_only_listed_values_are_bounded() -> None:
    _, infer = KnownValues().attack(of_frame(shoal.LKC(l=1, k=1, c=0.5, column="ill", values=("HIV",))))
    assert not infer.holds and infer.success == pytest.approx(2 / 3)
    link, _ = KnownValues(known=3).attack(of_frame(shoal.LKC(l=1, k=3, c=0.5, column="ill")))
    assert link.bound is None  # the model promises nothing to who knows more


@given(frame=patients(), l=st.integers(1, 3), k=st.integers(1, 3), c=st.sampled_from([0.5, 0.7, 1]), pais=st.booleans())
@quick
def test_lkc_bounds_what_l_known_values_disclose(frame: pl.DataFrame, l: int, k: int, c: float, pais: bool) -> None:
    plan = plan_of(
        shoal.LKC(l=l, k=k, c=c, column="ill"), algorithm=shoal.Pais(goal="general") if pais else shoal.Mondrian()
    )
    outcomes = KnownValues().attack(attacked(frame, plan))
    assert all(outcome.holds for outcome in outcomes)
    assert outcomes[0].bound == (None if k == 1 else 1 / k)
    assert next(outcome for outcome in outcomes if outcome.column == "ill").bound in (None, c)


def test_many_columns_are_sampled() -> None:
    names = [f"q{number}" for number in range(30)]
    frame = pl.DataFrame({name: ["x", "x", "y"] for name in names})
    plan = shoal.Plan(columns={name: shoal.quasi() for name in names}, models=[shoal.KAnonymity(k=2)])
    (link,) = KnownValues(known=3).attack(Target({"release": frame}, plan))
    assert link.sampled and link.success == 1 and not link.holds
