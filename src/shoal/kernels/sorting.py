"""Sorting integers inside kernels.

Numba's own `sort` takes a second to compile for each type, and is no faster.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Array
from shoal.kernels import part

_SHORT = 16
"""Fewer numbers than this are sorted by insertion."""


@part
def ascending(values: Array, first: int, last: int) -> None:
    """Sorts values[first:last] in place, by quicksort.

    The larger part waits, so 64 waiting parts suffice for any length.
    """
    lows, highs = np.empty(64, np.int64), np.empty(64, np.int64)
    lows[0], highs[0] = first, last - 1
    waiting = 1
    while waiting > 0:
        waiting -= 1
        low, high = lows[waiting], highs[waiting]
        while high - low >= _SHORT:
            a, b, c = values[low], values[(low + high) >> 1], values[high]
            pivot = max(min(a, b), min(max(a, b), c))
            i, j = low, high
            while i <= j:
                while values[i] < pivot:
                    i += 1
                while values[j] > pivot:
                    j -= 1
                if i <= j:
                    values[i], values[j] = values[j], values[i]
                    i += 1
                    j -= 1
            if j - low > high - i:
                lows[waiting], highs[waiting] = low, j
                low = i
            else:
                lows[waiting], highs[waiting] = i, high
                high = j
            waiting += 1
        for i in range(low + 1, high + 1):
            value, j = values[i], i
            while j > low and values[j - 1] > value:
                values[j] = values[j - 1]
                j -= 1
            values[j] = value
