"""Counting inside classes, and counting how often values occur together.

A class is a slice of entries: class c holds the distinct rows rows[offsets[c]:offsets[c+1]], each with a weight.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels.sorting import ascending


@njit(cache=True, nogil=True)
def class_weights(offsets: Array, weight: Array) -> Array:
    """offsets int64 [c+1], weight int64 [m] → int64 [c]: the total weight of each class."""
    sums = np.zeros(len(offsets) - 1, np.int64)
    for c in range(len(sums)):
        for i in range(offsets[c], offsets[c + 1]):
            sums[c] += weight[i]
    return sums


@njit(cache=True, nogil=True)
def class_persons(rows: Array, offsets: Array, person: Array) -> Array:
    """rows int64 [m], person int32 [d] → int64 [c]: the number of distinct persons of each class."""
    seen = np.full(person.max() + 1 if len(person) else 0, -1, np.int64)
    sums = np.zeros(len(offsets) - 1, np.int64)
    for c in range(len(sums)):
        for i in range(offsets[c], offsets[c + 1]):
            p = person[rows[i]]
            if seen[p] != c:
                seen[p] = c
                sums[c] += 1
    return sums


@njit(cache=True, nogil=True)
def class_values(rows: Array, offsets: Array, codes: Array, weight: Array, values: int) -> tuple[Array, Array, Array]:
    """Counts the values of each class sparsely.

    rows int64 [m], weight int64 [m], codes int32 [d] below `values` → offsets int64 [c+1], values int32 [e], counts
    int64 [e].
    """
    classes = len(offsets) - 1
    tally = np.zeros(values, np.int64)
    out_offsets = np.zeros(classes + 1, np.int64)
    out_values = np.empty(len(rows), np.int32)
    out_counts = np.empty(len(rows), np.int64)
    e = 0
    for c in range(classes):
        start = e
        for i in range(offsets[c], offsets[c + 1]):
            v = codes[rows[i]]
            if tally[v] == 0:
                out_values[e] = v
                e += 1
            tally[v] += weight[i]
        ascending(out_values, start, e)
        for j in range(start, e):
            out_counts[j] = tally[out_values[j]]
            tally[out_values[j]] = 0
        out_offsets[c + 1] = e
    return out_offsets, out_values[:e].copy(), out_counts[:e].copy()


@njit(cache=True, nogil=True)
def class_person_values(
    rows: Array, offsets: Array, codes: Array, person: Array, values: int
) -> tuple[Array, Array, Array]:
    """As `class_values`, but a count is the number of distinct persons of the class with the value."""
    classes = len(offsets) - 1
    out_offsets = np.zeros(classes + 1, np.int64)
    out_values = np.empty(len(rows), np.int32)
    out_counts = np.empty(len(rows), np.int64)
    e = 0
    for c in range(classes):
        size = offsets[c + 1] - offsets[c]
        pairs = np.empty(size, np.int64)
        for i in range(size):
            row = rows[offsets[c] + i]
            pairs[i] = np.int64(codes[row]) << 32 | np.int64(person[row])
        ascending(pairs, 0, size)
        start = e
        for i in range(size):
            if i > 0 and pairs[i] == pairs[i - 1]:
                continue
            v = np.int32(pairs[i] >> 32)
            if e > start and out_values[e - 1] == v:
                out_counts[e - 1] += 1
            else:
                out_values[e] = v
                out_counts[e] = 1
                e += 1
        out_offsets[c + 1] = e
    return out_offsets, out_values[:e].copy(), out_counts[:e].copy()


@njit(cache=True, nogil=True)
def meetings(own: Array, row: Array, count: Array, bins: Array, ours: int, theirs: int) -> Array:
    """Counts how often the values of one column occur together with those of other columns.

    own uint8 [n] below `ours`, row int32 [n] below d, count int64 [n], bins uint8 [d, q] below `theirs` → int64 [q,
    ours, theirs]: the number of rows in which each own value meets each value of every column.
    """
    met = np.zeros((bins.shape[1], ours, theirs), np.int64)
    for i in range(len(own)):
        u, k = own[i], row[i]
        for a in range(bins.shape[1]):
            met[a, u, bins[k, a]] += count[i]
    return met
