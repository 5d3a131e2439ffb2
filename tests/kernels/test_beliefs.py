from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from shoal.arrays import Array
from shoal.kernels import beliefs


@njit
def selected(values: Array, most: int) -> None:
    beliefs.select(values, len(values), most)


@njit
def judged(values: Array, c: float, l: int) -> int:
    return beliefs.diverse(values, len(values), c, l)


@given(st.lists(st.integers(0, 9), max_size=40), st.integers(0, 40))
@settings(max_examples=300, deadline=None)
def test_the_largest_values_come_first(values: list[int], most: int) -> None:
    most = min(most, len(values))
    array = np.array(values, np.float64)
    selected(array, most)
    assert sorted(array[:most]) == sorted(values)[len(values) - most :]
    assert sorted(array) == sorted(values)


def test_diversity_is_judged_and_a_tie_is_left_to_integers() -> None:
    assert judged(np.array([3.0, 2.0, 2.0]), 1.0, 2) == beliefs.PASSES
    assert judged(np.array([3.0, 1.0, 1.0]), 1.0, 2) == beliefs.FAILS
    assert judged(np.array([3.0, 1.0, 2.0]), 1.0, 2) == beliefs.DOUBTFUL
    assert judged(np.array([3.0, 1.0, 2.0]), 1.0, 4) == beliefs.FAILS
    assert judged(np.zeros(0), 1.0, 4) == beliefs.PASSES


def test_sums_and_tallies_follow_the_bits() -> None:
    bits = np.array([[0b011], [0b111], [0b000]], np.uint64)
    assert beliefs.summed(bits, np.array([2, 3, 0]), np.array([1, 3, 9]), 3).tolist() == [1.5, 1.5, 1.0]
    assert beliefs.tallied(bits, np.array([1, 3, 9]), 3).tolist() == [4, 4, 3]
