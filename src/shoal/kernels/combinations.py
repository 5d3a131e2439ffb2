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

    `nodes` int32 [columns, e]: the value of each column. `weight` int64 [e]. `sensitive` int32 [e]: which listed
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


class Walk(NamedTuple):
    """Where a walk over the cells of `depth` columns stands. Numba loses track of arrays in recursive functions, so
    the columns chosen so far, the cell of each, and the slice of the cells before that it refines are kept here."""

    column: Array
    cell: Array
    begin: Array
    end: Array
    order: Array
    starts: Array


@njit(cache=True, nogil=True)
def _scratch(elements: Elements, largest: int, values: int) -> Scratch:
    persons = len(elements.person) > 0
    return Scratch(
        np.zeros(largest, np.int64),
        np.zeros(largest * values, np.int64),
        np.full(largest if persons else 0, -1, np.int64),
        np.full(largest * values if persons else 0, -1, np.int64),
    )


@njit(cache=True, nogil=True)
def _walk(counted: Array, largest: int, depth: int) -> Walk:
    """A walk over as many elements as `counted` has."""
    return Walk(
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
        np.empty((depth, len(counted)), np.int64),
        np.empty((depth, largest + 1), np.int64),
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
def _refine(rows: Array, b: int, width: int, nodes: Array, order: Array, starts: Array) -> None:
    """Sorts a group by column b into `order`, keeping ties as they stand; cell v is order[starts[v]:starts[v+1]]."""
    starts[: width + 1] = 0
    for i in range(len(rows)):
        starts[nodes[b, rows[i]] + 1] += 1
    for v in range(width):
        starts[v + 1] += starts[v]
    for i in range(len(rows)):
        v = nodes[b, rows[i]]
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
def _start(walk: Walk, first: int, begin: int, end: int) -> None:
    """Sets a walk before the first cell of the elements begin:end whose first column is `first`."""
    walk.column[0], walk.cell[0], walk.begin[0], walk.end[0] = first - 1, -1, begin, end


@njit(cache=True, nogil=True)
def _next(walk: Walk, at: int, everything: Array, widths: Array, nodes: Array, suspect: Array) -> int:
    """Moves a walk, now in column number `at`, to its next cell with a suspect. → where in the sequence of columns it
    then stands, -1 at the end; the cell is walk.order[at, starts[cell]:starts[cell+1]]. Only the first column stays.
    """
    depth, columns = len(walk.column), len(widths)
    while at >= 0:
        b = walk.column[at]
        walk.cell[at] += 1
        if walk.cell[at] == 0 or walk.cell[at] >= widths[b]:  # before the first, or behind the last cell of a column
            if at == 0 and walk.cell[0] > 0:
                return -1
            b += 1
            if b > columns - (depth + 1 - at):  # another column has to follow the last one of the walk
                at -= 1
                continue
            walk.column[at], walk.cell[at] = b, 0
            rows = everything if at == 0 else walk.order[at - 1]
            source = rows[walk.begin[at] : walk.end[at]]
            _refine(source, b, widths[b], nodes, walk.order[at], walk.starts[at])
        begin, end = walk.starts[at, walk.cell[at]], walk.starts[at, walk.cell[at] + 1]
        if begin == end or not _any_suspect(walk.order[at, begin:end], suspect):
            continue
        if at == depth - 1:
            return at
        at += 1
        walk.column[at], walk.cell[at], walk.begin[at], walk.end[at] = b, -1, begin, end
    return -1


@njit(cache=True, nogil=True)
def _largest(widths: Array) -> int:
    largest = 1
    for b in range(len(widths)):
        largest = max(largest, widths[b])
    return largest


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
    scratch = _scratch(elements, _largest(widths), limits.values)
    walk = _walk(elements.weight, _largest(widths), chosen - 1)
    everything = np.arange(len(elements.weight))
    for g in range(len(groups) - 1):
        rows = everything[groups[g] : groups[g + 1]]
        if len(rows) == 0 or not _any_suspect(rows, elements.suspect):
            continue
        for f in range(len(firsts)):
            at, cell, begin, end = 0, rows, firsts[f], firsts[f] + 1
            if chosen > 1:
                _start(walk, firsts[f], groups[g], groups[g + 1])
                at = _next(walk, 0, everything, widths, elements.nodes, elements.suspect)
            while at >= 0:
                if stop[0]:
                    return np.empty(0, np.int64)
                if chosen > 1:
                    cell = walk.order[at, walk.starts[at, walk.cell[at]] : walk.starts[at, walk.cell[at] + 1]]
                    begin, end = walk.column[at] + 1, len(widths)
                b = _unsafe_column(cell, begin, end, widths, elements, limits, scratch, best)
                if b >= 0:
                    stop[0] = True
                    return np.append(walk.column, b)
                at = _next(walk, at, everything, widths, elements.nodes, elements.suspect) if chosen > 1 else -1
    return np.empty(0, np.int64)


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
        v, s, at = elements.nodes[b, e], elements.sensitive[e], place[e]
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
        v = elements.nodes[b, e]
        scratch.sizes[v], unsafe[v] = 0, False
        if limits.values and elements.sensitive[e] >= 0:
            scratch.counts[v * limits.values + elements.sensitive[e]] = 0


@njit(cache=True, nogil=True)
def _close(closed: Array, unsafe_cells: Array) -> bool:
    """Closes the cuts at which some cell is unsafe; whether all are closed now."""
    running, every = np.int64(0), True
    for p in range(len(closed)):
        running += unsafe_cells[p]
        if running > 0:
            closed[p] = True
        every = every and closed[p]
    return every


class Members(NamedTuple):
    """The elements behind each group member, by ascending place: those of m are ids[starts[m]:starts[m+1]].

    place int64, weight int64, sensitive int32 of every element.
    """

    starts: Array
    ids: Array
    place: Array
    weight: Array
    sensitive: Array


@njit(cache=True, nogil=True)
def _close_cell(ids: Array, members: Members, backwards: bool, limits: Limits, counts: Array, cells: Array) -> None:
    """Adds to the differences `cells` where the part of one cell before (or behind) a cut is unsafe."""
    size, since, unsafe = np.int64(0), np.int64(0), False
    for j in range(len(ids)):
        e = ids[len(ids) - 1 - j] if backwards else ids[j]
        at = members.place[e]
        if size > 0 and unsafe and since != at:
            cells[min(at, since)] += 1
            cells[max(at, since)] -= 1
        size += members.weight[e]
        unsafe = size < limits.support
        if limits.values:
            if members.sensitive[e] >= 0:
                counts[members.sensitive[e]] += members.weight[e]
            for s in range(limits.values):
                unsafe = unsafe or counts[s] * limits.under > limits.over * size
        since = at
    counts[:] = 0


@njit(cache=True, nogil=True)
def _gathered(group: Array, members: Members, room: Array) -> Array:
    """The elements behind a group, by ascending place."""
    n = 0
    for i in range(len(group)):
        for x in range(members.starts[group[i]], members.starts[group[i] + 1]):
            room[n] = members.ids[x]
            n += 1
    room[:n].sort()
    return room[:n]


@njit(cache=True, nogil=True)
def close_by_rare_cells(
    nodes: Array, size: Array, members: Members, closed: Array, widths: Array, chosen: int, limits: Limits, rare: int
) -> None:
    """Closes the cuts at which a cell of fewer than `rare` would be unsafe on either side; ends when all are closed.

    Few rare cells close most cuts: one of fewer than twice the support cannot be cut between its first and last place.
    nodes int32 [columns, m], size int64 [m]: what is counted together. Elements stand in order of their place.
    """
    largest = _largest(widths)
    walk = _walk(size, largest, chosen - 1)
    order, starts = np.empty(len(size), np.int64), np.empty(largest + 1, np.int64)
    counts, room = np.zeros(limits.values, np.int64), np.empty(max(rare, 1), np.int64)
    cells, everyone = np.zeros(len(closed) + 2, np.int64), np.ones(len(size), np.bool_)
    everything = np.arange(len(size))
    found = 0
    for first in range(len(widths) - chosen + 1):
        at = -1
        if chosen > 1:
            _start(walk, first, 0, len(everything))
            at = _next(walk, 0, everything, widths, nodes, everyone)
        while chosen == 1 or at >= 0:
            group, begin, end = everything, first, first + 1
            if chosen > 1:
                group = walk.order[at, walk.starts[at, walk.cell[at]] : walk.starts[at, walk.cell[at] + 1]]
                begin, end = walk.column[at] + 1, len(widths)
            for b in range(begin, end):
                _refine(group, b, widths[b], nodes, order, starts)
                for v in range(widths[b]):
                    cell = order[starts[v] : starts[v + 1]]
                    if len(cell) == 0 or size[cell].sum() >= rare:
                        continue
                    ids = _gathered(cell, members, room)
                    _close_cell(ids, members, False, limits, counts, cells)
                    _close_cell(ids, members, True, limits, counts, cells)
                    found += 1
                    if found % 32 == 0 and _close(closed, cells):
                        return
            if chosen == 1:
                break
            at = _next(walk, at, everything, widths, nodes, everyone)
    _close(closed, cells)


@njit(cache=True, nogil=True)
def close_cuts(elements: Elements, place: Array, closed: Array, widths: Array, limits: Limits) -> None:
    """Sets closed bool [places - 1] after every place at which the elements cannot be cut in two so that every cell of
    all these columns is safe on both sides.

    place int64 [e], ascending: where each element lies. The uncut cells must be safe, and all elements suspect.
    """
    largest, last = _largest(widths), len(widths) - 1
    scratch, walk = _scratch(elements, largest, limits.values), _walk(elements.weight, largest, last)
    since, unsafe = np.zeros(largest, np.int64), np.zeros(largest, np.bool_)
    cells = np.zeros(len(closed) + 2, np.int64)
    everything = np.arange(len(elements.weight))
    at, cell = 0, everything
    if last > 0:
        _start(walk, 0, 0, len(everything))
        at = _next(walk, 0, everything, widths, elements.nodes, elements.suspect)
    while at >= 0:
        if last > 0:
            cell = walk.order[at, walk.starts[at, walk.cell[at]] : walk.starts[at, walk.cell[at] + 1]]
        _sweep_side(cell, last, elements, place, False, limits, scratch, since, unsafe, cells)
        _sweep_side(cell, last, elements, place, True, limits, scratch, since, unsafe, cells)
        at = _next(walk, at, everything, widths, elements.nodes, elements.suspect) if last > 0 else -1
    _close(closed, cells)
