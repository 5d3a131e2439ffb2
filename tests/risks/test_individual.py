"""Individual risk equals the mean of 1/F over a negative binomial distribution, summed term by term."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import TableError
from shoal.risks import Individual
from shoal.risks.base import Sample
from shoal.risks.classes import counted_classes
from shoal.risks.individual import expected_risk
from tests.risks.tables import figures, plan_of, sample_of


def term_by_term(f: int, p: float) -> float:
    """Σ over h from f of 1/h · C(h−1, f−1) p^f (1−p)^(h−f)."""
    total, probability = 0.0, p**f
    for h in range(f, 60_000):
        total += probability / h
        probability *= (1 - p) * h / (h - f + 1)
        if probability < 1e-18 and h > 2 * f / p:
            break
    return total


@given(st.integers(1, 60), st.floats(0.01, 0.999))
def test_it_equals_the_sum_of_its_definition(f: int, p: float) -> None:
    found = expected_risk(np.array([f]), np.array([f / p]))[0]
    assert found == pytest.approx(term_by_term(f, p), rel=1e-6)


def test_small_classes_have_the_closed_forms_of_the_paper() -> None:
    for p in (0.01, 0.3, 0.7):
        odds = p / (1 - p)
        one, two = odds * math.log(1 / p), odds - odds**2 * math.log(1 / p)
        found = expected_risk(np.array([1, 2]), np.array([1 / p, 2 / p]))
        assert found == pytest.approx([one, two], rel=1e-12)


def test_a_whole_population_has_prosecutor_risk() -> None:
    found = figures(Individual, sample_of([("a",), ("a",), ("b",)], fraction=1.0))
    assert found == pytest.approx({"highest": 1.0, "average": 2 / 3, "expected_rows": 2.0})


def test_weights_of_the_plan_replace_the_fraction() -> None:
    frame = pl.DataFrame({"age": [30, 30, 41], "w": [10, 20, 1]})
    plan = plan_of(["age"], risk=shoal.RiskSettings(weight="w"))
    found = figures(Individual, Sample(counted_classes(frame, plan)))
    expected = expected_risk(np.array([2, 1]), np.array([30.0, 1.0]))
    assert found["highest"] == 1.0
    assert found["expected_rows"] == pytest.approx(2 * expected[0] + expected[1])


def test_a_weight_below_one_is_refused_without_its_value() -> None:
    plan = plan_of(["age"], risk=shoal.RiskSettings(weight="w"))
    with pytest.raises(TableError, match="1 values that are no sampling weights") as caught:
        counted_classes(pl.DataFrame({"age": [30, 31], "w": [0.123, 2.0]}), plan)
    assert "0.123" not in str(caught.value)


def test_without_fraction_and_weights_it_says_what_it_lacks() -> None:
    assert "sampling fraction" in Individual().lacks(sample_of([("a",)]))
