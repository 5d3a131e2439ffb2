"""The fewest values that touch every row, against trying all sets of values."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.models import hitting_sets
from shoal.models.hitting_sets import COVER, LOWER_BOUND, SEARCH, UNDECIDED, Row, least_touching

M, VALUES = 3, 4
ROWS = st.lists(
    st.tuples(*(st.integers(a * VALUES, (a + 1) * VALUES - 1) for a in range(M))), min_size=1, max_size=9, unique=True
)


def by_trying(rows: list[Row], limits: list[int], l: int) -> int:
    """The size of the smallest set of values, within the limits, that touches every row; l where none is smaller."""
    for size in range(l):
        for chosen in combinations(range(M * VALUES), size):
            fits = all(sum(value // VALUES == a for value in chosen) <= limits[a] for a in range(M))
            if fits and all(set(row) & set(chosen) for row in rows):
                return size
    return l


@given(ROWS, st.lists(st.integers(1, 5), min_size=M, max_size=M), st.integers(2, 5))
def test_it_is_the_smallest_set_of_all(rows: list[Row], limits: list[int], l: int) -> None:
    found, step = least_touching(rows, limits, l)
    assert found == by_trying(rows, limits, l)
    assert step in (LOWER_BOUND, COVER, SEARCH)
    assert step != LOWER_BOUND or found == l
    assert step != COVER or found < l


def test_no_rows_are_touched_by_nothing() -> None:
    assert least_touching([], [3] * M, 3)[0] == 0


def test_what_the_budget_does_not_decide_counts_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(1, 5), (2, 5), (0, 6), (1, 6)]  # two rows are apart, and taking the most frequent value first needs three
    assert least_touching(rows, [2, 2], 3) == (2, SEARCH)
    monkeypatch.setattr(hitting_sets, "BUDGET", 0)
    assert least_touching(rows, [2, 2], 3) == (0, UNDECIDED)
