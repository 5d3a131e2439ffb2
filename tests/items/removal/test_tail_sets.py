from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal.items.removal.classes import Rows
from shoal.items.removal.tail_sets import adaptive, depth_first
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
    _, complete, nodes = depth_first(rows, Diversity(Fraction(1), 4), 10**9, until=0.0)
    assert not complete
    assert nodes <= 1_000
