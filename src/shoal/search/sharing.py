"""How threads share work on neighbouring nodes or blocks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.arrays import Int64

_ROWS_PER_THREAD = 10_000
"""A thread of its own is worth it from this number of rows."""


def shares(sizes: Int64, threads: int) -> list[slice]:
    """Neighbouring nodes for each thread, with about equally many rows; one share if there are few rows."""
    total = int(sizes.sum())
    threads = min(threads, total // _ROWS_PER_THREAD)
    until = np.arange(1, threads) * (total / max(threads, 1))
    edges = sorted({0, *(np.searchsorted(np.cumsum(sizes), until) + 1).tolist(), len(sizes)})
    return [slice(first, last) for first, last in pairwise(edges)]
