"""Refining classes: the kernels that find rows which lose less in a neighbouring class.

Entries are parts of classes: entry e holds `weight[e]` rows of unit `unit[e]`, and class c has the entries
`offsets[c]:offsets[c+1]`. The loss of a class is that of one of its rows, over all attributes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import part
from shoal.kernels.cutting import SET, Geometry, span_loss

# Of the entries with one combination of codes, so many are looked at to find the classes around it.
LOOKED_AT = 4

# A change is proposed if it lowers the loss by more than this, so that rounding never makes it go back and forth.
WORTH = 1e-9


class Summary(NamedTuple):
    """The codes of classes, and what they lose. A class is summarized when it is first asked for.

    known bool [c]; size int64 [c], in rows; low, high int32 [c, q]; base float64 [c, q], weighted; loss float64 [c].
    without float64 [e]: the loss of its class without each entry. tally int64 [largest size], zero between uses.
    """

    known: Array
    size: Array
    low: Array
    high: Array
    base: Array
    loss: Array
    without: Array
    tally: Array


@part
def _summary(classes: int, entries: int, g: Geometry) -> Summary:
    """Room for the summary of classes, none of which is known yet."""
    q, largest = len(g.size), 1
    for a in range(q):
        largest = max(largest, g.size[a])
    return Summary(
        np.zeros(classes, np.bool_),
        np.empty(classes, np.int64),
        np.empty((classes, q), np.int32),
        np.empty((classes, q), np.int32),
        np.empty((classes, q), np.float64),
        np.empty(classes, np.float64),
        np.empty(entries, np.float64),
        np.zeros(largest, np.int64),
    )


@part
def _summarize(codes: Array, unit: Array, weight: Array, offsets: Array, c: int, s: Summary, g: Geometry) -> None:
    """Fills in the summary of class c."""
    first, last, tally, without = offsets[c], offsets[c + 1], s.tally, s.without
    size, loss = 0, 0.0
    for e in range(first, last):
        size += weight[e]
        without[e] = 0.0
    for a in range(codes.shape[1]):
        least, second, most, second_most, kinds = 1 << 30, 1 << 30, -1, -1, 0
        for e in range(first, last):
            code = codes[unit[e], a]
            kinds += tally[code] == 0
            tally[code] += 1
            if code < least:
                least, second = code, least
            elif least < code < second:
                second = code
            if code > most:
                most, second_most = code, most
            elif second_most < code < most:
                second_most = code
        base = g.weight[a] * span_loss(g, a, least, most, kinds) if kinds > 1 else 0.0
        s.low[c, a], s.high[c, a], s.base[c, a] = least, most, base
        loss += base
        after_low, after_high, after_set = base, base, base
        if kinds > 1:  # without the only entry that has the least code, the most, or any
            if g.kind[a] == SET:
                after_set = g.weight[a] * span_loss(g, a, least, most, kinds - 1)
            else:
                after_low = g.weight[a] * span_loss(g, a, second, most, kinds - 1)
                after_high = g.weight[a] * span_loss(g, a, least, second_most, kinds - 1)
        for e in range(first, last):
            code = codes[unit[e], a]
            after = base
            if tally[code] == 1:
                after = after_set if g.kind[a] == SET else after_low if code == least else base
                if g.kind[a] != SET and code == most and code != least:
                    after = after_high
            without[e] += after
        for e in range(first, last):
            tally[codes[unit[e], a]] = 0
    s.known[c], s.size[c], s.loss[c] = True, size, loss


@njit(cache=True, nogil=True)
def losses(codes: Array, unit: Array, weight: Array, offsets: Array, g: Geometry) -> Array:
    """float64 [c]: the loss of all rows of each class; codes int32 [units, q]."""
    s = _summary(len(offsets) - 1, len(unit), g)
    lost = np.empty(len(offsets) - 1, np.float64)
    for c in range(len(lost)):
        _summarize(codes, unit, weight, offsets, c, s, g)
        lost[c] = s.loss[c] * s.size[c]
    return lost


@part
def _holds(codes: Array, unit: Array, first: int, last: int, a: int, code: int, left_out: int) -> bool:
    """Whether one of the entries first..last, except one, has a code."""
    for e in range(first, last):
        if codes[unit[e], a] == code and e != left_out:
            return True
    return False


@part
def _exchanged(codes: Array, unit: Array, offsets: Array, c: int, out: int, row: int, g: Geometry) -> float:
    """The loss of class c with one more unit, and without the entry `out`."""
    lost, first, last = 0.0, offsets[c], offsets[c + 1]
    for a in range(codes.shape[1]):
        low = high = codes[row, a]
        distinct = 1
        for e in range(first, last):
            if e == out:
                continue
            code = codes[unit[e], a]
            low, high = min(low, code), max(high, code)
            if g.kind[a] == SET and code != codes[row, a] and not _holds(codes, unit, first, e, a, code, out):
                distinct += 1
        lost += g.weight[a] * span_loss(g, a, low, high, distinct)
    return lost


@njit(cache=True, nogil=True)
def propose(
    codes: Array,
    block: Array,
    unit: Array,
    weight: Array,
    offsets: Array,
    class_of: Array,
    todo: Array,
    spot: Array,
    near: Array,
    by_spot: Array,
    spot_offsets: Array,
    floor: int,
    whole: bool,
    most: int,
    g: Geometry,
) -> tuple[Array, Array, Array, Array, Array]:
    """The change of each class in `todo` that lowers the total loss most.

    spot int64 [units]; near int32 [spots, n], the spots near each; by_spot int64 [e], the entries of each spot, from
    spot_offsets int64 [spots+1]. `whole`: entries are not divided. Up to `most` entries, classes also swap
    an entry without which they lose less.
    → gain float64, entry, other class, rows, and the entry that comes back or -1, int64 [todo]. No change: gain 0.
    The work is done in one function: calls with so many arrays would take longer than the work.
    """
    n, q = len(todo), codes.shape[1]
    gain, entry, other = np.zeros(n, np.float64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    rows, back = np.zeros(n, np.int64), np.zeros(n, np.int64)
    s = _summary(len(offsets) - 1, len(unit), g)
    known, sizes, low, high, base, loss, without = s.known, s.size, s.low, s.high, s.base, s.loss, s.without
    kind, column_weight, step = g.kind, g.weight, g.step
    seen, stamp = np.zeros(len(offsets) - 1, np.int64), 0
    for i in range(n):
        c = todo[i]
        if not known[c]:
            _summarize(codes, unit, weight, offsets, c, s, g)
        if loss[c] <= 0.0:
            continue
        best = WORTH
        swaps = offsets[c + 1] - offsets[c] <= most
        for e in range(offsets[c], offsets[c + 1]):
            stamp += 1
            seen[c] = stamp
            mine, moved = unit[e], weight[e]
            if sizes[c] - moved < floor and sizes[c] != moved:
                moved = 0 if whole else max(0, sizes[c] - floor)  # as many as the class can spare
            after = without[e] if moved == weight[e] else loss[c]
            saved = sizes[c] * loss[c] - (sizes[c] - moved) * after
            for j in range(near.shape[1]):
                at = near[spot[mine], j]
                if at < 0:
                    continue
                for k in range(spot_offsets[at], min(spot_offsets[at] + LOOKED_AT, spot_offsets[at + 1])):
                    d = class_of[by_spot[k]]
                    if seen[d] == stamp or block[unit[offsets[d]]] != block[mine]:
                        continue
                    seen[d] = stamp
                    if not known[d]:
                        _summarize(codes, unit, weight, offsets, d, s, g)
                    if moved > 0:
                        size = sizes[d] + moved
                        before = saved + sizes[d] * loss[d]
                        lost, bound = loss[d], (before - best) / size
                        for a in range(q):
                            if lost > bound:
                                break
                            code = codes[mine, a]
                            if kind[a] == SET:
                                held = False
                                for f in range(offsets[d], offsets[d + 1]):
                                    if codes[unit[f], a] == code:
                                        held = True
                                        break
                                if not held:
                                    lost += column_weight[a] * step[a]
                            elif code < low[d, a] or code > high[d, a]:
                                lost -= base[d, a]
                                lost += column_weight[a] * span_loss(
                                    g, a, min(low[d, a], code), max(high[d, a], code), 0
                                )
                        if before - size * lost > best:
                            best = before - size * lost
                            entry[i], other[i], rows[i], back[i] = e, d, moved, -1
                    if not swaps or without[e] >= loss[c] or offsets[d + 1] - offsets[d] > most:
                        continue
                    before = sizes[c] * loss[c] + sizes[d] * loss[d]
                    for f in range(offsets[d], offsets[d + 1]):
                        size, size_other = sizes[c] - weight[e] + weight[f], sizes[d] + weight[e] - weight[f]
                        least = size * without[e] + size_other * without[f]
                        if size < floor or size_other < floor or before - least <= best:
                            continue
                        lost = size * _exchanged(codes, unit, offsets, c, e, unit[f], g)
                        if before - lost - size_other * without[f] <= best:
                            continue
                        lost += size_other * _exchanged(codes, unit, offsets, d, f, mine, g)
                        if before - lost > best:
                            best = before - lost
                            entry[i], other[i], rows[i], back[i] = e, d, weight[e], f
        gain[i] = best if best > WORTH else 0.0
    return gain, entry, other, rows, back


@njit(cache=True, nogil=True)
def disjoint(order: Array, one: Array, other: Array, classes: int) -> Array:
    """bool [changes]: which changes are made: in `order`, unless one of their two classes is already in one."""
    chosen, used = np.zeros(len(order), np.bool_), np.zeros(classes, np.bool_)
    for i in order:
        if not used[one[i]] and not used[other[i]]:
            chosen[i] = used[one[i]] = used[other[i]] = True
    return chosen
