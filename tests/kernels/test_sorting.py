"""Sorting in kernels gives what numpy gives, in the slice and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from shoal.kernels.sorting import ascending


@njit
def compiled(values: NDArray[Any], first: int, last: int) -> None:
    ascending(values, first, last)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("largest", [1, 5, 1_000_000])
def test_only_the_slice_is_sorted(dtype: type, largest: int) -> None:
    rng = np.random.default_rng(0)
    for size in (0, 1, 2, 15, 16, 17, 40, 1000, 20_000):
        values = rng.integers(-largest, largest, size + 7).astype(dtype)
        expected = values.copy()
        expected[3 : 3 + size].sort()
        compiled(values, 3, 3 + size)
        assert (values == expected).all()


@pytest.mark.parametrize("values", [np.arange(5000), np.arange(5000, 0, -1), np.arange(5000) % 70, np.zeros(5000)])
def test_values_in_order_already_and_equal_values_are_sorted_too(values: NDArray[Any]) -> None:
    expected = np.sort(values)
    compiled(values, 0, len(values))
    assert (values == expected).all()
