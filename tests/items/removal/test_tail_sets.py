from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from shoal.arrays import Flags
from shoal.items.removal.classes import Rows
from shoal.items.removal.tail_sets import TailSets, adaptive, depth_first
from shoal.items.rules import Diversity
from shoal.roles.knowledge import Knowledge
from tests.items.removal.brute import class_of, random_class, random_rule

KNOWLEDGE = Knowledge.of({"x": "abcd", "y": "abc", "z": "abc"})


def test_plain_order_begins_with_the_first_term_and_adaptive_with_the_most_effective() -> None:
    """Only without d does the row link to more than one label."""
    rows, rule = Rows.of(class_of(["abcd"], [1], KNOWLEDGE)), Diversity(Fraction(1), 3)
    first, complete, nodes = depth_first(rows, rule, 4)
    assert first is not None
    assert (first.tolist(), complete, nodes) == ([False, False, False, False], False, 4)
    found, complete, nodes = adaptive(rows, rule, 4)
    assert found is not None
    assert (found.tolist(), nodes) == ([True, True, True, False], 4)


@pytest.mark.parametrize("search", [depth_first, adaptive])
def test_a_search_in_slices_equals_a_whole_one(monkeypatch: pytest.MonkeyPatch, search: object) -> None:
    random = np.random.default_rng(9)
    for _ in range(30):
        names, weights, knowledge = random_class(random, 8)
        rule, _ = random_rule(random, names, knowledge)
        rows = Rows.of(class_of(names, weights, knowledge))
        whole = search(rows, rule, 500)  # type: ignore[operator]
        monkeypatch.setattr("shoal.items.removal.tail_sets.SLICE", 3)
        sliced = search(rows, rule, 500)  # type: ignore[operator]
        monkeypatch.undo()
        assert whole[1:] == sliced[1:]
        assert (whole[0] is None) == (sliced[0] is None)
        assert whole[0] is None or whole[0].tolist() == sliced[0].tolist()


@pytest.mark.parametrize("search", [depth_first, adaptive])
def test_nothing_is_found_where_nothing_satisfies_the_rule(search: object) -> None:
    rows = Rows.of(class_of(["ab"], [2], KNOWLEDGE))
    found, complete, _ = search(rows, Diversity(Fraction(1), 4), 10**6)  # type: ignore[operator]
    assert found is None
    assert complete


def test_a_deadline_in_the_past_ends_the_search_after_one_slice() -> None:
    rows = Rows.of(class_of(["abcd", "abc"], [6, 6], KNOWLEDGE))
    _, complete, nodes = depth_first(rows, Diversity(Fraction(1), 4), 10**9, lambda: True)
    assert not complete
    assert nodes <= 1_000


def test_a_known_answer_never_makes_the_search_worse() -> None:
    """After as many nodes, the cheaper of the known answer and the one found costs no more than without it."""
    random, pruned = np.random.default_rng(14), 0
    for _ in range(150):
        names, weights, knowledge = random_class(random, 12)
        rule, _ = random_rule(random, names, knowledge)
        rows = Rows.of(class_of(names, weights, knowledge))
        known = float(random.choice([0.4, 0.9, 1.5, 3.0]))
        for budget in (1, 4, 9, 20, 60, 200):
            alone, _, tried = adaptive(rows, rule, budget)
            found, _, nodes = TailSets(rows, rule).run(known, budget)
            assert min(known, cost(rows, found)) <= cost(rows, alone) + 1e-9
            pruned += nodes < tried
    assert pruned > 50


def test_a_search_is_continued_with_what_became_known() -> None:
    random = np.random.default_rng(15)
    for _ in range(60):
        names, weights, knowledge = random_class(random, 10)
        rule, _ = random_rule(random, names, knowledge)
        rows = Rows.of(class_of(names, weights, knowledge))
        search, best = TailSets(rows, rule), inf
        for budget in (2, 5, 30, 10**6):
            found, complete, _ = search.run(best, budget)
            best = min(best, cost(rows, found))
        assert complete
        assert best == cost(rows, adaptive(rows, rule, 10**6)[0])


def cost(rows: Rows, kept: Flags | None) -> float:
    return inf if kept is None else rows.cost(kept)
