from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.exact import at_most, fraction

COUNT = st.integers(0, 2**62)
FACTOR = st.integers(1, 10**40)


@pytest.mark.parametrize(
    ("written", "meant"),
    [(0.2, Fraction(1, 5)), (1, Fraction(1)), (1e-7, Fraction(1, 10**7)), (Fraction(1, 3), Fraction(1, 3))],
)
def test_a_number_is_what_was_written(written: float, meant: Fraction) -> None:
    assert fraction(written) == meant


def test_a_sum_of_doubles_is_not_what_it_looks_like() -> None:
    assert fraction(0.1 + 0.2) > fraction(0.3)


def test_numpy_numbers_are_read_alike() -> None:
    assert fraction(np.float64(0.2)) == Fraction(1, 5)


@given(st.lists(st.tuples(COUNT, COUNT), min_size=1), FACTOR, FACTOR, st.booleans())
def test_at_most_is_exact_however_large_the_numbers(
    pairs: list[tuple[int, int]], times: int, by: int, strict: bool
) -> None:
    left, right = (np.array(column, np.int64) for column in zip(*pairs, strict=True))
    expected = [a * times < b * by if strict else a * times <= b * by for a, b in pairs]
    found = at_most(left, times, right, by, strict=strict)
    assert found.dtype == np.bool_
    assert found.tolist() == expected


def test_equality_passes_unless_strict() -> None:
    third = np.array([10**15]), 3 * 10**25, np.array([3 * 10**15]), 10**25
    assert at_most(*third).tolist() == [True]
    assert at_most(*third, strict=True).tolist() == [False]


def test_no_class_no_verdict() -> None:
    nothing = np.array([], np.int64)
    assert at_most(nothing, 10**30, nothing, 1).tolist() == []
