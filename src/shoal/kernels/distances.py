"""The distances of classes to a reference distribution, in integers: no distance is ever rounded.

Classes come as sparse value counts (offsets int64 [c+1], values int32 [e] ascending in a class, counts int64 [e] > 0).
n is the sum of the counts of a class and N that of the reference. Products of two counts must fit in 64 bits: N < 2^31.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.arrays import Array


@njit(cache=True, nogil=True)
def excess(offsets: Array, values: Array, counts: Array, node_of: Array, reference: Array) -> Array:
    """node_of int32 [values], reference int64 [nodes] → int64 [c]: n · N · (half the sum of |share − reference share|).

    Values are first added up by node. Half the sum of the differences is the excess of the class over the reference, so
    only nodes that occur in a class are visited.
    """
    total = reference.sum()
    tally = np.zeros(len(reference), np.int64)
    touched = np.empty(len(reference), np.int64)
    sums = np.zeros(len(offsets) - 1, np.int64)
    for c in range(len(sums)):
        size = np.int64(0)
        nodes = 0
        for i in range(offsets[c], offsets[c + 1]):
            node = node_of[values[i]]
            if tally[node] == 0:
                touched[nodes] = node
                nodes += 1
            tally[node] += counts[i]
            size += counts[i]
        for j in range(nodes):
            node = touched[j]
            sums[c] += max(tally[node] * total - reference[node] * size, 0)
            tally[node] = 0
    return sums


@njit(cache=True, nogil=True)
def ordered_moves(offsets: Array, ranks: Array, counts: Array, below: Array) -> tuple[Array, Array]:
    """ranks int32 [e] ascending in a class, below int64 [m] → (a, b), both int64 [c].

    N·a − n·b is the sum over all m ranks r of |N · (class count up to r) − n · below[r]|, where `below[r]` counts the
    reference up to and including r, so that below[m−1] = N. It is returned in two parts, because it may not fit in 64
    bits. Between two values of a class, its own count is constant and `below` only grows, so the sign changes once.
    Bisection finds the position, and prefix sums give the rest. The work grows with the entries, not with classes times
    ranks.
    """
    m = len(below)
    total = below[m - 1]
    prefix = np.zeros(m + 1, np.int64)
    for r in range(m):
        prefix[r + 1] = prefix[r] + below[r]
    a = np.zeros(len(offsets) - 1, np.int64)
    b = np.zeros(len(offsets) - 1, np.int64)
    for c in range(len(a)):
        start, end = offsets[c], offsets[c + 1]
        if start == end:
            continue
        size = counts[start:end].sum()
        b[c] = -prefix[ranks[start]]
        so_far = np.int64(0)
        for i in range(start, end):
            so_far += counts[i]
            first = np.int64(ranks[i])
            last = np.int64(ranks[i + 1]) if i + 1 < end else np.int64(m)
            # The first rank in [first, last) at which the reference has overtaken the class.
            low, high = first, last
            while low < high:
                middle = (low + high) // 2
                if below[middle] * size > so_far * total:
                    high = middle
                else:
                    low = middle + 1
            a[c] += so_far * (2 * low - first - last)
            b[c] += 2 * prefix[low] - prefix[first] - prefix[last]
    return a, b
