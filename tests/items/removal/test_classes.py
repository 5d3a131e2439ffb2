from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from shoal.items.removal.classes import ROWS, Rows, harmonics
from shoal.items.rules import Diversity
from shoal.roles.knowledge import Knowledge
from tests.items.removal.brute import class_of

KNOWLEDGE = Knowledge.of({"x": "abc", "y": "ab"})


def test_every_row_of_a_small_class_loses_items_of_its_own() -> None:
    rows = Rows.of(class_of(["ab", "", "c"], [2, 1, 1], KNOWLEDGE))
    assert rows.origin.tolist() == [0, 0, 1, 2]
    assert rows.starts.tolist() == [0, 2, 4, 4, 5]
    assert rows.items.tolist() == [0, 1, 0, 1, 2]
    assert rows.row_of.tolist() == [0, 0, 1, 1, 3]
    assert rows.are_single
    assert rows.are_few


def test_the_rows_of_a_large_class_lose_items_in_parts() -> None:
    rows = Rows.of(class_of(["ab", "c"], [ROWS + 1, 1], KNOWLEDGE))
    assert rows.weights.tolist() == [3] + [2] * 31 + [1]
    assert rows.origin.tolist() == [0] * 32 + [1]
    assert rows.items.tolist() == [0, 1] * 32 + [2]
    assert not rows.are_single
    assert not rows.are_few


def test_the_rows_of_a_set_lose_items_together_if_there_are_many_sets() -> None:
    names = ["".join(each) for each in combinations("abcdefgh", 4)]
    rows = Rows.of(class_of(names, [3] * len(names), KNOWLEDGE))
    assert rows.weights.tolist() == [3] * len(names)


def test_an_item_costs_more_the_fewer_are_left() -> None:
    rows = Rows.of(class_of(["abc", "c"], [1, 1], KNOWLEDGE))
    assert rows.cost(np.array([True, True, True, True])) == 0
    assert rows.cost(np.array([False, True, True, True])) == pytest.approx(1 / 3)
    assert rows.cost(np.array([False, True, False, False])) == pytest.approx(1 / 3 + 1 / 2 + 1)
    assert harmonics(0).tolist() == [0]


def test_a_rule_judges_the_kept_items() -> None:
    rows, rule = Rows.of(class_of(["abc"], [1], KNOWLEDGE)), Diversity(Fraction(1), 2)
    assert not rows.satisfy(rule, np.array([True, True, True]))
    assert not rows.satisfy(rule, np.array([False, False, True]))
    assert rows.satisfy(rule, np.array([True, True, False]))
    assert rows.satisfy(rule, np.zeros(3, np.bool_))
