"""Finding where rows may be cut in two so that combinations of released values stay frequent on both sides."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from shoal.kernels.cells import Elements, Limits, first_cell, largest_of, new_walk, next_cell, refine, rows_at
from shoal.kernels.combinations import Scratch, new_scratch

Array = NDArray[Any]


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
    largest = largest_of(widths)
    walk = new_walk(size, largest, chosen - 1, 1)
    order, starts = np.empty(len(size), np.int64), np.empty(largest + 1, np.int64)
    counts, room = np.zeros(limits.values, np.int64), np.empty(max(rare, 1), np.int64)
    cells, everyone = np.zeros(len(closed) + 2, np.int64), np.ones(len(size), np.bool_)
    everything = np.arange(len(size))
    found = 0
    for first in range(len(widths) - chosen + 1):
        at = -1
        if chosen > 1:
            at = first_cell(walk, first, everything, widths, nodes, everyone)
        while chosen == 1 or at >= 0:
            group, begin, end = everything, first, first + 1
            if chosen > 1:
                group = rows_at(walk, at)
                begin, end = walk.column[at] + 1, len(widths)
            for b in range(begin, end):
                refine(group, b, widths[b], nodes, order, starts)
                for v in range(widths[b]):
                    cell = order[starts[v] : starts[v + 1]]
                    if len(cell) == 0 or size[cell].sum() >= rare:
                        continue
                    ids = _gathered(cell, members, room)
                    for backwards in (False, True):
                        _close_cell(ids, members, backwards, limits, counts, cells)
                    found += 1
                    if found % 32 == 0 and _close(closed, cells):
                        return
            if chosen == 1:
                break
            at = next_cell(walk, at, everything, widths, nodes, everyone)
    _close(closed, cells)


@njit(cache=True, nogil=True)
def close_cuts(elements: Elements, place: Array, closed: Array, widths: Array, limits: Limits) -> None:
    """Sets closed bool [places - 1] after every place at which the elements cannot be cut in two so that every cell of
    all these columns is safe on both sides.

    place int64 [e], ascending: where each element lies. The uncut cells must be safe, and all elements suspect.
    """
    largest, last = largest_of(widths), len(widths) - 1
    scratch, walk = new_scratch(elements, largest, limits.values), new_walk(elements.weight, largest, last, 1)
    since, unsafe = np.zeros(largest, np.int64), np.zeros(largest, np.bool_)
    cells = np.zeros(len(closed) + 2, np.int64)
    everything = np.arange(len(elements.weight))
    at, cell = 0, everything
    if last > 0:
        at = first_cell(walk, 0, everything, widths, elements.nodes, elements.suspect)
    while at >= 0:
        if last > 0:
            cell = rows_at(walk, at)
        for backwards in (False, True):
            _sweep_side(cell, last, elements, place, backwards, limits, scratch, since, unsafe, cells)
        at = next_cell(walk, at, everything, widths, elements.nodes, elements.suspect) if last > 0 else -1
    _close(closed, cells)
