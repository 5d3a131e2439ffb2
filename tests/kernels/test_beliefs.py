from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from shoal.arrays import Array
from shoal.items.beliefs import Belief
from shoal.items.linking import Links
from shoal.items.rules import Diversity
from shoal.kernels import beliefs
from tests.effort import examples


@njit
def selected(values: Array, most: int) -> None:
    beliefs.select(values, len(values), most)


@njit
def judged(values: Array, c: float, l: int) -> int:
    return beliefs.diverse(values, len(values), c, l)


@njit
def judged_exactly(bits: Array, sizes: Array, weights: Array, rule: beliefs.Rule, labels: int) -> int:
    sums, touched, values = np.zeros(labels), np.empty(labels, np.int64), np.empty(labels)
    verdict = beliefs.exactly_diverse(bits, sizes, weights, rule, sums, touched, values)
    return verdict if sums.max() == 0.0 else -1  # the room is left as it was


@given(
    st.lists(st.tuples(st.integers(0, 2**7 - 1), st.integers(1, 5)), min_size=1, max_size=6),
    st.fractions(Fraction(1, 9), 5, max_denominator=9),
    st.integers(2, 6),
)
@settings(max_examples=examples(300), deadline=None)
def test_whole_numbers_decide_what_floats_cannot(rows: list[tuple[int, int]], c: Fraction, l: int) -> None:
    bits = np.array([[each] for each, _ in rows], np.uint64)
    sizes = np.array([each.bit_count() for each, _ in rows], np.int64)
    weights, rule = np.array([weight for _, weight in rows], np.int64), Diversity(c, l)
    verdict = judged_exactly(bits, sizes, weights, rule.kernel, 7)
    assert verdict == int(rule.allows(Belief(Links(bits, sizes, 7), weights)))


def test_numbers_that_floats_do_not_represent_stay_doubtful() -> None:
    """The least common multiple of the primes is larger than 2^53."""
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]
    bits = np.array([[2**prime - 1] for prime in primes], np.uint64)
    sizes, ones = np.array(primes, np.int64), np.ones(len(primes), np.int64)
    assert judged_exactly(bits, sizes, ones, Diversity(Fraction(1), 2).kernel, 64) == beliefs.DOUBTFUL
    large = Diversity(Fraction(2**54 + 1, 2**54), 2).kernel
    assert judged_exactly(bits[:2], sizes[:2], ones[:2], large, 64) == beliefs.DOUBTFUL


@given(st.lists(st.integers(0, 9), max_size=40), st.integers(0, 40))
@settings(max_examples=examples(300), deadline=None)
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
