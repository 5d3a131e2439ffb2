from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.items.combinations import are_anonymous, rare
from shoal.items.suppression import by_row, cost, everywhere, removed
from tests.effort import examples
from tests.items.test_combinations import ROWS, Rows, sets_of


@given(ROWS, st.integers(1, 5), st.integers(1, 3))
@settings(max_examples=examples(300), deadline=None)
def test_what_is_kept_is_anonymous(rows: Rows, k: int, m: int) -> None:
    sets = sets_of(rows)
    found = rare(sets, k, m)
    kept = [everywhere(sets, found), by_row(sets, k, m, found), removed(sets, k, m)]
    for each in kept:
        assert are_anonymous(sets.keeping(each), k, m)
    assert cost(sets, kept[2]) == min(cost(sets, kept[0]), cost(sets, kept[1]))
    if not any(len(each.combinations) for each in found):
        assert kept[2].all()


def test_a_rare_pair_costs_one_item_of_its_rows_only() -> None:
    """Everyone has 0, half have 1 and 2, which meet once: one row loses one of three items."""
    rows: Rows = [(frozenset([0, 1]), 5), (frozenset([0, 2]), 5), (frozenset([0, 1, 2]), 1)]
    sets = sets_of(rows)
    kept = removed(sets, 2, 2)
    assert kept.tolist() == [True, True, True, True, True, True, False]
    assert cost(sets, kept) == pytest.approx(1 / 3)


def test_an_item_of_many_rare_combinations_is_removed_everywhere() -> None:
    rows: Rows = [(frozenset([0, item]), 1) for item in range(1, 5)] + [(frozenset([item]), 3) for item in range(1, 5)]
    sets = sets_of(rows)
    kept = removed(sets, 2, 2)
    assert not kept[sets.members == 0].any()
    assert kept[sets.members != 0].all()


def test_removing_everything_costs_the_most() -> None:
    sets = sets_of([(frozenset([0, 1]), 2), (frozenset(), 4)])
    assert cost(sets, np.zeros(2, np.bool_)) == pytest.approx(2 * 1.5)
