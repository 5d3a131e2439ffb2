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

# A node with no more rows than this has no children: its rows are looked through one by one.
FEW = 16

# Up to this many codes, what each would add to a cluster is computed in advance, because it is needed often. In small
# blocks it is not: there, the limit is this share of the rows.
TABULATED = 4096
TABULATED_SHARE = 0.5


class Trie(NamedTuple):
    """The rows of a block by their codes. Node 0 holds all of them.

    Per node: depth int64 (the columns attributes[:depth] are the same for all its rows), code int32 (in the last of
    these), start and end int64 (its rows, as places in `order`), first and last int64 (its children; none if equal),
    above int64 (its parent), live int64 (its rows with units left).
    leaf int64 [rows of the block]: the node without children at each place.
    """

    depth: Array
    code: Array
    start: Array
    end: Array
    first: Array
    last: Array
    above: Array
    live: Array
    leaf: Array


class Cluster(NamedTuple):
    """The codes of one cluster, and what further codes would add to its loss.

    low, high, distinct int64 [q]; base float64 [q], the weighted loss. At start[a] + code: has bool, whether the
    cluster has the code, and more float64, what it would add, for attributes of few codes.
    """

    low: Array
    high: Array
    distinct: Array
    base: Array
    has: Array
    more: Array


@part
def _trie(codes: Array, order: Array, start: int, end: int, attributes: Array, free: Array) -> Trie:
    """Builds the trie of order[start:end]."""
    q, rows = len(attributes), end - start
    room = 2 + rows + q * (1 + rows // FEW)  # at most `rows` nodes without children, and so many with children a depth
    depth, code, above = np.zeros(room, np.int64), np.empty(room, np.int32), np.empty(room, np.int64)
    begin, finish = np.empty(room, np.int64), np.empty(room, np.int64)
    first, last = np.empty(room, np.int64), np.empty(room, np.int64)
    live, leaf = np.zeros(room, np.int64), np.empty(rows, np.int64)
    begin[0], finish[0], above[0] = start, end, -1
    node, nodes = 0, 1
    while node < nodes:
        first[node] = last[node] = nodes
        if finish[node] - begin[node] <= FEW or depth[node] == q:
            for place in range(begin[node], finish[node]):
                leaf[place - start] = node
                live[node] += free[order[place]] > 0
        else:
            a = attributes[depth[node]]
            for place in range(begin[node], finish[node]):
                if place == begin[node] or codes[order[place], a] != code[nodes - 1]:
                    code[nodes], depth[nodes], above[nodes] = codes[order[place], a], depth[node] + 1, node
                    begin[nodes] = place
                    nodes += 1
                finish[nodes - 1] = place + 1
            last[node] = nodes
        node += 1
    for child in range(nodes - 1, 0, -1):  # children come after their parents
        live[above[child]] += live[child]
    return Trie(
        depth[:nodes], code[:nodes], begin[:nodes], finish[:nodes], first[:nodes], last[:nodes], above, live, leaf
    )


@part
def _exhaust(trie: Trie, place: int) -> None:
    """Marks the row at a place of the block as used up."""
    node = trie.leaf[place]
    while node >= 0:
        trie.live[node] -= 1
        node = trie.above[node]


@part
def _cluster(g: Geometry) -> Cluster:
    """Work space for clusters, one after the other."""
    q, codes = len(g.kind), 0
    for a in range(q):
        codes += g.size[a]
    return Cluster(
        np.empty(q, np.int64),
        np.empty(q, np.int64),
        np.empty(q, np.int64),
        np.empty(q, np.float64),
        np.zeros(codes, np.bool_),
        np.empty(codes, np.float64),
    )


@part
def _empty(c: Cluster) -> None:
    for a in range(len(c.low)):
        c.low[a], c.high[a], c.distinct[a], c.base[a] = 1 << 60, -1, 0, 0.0


@part
def _add(c: Cluster, row_codes: Array, tabulated: int, g: Geometry) -> None:
    """Adds a row to the codes of a cluster. For up to `tabulated` codes, what each would add is kept up to date."""
    for a in range(len(c.low)):
        code = row_codes[a]
        place = g.start[a] + code
        if c.has[place]:
            continue
        c.has[place] = True
        c.distinct[a] += 1
        widened = code < c.low[a] or code > c.high[a]
        c.low[a], c.high[a] = min(c.low[a], code), max(c.high[a], code)
        c.base[a] = g.weight[a] * span_loss(g, a, c.low[a], c.high[a], c.distinct[a])
        if g.size[a] > tabulated:
            continue
        if g.kind[a] == SET and c.distinct[a] > 1:
            c.more[place] = 0.0
        elif widened:
            for other in range(g.size[a]):
                c.more[g.start[a] + other] = _excess(c, a, other, g)


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
    codes: Array,
    attributes: Array,
    order: Array,
    free: Array,
    kind: Array,
    held: Array,
    most: int,
    c: Cluster,
    tabulated: int,
    g: Geometry,
    stack: Array,
    bounds: Array,
) -> int:
    """The place in `order` of the row that adds the least loss to a cluster; -1 if there is none.

    Rows of a kind of which the cluster holds `most` units are passed over. stack int64 and bounds float64 [nodes]: the
    nodes to visit, and the least loss that their rows add.
    """
    q, more, start, size = len(attributes), c.more, g.start, g.size
    best, pick = np.inf, -1
    stack[0], bounds[0], top = 0, 0.0, 1
    while top > 0:
        top -= 1
        node, bound = stack[top], bounds[top]
        if bound >= best:
            continue
        if trie.first[node] == trie.last[node]:
            for place in range(trie.start[node], trie.end[node]):
                row, lost = order[place], bound
                if free[row] == 0 or held[kind[row]] >= most:
                    continue
                for j in range(trie.depth[node], q):
                    a = attributes[j]
                    code = codes[row, a]
                    lost += more[start[a] + code] if size[a] <= tabulated else _excess(c, a, code, g)
                    if lost >= best:
                        break
                if lost < best:
                    best, pick = lost, place
            continue
        a, at = attributes[trie.depth[node]], -1
        for child in range(trie.first[node], trie.last[node]):
            if trie.live[child] == 0:
                continue
            code = trie.code[child]
            reached = bound + (more[start[a] + code] if size[a] <= tabulated else _excess(c, a, code, g))
            if reached < best:
                stack[top], bounds[top] = child, reached
                if at < 0 or reached < bounds[at]:
                    at = top
                top += 1
        if at >= 0:  # the most promising child is visited first
            stack[at], stack[top - 1] = stack[top - 1], stack[at]
            bounds[at], bounds[top - 1] = bounds[top - 1], bounds[at]
    return pick


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
    whole = len(person_offsets) > 0
    kinds, people = 0, 0
    for row in range(len(kind)):
        kinds = max(kinds, kind[row] + 1)
    for i in range(len(persons)):
        people = max(people, persons[i] + 1)
    held, seen = np.zeros(kinds, np.int64), np.zeros(people, np.int64)
    c = _cluster(g)
    place_of = np.empty(len(kind), np.int64)
    room, used, clusters = 1024, 0, 0
    row_of, weight, cluster = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    for block in range(len(starts)):
        start, end = starts[block], ends[block]
        trie = _trie(codes, order, start, end, attributes, free)
        tabulated = min(TABULATED, int(TABULATED_SHARE * (end - start)))
        stack, bounds = np.empty(len(trie.code), np.int64), np.empty(len(trie.code), np.float64)
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
                _add(c, codes[row], tabulated, g)
                if used == room:
                    row_of, weight, cluster = _longer(row_of), _longer(weight), _longer(cluster)
                    room *= 2
                row_of[used], weight[used], cluster[used] = row, units, clusters
                used += 1
                if size >= target:
                    break
                pick = _nearest(trie, codes, attributes, order, free, kind, held, most, c, tabulated, g, stack, bounds)
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
            _add(c, codes[row[i]], 0, g)
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
    q, c = codes.shape[1], _cluster(g)
    low, high = np.empty((len(size), q), np.int32), np.empty((len(size), q), np.int32)
    losses = _describe(codes, row, offsets, g, c, low, high)
    stamp, stamps = np.zeros(len(c.has), np.int64), 0
    found = np.full(len(failing), -1, np.int64)
    for f in range(len(failing)):
        own = failing[f]
        _empty(c)
        for i in range(offsets[own], offsets[own + 1]):
            _add(c, codes[row[i]], 0, g)
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
                    g, a, min(c.low[a], low[other, a]), max(c.high[a], high[other, a]), c.distinct[a] + new
                )
                if together * lost - before >= best:
                    break
            if together * lost - before < best:
                best, found[f] = together * lost - before, other
        for i in range(offsets[own], offsets[own + 1]):
            _remove_codes(c, codes[row[i]], g)
    return found
