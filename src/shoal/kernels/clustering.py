"""Growing clusters of rows: the kernels of k-member.

A block is a slice of `order`, in which its rows are sorted by the columns `attributes`, and of `sweep`, in which they
are sorted as seeds. Clusters never cross blocks. The row that adds the least loss to a cluster is found in a trie of
the block: a node is a run of rows with equal codes in the first columns. The loss that the codes above a node add to
the cluster is a lower bound for every row below it, so most of the block is never visited, and the row that is found
is the same as that of a full scan.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import part
from shoal.kernels.cutting import SET, Geometry, span_loss


class Trie(NamedTuple):
    """The rows of a block by their codes.

    Nodes are numbered by depth; those of depth j, which fix the columns attributes[:j+1], begin at level[j].
    level int64 [q+1]. Per node: code int32 of its last column, begin and end int64 (its children, or at the last depth
    its places in `order`), above int64 (its parent, -1 for none), live int64 (rows below it with units left).
    leaf int64 [rows of the block]: the node of the last depth at each place.
    """

    level: Array
    code: Array
    begin: Array
    end: Array
    above: Array
    live: Array
    leaf: Array


class Cluster(NamedTuple):
    """The codes of one cluster: low, high, count int64 [q], base float64 [q] (weighted loss), has bool [all codes]."""

    low: Array
    high: Array
    count: Array
    base: Array
    has: Array


@part
def _trie(codes: Array, order: Array, start: int, end: int, attributes: Array, free: Array) -> Trie:
    """Builds the trie of order[start:end]."""
    q, rows = len(attributes), end - start
    differs = np.zeros(rows, np.int64)  # the first column in which a row differs from the one before it
    level = np.zeros(q + 1, np.int64)
    for i in range(rows):
        at = 0
        if i > 0:
            while at < q and codes[order[start + i], attributes[at]] == codes[order[start + i - 1], attributes[at]]:
                at += 1
        differs[i] = at
        for depth in range(at, q):
            level[depth + 1] += 1
    for depth in range(q):
        level[depth + 1] += level[depth]
    nodes = level[q]
    code, begin, finish = np.empty(nodes, np.int32), np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    above, live, leaf = np.empty(nodes, np.int64), np.zeros(nodes, np.int64), np.empty(rows, np.int64)
    current, used = np.empty(q, np.int64), level[:q].copy()
    for i in range(rows):
        for depth in range(differs[i], q):
            node = used[depth]
            used[depth] += 1
            current[depth] = node
            code[node] = codes[order[start + i], attributes[depth]]
            above[node] = current[depth - 1] if depth > 0 else -1
            begin[node] = used[depth + 1] if depth + 1 < q else start + i
        for depth in range(q):
            finish[current[depth]] = used[depth + 1] if depth + 1 < q else start + i + 1
            live[current[depth]] += free[order[start + i]] > 0
        leaf[i] = current[q - 1]
    return Trie(level, code, begin, finish, above, live, leaf)


@part
def _exhaust(trie: Trie, place: int) -> None:
    """Marks the row at a place of the block as used up."""
    node = trie.leaf[place]
    while node >= 0:
        trie.live[node] -= 1
        node = trie.above[node]


@part
def _empty(c: Cluster) -> None:
    for a in range(len(c.low)):
        c.low[a], c.high[a], c.count[a], c.base[a] = 1 << 60, -1, 0, 0.0


@part
def _add(c: Cluster, row_codes: Array, g: Geometry) -> None:
    """Adds a row to the codes of a cluster."""
    for a in range(len(c.low)):
        code = row_codes[a]
        place = g.start[a] + code
        if not c.has[place]:
            c.has[place] = True
            c.count[a] += 1
        c.low[a], c.high[a] = min(c.low[a], code), max(c.high[a], code)
        c.base[a] = g.weight[a] * span_loss(g, a, c.low[a], c.high[a], c.count[a])


@part
def _remove_codes(c: Cluster, row_codes: Array, g: Geometry) -> None:
    for a in range(len(c.low)):
        c.has[g.start[a] + row_codes[a]] = False


@part
def _excess(c: Cluster, a: int, code: int, g: Geometry) -> float:
    """The loss that one more code adds to attribute a of a cluster."""
    if g.kind[a] == SET:
        return 0.0 if c.has[g.start[a] + code] else float(g.weight[a] * g.step[a])
    if c.low[a] <= code <= c.high[a]:
        return 0.0
    return float(g.weight[a] * span_loss(g, a, min(c.low[a], code), max(c.high[a], code), 0) - c.base[a])


@part
def _nearest(
    trie: Trie,
    attributes: Array,
    order: Array,
    free: Array,
    kind: Array,
    held: Array,
    most: int,
    c: Cluster,
    g: Geometry,
    stack: Array,
    bounds: Array,
) -> int:
    """The place in `order` of the row that adds the least loss to a cluster; -1 if there is none.

    Rows of a kind of which the cluster holds `most` units are passed over. stack int64 [nodes + 1, 2], bounds float64
    [nodes + 1].
    """
    q = len(attributes)
    best, pick, top = np.inf, -1, 0
    node, depth, bound, first, last = -1, -1, 0.0, trie.level[0], trie.level[1]
    while True:
        if depth == q - 1:
            for place in range(first, last):
                row = order[place]
                if free[row] > 0 and held[kind[row]] < most:
                    best, pick = bound, place
                    break
        else:
            a, least, at = attributes[depth + 1], np.inf, -1
            for child in range(first, last):
                if trie.live[child] == 0:
                    continue
                reached = bound + _excess(c, a, trie.code[child], g)
                if reached < best:
                    stack[top, 0], stack[top, 1], bounds[top] = child, depth + 1, reached
                    if reached < least:
                        least, at = reached, top
                    top += 1
            if at >= 0 and at != top - 1:  # the most promising child is visited first
                stack[at, 0], stack[top - 1, 0] = stack[top - 1, 0], stack[at, 0]
                bounds[at], bounds[top - 1] = bounds[top - 1], bounds[at]
        while top > 0 and bounds[top - 1] >= best:
            top -= 1
        if top == 0:
            return pick
        top -= 1
        node, depth, bound = stack[top, 0], stack[top, 1], bounds[top]
        first, last = trie.begin[node], trie.end[node]


@part
def _taken(free: int, undivided: bool, missing: int, room: int) -> int:
    """How many units of a row join a cluster that misses some, and has room for some more of its kind."""
    return min(room, free if undivided else min(free, missing))


@njit(cache=True, nogil=True)
def grow(
    codes: Array,
    kind: Array,
    free: Array,
    needed: Array,
    person_offsets: Array,
    persons: Array,
    order: Array,
    sweep: Array,
    starts: Array,
    ends: Array,
    attributes: Array,
    target: int,
    most: int,
    g: Geometry,
) -> tuple[Array, Array, Array]:
    """Grows clusters of at least `target` units until every needed row is used up.

    codes int32 [u, q]; kind int32 [u], of which a cluster takes at most `most` units each; free int64 [u], the units
    left, which are used up; needed bool [u]; order and sweep int64 [m]; starts and ends int64 [blocks]. If persons are
    counted, person_offsets int64 [u+1] and persons int32 list the persons of each row, a cluster counts distinct
    persons, and rows are not divided; otherwise both are empty.
    → row, weight, cluster int64 [entries]. A cluster that finds too few rows is returned as one cluster per row.
    """
    q = len(attributes)
    whole = len(person_offsets) > 0
    kinds, codes_in_all, people = 0, 0, 0
    for row in range(len(kind)):
        kinds = max(kinds, kind[row] + 1)
    for a in range(q):
        codes_in_all += g.size[a]
    for i in range(len(persons)):
        people = max(people, persons[i] + 1)
    held, seen = np.zeros(kinds, np.int64), np.zeros(people, np.int64)
    c = Cluster(
        np.empty(q, np.int64),
        np.empty(q, np.int64),
        np.empty(q, np.int64),
        np.empty(q, np.float64),
        np.zeros(codes_in_all, np.bool_),
    )
    place_of = np.empty(len(kind), np.int64)
    room, used, clusters = 1024, 0, 0
    row_of, weight, cluster = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    for block in range(len(starts)):
        start, end = starts[block], ends[block]
        trie = _trie(codes, order, start, end, attributes, free)
        stack, bounds = np.empty((len(trie.code) + 1, 2), np.int64), np.empty(len(trie.code) + 1, np.float64)
        for i in range(start, end):
            place_of[order[i]] = i
        at = start
        while at < end:
            pick = place_of[sweep[at]]
            if not needed[order[pick]] or free[order[pick]] == 0:
                at += 1
                continue
            _empty(c)
            size, begin = 0, used
            while pick >= 0:
                row = order[pick]
                # What is left of a row that must be placed, and is smaller than a class, would need another class.
                undivided = whole or (needed[row] and free[row] < target)
                units = free[row] if whole else _taken(free[row], undivided, target - size, most - held[kind[row]])
                free[row] -= units
                if free[row] == 0:
                    _exhaust(trie, pick - start)
                held[kind[row]] += units
                if whole:
                    for i in range(person_offsets[row], person_offsets[row + 1]):
                        if seen[persons[i]] != clusters + 1:
                            seen[persons[i]] = clusters + 1
                            size += 1
                else:
                    size += units
                _add(c, codes[row], g)
                if used == room:
                    row_of, weight, cluster = _longer(row_of), _longer(weight), _longer(cluster)
                    room *= 2
                row_of[used], weight[used], cluster[used] = row, units, clusters
                used += 1
                if size >= target:
                    break
                pick = _nearest(trie, attributes, order, free, kind, held, most, c, g, stack, bounds)
            for i in range(begin, used):
                held[kind[row_of[i]]] = 0
                _remove_codes(c, codes[row_of[i]], g)
            clusters += 1
            if size < target:
                row = row_of[begin]
                if free[row] > 0:  # it would find too few rows again
                    weight[begin] += free[row]
                    free[row] = 0
                    _exhaust(trie, place_of[row] - start)
                for i in range(begin + 1, used):
                    cluster[i] = clusters
                    clusters += 1
    return row_of[:used], weight[:used], cluster[:used]


@part
def _longer(values: Array) -> Array:
    """The same values in an array of twice the length."""
    longer = np.empty(2 * len(values), np.int64)
    for i in range(len(values)):
        longer[i] = values[i]
    return longer


@part
def _describe(codes: Array, row: Array, offsets: Array, g: Geometry, c: Cluster, low: Array, high: Array) -> Array:
    """float64 [classes]: the loss per row of each class; fills low and high int32 [classes, q]."""
    losses = np.zeros(len(offsets) - 1, np.float64)
    for k in range(len(losses)):
        _empty(c)
        for i in range(offsets[k], offsets[k + 1]):
            _add(c, codes[row[i]], g)
        for i in range(offsets[k], offsets[k + 1]):
            _remove_codes(c, codes[row[i]], g)
        for a in range(len(c.low)):
            low[k, a], high[k, a] = c.low[a], c.high[a]
            losses[k] += c.base[a]
    return losses


@njit(cache=True, nogil=True)
def partners(
    codes: Array,
    row: Array,
    offsets: Array,
    size: Array,
    failing: Array,
    first: Array,
    last: Array,
    floor: int,
    g: Geometry,
) -> Array:
    """For every failing class, the class that loses least when merged with it; -1 if it is the only one of its block.

    row int64 [entries], offsets int64 [classes+1], size int64 [classes] in rows; failing int64 [f], and first and last
    int64 [f], the classes of its block → int64 [f]. Classes with which it has at least `floor` rows come first. Ties go
    to the earlier class.
    """
    q, codes_in_all = codes.shape[1], 0
    for a in range(q):
        codes_in_all += g.size[a]
    c = Cluster(
        np.empty(q, np.int64),
        np.empty(q, np.int64),
        np.empty(q, np.int64),
        np.empty(q, np.float64),
        np.zeros(codes_in_all, np.bool_),
    )
    low, high = np.empty((len(size), q), np.int32), np.empty((len(size), q), np.int32)
    losses = _describe(codes, row, offsets, g, c, low, high)
    stamp, stamps = np.zeros(codes_in_all, np.int64), 0
    found = np.full(len(failing), -1, np.int64)
    for f in range(len(failing)):
        own = failing[f]
        _empty(c)
        for i in range(offsets[own], offsets[own + 1]):
            _add(c, codes[row[i]], g)
        best, enough = np.inf, False
        for other in range(first[f], last[f]):
            if other == own or (enough and size[own] + size[other] < floor):
                continue
            if not enough and size[own] + size[other] >= floor:
                best, enough = np.inf, True
            before, together = size[own] * losses[own] + size[other] * losses[other], size[own] + size[other]
            lost = 0.0
            for a in range(q):
                new = 0
                if g.kind[a] == SET:
                    stamps += 1
                    for i in range(offsets[other], offsets[other + 1]):
                        place = g.start[a] + codes[row[i], a]
                        if not c.has[place] and stamp[place] != stamps:
                            stamp[place] = stamps
                            new += 1
                lost += g.weight[a] * span_loss(
                    g, a, min(c.low[a], low[other, a]), max(c.high[a], high[other, a]), c.count[a] + new
                )
                if together * lost - before >= best:
                    break
            if together * lost - before < best:
                best, found[f] = together * lost - before, other
        for i in range(offsets[own], offsets[own + 1]):
            _remove_codes(c, codes[row[i]], g)
    return found
