"""Matches: the elements with the same values in some columns, and walks over all matches of a number of columns.

A match is the set of matching rows of one combination. Columns are chosen in ascending order, and each of them refines
the matches of those before it. So all sets of columns that begin alike share work, and no table of counts is larger
than the number of values of a column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array


class Elements(NamedTuple):
    """The elements to count: rows that agree in everything that matters here, with a weight.

    `nodes` int32 [columns, e]: the value of each column. `weight` int64 [e]. `sensitive` int32 [e]: the listed
    sensitive value, -1 for none. `person` int32 [e], or empty if rows are counted; otherwise the elements of a group
    are sorted by person. `suspect` bool [e]: a match without suspects is known to be safe, and is skipped.
    """

    nodes: Array
    weight: Array
    sensitive: Array
    person: Array
    suspect: Array


class Limits(NamedTuple):
    """At least `support` in every match, and for every listed value a share of at most over / under."""

    support: int
    over: int
    under: int
    values: int
    """The number of listed sensitive values; 0 if shares do not matter."""


class Walk(NamedTuple):
    """The position of a walk over the matches of `depth` columns.

    Numba loses track of arrays in recursive functions. So the columns chosen so far, the value of each, and the slice
    of the previous column's matches that it refines are kept here. `after`: the number of columns that must remain
    after those chosen.
    """

    column: Array
    value: Array
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
    """Sorts some elements by column b into `order`, stably.

    The elements with value v are order[starts[v]:starts[v+1]].
    """
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
    """Whether one of these elements is suspect."""
    for i in range(len(rows)):
        if suspect[rows[i]]:
            return True
    return False


@njit(cache=True, nogil=True)
def next_match(walk: Walk, at: int, everything: Array, widths: Array, nodes: Array, suspect: Array) -> int:
    """Moves a walk, now at column number `at`, to its next match with a suspect.

    → its new position in the sequence of columns, -1 at the end. The first column stays the same.
    """
    depth, columns = len(walk.column), len(widths)
    while at >= 0:
        b = walk.column[at]
        walk.value[at] += 1
        if walk.value[at] == 0 or walk.value[at] >= widths[b]:  # before the first, or after the last value of a column
            if at == 0 and walk.value[0] > 0:
                return -1
            b += 1
            if b > columns - (depth + walk.after - at):
                at -= 1
                continue
            walk.column[at], walk.value[at] = b, 0
            rows = everything if at == 0 else walk.order[at - 1]
            source = rows[walk.begin[at] : walk.end[at]]
            refine(source, b, widths[b], nodes, walk.order[at], walk.starts[at])
        begin, end = walk.starts[at, walk.value[at]], walk.starts[at, walk.value[at] + 1]
        if begin == end or not any_suspect(walk.order[at, begin:end], suspect):
            continue
        if at == depth - 1:
            return at
        at += 1
        walk.column[at], walk.value[at], walk.begin[at], walk.end[at] = b, -1, begin, end
    return -1


@njit(cache=True, nogil=True)
def first_match(walk: Walk, first: int, rows: Array, widths: Array, nodes: Array, suspect: Array) -> int:
    """Moves a walk over some rows to its first match with a suspect that begins with column `first`.

    → as `next_match`.
    """
    walk.column[0], walk.value[0], walk.begin[0], walk.end[0] = first - 1, -1, 0, len(rows)
    return next_match(walk, np.int64(0), rows, widths, nodes, suspect)  # type: ignore[arg-type]  # compiled once


@njit(cache=True, nogil=True)
def rows_at(walk: Walk, at: int) -> Array:
    """The elements of the match at the position of a walk."""
    return walk.order[at, walk.starts[at, walk.value[at]] : walk.starts[at, walk.value[at] + 1]]


@njit(cache=True, nogil=True)
def largest_of(widths: Array) -> int:
    """The largest of the widths, at least 1."""
    largest = 1
    for b in range(len(widths)):
        largest = max(largest, widths[b])
    return largest
