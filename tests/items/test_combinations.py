from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.items.combinations import ItemSets, are_anonymous, rare
from tests.effort import examples
from tests.items.made import sparse

ROWS = st.lists(st.tuples(st.frozensets(st.integers(0, 5), max_size=5), st.integers(1, 3)), max_size=8)
Rows = list[tuple[frozenset[int], int]]


def sets_of(rows: Rows, items: int = 6) -> ItemSets:
    offsets, members = sparse([sorted(row) for row, _ in rows])
    return ItemSets(offsets, members, np.array([weight for _, weight in rows], np.int64), items)


def support(rows: Rows, combination: tuple[int, ...]) -> int:
    return sum(weight for row, weight in rows if set(combination) <= row)


def all_rare(rows: Rows, k: int, m: int) -> set[tuple[int, ...]]:
    """By trying every combination."""
    every = [each for size in range(1, m + 1) for each in combinations(range(6), size)]
    return {each for each in every if 0 < support(rows, each) < k}


@given(ROWS, st.integers(1, 6), st.integers(1, 4))
@settings(max_examples=examples(400), deadline=None)
def test_rare_combinations_are_the_minimal_ones_of_all(rows: Rows, k: int, m: int) -> None:
    expected = all_rare(rows, k, m)
    minimal = {each for each in expected if not any(set(other) < set(each) for other in expected)}
    found = rare(sets_of(rows), k, m)
    assert {tuple(row) for each in found for row in each.combinations.tolist()} == minimal
    assert [each.combinations.shape[1] for each in found] == list(range(1, m + 1))
    for each in found:
        where = {(s, tuple(each.combinations[i].tolist())) for s, i in zip(each.set_of, each.which, strict=True)}
        of_size = [tuple(row) for row in each.combinations.tolist()]
        assert where == {(s, row) for row in of_size for s in range(len(rows)) if set(row) <= rows[s][0]}
    assert are_anonymous(sets_of(rows), k, m) is (not expected)


def test_many_items_are_counted_without_an_array_of_all_pairs() -> None:
    rows: Rows = [(frozenset([1, 90_000]), 2), (frozenset([1, 5, 90_000]), 1), (frozenset([5]), 2)]
    found = rare(sets_of(rows, 100_000), 2, 3)
    assert [each.combinations.tolist() for each in found] == [[], [[1, 5], [5, 90_000]], []]


def test_no_rows_and_rows_without_items_have_no_combinations() -> None:
    assert are_anonymous(sets_of([]), 3, 2)
    assert are_anonymous(sets_of([(frozenset(), 1)]), 3, 2)
