"""Counting combinations of released values: whether enough rows match every combination of a number of columns.

Two columns at a time are counted at the end of a walk over the matches of all others: element by element or, if that is
less work, with bit planes. All counts are integers, and the result does not depend on the order of columns or threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels.bit_planes import (
    MASKED,
    REFINED,
    Planes,
    cheapest,
    mask_of,
    pack,
    unsafe_in_planes,
    worth_packing,
)
from shoal.kernels.matching import (
    Elements,
    Limits,
    Walk,
    any_suspect,
    first_match,
    largest_of,
    new_walk,
    next_match,
    refine,
    rows_at,
)


class Scratch(NamedTuple):
    """Reused memory, all zero (or -1 for persons) between uses.

    Its sizes are that of the largest column, and that times the number of listed values.
    """

    sizes: Array
    counts: Array
    last: Array
    last_with: Array


class Room(NamedTuple):
    """Reused memory for counting two columns.

    `order` int64 [e] and `starts` int64 of the largest column are overwritten.
    """

    scratch: Scratch
    order: Array
    starts: Array


@njit(cache=True, nogil=True)
def new_scratch(elements: Elements, largest: int, values: int) -> Scratch:
    """Cleared memory for columns of up to `largest` values."""
    persons = len(elements.person) > 0
    return Scratch(
        np.zeros(largest, np.int64),
        np.zeros(largest * values, np.int64),
        np.full(largest if persons else 0, -1, np.int64),
        np.full(largest * values if persons else 0, -1, np.int64),
    )


@njit(cache=True, nogil=True)
def _count(rows: Array, b: int, elements: Elements, values: int, scratch: Scratch) -> None:
    """Counts the matches into which column b divides some elements."""
    for i in range(len(rows)):
        e = rows[i]
        v = elements.nodes[b, e]
        s = elements.sensitive[e] if values else -1
        if len(elements.person):
            p = elements.person[e]
            if scratch.last[v] != p:
                scratch.last[v] = p
                scratch.sizes[v] += 1
            if s >= 0 and scratch.last_with[v * values + s] != p:
                scratch.last_with[v * values + s] = p
                scratch.counts[v * values + s] += 1
        else:
            scratch.sizes[v] += elements.weight[e]
            if s >= 0:
                scratch.counts[v * values + s] += elements.weight[e]


@njit(cache=True, nogil=True)
def _judge_sizes(
    rows: Array, b: int, width: int, elements: Elements, limits: Limits, scratch: Scratch, best: Array
) -> bool:
    """Whether every counted match is large enough; keeps the smallest size, and clears the sizes."""
    large_enough = True
    if width <= len(rows):
        for v in range(width):
            size = scratch.sizes[v]
            if size > 0:
                best[0] = min(best[0], size)
                scratch.sizes[v] = 0
    else:
        for i in range(len(rows)):
            v = elements.nodes[b, rows[i]]
            size = scratch.sizes[v]
            if size > 0:
                best[0] = min(best[0], size)
                scratch.sizes[v] = 0
    if best[0] < limits.support:
        large_enough = False
    if len(elements.person):
        for i in range(len(rows)):
            scratch.last[elements.nodes[b, rows[i]]] = -1
    return large_enough


@njit(cache=True, nogil=True)
def _judge_shares(rows: Array, b: int, elements: Elements, limits: Limits, scratch: Scratch, best: Array) -> bool:
    """Whether no listed value is too frequent in a counted match; keeps the largest share, and clears the counts."""
    rare_enough = True
    for i in range(len(rows)):
        e = rows[i]
        s = elements.sensitive[e]
        if s < 0:
            continue
        v = elements.nodes[b, e]
        count, size = scratch.counts[v * limits.values + s], scratch.sizes[v]
        if count == 0:
            continue
        if count * best[2] > best[1] * size:
            best[1], best[2] = count, size
        rare_enough = rare_enough and count * limits.under <= limits.over * size
        scratch.counts[v * limits.values + s] = 0
        if len(elements.person):
            scratch.last_with[v * limits.values + s] = -1
    return rare_enough


@njit(cache=True, nogil=True)
def _judge_matches(
    rows: Array, b: int, width: int, elements: Elements, limits: Limits, scratch: Scratch, best: Array
) -> bool:
    """Whether all matches into which column b divides some elements are safe."""
    _count(rows, b, elements, limits.values, scratch)
    shares = limits.values == 0 or _judge_shares(rows, b, elements, limits, scratch, best)
    return _judge_sizes(rows, b, width, elements, limits, scratch, best) and shares


@njit(cache=True, nogil=True)
def _unsafe_column(
    rows: Array, begin: int, end: int, widths: Array, elements: Elements, limits: Limits, scratch: Scratch, best: Array
) -> int:
    """The first of the columns begin:end that divides some elements into an unsafe match; -1 if none does."""
    for b in range(begin, end):
        if not _judge_matches(rows, b, widths[b], elements, limits, scratch, best):
            return b
    return -1


@njit(cache=True, nogil=True)
def _unsafe_refined(
    match: Array, firsts: Array, widths: Array, elements: Elements, limits: Limits, room: Room, best: Array, stop: Array
) -> Array:
    """Two columns with an unsafe match among some elements, the first of them one of `firsts`; empty if none.

    It counts element by element.
    """
    for f in range(len(firsts)):
        a = firsts[f]
        refine(match, a, widths[a], elements.nodes, room.order, room.starts)
        for v in range(widths[a]):
            rows = room.order[room.starts[v] : room.starts[v + 1]]
            if stop[0] or len(rows) == 0 or not any_suspect(rows, elements.suspect):
                continue
            b = _unsafe_column(rows, a + 1, len(widths), widths, elements, limits, room.scratch, best)
            if b >= 0:
                return np.array([a, b])
    return np.empty(0, np.int64)


@njit(cache=True, nogil=True)
def _unsafe_pair(
    match: Array,
    walk: Walk,
    firsts: Array,
    widths: Array,
    elements: Elements,
    limits: Limits,
    room: Room,
    whole: Planes,
    best: Array,
    stop: Array,
) -> Array:
    """Two columns with an unsafe match among some elements, the first of them one of `firsts`; empty if none."""
    way = REFINED if len(elements.person) else cheapest(match, firsts, widths, elements, limits, whole)
    if way == REFINED:
        return _unsafe_refined(match, firsts, widths, elements, limits, room, best, stop)
    if way == MASKED:
        return unsafe_in_planes(whole, mask_of(walk, whole), firsts, widths, limits, best, stop)
    planes = pack(match, firsts[0], widths, elements, limits.values)
    all_rows = np.full_like(planes.suspect, ~np.uint64(0))
    return unsafe_in_planes(planes, all_rows, firsts, widths, limits, best, stop)


@njit(cache=True, nogil=True)
def _unsafe_set(
    rows: Array,
    first: int,
    walk: Walk,
    widths: Array,
    elements: Elements,
    limits: Limits,
    room: Room,
    whole: Planes,
    best: Array,
    stop: Array,
) -> Array:
    """A set of columns with an unsafe match among some elements, beginning with `first`; empty if none.

    It has as many columns as the walk, and two more.
    """
    columns = np.arange(len(widths))
    at = first_match(walk, first, rows, widths, elements.nodes, elements.suspect)
    while at >= 0 and not stop[0]:
        left = columns[walk.column[at] + 1 : -1]
        pair = _unsafe_pair(rows_at(walk, at), walk, left, widths, elements, limits, room, whole, best, stop)
        if len(pair):
            return np.append(walk.column, pair)
        at = next_match(walk, at, rows, widths, elements.nodes, elements.suspect)
    return np.empty(0, np.int64)


@njit(cache=True, nogil=True)
def _planes_of(rows: Array, chosen: int, widths: Array, elements: Elements, limits: Limits) -> Planes:
    """The planes of a whole group; none if they are not worth making."""
    if len(elements.person) or not worth_packing(rows, chosen, widths, elements, limits):
        rows = rows[:0]
    return pack(rows, np.int64(0), widths, elements, limits.values)  # type: ignore[arg-type]  # compiled once


@njit(cache=True, nogil=True)
def _unsafe_columns(
    rows: Array,
    chosen: int,
    firsts: Array,
    walk: Walk,
    widths: Array,
    elements: Elements,
    limits: Limits,
    room: Room,
    best: Array,
    stop: Array,
) -> Array:
    """A set of `chosen` columns with an unsafe match in a group, beginning with one of `firsts`; empty if none."""
    unsafe = np.empty(0, np.int64)
    whole = _planes_of(rows, chosen, widths, elements, limits)
    if chosen == 2:
        return _unsafe_pair(rows, walk, firsts, widths, elements, limits, room, whole, best, stop)
    for f in range(len(firsts)):
        if chosen > 2:
            unsafe = _unsafe_set(rows, firsts[f], walk, widths, elements, limits, room, whole, best, stop)
        elif _unsafe_column(rows, firsts[f], firsts[f] + 1, widths, elements, limits, room.scratch, best) >= 0:
            unsafe = firsts[f : f + 1].copy()
        if len(unsafe) or stop[0]:
            break
    return unsafe


@njit(cache=True, nogil=True)
def scan(
    elements: Elements,
    groups: Array,
    widths: Array,
    chosen: int,
    firsts: Array,
    limits: Limits,
    best: Array,
    stop: Array,
) -> Array:
    """The first set of `chosen` columns found to have an unsafe match in some group of elements; empty if none has.

    groups int64 [g+1]: offsets of the groups. widths int64 [columns]: the number of values of each column. firsts
    int64: the columns that may come first, so that the work can be divided. best int64 [3]: the smallest size, and the
    largest share as count and size, of the counted matches; updated in place. stop bool [1]: set by the first thread
    that finds an unsafe match; then all threads return.
    """
    largest = largest_of(widths)
    everything = np.arange(len(elements.weight))
    room = Room(
        new_scratch(elements, largest, limits.values), np.empty_like(everything), np.empty(largest + 1, np.int64)
    )
    walk = new_walk(elements.weight, largest, max(chosen - 2, 0), 2)
    for g in range(len(groups) - 1):
        rows = everything[groups[g] : groups[g + 1]]
        if len(rows) and any_suspect(rows, elements.suspect):
            unsafe = _unsafe_columns(rows, chosen, firsts, walk, widths, elements, limits, room, best, stop)
            if len(unsafe):
                stop[0] = True
            if stop[0]:
                return unsafe
    return np.empty(0, np.int64)


@njit(cache=True, nogil=True)
def _flag_shares(
    flags: Array, sizes: Array, class_of: Array, weight: Array, sensitive: Array, values: int, over: int, under: int
) -> None:
    """Sets flags bool [classes] where a listed value has a share above over/under."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    for e in range(len(class_of)):
        starts[class_of[e] + 1] += 1
    for c in range(len(sizes)):
        starts[c + 1] += starts[c]
    order, place = np.empty(len(class_of), np.int64), starts[:-1].copy()
    for e in range(len(class_of)):
        order[place[class_of[e]]] = e
        place[class_of[e]] += 1
    tally = np.zeros(values, np.int64)
    for c in range(len(sizes)):
        members = order[starts[c] : starts[c + 1]]
        for i in range(len(members)):
            s = sensitive[members[i]]
            if s >= 0:
                tally[s] += weight[members[i]]
                flags[c] = flags[c] or tally[s] * under > over * sizes[c]
        for i in range(len(members)):
            if sensitive[members[i]] >= 0:
                tally[sensitive[members[i]]] = 0


@njit(cache=True, nogil=True)
def suspects(
    class_of: Array, classes: int, weight: Array, sensitive: Array, values: int, support: int, over: int, under: int
) -> Array:
    """bool [e]: whether an element's class is smaller than `support`, or has too large a share of a listed value.

    class_of int32 [e], weight int64 [e], sensitive int32 [e] below `values` or -1. A share is too large above
    over/under.
    """
    sizes, flags, suspect = np.zeros(classes, np.int64), np.zeros(classes, np.bool_), np.empty(len(class_of), np.bool_)
    for e in range(len(class_of)):
        sizes[class_of[e]] += weight[e]
    for c in range(classes):
        flags[c] = sizes[c] < support
    if values:
        _flag_shares(flags, sizes, class_of, weight, sensitive, values, over, under)
    for e in range(len(class_of)):
        suspect[e] = flags[class_of[e]]
    return suspect
