"""Nodes of the lattice, against comparing every two of them."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.search.nodes import Node, above, below, lowered, minimal, parents_of

TOP = (2, 1, 3)
ALL = list(product(*(range(height + 1) for height in TOP)))
NODES = st.sampled_from(ALL)


def is_below(a: Node, b: Node) -> bool:
    return all(x <= y for x, y in zip(a, b, strict=True))


@given(NODES)
def test_up_sets_and_down_sets_are_slices(node: Node) -> None:
    for slices, inside in ((below(node), lambda n: is_below(n, node)), (above(node), lambda n: is_below(node, n))):
        flags = np.zeros([height + 1 for height in TOP], np.bool_)
        flags[slices] = True
        assert {n for n in ALL if flags[n]} == {n for n in ALL if inside(n)}


@given(NODES)
def test_parents_are_one_level_higher_in_one_column(node: Node) -> None:
    expected = [n for n in ALL if is_below(node, n) and sum(n) == sum(node) + 1]
    assert sorted(parents_of(node, TOP)) == expected
    for parent in parents_of(node, TOP):
        assert node in [lowered(parent, a) for a in range(len(TOP)) if parent[a]]


@given(st.sets(NODES))
def test_minimal_nodes_lie_above_no_other(nodes: set[Node]) -> None:
    expected = sorted(n for n in nodes if not any(m != n and is_below(m, n) for m in nodes))
    assert minimal(nodes) == expected
