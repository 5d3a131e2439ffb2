"""Weighted figures against plain definitions, and bounds against values drawn within the ranges."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.arrays import Float64
from shoal.statistics.base import Numbers
from shoal.statistics.weighted import (
    deviation,
    deviation_bounds,
    grouped,
    mean,
    mean_bounds,
    moments,
    quantile_bounds,
    quantiles,
)

_NUMBER = st.integers(-50, 50).map(float)
_SHARES = [0.25, 0.5, 0.75]
Range = tuple[float, float, float]
"""Low, high, and a value between both."""


@st.composite
def _ranges(draw: st.DrawFn, columns: int = 1) -> list[list[Range]]:
    """Columns of as many rows."""
    rows = draw(st.integers(2, 12))

    def cell() -> Range:
        low, width = draw(_NUMBER), draw(st.integers(0, 20))
        return low, low + width, low + draw(st.floats(0, 1)) * width

    return [[cell() for _ in range(rows)] for _ in range(columns)]


def _numbers(cells: list[Range]) -> tuple[Numbers, Float64]:
    low, high, value = (np.array([cell[i] for cell in cells]) for i in range(3))
    return Numbers(low, high, (low + high) / 2), value


@given(st.lists(st.tuples(_NUMBER, st.integers(1, 4)), min_size=1, max_size=15))
def test_weights_are_repetitions(cells: list[tuple[float, int]]) -> None:
    values, weight = np.array([v for v, _ in cells]), np.array([w for _, w in cells])
    every = [value for value, times in cells for _ in range(times)]
    assert mean(values, weight) == pytest.approx(statistics.fmean(every))
    assert deviation(values, weight) == pytest.approx(statistics.pstdev(every), abs=1e-9)
    expected = np.quantile(every, _SHARES, method="averaged_inverted_cdf").tolist()
    assert quantiles(values, weight, _SHARES) == pytest.approx(expected)


@given(_ranges())
def test_bounds_hold_for_all_values_within_the_ranges(columns: list[list[Range]]) -> None:
    numbers, value = _numbers(columns[0])
    weight = np.ones(len(value), np.int64)
    low, high = mean_bounds(numbers, weight)
    assert low - 1e-9 <= mean(value, weight) <= high + 1e-9
    low, high = deviation_bounds(numbers, weight)
    assert low - 1e-9 <= deviation(value, weight) <= high + 1e-9
    bounds = quantile_bounds(numbers, weight, _SHARES)
    assert all(a <= q <= b for q, (a, b) in zip(quantiles(value, weight, _SHARES), bounds, strict=True))


@given(_ranges(columns=2))
def test_correlations_are_within_their_bounds(columns: list[list[Range]]) -> None:
    (x, a), (y, b) = (_numbers(cells) for cells in columns)
    codes = np.tile(np.arange(len(a), dtype=np.int32), (2, 1))
    low, high = (each[0, 1] for each in moments([x, y], codes, np.ones(len(a), np.int64)).bounds)
    if a.std() > 1e-6 and b.std() > 1e-6:
        assert low - 1e-6 <= np.corrcoef(a, b)[0, 1] <= high + 1e-6


def test_correlations_leave_out_rows_with_an_unknown_value() -> None:
    x, y = np.array([1.0, 2.0, 3.0, np.nan]), np.array([2.0, 4.0, 5.0, 1.0])
    codes, weight = np.tile(np.arange(4, dtype=np.int32), (2, 1)), np.array([1, 2, 1, 9])
    found = moments([Numbers(x, x, x), Numbers(y, y, y)], codes, weight)
    expected = np.corrcoef([1, 2, 2, 3], [2, 4, 4, 5])[0, 1]
    assert found.rows[0].tolist() == [4, 4] and found.rows[1, 1] == 13
    assert found.correlations[0, 1] == pytest.approx(expected)
    assert [each[0, 1] for each in found.bounds] == pytest.approx([expected, expected])


def test_a_column_of_one_value_has_no_correlation() -> None:
    x, y = np.array([1.0, 1.0]), np.array([2.0, 4.0])
    codes = np.tile(np.arange(2, dtype=np.int32), (2, 1))
    found = moments([Numbers(x, x, x), Numbers(y, y, y)], codes, np.ones(2, np.int64))
    assert np.isnan(found.correlations[0, 1])


def test_neighbours_are_grouped_with_all_their_rows() -> None:
    values = np.array([4.0, np.nan, 1.0, 2.0, 3.0, -np.inf])
    numbers = Numbers(values, np.where(np.isinf(values), np.inf, values), np.where(np.isinf(values), np.nan, values))
    groups, found = grouped(numbers, np.array([1, 1, 3, 1, 1, 1]), 2)
    assert groups.tolist() == [1, 2, 0, 0, 1, 3]
    assert found.middle[:2].tolist() == [1.25, 3.5]
    assert (found.low[:2].tolist(), found.high[:2].tolist()) == ([1, 3], [2, 4])
    assert np.isnan(found.low[2]) and np.isinf(found.low[3]) and np.isnan(found.middle[2:]).all()
    assert grouped(numbers, np.ones(6, np.int64), 9)[1] is numbers
