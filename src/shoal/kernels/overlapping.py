"""Counting the rows of a reference table that overlap the classes of another table."""

from __future__ import annotations

import numpy as np
from numba import njit

from shoal.arrays import Array


@njit(cache=True, nogil=True)
def overlapping(
    classes: Array,
    sizes: Array,
    rows: Array,
    weights: Array,
    fits: Array,
    starts: Array,
    widths: Array,
    presence: Array,
) -> Array:
    """The weights of the reference rows that overlap each class in all columns.

    classes int32 [c, q] in lexicographic order, sizes int64 [c], rows int32 [q, r], weights int64 [r]; fits uint8: for
    column a, from starts[a] on, a matrix of labels × widths[a] reference values that says which of them overlap, or
    nothing if widths[a] is 0 and equal codes overlap → int64 [c]. Adds sizes / found of a class to `presence` float64
    [r] of each row that overlaps it.

    Rows that overlap the first labels of a class are kept for the next class, which often begins with the same ones.
    """
    columns, every = rows.shape
    kept = np.empty((columns + 1, every), np.int32)
    lengths = np.zeros(columns + 1, np.int64)
    for i in range(every):
        kept[0, i] = i
    lengths[0] = every
    found = np.zeros(len(classes), np.int64)
    for c in range(len(classes)):
        first = 0
        while c > 0 and first < columns and classes[c, first] == classes[c - 1, first]:
            first += 1
        for a in range(first, columns):
            begin = starts[a] + classes[c, a] * widths[a]
            used = 0
            for k in range(lengths[a]):
                i = kept[a, k]
                if (widths[a] == 0 and rows[a, i] == classes[c, a]) or (widths[a] > 0 and fits[begin + rows[a, i]]):
                    kept[a + 1, used] = i
                    used += 1
            lengths[a + 1] = used
        for k in range(lengths[columns]):
            found[c] += weights[kept[columns, k]]
        for k in range(lengths[columns]):
            presence[kept[columns, k]] += sizes[c] / found[c]
    return found
