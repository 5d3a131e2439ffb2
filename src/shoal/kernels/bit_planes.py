"""Bit planes: one bit per row for every value of every column.

The rows that two values share are counted one 64-bit word at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from shoal.arrays import Array
from shoal.kernels.matching import Elements, Limits, Walk, largest_of

# Measured, in nanoseconds: they decide only how to count, and never change a count.
_WORD, _PLANE, _BIT, _ELEMENT = 0.25, 3.0, 1.6, 1.3
_FEW = 64
MOST_WORDS = 1 << 24
"""The most memory for planes, in words."""
REFINED, PACKED, MASKED = 0, 1, 2


def _ones_code(_: Any, word: Any) -> Any:
    return types.int64(types.uint64), lambda context, builder, signature, words: builder.ctpop(words[0])


_ones: Any = intrinsic(_ones_code)
"""The number of set bits in a 64-bit word, signed: in numba, a signed plus an unsigned integer is a double."""


@njit(cache=True, nogil=True)
def _shared(one: Array, other: Array) -> int:
    """The number of bits that two planes have in common."""
    ones = np.int64(0)
    for w in range(len(one)):
        ones += _ones(one[w] & other[w])
    return int(ones)


class Planes(NamedTuple):
    """The bits of some rows. Without rows there are no planes.

    `bits` uint64 [planes, words]. `first` int64 [columns + 1]: the first plane of every column. `sensitive` uint64
    [values, words]. `suspect` uint64 [words].
    """

    bits: Array
    first: Array
    sensitive: Array
    suspect: Array


@njit(cache=True, nogil=True)
def rows_of(match: Array, elements: Elements) -> int:
    """The number of rows that the elements of a match stand for."""
    rows = np.int64(0)
    for i in range(len(match)):
        rows += elements.weight[match[i]]
    return int(rows)


@njit(cache=True, nogil=True)
def worth_packing(match: Array, chosen: int, widths: Array, elements: Elements, limits: Limits) -> bool:
    """Whether packing a whole group takes a small part of the time that counting it element by element takes.

    The planes serve to count all matches of more than two columns.
    """
    if chosen <= 2:
        return False
    sets, rows = 1.0, rows_of(match, elements)
    for b in range(chosen):
        sets *= (len(widths) - b) / (b + 1)
    fits = (widths.sum() + limits.values) * (rows // 64 + 1) < MOST_WORDS
    return bool(fits and 4 * rows * len(widths) * _BIT < len(match) * sets * _ELEMENT)


@njit(cache=True, nogil=True)
def cheapest(match: Array, firsts: Array, widths: Array, elements: Elements, limits: Limits, whole: Planes) -> int:
    """The fastest way to count all pairs of columns whose first column is one of `firsts`.

    REFINED: element by element. PACKED: with planes of the match. MASKED: with the planes of the whole group.
    """
    if len(firsts) == 0 or len(match) < _FEW:
        return REFINED
    pairs, planes = 0, 0  # pairs of columns, and pairs of planes to compare for them
    f, behind, values = len(firsts) - 1, 0, 0  # columns after the first, and their values less one each
    for b in range(len(widths) - 1, firsts[0] - 1, -1):
        if f >= 0 and firsts[f] == b:
            planes += widths[b] * values
            pairs += 2 + behind
            f -= 1
        behind += 1
        values += widths[b] - 1
    rows, counts_each = rows_of(match, elements), 1 + limits.values
    refined = len(match) * pairs * _ELEMENT * min(counts_each, 2)
    packed = rows * behind * _BIT + planes * (rows / 64 * _WORD + _PLANE) * counts_each
    masked = planes * (len(whole.suspect) * _WORD + _PLANE) * counts_each
    if len(whole.suspect) and masked < min(packed, refined):
        return MASKED
    fits = (values + behind + limits.values) * (rows // 64 + 1) < MOST_WORDS
    return PACKED if fits and packed < refined else REFINED


@njit(cache=True, nogil=True)
def pack(match: Array, begin: int, widths: Array, elements: Elements, values: int) -> Planes:
    """The planes of a match, for columns from `begin` on. An element of weight 3 has three bits."""
    rows = rows_of(match, elements)
    words, first = rows // 64 + 1 if rows else 0, np.zeros(len(widths) + 1, np.int64)
    for b in range(begin, len(widths)):
        first[b + 1] = first[b] + widths[b]
    bits, sensitive = np.zeros((first[-1], words), np.uint64), np.zeros((values, words), np.uint64)
    suspect, row, filled = np.zeros(words, np.uint64), np.empty(rows, np.int32), 0
    for i in range(len(match)):
        row[filled : filled + elements.weight[match[i]]] = match[i]
        filled += elements.weight[match[i]]
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
def _intersect(one: Array, other: Array, common: Array) -> None:
    """Sets `common` to the rows that two planes share.

    It is a loop, because array arithmetic takes seconds to compile.
    """
    for w in range(len(one)):
        common[w] = one[w] & other[w]


@njit(cache=True, nogil=True)
def mask_of(walk: Walk, whole: Planes) -> Array:
    """uint64 [words]: the rows of the match at the position of a walk over a whole group."""
    mask: Array = whole.bits[whole.first[walk.column[0]] + walk.value[0]].copy()
    for at in range(1, len(walk.column)):
        _intersect(mask, whole.bits[whole.first[walk.column[at]] + walk.value[at]], mask)
    return mask


@njit(cache=True, nogil=True)
def _sizes(one: Array, others: Array, sizes: Array) -> None:
    """Sets sizes to the number of bits that a plane shares with each of `others`.

    The others divide the rows among them, so the last one gets the rest.
    """
    left = _shared(one, one)
    for v in range(len(others) - 1):
        sizes[v] = _shared(one, others[v])
        left -= sizes[v]
    sizes[len(others) - 1] = left


@njit(cache=True, nogil=True)
def _large_enough(sizes: Array, limits: Limits, best: Array) -> bool:
    """Whether no match is too small; keeps the smallest size."""
    for v in range(len(sizes)):
        if sizes[v] > 0:
            best[0] = min(best[0], sizes[v])
    return bool(best[0] >= limits.support)


@njit(cache=True, nogil=True)
def _rare_enough(counts: Array, sizes: Array, limits: Limits, best: Array) -> bool:
    """Whether no match has too large a share of a sensitive value with these counts; keeps the largest share."""
    rare = True
    for v in range(len(sizes)):
        if counts[v] * best[2] > best[1] * sizes[v]:
            best[1], best[2] = counts[v], sizes[v]
        rare = rare and counts[v] * limits.under <= limits.over * sizes[v]
    return rare


@njit(cache=True, nogil=True)
def unsafe_in_planes(
    planes: Planes, mask: Array, firsts: Array, widths: Array, limits: Limits, best: Array, stop: Array
) -> Array:
    """Two columns with an unsafe match among the rows in `mask`, the first of them one of `firsts`; empty if none.

    best and stop are as in `scan`.
    """
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
                safe = _large_enough(sizes[:width], limits, best)
                for s in range(limits.values):
                    _sizes(having[s], others, counts)
                    safe = _rare_enough(counts[:width], sizes[:width], limits, best) and safe
                if not safe:
                    return np.array([a, b])
    return np.empty(0, np.int64)
