from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.items.combinations import are_anonymous
from shoal.items.generalization import ItemTree, at, generalized
from tests.effort import examples
from tests.items.test_combinations import ROWS, Rows, sets_of

# 0 and 1 are one node of level 1, 2 and 3 and 4 another one, 5 is alone.
NODES = np.array([[0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 1, 2], [0, 0, 0, 0, 0, 0]])
TREE = ItemTree(NODES, np.array([[1] * 6, [2, 2, 3, 3, 3, 1], [6] * 6]))


@given(ROWS, st.integers(1, 6), st.integers(1, 3))
@settings(max_examples=examples(300), deadline=None)
def test_the_cut_is_anonymous_or_everything_is_at_the_top(rows: Rows, k: int, m: int) -> None:
    sets = sets_of(rows)
    heights = generalized(sets, TREE, k, m)
    nodes, shown = at(sets, TREE, heights)
    if not are_anonymous(shown, k, m):
        assert 0 < sum(weight for row, weight in rows if row) < k
        assert {int(heights[item]) for row, _ in rows for item in row} == {TREE.top}
    for item in range(6):  # a cut: items under the same node of the cut are at the same level
        level = int(heights[item])
        under = NODES[level] == NODES[level, item]
        assert (heights[under] == level).all()
        assert len(set(nodes[under].tolist())) == 1


def test_only_what_is_rare_is_generalized() -> None:
    rows: Rows = [(frozenset([0, 5]), 3), (frozenset([2, 5]), 1), (frozenset([3, 5]), 2)]
    assert generalized(sets_of(rows), TREE, 3, 2).tolist() == [0, 0, 1, 1, 1, 0]


def test_a_rare_pair_is_generalized_where_it_loses_least() -> None:
    """0 and 2 meet once. One level up, 0 stands for two leaves, and 2, which fewer rows have, for three."""
    rows: Rows = [(frozenset([0]), 5), (frozenset([2]), 3), (frozenset([0, 2]), 1), (frozenset([1, 2]), 1)]
    heights = generalized(sets_of(rows), TREE, 2, 2)
    assert are_anonymous(at(sets_of(rows), TREE, heights)[1], 2, 2)
    assert heights.tolist() == [1, 1, 0, 0, 0, 0]


def test_no_rows_stay_as_they_are() -> None:
    assert generalized(sets_of([]), TREE, 2, 2).tolist() == [0] * 6
