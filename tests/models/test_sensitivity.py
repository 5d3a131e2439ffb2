from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from shoal.models.sensitivity import most_classes


def most_by_hand(frequencies: list[int], p: int) -> int:
    """The most classes of p different values each that these rows can fill, by filling greedily.

    Taking one row of each of the p most frequent values that are left is optimal.
    """
    left, classes = sorted(frequencies, reverse=True), 0
    while len([n for n in left if n]) >= p:
        left = sorted([n - 1 for n in left[:p]] + left[p:], reverse=True)
        classes += 1
    return classes


@pytest.mark.parametrize("p", [2, 3, 4])
def test_the_third_condition_is_never_below_what_can_be_filled(p: int) -> None:
    for frequencies in product(range(5), repeat=4):
        assert most_classes(np.array([n for n in frequencies if n]), p) >= most_by_hand(list(frequencies), p)


def test_it_is_exact_for_two_values() -> None:
    """With p = 2 the bound is n − cf(1), which greedy filling reaches if the most frequent value has half the rows."""
    assert most_classes(np.array([6, 2, 1]), 2) == most_by_hand([6, 2, 1], 2) == 3


@pytest.mark.parametrize(("frequencies", "most"), [([], 0), ([7], 0), ([7, 1], 1)])
def test_too_few_values_allow_no_class(frequencies: list[int], most: int) -> None:
    assert most_classes(np.array(frequencies, np.int64), 2) == most
