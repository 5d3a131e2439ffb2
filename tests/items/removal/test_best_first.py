from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from shoal.items.removal.best_first import best_first
from shoal.items.removal.classes import Rows
from shoal.items.rules import Diversity
from shoal.roles.knowledge import Knowledge
from tests.items.removal.brute import class_of, least_cost, random_class, random_rule

KNOWLEDGE = Knowledge.of({"x": "abcd", "y": "abc", "z": "abc"})


def test_the_first_counts_that_pass_are_optimal() -> None:
    rows, rule = Rows.of(class_of(["abcd"], [1], KNOWLEDGE)), Diversity(Fraction(1), 3)
    found = best_first(rows, rule, inf, 1_000)
    assert found.kept is not None
    assert found.kept.tolist() == [True, True, True, False]
    assert found.lower_bound == pytest.approx(1 / 4)


def test_an_answer_that_is_optimal_is_proven() -> None:
    rows, rule = Rows.of(class_of(["abcd"], [1], KNOWLEDGE)), Diversity(Fraction(1), 3)
    found = best_first(rows, rule, 1 / 4, 1_000)
    assert (found.kept, found.lower_bound) == (None, 1 / 4)


def test_no_answer_at_all_has_an_infinite_bound() -> None:
    rows = Rows.of(class_of(["abcd", "ab"], [2, 1], KNOWLEDGE))
    assert best_first(rows, Diversity(Fraction(1), 4), inf, 10**6).lower_bound == inf


@pytest.mark.parametrize("budget", [1, 2, 5, 20, 100])
def test_the_bound_is_below_the_least_cost_at_any_time(budget: int) -> None:
    random = np.random.default_rng(budget)
    for _ in range(60):
        names, weights, knowledge = random_class(random, 8)
        rule, allows = random_rule(random, names, knowledge)
        least = least_cost(names, weights, knowledge, allows)
        rows = Rows.of(class_of(names, weights, knowledge))
        found = best_first(rows, rule, inf, budget)
        assert found.lower_bound <= (inf if least is None else float(least) + 1e-9)
        if found.kept is not None:
            assert rows.satisfy(rule, found.kept)
            assert least is not None
            assert rows.cost(found.kept) == pytest.approx(float(least))


def test_a_bound_stays_true_where_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for few options, only few removals of a row are tried, and more may cost less."""
    random = np.random.default_rng(11)
    monkeypatch.setattr("shoal.items.removal.best_first.OPTIONS", 6)
    for _ in range(100):
        names, weights, knowledge = random_class(random, 8)
        rule, allows = random_rule(random, names, knowledge)
        least = least_cost(names, weights, knowledge, allows)
        rows = Rows.of(class_of(names, weights, knowledge))
        found = best_first(rows, rule, inf, 10**6)
        assert found.lower_bound <= (inf if least is None else float(least) + 1e-9)
        assert found.kept is None or rows.satisfy(rule, found.kept)


def test_a_search_in_slices_equals_a_whole_one(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(12)
    for _ in range(40):
        names, weights, knowledge = random_class(random, 9)
        rule, _ = random_rule(random, names, knowledge)
        rows = Rows.of(class_of(names, weights, knowledge))
        whole = best_first(rows, rule, inf, 300)
        monkeypatch.setattr("shoal.items.removal.best_first.SLICE", 1)
        sliced = best_first(rows, rule, inf, 300)
        monkeypatch.undo()
        assert whole[1:] == sliced[1:]
        assert whole.kept is None or whole.kept.tolist() == sliced.kept.tolist()  # type: ignore[union-attr]


def test_a_row_of_very_many_items_is_not_searched() -> None:
    items = [f"{item:03}" for item in range(70)]
    knowledge = Knowledge.of({"x": items, "y": items[:60]})
    rows = Rows.of(class_of([items], [1], knowledge))  # type: ignore[list-item]
    found = best_first(rows, Diversity(Fraction(1), 2), 5.0, 100)
    assert (found.kept, found.nodes) == (None, 0)
    assert found.lower_bound == pytest.approx(1 / 70)
