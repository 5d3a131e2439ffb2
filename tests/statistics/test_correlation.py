"""Correlations of pairs of columns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shoal.errors import PlanError
from shoal.statistics import correlation
from shoal.statistics.correlation import Correlation
from tests.statistics.sides import Rows, sides

_BEFORE: Rows = {"a": [1.0, 2.0, 3.0, 4.0], "b": [2.0, 4.0, 6.0, 8.0], "c": [4.0, 3.0, 2.0, 1.0]}
_AFTER: Rows = {**_BEFORE, "c": [(3, 4), (3, 4), (1, 2), (1, 2)]}


def test_correlations_worked_by_hand() -> None:
    found = Correlation(("a", "b", "c")).compared(sides(_BEFORE, _AFTER))
    ab, ac, _ = found.figures
    assert (ab.name, ab.before, ab.after) == ("a and b", 1.0, 1.0)
    assert (ab.low, ab.high) == pytest.approx((1, 1))
    assert (ac.before, ac.after) == (-1.0, -0.894427191)
    assert isinstance(ac.high, float) and ac.low == -1 < ac.high < 0
    assert (found.rows_before, found.rows_after) == (4, 4)


def test_many_rows_are_counted_by_pairs_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    both = sides(_BEFORE, _AFTER)
    expected = Correlation(("a", "b", "c")).compared(both)
    monkeypatch.setattr(correlation, "MOST_JOINED", 3)
    found = Correlation(("a", "b", "c")).compared(both)
    assert found == replace(expected, notes=(correlation.MERGED,))


def test_pairs_with_few_rows_are_not_shown() -> None:
    found = Correlation(("a", "b")).compared(sides(_BEFORE, {**_AFTER, "b": [None, None, 1.0, 2.0]}, fewest=3))
    assert found.figures == () and "fewer than 3 rows" in found.notes[0]


def test_pairs_of_different_numbers_of_rows_are_told() -> None:
    after: Rows = {**_AFTER, "b": [None, 4.0, 6.0, 8.0]}
    found = Correlation(("a", "b", "c")).compared(sides(_BEFORE, after))
    assert found.rows_after == 4 and found.notes == ("Pairs use from 3 to 4 released rows.",)


@pytest.mark.parametrize("columns", [("a",), (), tuple(str(n) for n in range(31))])
def test_two_to_thirty_columns(columns: tuple[str, ...]) -> None:
    with pytest.raises(PlanError, match="must be 2 to 30 columns"):
        Correlation(columns)
