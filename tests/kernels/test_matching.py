"""Walks over cells, against all sets of columns and values written out."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels import matching
from tests.effort import examples

quick = settings(max_examples=examples(80), deadline=None)
Cell = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Columns, the value of each, and the elements that have these values."""


def drawn(seed: int, columns: int, elements: int) -> tuple[NDArray[np.int32], list[int]]:
    """The nodes of some elements, int32 [columns, elements], and how many values each column has."""
    rng = np.random.default_rng(seed)
    widths = rng.integers(1, 4, columns).tolist()
    return np.stack([rng.integers(0, width, elements) for width in widths]).astype(np.int32), widths


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 25))
@quick
def test_a_group_is_refined_by_a_column_and_ties_stay_as_they_stood(seed: int, columns: int, elements: int) -> None:
    nodes, widths = drawn(seed, columns, elements)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(elements)[: rng.integers(1, elements + 1)]
    b = int(rng.integers(columns))
    order, starts = np.full(len(rows), -1), np.full(max(widths) + 1, -1)
    matching.refine(rows, b, widths[b], nodes, order, starts)
    for v in range(widths[b]):
        assert order[starts[v] : starts[v + 1]].tolist() == [row for row in rows.tolist() if nodes[b, row] == v]


def walked(
    nodes: NDArray[np.int32],
    widths: list[int],
    rows: list[int],
    suspect: list[bool],
    first: int,
    depth: int,
    after: int,
) -> list[Cell]:
    everything, sizes, flags = np.array(rows, np.int64), np.array(widths), np.array(suspect)
    walk = matching.new_walk(everything, matching.largest_of(sizes), depth, after)
    at, found = matching.first_match(walk, first, everything, sizes, nodes, flags), []
    while at >= 0:
        assert at == depth - 1
        members = tuple(matching.rows_at(walk, at).tolist())
        found.append((tuple(walk.column.tolist()), tuple(walk.value.tolist()), members))
        at = matching.next_match(walk, at, everything, sizes, nodes, flags)
    return found


def listed(
    nodes: NDArray[np.int32],
    widths: list[int],
    rows: list[int],
    suspect: list[bool],
    first: int,
    depth: int,
    after: int,
) -> set[Cell]:
    found = set()
    for columns in combinations(range(first, len(widths) - after), depth):
        if columns[0] != first:
            continue
        for values in product(*(range(widths[b]) for b in columns)):
            pairs = list(zip(columns, values, strict=True))
            members = tuple(row for row in rows if all(nodes[b, row] == v for b, v in pairs))
            if any(suspect[row] for row in members):
                found.add((columns, values, members))
    return found


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 20), st.booleans())
@quick
def test_a_walk_meets_every_cell_with_a_suspect_once(seed: int, columns: int, elements: int, some: bool) -> None:
    nodes, widths = drawn(seed, columns, elements)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(elements)[: rng.integers(1, elements + 1)].tolist()
    suspect = (rng.random(elements) < 0.2).tolist() if some else [True] * elements
    depth = int(rng.integers(1, columns + 1))
    after = int(rng.integers(0, columns - depth + 1))
    for first in range(columns - depth - after + 1):
        found = walked(nodes, widths, rows, suspect, first, depth, after)
        assert len(found) == len(set(found))
        assert set(found) == listed(nodes, widths, rows, suspect, first, depth, after)


def test_a_walk_without_a_suspect_ends_at_once() -> None:
    nodes, widths = drawn(0, 3, 10)
    assert walked(nodes, widths, list(range(10)), [False] * 10, 0, 2, 0) == []
    assert not matching.any_suspect(np.arange(10), np.zeros(10, np.bool_))
    assert matching.any_suspect(np.array([3, 7]), np.arange(10) == 7)
