"""Cutting nodes in two: the kernels of Mondrian.

A node is a slice of `order`. Cutting reorders it, left side first. One kernel serves numbers, trees and sets, because a
Geometry defines the information loss of publishing some codes of an attribute:
ORDERED  codes low..high lose position[high] - position[low], with positions from 0 to 1
TREE     codes are in depth-first order; low..high lose as much as the lowest tree node above both
SET      m distinct codes lose (m - 1) · step
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import gain, part
from shoal.kernels.sorting import ascending

ORDERED, TREE, SET = 0, 1, 2
LOSS, MEDIAN, TARGET = 0, 1, 2

# How strongly the loss rule prefers even cuts. Without this, greedy cuts split off slivers and leave large classes.
# Measured on Adult with 30 k, 300 k and 1 M rows; values from 0.2 to 0.4 work nearly as well.
EVENNESS = 0.3

# Up to this many attributes that vary in a node, a cut is judged by its effect on all of them. Above, it is judged by
# its effect on its own attribute only, because the work grows with the square of their number.
MANY = 64


class Geometry(NamedTuple):
    """The information loss of codes, per attribute a.

    The tables of all attributes lie end to end; those of a begin at `start[a]`.
    kind, size (number of codes), start, height (TREE) int64 [q]; weight, step (SET) float64 [q];
    position float64 [·] at start + code (ORDERED); spread float64 [·] at start + code, z-scored, for the median rule;
    node int32 [·], loss float64 [·] at tree[a] + level · size + code (TREE), tree int64 [q].
    """

    kind: Array
    size: Array
    start: Array
    height: Array
    weight: Array
    step: Array
    position: Array
    spread: Array
    tree: Array
    node: Array
    loss: Array


class Scratch(NamedTuple):
    """Work space of one call, so that no memory is allocated per node."""

    tally: Array  # int64 [largest size], all zero between uses
    present: Array  # int64 [largest size]: the codes that occur in the node
    keys: Array  # int64 [largest size]
    rank: Array  # int64 [largest size]
    bounds: Array  # int64 [largest size + 1]
    sorted_rows: Array  # int64 [rows]
    seen: Array  # int64 [q, largest size]: the last sweep that met a code
    primary: Array  # float64 [largest size]
    secondary: Array  # int64 [largest size]
    lefts: Array  # float64 [largest size]
    rights: Array  # float64 [largest size]
    active: Array  # int64 [q]: the attributes that vary inside the node


@part
def scratch(g: Geometry, rows: int) -> Scratch:
    """New work space for nodes of up to `rows` rows."""
    largest = 1
    for a in range(len(g.size)):
        largest = max(largest, g.size[a] + 1)
    return Scratch(
        np.zeros(largest, np.int64),
        np.empty(largest, np.int64),
        np.empty(largest, np.int64),
        np.empty(largest, np.int64),
        np.empty(largest + 1, np.int64),
        np.empty(rows, np.int64),
        np.zeros((len(g.kind), largest), np.int64),
        np.empty(largest, np.float64),
        np.empty(largest, np.int64),
        np.empty(largest, np.float64),
        np.empty(largest, np.float64),
        np.empty(len(g.kind), np.int64),
    )


@part
def span_loss(g: Geometry, a: int, low: int, high: int, distinct: int) -> float:
    """The loss of publishing codes low..high of attribute a, of which `distinct` occur, before weighting.

    This is the kernels' form of `shoal.coded.loss.of_codes`; a test compares the two.
    """
    if g.kind[a] == SET:
        return float((distinct - 1) * g.step[a])
    if g.kind[a] == ORDERED:
        return float(min(1.0, g.position[g.start[a] + high] - g.position[g.start[a] + low]))
    at = g.tree[a]
    for _ in range(g.height[a]):
        if g.node[at + low] == g.node[at + high]:
            break
        at += g.size[a]
    return float(g.loss[at + low])


@part
def _tally(codes: Array, weight: Array, rows: Array, a: int, s: Scratch) -> int:
    """Counts the codes of attribute a among `rows` into s.tally and lists them, unsorted, in s.present."""
    distinct = 0
    for row in rows:
        code = codes[row, a]
        if s.tally[code] == 0:
            s.present[distinct] = code
            distinct += 1
        s.tally[code] += weight[row]
    return distinct


@part
def _arrange(distinct: int, by_count: bool, s: Scratch) -> None:
    """Sorts s.present: ascending, or for sets by descending frequency.

    The most frequent values first give the cheapest two sets of each size.
    """
    if by_count:
        for i in range(distinct):
            s.keys[i] = (-s.tally[s.present[i]] << 32) | s.present[i]
        ascending(s.keys, 0, distinct)
        for i in range(distinct):
            s.present[i] = s.keys[i] & 0xFFFFFFFF
    else:
        ascending(s.present, 0, distinct)


@part
def _clear(distinct: int, s: Scratch) -> None:
    """Sets s.tally to zero again."""
    for i in range(distinct):
        s.tally[s.present[i]] = 0


@part
def _sort_rows(codes: Array, rows: Array, a: int, distinct: int, s: Scratch) -> None:
    """Sorts `rows` by the arranged codes of attribute a.

    The rows with code number i are s.sorted_rows[s.bounds[i]:s.bounds[i+1]].
    """
    for i in range(distinct):
        s.rank[s.present[i]] = i
    for i in range(distinct + 1):
        s.bounds[i] = 0
    for row in rows:
        s.bounds[s.rank[codes[row, a]] + 1] += 1
    for i in range(distinct):
        s.bounds[i + 1] += s.bounds[i]
        s.keys[i] = s.bounds[i]
    for row in rows:
        place = s.rank[codes[row, a]]
        s.sorted_rows[s.keys[place]] = row
        s.keys[place] += 1


@part
def _sweep(
    codes: Array,
    g: Geometry,
    active: Array,
    distinct: int,
    forward: bool,
    first: int,
    last: int,
    stamp: int,
    s: Scratch,
    out: Array,
) -> None:
    """out[i] = the loss, summed over the active attributes, of the rows on one side of cut i.

    The side holds the code numbers 0..i (forward) or i+1.. (backward). Filled for first <= i < last, the cuts that are
    allowed. s.seen is stamped instead of cleared.
    """
    attributes = len(active)
    low, high, count = np.empty(attributes, np.int64), np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    for b in range(attributes):
        low[b], high[b], count[b] = 1 << 60, -1, 0
    for step in range(distinct - 1):
        place = step if forward else distinct - 1 - step
        for j in range(s.bounds[place], s.bounds[place + 1]):
            row = s.sorted_rows[j]
            for b in range(attributes):
                code = codes[row, active[b]]
                if s.seen[b, code] != stamp:
                    s.seen[b, code] = stamp
                    count[b] += 1
                    low[b], high[b] = min(low[b], code), max(high[b], code)
        cut = place if forward else place - 1
        if first <= cut < last:
            total = 0.0
            for b in range(attributes):
                a = active[b]
                total += g.weight[a] * span_loss(g, a, low[b], high[b], count[b])
            out[cut] = total


@part
def _evenness(left: int, total: int) -> float:
    """The binary entropy of the two shares: 1 for halves, towards 0 for slivers."""
    p = left / total
    return float(-(p * np.log2(p) + (1.0 - p) * np.log2(1.0 - p)))


@part
def _score(
    codes: Array,
    weight: Array,
    rows: Array,
    a: int,
    active: Array,
    total: int,
    whole: float,
    floor: int,
    rule: int,
    stamp: int,
    g: Geometry,
    s: Scratch,
    target: gain.Target | None,
    node: Any,
    sides: Any,
) -> tuple[int, int, int]:
    """Scores every cut of attribute a with at least `floor` rows on both sides.

    → the number of distinct codes, the first cut, and the end of the cuts. Cut i sends s.present[:i+1] left.
    s.primary[i], then s.secondary[i], rate it; higher is better.
    LOSS: the exact reduction of the loss of all `active` attributes times evenness; then balance. `whole` is their loss
    before the cut; if `active` is attribute a only, its own loss.
    MEDIAN: the z-scored width of the attribute; then `<= median`, then balance.
    TARGET: the score of LOSS as a share of `whole`, and what the cut reveals (`gain.rate`); then balance.
    With a target, `node` is the gain.Whole of the rows and `sides` are gain.Sides; otherwise both are None.
    s.tally stays filled: the caller clears it.
    """
    distinct = _tally(codes, weight, rows, a, s)
    if distinct < 2:
        return distinct, 0, 0
    _arrange(distinct, g.kind[a] == SET and rule != MEDIAN, s)
    first, last, median, left = -1, 0, -1, 0
    for i in range(distinct - 1):
        left += s.tally[s.present[i]]
        if median < 0 and 2 * left >= total:
            median = i
        if left >= floor and total - left >= floor:
            first = i if first < 0 else first
            last = i + 1
            s.secondary[i] = left
    if first < 0:
        return distinct, 0, 0
    if rule == MEDIAN:
        width = g.spread[g.start[a] + s.present[distinct - 1]] - g.spread[g.start[a] + s.present[0]]
        for i in range(first, last):
            s.primary[i] = width
            s.secondary[i] = total if i == median else min(s.secondary[i], total - s.secondary[i])
        return distinct, first, last
    if len(active) == 1:
        whole = g.weight[a] * span_loss(g, a, s.present[0], s.present[distinct - 1], distinct)
    _sort_rows(codes, rows, a, distinct, s)
    _sweep(codes, g, active, distinct, True, first, last, stamp, s, s.lefts)
    _sweep(codes, g, active, distinct, False, first, last, stamp + 1, s, s.rights)
    for i in range(first, last):
        left = s.secondary[i]
        reduction = total * whole - left * s.lefts[i] - (total - left) * s.rights[i]
        s.primary[i] = reduction * _evenness(left, total) ** EVENNESS
        s.secondary[i] = min(left, total - left)
    if target is not None:
        gain.rate(weight, s.sorted_rows[: len(rows)], s.bounds, last, node, target, sides)
        for i in range(first, last):
            share = s.primary[i] / whole if whole > 0.0 else 0.0
            s.primary[i] = (share + sides.rating[i]) / total
    return distinct, first, last


@part
def _survey(codes: Array, weight: Array, rows: Array, g: Geometry, s: Scratch) -> tuple[float, int]:
    """The weighted loss per row of publishing the rows of a node as one class, and the number of attributes that vary.

    The latter are listed in s.active. An attribute that does not vary loses nothing, cannot be cut, and stays that way
    on both sides of any cut.
    """
    loss, varying = 0.0, 0
    for a in range(len(g.kind)):
        low = high = codes[rows[0], a]
        for row in rows:
            code = codes[row, a]
            low, high = min(low, code), max(high, code)
        if low == high:
            continue
        s.active[varying] = a
        varying += 1
        distinct = 0
        if g.kind[a] == SET:
            distinct = _tally(codes, weight, rows, a, s)
            _clear(distinct, s)
        loss += g.weight[a] * span_loss(g, a, low, high, distinct)
    return loss, varying


@part
def _mark(is_left: Array, codes: Array, count: int, left: bool) -> None:
    """Marks the first `count` codes as left, or not."""
    for i in range(count):
        is_left[codes[i]] = left


@part
def _split(codes: Array, order: Array, first: int, last: int, a: int, is_left: Array, spare: Array) -> int:
    """Moves the rows whose code is marked to the front of order[first:last], stably.

    → where the right side begins.
    """
    middle, right = first, 0
    for i in range(first, last):
        row = order[i]
        if is_left[codes[row, a]]:
            order[middle] = row
            middle += 1
        else:
            spare[right] = row
            right += 1
    for i in range(right):
        order[middle + i] = spare[i]
    return middle


def propose(
    codes: Array,
    weight: Array,
    order: Array,
    starts: Array,
    ends: Array,
    floor: int,
    rule: int,
    g: Geometry,
    target: gain.Target | None = None,
) -> tuple[Array, Array, Array]:
    """Cuts every node at its best cut with at least `floor` rows on both sides, and reorders its slice.

    codes int32 [d, q], weight int64 [d], order int64 [m], starts and ends int64 [nodes] →
    middle int64 [nodes] (-1 if there is no such cut), attribute int64 [nodes], last left code int64 [nodes].
    TARGET needs a target.
    Ties go to the higher second score, then to the earlier attribute and cut.
    """
    middles, attributes, last_left, *_ = _cuts(codes, weight, order, starts, ends, floor, rule, g, target, False)
    return middles, attributes, last_left


def alternatives(
    codes: Array,
    weight: Array,
    order: Array,
    starts: Array,
    ends: Array,
    floor: int,
    rule: int,
    g: Geometry,
    target: gain.Target | None = None,
) -> tuple[Array, Array, Array, Array, Array]:
    """All cuts among which `propose` chooses.

    → node, attribute, cut int64 [cuts], primary float64, secondary int64 [cuts].
    """
    found = _cuts(codes, weight, order, starts, ends, floor, rule, g, target, True)
    *_, node, attribute, cut, primary, secondary = found
    return node, attribute, cut, primary, secondary


@njit(cache=True, nogil=True)
def _cuts(
    codes: Array,
    weight: Array,
    order: Array,
    starts: Array,
    ends: Array,
    floor: int,
    rule: int,
    g: Geometry,
    target: gain.Target | None,
    listed: bool,
) -> tuple[Array, Array, Array, Array, Array, Array, Array, Array]:
    """The arrays of `propose`, then those of `alternatives`. If `listed`, no node is cut; otherwise no cut is listed.

    One kernel serves both, because it takes longest to compile. Without a target, what concerns it is not compiled.
    """
    nodes = len(starts)
    s = scratch(g, len(order))
    is_left, best_left = np.zeros(len(s.tally), np.bool_), np.empty(len(s.tally), np.int64)
    middles, chosen, last_left = np.empty(nodes, np.int64), np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    room, used = 0, 0
    if listed:
        for n in range(nodes):
            room += (ends[n] - starts[n]) * len(g.kind)
    node, attribute, cut = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    primary, secondary = np.empty(room, np.float64), np.empty(room, np.int64)
    stamp = 1
    sides: Any = None if target is None else gain.sides(target, len(s.tally))
    for n in range(nodes):
        middles[n] = chosen[n] = last_left[n] = -1
        rows = order[starts[n] : ends[n]]
        total = 0
        for row in rows:
            total += weight[row]
        if total < 2 * floor:
            continue
        whole, varying = _survey(codes, weight, rows, g, s)
        active = s.active[:varying]
        about = None if target is None else gain.whole(weight, rows, varying, target, sides)
        best, second, count = -np.inf, np.int64(-1), 0
        for j in range(varying):
            a, judged = active[j], active if varying <= MANY else active[j : j + 1]
            distinct, first, last = _score(
                codes, weight, rows, a, judged, total, whole, floor, rule, stamp, g, s, target, about, sides
            )
            stamp += 2
            for i in range(first, last):
                if listed:
                    node[used], attribute[used], cut[used] = n, a, i
                    primary[used], secondary[used] = s.primary[i], s.secondary[i]
                    used += 1
                elif s.primary[i] > best or (s.primary[i] == best and s.secondary[i] > second):
                    best, second, count = s.primary[i], s.secondary[i], i + 1
                    chosen[n], last_left[n] = a, s.present[i]
            if chosen[n] == a:
                for i in range(count):
                    best_left[i] = s.present[i]
            _clear(distinct, s)
        if count > 0:
            _mark(is_left, best_left, count, True)
            middles[n] = _split(codes, order, starts[n], ends[n], chosen[n], is_left, s.sorted_rows)
            _mark(is_left, best_left, count, False)
    return middles, chosen, last_left, node[:used], attribute[:used], cut[:used], primary[:used], secondary[:used]


@njit(cache=True, nogil=True)
def expand(
    codes: Array,
    weight: Array,
    order: Array,
    starts: Array,
    ends: Array,
    attribute: Array,
    cut: Array,
    rule: int,
    g: Geometry,
) -> tuple[Array, Array, Array]:
    """Performs cuts on copies, so that several cuts of one node can be tried at once.

    Cut t cuts the slice starts[t]:ends[t].
    → copies int64 [sum of sizes], offsets int64 [2 · cuts + 1] (left and right in turn), last left code int64 [cuts].
    """
    s = scratch(g, len(order))
    room = 0
    for t in range(len(starts)):
        room += ends[t] - starts[t]
    copies = np.empty(room, np.int64)
    offsets = np.zeros(2 * len(starts) + 1, np.int64)
    last_left = np.empty(len(starts), np.int64)
    is_left = np.zeros(len(s.tally), np.bool_)
    at = 0
    for t in range(len(starts)):
        a, size = attribute[t], ends[t] - starts[t]
        rows = order[starts[t] : ends[t]]
        distinct = _tally(codes, weight, rows, a, s)
        _arrange(distinct, g.kind[a] == SET and rule != MEDIAN, s)
        for i in range(size):
            copies[at + i] = rows[i]
        _mark(is_left, s.present, cut[t] + 1, True)
        offsets[2 * t + 1] = _split(codes, copies, at, at + size, a, is_left, s.sorted_rows)
        _mark(is_left, s.present, cut[t] + 1, False)
        last_left[t] = s.present[cut[t]]
        _clear(distinct, s)
        at += size
        offsets[2 * t + 2] = at
    return copies, offsets, last_left
