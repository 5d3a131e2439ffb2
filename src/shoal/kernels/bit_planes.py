"""Bit planes: one bit per row for every value of every column, so that the rows two values share are counted by the
word."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from shoal.arrays import Array
from shoal.kernels.matching import Elements, Limits, Walk, largest_of

# Nanoseconds, measured: they decide only which way of counting is taken, never what is counted.
_WORD, _PLANE, _BIT, _ELEMENT = 0.25, 3.0, 1.6, 1.3
_FEW = 64
MOST_WORDS = 1 << 24
"""No more memory than this is used for planes."""
REFINED, PACKED, MASKED = 0, 1, 2


def _ones_code(_: Any, word: Any) -> Any:
    return types.int64(types.uint64), lambda context, builder, signature, words: builder.ctpop(words[0])


_ones: Any = intrinsic(_ones_code)
"""How many bits of a 64-bit word are set, as a signed number: signed and unsigned ones add up to doubles in numba."""


@njit(cache=True, nogil=True)
def _shared(one: Array, other: Array) -> int:
    """How many bits two planes have in common."""
    found = np.int64(0)
    for w in range(len(one)):
        found += _ones(one[w] & other[w])
    return int(found)


class Planes(NamedTuple):
    """The bits of some rows. `bits` uint64 [planes, words]; `first` int64 [columns + 1]: the first plane of every
    column; `sensitive` uint64 [values, words]; `suspect` uint64 [words]. Without rows there are no planes."""

    bits: Array
    first: Array
    sensitive: Array
    suspect: Array


@njit(cache=True, nogil=True)
def rows_of(cell: Array, elements: Elements) -> int:
    """How many rows the elements of a cell stand for."""
    rows = np.int64(0)
    for i in range(len(cell)):
        rows += elements.weight[cell[i]]
    return int(rows)


@njit(cache=True, nogil=True)
def worth_packing(cell: Array, chosen: int, widths: Array, elements: Elements, limits: Limits) -> bool:
    """Whether the planes of a whole group, to count all its cells of more than two columns with, are made in a small
    part of the time that it takes to count them element after element."""
    if chosen <= 2:
        return False
    sets, rows = 1.0, rows_of(cell, elements)
    for b in range(chosen):
        sets *= (len(widths) - b) / (b + 1)
    fits = (widths.sum() + limits.values) * (rows // 64 + 1) < MOST_WORDS
    return bool(fits and 4 * rows * len(widths) * _BIT < len(cell) * sets * _ELEMENT)


@njit(cache=True, nogil=True)
def cheapest(cell: Array, firsts: Array, widths: Array, elements: Elements, limits: Limits, whole: Planes) -> int:
    """How to count all pairs of columns, the first one of `firsts`, in the least time: element after element
    (REFINED), with planes of the cell (PACKED) or with those of the whole group (MASKED)."""
    if len(firsts) == 0 or len(cell) < _FEW:
        return REFINED
    pairs, planes = 0, 0  # pairs of columns, and of planes that are compared for them
    f, behind, values = len(firsts) - 1, 0, 0  # columns behind the first, and their values but for one each
    for b in range(len(widths) - 1, firsts[0] - 1, -1):
        if f >= 0 and firsts[f] == b:
            planes += widths[b] * values
            pairs += 2 + behind
            f -= 1
        behind += 1
        values += widths[b] - 1
    rows, each = rows_of(cell, elements), 1 + limits.values
    refined = len(cell) * pairs * _ELEMENT * min(each, 2)
    packed = rows * behind * _BIT + planes * (rows / 64 * _WORD + _PLANE) * each
    masked = planes * (len(whole.suspect) * _WORD + _PLANE) * each
    if len(whole.suspect) and masked < min(packed, refined):
        return MASKED
    fits = (values + behind + limits.values) * (rows // 64 + 1) < MOST_WORDS
    return PACKED if fits and packed < refined else REFINED


@njit(cache=True, nogil=True)
def pack(cell: Array, begin: int, widths: Array, elements: Elements, values: int) -> Planes:
    """The planes of a cell, for columns from `begin` on. An element of weight 3 has three bits."""
    rows = rows_of(cell, elements)
    words, first = rows // 64 + 1 if rows else 0, np.zeros(len(widths) + 1, np.int64)
    for b in range(begin, len(widths)):
        first[b + 1] = first[b] + widths[b]
    bits, sensitive = np.zeros((first[-1], words), np.uint64), np.zeros((values, words), np.uint64)
    suspect, row, filled = np.zeros(words, np.uint64), np.empty(rows, np.int32), 0
    for i in range(len(cell)):
        row[filled : filled + elements.weight[cell[i]]] = cell[i]
        filled += elements.weight[cell[i]]
    for b in range(begin, len(widths)):
        nodes = elements.nodes[b]
        for at in range(rows):
            bits[first[b] + nodes[row[at]], at >> 6] |= np.uint64(1) << np.uint64(at & 63)
    for at in range(rows):
        bit = np.uint64(1) << np.uint64(at & 63)
        if elements.suspect[row[at]]:
            suspect[at >> 6] |= bit
        if values and elements.sensitive[row[at]] >= 0:
            sensitive[elements.sensitive[row[at]], at >> 6] |= bit
    return Planes(bits, first, sensitive, suspect)


@njit(cache=True, nogil=True)
def _intersect(one: Array, other: Array, found: Array) -> None:
    """Sets `found` to the rows of two planes. A loop: array arithmetic takes seconds to compile."""
    for w in range(len(one)):
        found[w] = one[w] & other[w]


@njit(cache=True, nogil=True)
def mask_of(walk: Walk, whole: Planes) -> Array:
    """uint64 [words]: the rows of the cell where a walk over a whole group stands."""
    mask: Array = whole.bits[whole.first[walk.column[0]] + walk.cell[0]].copy()
    for at in range(1, len(walk.column)):
        _intersect(mask, whole.bits[whole.first[walk.column[at]] + walk.cell[at]], mask)
    return mask


@njit(cache=True, nogil=True)
def _sizes(one: Array, others: Array, sizes: Array) -> None:
    """How many bits a plane shares with each of `others`, which part the rows: the last gets what is left."""
    left = _shared(one, one)
    for v in range(len(others) - 1):
        sizes[v] = _shared(one, others[v])
        left -= sizes[v]
    sizes[len(others) - 1] = left


@njit(cache=True, nogil=True)
def _large_enough(sizes: Array, limits: Limits, best: Array) -> bool:
    """Whether no cell is too small; keeps the smallest."""
    for v in range(len(sizes)):
        if sizes[v] > 0:
            best[0] = min(best[0], sizes[v])
    return bool(best[0] >= limits.support)


@njit(cache=True, nogil=True)
def _rare_enough(counts: Array, sizes: Array, limits: Limits, best: Array) -> bool:
    """Whether a sensitive value with these counts is not too frequent in any cell; keeps the largest share."""
    fine = True
    for v in range(len(sizes)):
        if counts[v] * best[2] > best[1] * sizes[v]:
            best[1], best[2] = counts[v], sizes[v]
        fine = fine and counts[v] * limits.under <= limits.over * sizes[v]
    return fine


@njit(cache=True, nogil=True)
def unsafe_in_planes(
    planes: Planes, mask: Array, firsts: Array, widths: Array, limits: Limits, best: Array, stop: Array
) -> Array:
    """Two columns, the first of them one of `firsts`, that make an unsafe cell of the rows in `mask`; empty where none
    do. best and stop are as for `scan`."""
    largest = largest_of(widths)
    sizes, counts = np.empty(largest, np.int64), np.empty(largest, np.int64)
    one, having, first = np.empty_like(mask), np.empty_like(planes.sensitive), planes.first
    for f in range(len(firsts)):
        a = firsts[f]
        for v in range(first[a], first[a + 1]):
            _intersect(planes.bits[v], mask, one)
            if stop[0] or _shared(one, planes.suspect) == 0:
                continue
            for s in range(limits.values):
                _intersect(one, planes.sensitive[s], having[s])
            for b in range(a + 1, len(widths)):
                others, width = planes.bits[first[b] : first[b + 1]], widths[b]
                _sizes(one, others, sizes)
                fine = _large_enough(sizes[:width], limits, best)
                for s in range(limits.values):
                    _sizes(having[s], others, counts)
                    fine = _rare_enough(counts[:width], sizes[:width], limits, best) and fine
                if not fine:
                    return np.array([a, b])
    return np.empty(0, np.int64)
