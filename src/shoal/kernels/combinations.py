"""Counting combinations of released values over sets of columns, and finding cuts that keep them frequent.

Columns are chosen in ascending order, one after the other, and the elements are refined into cells by each. Work is
shared by all sets of columns that begin alike, and no table of counts is larger than a column's number of values.
All counts are whole numbers; nothing here depends on the order in which columns or threads are served.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


class Elements(NamedTuple):
    """What is counted: rows that are alike in everything that matters here, with a weight.

    `nodes` int32 [e, columns]: the value of each column. `weight` int64 [e]. `sensitive` int32 [e]: which listed
    sensitive value it has, -1 for none. `person` int32 [e], or empty where rows are counted: then elements of a group
    stand sorted by person. `suspect` bool [e]: a cell without suspects is known to be safe, and is not looked at.
    """

    nodes: Array
    weight: Array
    sensitive: Array
    person: Array
    suspect: Array


class Limits(NamedTuple):
    """At least `support` in every cell; of every listed value at most a share of over / under."""

    support: int
    over: int
    under: int
    values: int
    """How many sensitive values are listed; 0 where shares do not matter."""


class Scratch(NamedTuple):
    """Reused memory, all zero (or -1 for persons) between uses: of the largest column, and of it times the values."""

    sizes: Array
    counts: Array
    last: Array
    last_with: Array
    order: Array
    starts: Array


@njit(cache=True, nogil=True)
def _scratch(elements: Elements, largest: int, values: int, depth: int) -> Scratch:
    persons = len(elements.person) > 0
    return Scratch(
        np.zeros(largest, np.int64),
        np.zeros(largest * values, np.int64),
        np.full(largest if persons else 0, -1, np.int64),
        np.full(largest * values if persons else 0, -1, np.int64),
        np.empty((depth, len(elements.weight)), np.int64),
        np.empty((depth, largest + 1), np.int64),
    )


@njit(cache=True, nogil=True)
def _count(rows: Array, b: int, elements: Elements, values: int, scratch: Scratch) -> None:
    """Adds up the cells that column b makes of a group."""
    for i in range(len(rows)):
        e = rows[i]
        v = elements.nodes[e, b]
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
            v = elements.nodes[rows[i], b]
            size = scratch.sizes[v]
            if size > 0:
                best[0] = min(best[0], size)
                scratch.sizes[v] = 0
    if best[0] < limits.support:
        fine = False
    if len(elements.person):
        for i in range(len(rows)):
            scratch.last[elements.nodes[rows[i], b]] = -1
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
        v = elements.nodes[e, b]
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
def _refine(rows: Array, b: int, width: int, nodes: Array, order: Array, starts: Array) -> None:
    """Sorts a group by column b into `order`, keeping ties as they stand; cell v is order[starts[v]:starts[v+1]]."""
    starts[: width + 1] = 0
    for i in range(len(rows)):
        starts[nodes[rows[i], b] + 1] += 1
    for v in range(width):
        starts[v + 1] += starts[v]
    for i in range(len(rows)):
        v = nodes[rows[i], b]
        order[starts[v]] = rows[i]
        starts[v] += 1
    for v in range(width, 0, -1):
        starts[v] = starts[v - 1]
    starts[0] = 0


@njit(cache=True, nogil=True)
def _any_suspect(rows: Array, suspect: Array) -> bool:
    for i in range(len(rows)):
        if suspect[rows[i]]:
            return True
    return False


@njit(cache=True, nogil=True)
def _scan_group(
    rows: Array,
    begin: int,
    end: int,
    left: int,
    widths: Array,
    elements: Elements,
    limits: Limits,
    scratch: Scratch,
    best: Array,
    stop: Array,
) -> bool:
    """Whether every cell that `left` more columns make of a group is safe; the next column is one of begin:end."""
    if left == 1:
        for b in range(begin, end):
            if not _judge_cells(rows, b, widths[b], elements, limits, scratch, best):
                return False
        return True
    for b in range(begin, end):
        order, starts = scratch.order[left - 2], scratch.starts[left - 2]
        _refine(rows, b, widths[b], elements.nodes, order, starts)
        for v in range(widths[b]):
            cell = order[starts[v] : starts[v + 1]]
            if len(cell) == 0 or not _any_suspect(cell, elements.suspect):
                continue
            if stop[0]:
                return False
            last = len(widths) - left + 2
            if not _scan_group(cell, b + 1, last, left - 1, widths, elements, limits, scratch, best, stop):
                return False
    return True


@njit(cache=True, nogil=True)
def scan(
    elements: Elements, groups: Array, widths: Array, chosen: int, firsts: Array, limits: Limits, best: Array, stop: Array
) -> bool:
    """Whether every cell of `chosen` columns, within each group of elements, is safe.

    groups int64 [g+1]: offsets of the groups. widths int64 [columns]: how many values each column has. firsts int64:
    which columns may come first, so that the work can be shared out. best int64 [3]: the smallest size, and the largest
    share as count and size, of the cells looked at; improved in place. stop bool [1]: set as soon as a cell is not
    safe, by whoever finds it, and then everybody returns.
    """
    largest = 1
    for b in range(len(widths)):
        largest = max(largest, widths[b])
    scratch = _scratch(elements, largest, limits.values, max(chosen - 1, 1))
    everything = np.arange(len(elements.weight))
    for g in range(len(groups) - 1):
        rows = everything[groups[g] : groups[g + 1]]
        if len(rows) == 0 or not _any_suspect(rows, elements.suspect):
            continue
        for f in range(len(firsts)):
            if stop[0]:
                return False
            fine = _scan_group(
                rows, firsts[f], firsts[f] + 1, chosen, widths, elements, limits, scratch, best, stop
            )
            if not fine:
                stop[0] = True
                return False
    return True


@njit(cache=True, nogil=True)
def suspects(
    class_of: Array, classes: int, weight: Array, sensitive: Array, values: int, support: int, over: int, under: int
) -> Array:
    """bool [e]: whether an element's class is smaller than `support` or has a listed value at a share above over/under.

    class_of int32 [e], weight int64 [e], sensitive int32 [e] below `values` or -1.
    """
    starts = np.zeros(classes + 1, np.int64)
    for e in range(len(class_of)):
        starts[class_of[e] + 1] += 1
    for c in range(classes):
        starts[c + 1] += starts[c]
    order, place = np.empty(len(class_of), np.int64), starts[:-1].copy()
    for e in range(len(class_of)):
        order[place[class_of[e]]] = e
        place[class_of[e]] += 1
    found, tally = np.zeros(len(class_of), np.bool_), np.zeros(values, np.int64)
    for c in range(classes):
        members = order[starts[c] : starts[c + 1]]
        size = weight[members].sum()
        suspect = size < support
        if values and not suspect:
            for i in range(len(members)):
                s = sensitive[members[i]]
                if s >= 0:
                    tally[s] += weight[members[i]]
                    suspect = suspect or tally[s] * under > over * size
            for i in range(len(members)):
                if sensitive[members[i]] >= 0:
                    tally[sensitive[members[i]]] = 0
        if suspect:
            found[members] = True
    return found


# -- cuts -----------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _bad(v: int, s: int, was: bool, limits: Limits, scratch: Scratch) -> bool:
    """Whether the part of cell v counted so far is unsafe, after an element with value s was added."""
    size = scratch.sizes[v]
    if size < limits.support:
        return True
    if limits.values == 0:
        return False
    if not was:  # then only the value that was added can have become too frequent
        return s >= 0 and scratch.counts[v * limits.values + s] * limits.under > limits.over * size
    for each in range(limits.values):
        if scratch.counts[v * limits.values + each] * limits.under > limits.over * size:
            return True
    return False


@njit(cache=True, nogil=True)
def _sweep_side(
    rows: Array,
    b: int,
    elements: Elements,
    place: Array,
    backwards: bool,
    limits: Limits,
    scratch: Scratch,
    since: Array,
    unsafe: Array,
    closed: Array,
) -> None:
    """Adds a group's elements in order of their place and closes the cuts after which a growing cell is unsafe.

    Cut p lies after place p. closed int64: differences of how many cells are unsafe at each cut.
    """
    for j in range(len(rows)):
        e = rows[len(rows) - 1 - j] if backwards else rows[j]
        v, s, at = elements.nodes[e, b], elements.sensitive[e], place[e]
        if scratch.sizes[v] > 0 and unsafe[v] and since[v] != at:
            # The part counted so far lies on its own side for every cut between the last element and this one.
            if backwards:
                closed[at] += 1
                closed[since[v]] -= 1
            else:
                closed[since[v]] += 1
                closed[at] -= 1
        scratch.sizes[v] += elements.weight[e]
        if limits.values and s >= 0:
            scratch.counts[v * limits.values + s] += elements.weight[e]
        unsafe[v] = _bad(v, s, unsafe[v], limits, scratch)
        since[v] = at
    for j in range(len(rows)):
        e = rows[j]
        v = elements.nodes[e, b]
        scratch.sizes[v], unsafe[v] = 0, False
        if limits.values and elements.sensitive[e] >= 0:
            scratch.counts[v * limits.values + elements.sensitive[e]] = 0


@njit(cache=True, nogil=True)
def _sweep_group(
    rows: Array,
    begin: int,
    left: int,
    widths: Array,
    elements: Elements,
    place: Array,
    limits: Limits,
    scratch: Scratch,
    since: Array,
    unsafe: Array,
    closed: Array,
) -> None:
    for b in range(begin, len(widths) - left + 1):
        if left == 1:
            for backwards in (False, True):
                _sweep_side(rows, b, elements, place, backwards, limits, scratch, since, unsafe, closed)
            continue
        order, starts = scratch.order[left - 2], scratch.starts[left - 2]
        _refine(rows, b, widths[b], elements.nodes, order, starts)
        for v in range(widths[b]):
            cell = order[starts[v] : starts[v + 1]]
            if len(cell):
                _sweep_group(
                    cell, b + 1, left - 1, widths, elements, place, limits, scratch, since, unsafe, closed
                )


@njit(cache=True, nogil=True)
def open_cuts(elements: Elements, place: Array, places: int, widths: Array, chosen: int, limits: Limits) -> Array:
    """bool [places - 1]: after which places the elements may be cut in two so that every cell of `chosen` more columns
    is safe on both sides. place int64 [e], ascending: where each element lies. It needs the uncut cells to be safe.
    """
    largest = 1
    for b in range(len(widths)):
        largest = max(largest, widths[b])
    scratch = _scratch(elements, largest, limits.values, max(chosen - 1, 1))
    since, unsafe = np.zeros(largest, np.int64), np.zeros(largest, np.bool_)
    closed = np.zeros(places + 1, np.int64)
    everything = np.arange(len(elements.weight))
    _sweep_group(everything, 0, chosen, widths, elements, place, limits, scratch, since, unsafe, closed)
    return np.cumsum(closed)[: places - 1] == 0
