"""Cells: elements that are alike in some columns, and walks over all cells of so many columns.

Columns are chosen in ascending order, one after the other, and the elements are refined into cells by each. So work is
shared by all sets of columns that begin alike, and no table of counts is larger than a column's number of values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array


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


class Walk(NamedTuple):
    """Where a walk over the cells of `depth` columns stands. Numba loses track of arrays in recursive functions, so
    the columns chosen so far, the cell of each, and the slice of the cells before that it refines are kept here.

    `after`: how many columns have to be left behind those chosen.
    """

    column: Array
    cell: Array
    begin: Array
    end: Array
    order: Array
    starts: Array
    after: int


@njit(cache=True, nogil=True)
def new_walk(counted: Array, largest: int, depth: int, after: int) -> Walk:
    """A walk over as many elements as `counted` has."""
    return Walk(
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
        np.zeros(depth, np.int64),
        np.empty((depth, len(counted)), np.int64),
        np.empty((depth, largest + 1), np.int64),
        after,
    )


@njit(cache=True, nogil=True)
def refine(rows: Array, b: int, width: int, nodes: Array, order: Array, starts: Array) -> None:
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
def any_suspect(rows: Array, suspect: Array) -> bool:
    for i in range(len(rows)):
        if suspect[rows[i]]:
            return True
    return False


@njit(cache=True, nogil=True)
def next_cell(walk: Walk, at: int, everything: Array, widths: Array, nodes: Array, suspect: Array) -> int:
    """Moves a walk, now in column number `at`, to its next cell with a suspect. → where in the sequence of columns it
    then stands, -1 at the end. Only the first column stays.
    """
    depth, columns = len(walk.column), len(widths)
    while at >= 0:
        b = walk.column[at]
        walk.cell[at] += 1
        if walk.cell[at] == 0 or walk.cell[at] >= widths[b]:  # before the first, or behind the last cell of a column
            if at == 0 and walk.cell[0] > 0:
                return -1
            b += 1
            if b > columns - (depth + walk.after - at):
                at -= 1
                continue
            walk.column[at], walk.cell[at] = b, 0
            rows = everything if at == 0 else walk.order[at - 1]
            source = rows[walk.begin[at] : walk.end[at]]
            refine(source, b, widths[b], nodes, walk.order[at], walk.starts[at])
        begin, end = walk.starts[at, walk.cell[at]], walk.starts[at, walk.cell[at] + 1]
        if begin == end or not any_suspect(walk.order[at, begin:end], suspect):
            continue
        if at == depth - 1:
            return at
        at += 1
        walk.column[at], walk.cell[at], walk.begin[at], walk.end[at] = b, -1, begin, end
    return -1


@njit(cache=True, nogil=True)
def first_cell(walk: Walk, first: int, rows: Array, widths: Array, nodes: Array, suspect: Array) -> int:
    """Moves a walk over some rows to its first cell with a suspect, of those whose first column is `first`; → as
    `next_cell`."""
    walk.column[0], walk.cell[0], walk.begin[0], walk.end[0] = first - 1, -1, 0, len(rows)
    return next_cell(walk, np.int64(0), rows, widths, nodes, suspect)  # type: ignore[arg-type]  # compiled once


@njit(cache=True, nogil=True)
def rows_at(walk: Walk, at: int) -> Array:
    """The elements of the cell where a walk stands."""
    return walk.order[at, walk.starts[at, walk.cell[at]] : walk.starts[at, walk.cell[at] + 1]]


@njit(cache=True, nogil=True)
def largest_of(widths: Array) -> int:
    largest = 1
    for b in range(len(widths)):
        largest = max(largest, widths[b])
    return largest
