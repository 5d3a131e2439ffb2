from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.items.removal.classes import Rows
from shoal.items.removal.greedy import emptied, greedy, restored
from shoal.items.rules import Diversity
from shoal.roles.knowledge import Knowledge
from tests.items.removal.brute import class_of, random_class, random_rule

KNOWLEDGE = Knowledge.of({"x": "abc", "y": "ab", "z": "ad"})


def test_one_effective_removal_is_found_at_once() -> None:
    rows = Rows.of(class_of(["abc"], [1], KNOWLEDGE))
    kept, nodes = greedy(rows, Diversity(Fraction(1), 2), 100)
    assert kept is not None
    assert (kept.tolist(), nodes) == ([True, True, False], 3)


def test_whole_rows_are_emptied_when_the_budget_is_spent() -> None:
    rows, rule = Rows.of(class_of(["abc", "ad"], [1, 1], KNOWLEDGE)), Diversity(Fraction(1), 3)
    kept, nodes = greedy(rows, rule, 0)
    assert kept is not None
    assert nodes == 0
    assert rows.satisfy(rule, kept)


def test_there_is_no_answer_only_if_removing_everything_is_none() -> None:
    random = np.random.default_rng(8)
    for _ in range(200):
        names, weights, knowledge = random_class(random, 8)
        rule, _ = random_rule(random, names, knowledge)
        rows = Rows.of(class_of(names, weights, knowledge))
        kept, _ = greedy(rows, rule, 50)
        if kept is None:
            assert not rows.satisfy(rule, np.zeros(rows.terms, np.bool_))
        else:
            assert rows.satisfy(rule, kept)


def test_no_row_is_emptied_without_need() -> None:
    rows, rule = Rows.of(class_of(["abc", "ab"], [1, 1], KNOWLEDGE)), Diversity(Fraction(2), 2)
    kept = emptied(rows, rule, np.ones(5, np.bool_), 0)
    assert kept is not None
    assert kept.tolist() == [False, False, False, True, True]
    assert emptied(rows, Diversity(Fraction(1), 4), np.ones(5, np.bool_), 0) is None


def test_items_that_need_not_be_removed_are_put_back() -> None:
    rows, rule = Rows.of(class_of(["abc"], [1], KNOWLEDGE)), Diversity(Fraction(2), 2)
    assert restored(rows, rule, np.zeros(3, np.bool_), 100).tolist() == [True, True, False]
    assert restored(rows, rule, np.zeros(3, np.bool_), 0).tolist() == [False, False, False]
