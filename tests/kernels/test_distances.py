from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels import distances
from tests.effort import examples

Sparse = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]
quick = settings(max_examples=examples(100), deadline=None)

# Classes as counts of five values; the reference holds them all and something more.
CLASSES = st.lists(st.lists(st.integers(0, 6), min_size=5, max_size=5).filter(any), min_size=1, max_size=4)
MORE = st.lists(st.integers(0, 6), min_size=5, max_size=5)


def sparse(classes: list[list[int]]) -> Sparse:
    entries = [[(value, count) for value, count in enumerate(counts) if count] for counts in classes]
    flat = [pair for pairs in entries for pair in pairs]
    offsets = np.cumsum([0, *map(len, entries)])
    return offsets, np.array([v for v, _ in flat], np.int32), np.array([c for _, c in flat], np.int64)


def reference(classes: list[list[int]], more: list[int]) -> list[int]:
    return [sum(column) for column in zip(*classes, more, strict=True)]


@given(CLASSES, MORE, st.lists(st.integers(0, 2), min_size=5, max_size=5))
@quick
def test_excess_is_half_the_summed_difference_by_node(
    classes: list[list[int]], more: list[int], nodes: list[int]
) -> None:
    whole = reference(classes, more)
    whole_of: Counter[int] = Counter()
    for node, count in zip(nodes, whole, strict=True):
        whole_of[node] += count
    found = distances.excess(
        *sparse(classes), np.array(nodes, np.int32), np.array([whole_of[node] for node in range(3)], np.int64)
    )
    for counts, twice in zip(classes, (2 * found).tolist(), strict=True):
        here: Counter[int] = Counter()
        for node, count in zip(nodes, counts, strict=True):
            here[node] += count
        assert twice == sum(abs(here[node] * sum(whole) - whole_of[node] * sum(counts)) for node in range(3))


@given(CLASSES, MORE)
@quick
def test_ordered_moves_are_the_summed_cumulative_differences(classes: list[list[int]], more: list[int]) -> None:
    whole = np.array(reference(classes, more))
    occurring = np.flatnonzero(whole)
    below = np.cumsum(whole[occurring]).astype(np.int64)
    compact = [[counts[i] for i in occurring] for counts in classes]
    a, b = distances.ordered_moves(*sparse(compact), below)
    for counts, moved_a, moved_b in zip(compact, a.tolist(), b.tolist(), strict=True):
        expected = np.abs(np.cumsum(counts) * below[-1] - below * sum(counts)).sum()
        assert below[-1] * moved_a - sum(counts) * moved_b == expected


def test_ten_million_rows_do_not_overflow() -> None:
    """A million values of ten rows each: the whole distance has 20 digits, its two parts fit."""
    m, n = 1_000_000, 10_000_000
    below = np.arange(1, m + 1, dtype=np.int64) * 10
    lowest = np.array([0, 1]), np.array([0], np.int32), np.array([n], np.int64)
    a, b = distances.ordered_moves(*lowest, below)
    assert n * int(a[0]) - n * int(b[0]) == n * sum(n - 10 * (r + 1) for r in range(m))
    excess = distances.excess(*lowest, np.arange(m, dtype=np.int32), np.full(m, 10, np.int64))
    assert int(excess[0]) == n * n - 10 * n


@pytest.mark.parametrize("classes", [0, 2])
def test_no_class_or_an_empty_one_has_no_distance(classes: int) -> None:
    nothing = np.zeros(classes + 1, np.int64), np.array([], np.int32), np.array([], np.int64)
    assert distances.excess(*nothing, np.array([0], np.int32), np.array([3])).tolist() == [0] * classes
    a, b = distances.ordered_moves(*nothing, np.array([1, 3]))
    assert (a.tolist(), b.tolist()) == ([0] * classes, [0] * classes)
