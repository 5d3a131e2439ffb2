"""Counting combinations of released values: whether every cell of so many columns is frequent enough.

Two columns at a time are counted at the end of a walk over the cells of all others, element after element or, where
that is less work, with bit planes. All counts are whole numbers; nothing here depends on the order in which columns or
threads are served.
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
    first_cell,
    largest_of,
    new_walk,
    next_cell,
    refine,
    rows_at,
)


class Scratch(NamedTuple):
    """Reused memory, all zero (or -1 for persons) between uses: of the largest column, and of it times the values."""

    sizes: Array
    counts: Array
    last: Array
    last_with: Array


class Room(NamedTuple):
    """Reused memory to count two columns in: `order` int64 [e] and `starts` int64 of the largest column are
    overwritten."""

    scratch: Scratch
    order: Array
    starts: Array


@njit(cache=True, nogil=True)
def new_scratch(elements: Elements, largest: int, values: int) -> Scratch:
    persons = len(elements.person) > 0
    return Scratch(
        np.zeros(largest, np.int64),
        np.zeros(largest * values, np.int64),
        np.full(largest if persons else 0, -1, np.int64),
        np.full(largest * values if persons else 0, -1, np.int64),
    )


@njit(cache=True, nogil=True)
def _count(rows: Array, b: int, elements: Elements, values: int, scratch: Scratch) -> None:
    """Adds up the cells that column b makes of a group."""
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
    """Whether every counted cell is large enough; keeps the smallest, and clears the sizes."""
    fine = True
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
        fine = False
    if len(elements.person):
        for i in range(len(rows)):
            scratch.last[elements.nodes[b, rows[i]]] = -1
    return fine


@njit(cache=True, nogil=True)
def _judge_shares(rows: Array, b: int, elements: Elements, limits: Limits, scratch: Scratch, best: Array) -> bool:
    """Whether no listed value is too frequent in a counted cell; keeps the largest share, and clears the counts."""
    fine = True
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
        fine = fine and count * limits.under <= limits.over * size
        scratch.counts[v * limits.values + s] = 0
        if len(elements.person):
            scratch.last_with[v * limits.values + s] = -1
    return fine


@njit(cache=True, nogil=True)
def _judge_cells(
    rows: Array, b: int, width: int, elements: Elements, limits: Limits, scratch: Scratch, best: Array
) -> bool:
    _count(rows, b, elements, limits.values, scratch)
    shares = limits.values == 0 or _judge_shares(rows, b, elements, limits, scratch, best)
    return _judge_sizes(rows, b, width, elements, limits, scratch, best) and shares


@njit(cache=True, nogil=True)
def _unsafe_column(
    rows: Array, begin: int, end: int, widths: Array, elements: Elements, limits: Limits, scratch: Scratch, best: Array
) -> int:
    """The first of the columns begin:end that makes an unsafe cell of a group, -1 where none does."""
    for b in range(begin, end):
        if not _judge_cells(rows, b, widths[b], elements, limits, scratch, best):
            return b
    return -1


@njit(cache=True, nogil=True)
def _unsafe_refined(
    cell: Array, firsts: Array, widths: Array, elements: Elements, limits: Limits, room: Room, best: Array, stop: Array
) -> Array:
    """Two columns, the first of them one of `firsts`, that make an unsafe cell of a group; empty where none do.

    Counts element after element.
    """
    for f in range(len(firsts)):
        a = firsts[f]
        refine(cell, a, widths[a], elements.nodes, room.order, room.starts)
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
    cell: Array,
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
    """Two columns, the first of them one of `firsts`, that make an unsafe cell of a group; empty where none do."""
    way = REFINED if len(elements.person) else cheapest(cell, firsts, widths, elements, limits, whole)
    if way == REFINED:
        return _unsafe_refined(cell, firsts, widths, elements, limits, room, best, stop)
    if way == MASKED:
        return unsafe_in_planes(whole, mask_of(walk, whole), firsts, widths, limits, best, stop)
    planes = pack(cell, firsts[0], widths, elements, limits.values)
    everyone = np.full_like(planes.suspect, ~np.uint64(0))
    return unsafe_in_planes(planes, everyone, firsts, widths, limits, best, stop)


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
    """A set of columns, as many as the walk has and two more, that begins with `first` and makes an unsafe cell of a
    group; empty where none does."""
    columns = np.arange(len(widths))
    at = first_cell(walk, first, rows, widths, elements.nodes, elements.suspect)
    while at >= 0 and not stop[0]:
        left = columns[walk.column[at] + 1 : -1]
        pair = _unsafe_pair(rows_at(walk, at), walk, left, widths, elements, limits, room, whole, best, stop)
        if len(pair):
            return np.append(walk.column, pair)
        at = next_cell(walk, at, rows, widths, elements.nodes, elements.suspect)
    return np.empty(0, np.int64)


@njit(cache=True, nogil=True)
def _planes_of(rows: Array, chosen: int, widths: Array, elements: Elements, limits: Limits) -> Planes:
    """The planes of a whole group; none where they are not worth making."""
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
    """A set of `chosen` columns that begins with one of `firsts` and makes an unsafe cell of a group; empty where none
    does."""
    found = np.empty(0, np.int64)
    whole = _planes_of(rows, chosen, widths, elements, limits)
    if chosen == 2:
        return _unsafe_pair(rows, walk, firsts, widths, elements, limits, room, whole, best, stop)
    for f in range(len(firsts)):
        if chosen > 2:
            found = _unsafe_set(rows, firsts[f], walk, widths, elements, limits, room, whole, best, stop)
        elif _unsafe_column(rows, firsts[f], firsts[f] + 1, widths, elements, limits, room.scratch, best) >= 0:
            found = firsts[f : f + 1].copy()
        if len(found) or stop[0]:
            break
    return found


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
    """The first set of `chosen` columns found to have an unsafe cell in some group of elements; empty if none has.

    groups int64 [g+1]: offsets of the groups. widths int64 [columns]: how many values each column has. firsts int64:
    which columns may come first, so that the work can be shared out. best int64 [3]: the smallest size, and the largest
    share as count and size, of the cells looked at; improved in place. stop bool [1]: set as soon as a cell is not
    safe, by whoever finds it, and then everybody returns.
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
            found = _unsafe_columns(rows, chosen, firsts, walk, widths, elements, limits, room, best, stop)
            if len(found):
                stop[0] = True
            if stop[0]:
                return found
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
    """bool [e]: whether an element's class is smaller than `support` or has a listed value at a share above over/under.

    class_of int32 [e], weight int64 [e], sensitive int32 [e] below `values` or -1.
    """
    sizes, flags, found = np.zeros(classes, np.int64), np.zeros(classes, np.bool_), np.empty(len(class_of), np.bool_)
    for e in range(len(class_of)):
        sizes[class_of[e]] += weight[e]
    for c in range(classes):
        flags[c] = sizes[c] < support
    if values:
        _flag_shares(flags, sizes, class_of, weight, sensitive, values, over, under)
    for e in range(len(class_of)):
        found[e] = flags[class_of[e]]
    return found
