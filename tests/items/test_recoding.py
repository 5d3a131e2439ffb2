from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.items.combinations import are_anonymous
from shoal.items.recoding import least_cost, losses, recoded, shows, with_rare
from shoal.items.suppression import cost, removed
from tests.effort import examples
from tests.items.test_combinations import ROWS, Rows, all_rare, sets_of
from tests.items.test_generalization import TREE


@given(ROWS, st.integers(1, 5), st.integers(1, 3), st.booleans())
@settings(max_examples=examples(300), deadline=None)
def test_every_recoding_is_anonymous_and_no_dearer_than_removing(rows: Rows, k: int, m: int, tree: bool) -> None:
    sets = sets_of(rows)
    found = recoded(sets, TREE if tree else None, k, m)
    assert are_anonymous(found.sets, k, m)
    alone = cost(sets, removed(sets, k, m))
    assert 0 <= found.cost <= alone + 1e-9
    if not tree:
        assert found.cost == pytest.approx(alone)
        assert found.cost >= least_cost(sets, k, m) - 1e-9
    shown = [set(found.sets.members[a:b].tolist()) for a, b in pairwise(found.sets.offsets.tolist())]
    for (row, _), nodes in zip(rows, shown, strict=True):
        assert nodes <= {int(found.nodes[item]) for item in row}


@given(ROWS, st.integers(1, 5), st.integers(1, 3))
@settings(max_examples=examples(200), deadline=None)
def test_the_sets_that_have_a_rare_combination(rows: Rows, k: int, m: int) -> None:
    rare = all_rare(rows, k, m)
    assert with_rare(sets_of(rows), k, m).tolist() == [any(set(each) <= row for each in rare) for row, _ in rows]


def test_a_set_of_no_row_is_judged_by_the_others() -> None:
    rows: Rows = [(frozenset([0, 1]), 0), (frozenset([0]), 3), (frozenset([1]), 3), (frozenset([2]), 0)]
    assert with_rare(sets_of(rows), 2, 2).tolist() == [True, False, False, True]
    assert with_rare(sets_of(rows), 2, 1).tolist() == [False, False, False, True]


def test_a_generalized_item_loses_its_part_of_what_removing_it_would_cost() -> None:
    """Of 0, 1 and 2, the first two become one node of 2 of 6 leaves; then 2 is removed, or both are."""
    sets, lost = sets_of([(frozenset([0, 1, 2]), 1)]), TREE.loss(np.array([1, 1, 0, 0, 0, 0]))
    nodes = np.array([0, 0, 1, 2, 3, 4])
    both, first, none = (sets_of([(frozenset(kept), 1)]) for kept in ([0, 1], [0], []))
    whole = 1 + 1 / 2 + 1 / 3
    assert losses(sets, both, nodes, lost).tolist() == pytest.approx([whole * (2 * 1 / 5) / 3])
    assert losses(sets, first, nodes, lost).tolist() == pytest.approx([1 / 3 + 1.5 * (2 * 1 / 5) / 2])
    assert losses(sets, none, nodes, lost).tolist() == pytest.approx([whole])
    assert shows(sets, first, nodes).tolist() == [True, True, False]


def test_items_at_the_top_lose_everything() -> None:
    sets, top = sets_of([(frozenset([0, 5]), 1)]), sets_of([(frozenset([0]), 1)])
    assert losses(sets, top, np.zeros(6, np.int64), TREE.loss(np.full(6, 2))).tolist() == pytest.approx([1.5])


def test_of_equal_costs_generalizing_is_preferred() -> None:
    """Everything at the top costs as much as removing everything, and still shows which rows have an item."""
    found = recoded(sets_of([(frozenset([0]), 1), (frozenset([5]), 1)]), TREE, 2, 1)
    assert found.heights.tolist() == [2] * 6 and len(found.sets.members) == 2


def test_generalizing_is_preferred_where_it_loses_less() -> None:
    rows: Rows = [(frozenset([item]), 1) for item in (2, 3, 4)] + [(frozenset([0]), 4)]
    found = recoded(sets_of(rows), TREE, 3, 2)
    assert found.heights.tolist() == [0, 0, 1, 1, 1, 0]
    assert found.cost == pytest.approx(3 * 2 / 5)
