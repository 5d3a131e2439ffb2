"""Missing values set rows apart, but not the quasi-identifiers of a k-anonymous release."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.attacks import MissingPatterns, Target
from tests.attacks.conftest import ALGORITHMS, attacked, patients, plan_of, quick

COLUMNS = {"age": shoal.quasi(), "test": shoal.insensitive(), "ill": shoal.sensitive()}
PLAN = shoal.Plan(columns=COLUMNS, models=[shoal.KAnonymity(k=2)])


def test_missing_values_of_unchanged_columns_set_a_class_apart() -> None:
    frame = pl.DataFrame({"age": ["1"] * 4, "test": ["a", None, "", "b"], "ill": ["x", "x", None, "?"]})
    (share,) = MissingPatterns().attack(Target({"release": frame}, PLAN))
    # neither missing; the test; both; the illness: four patterns of one row each
    assert share.success == 1 and share.baseline == 1 / 4 and share.bound is None


def test_a_pattern_of_one_row() -> None:
    frame = pl.DataFrame({"age": ["1", "1", "1", None], "test": ["a"] * 4, "ill": ["x"] * 4})
    (largest,) = MissingPatterns().attack(Target({"release": frame}, PLAN))
    assert largest.success == 1 and largest.bound == 0.5 and not largest.holds
    assert largest.baseline == pytest.approx(1 / 4)


def test_without_missing_values_there_is_nothing_to_try() -> None:
    frame = pl.DataFrame({"age": ["1", "1"], "test": ["a", "b"], "ill": ["x", "y"], "comment": [None, "z"]})
    assert "no missing value" in MissingPatterns().applies(Target({"release": frame}, PLAN))


@given(frame=patients(), k=st.integers(2, 4), algorithm=ALGORITHMS)
@quick
def test_k_anonymity_bounds_patterns_of_quasi_identifiers(frame: pl.DataFrame, k: int, algorithm: object) -> None:
    target = attacked(frame, plan_of(shoal.KAnonymity(k=k), algorithm=algorithm))
    if not MissingPatterns().applies(target):
        assert all(outcome.holds for outcome in MissingPatterns().attack(target))
