"""The least removal for one class: best-first over how many items each row loses, depth-first over which.

The cost of a removal depends only on how many items each row loses. Such counts are taken in ascending order of their
cost, so that the first counts for which some choice of items passes are optimal, and the cost of the counts at hand is
a lower bound at any time. Rows with equal items are interchangeable: their counts do not increase, and of two such rows
with equal counts, the options do not decrease.

A choice is an option: a closed set of kept items, to which no removed item could be added without changing the linked
labels. Any other set of kept items costs more than a closed one with the same labels.

Bound: counts are skipped if the class would fail even if the undecided rows, each with as many labels as that many
removals allow, shared no label with any other row. Adding equal shares to labels that have nothing yields sums that are
majorized by all others, and p1 - c · tail is Schur-convex in the sums. For closeness, Σ β² is least if no labels are
shared, and Σ α β is a sum over rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import part
from shoal.kernels.beliefs import BAND, DOUBTFUL, PASSES, added, close, distance, diverse, select
from shoal.kernels.linking import lowest, size
from shoal.kernels.removing import ASKS, DONE, EPSILON, SPENT, Problem

FULL = 3
"""How a call ended: there is no room for more counts."""


class Options(NamedTuple):
    """The options of kind k with v removed items are `order[first[k, v]:first[k, v+1]]`, most labels first.

    A kind is a set of items that one or more rows have. masks int64 [o]: the kept items, bit i being the i-th item;
    bits uint64 [o, words], sizes int64 [o]: the linked labels. most int64 [k, v]: the largest size, -1 without options;
    least float64 [k, v]: the least that a row adds to the squared distance.
    """

    first: Array
    order: Array
    masks: Array
    bits: Array
    sizes: Array
    most: Array
    least: Array


class Counts(NamedTuple):
    """The counts that wait, and the one whose options are being tried.

    vectors int8 [room, r], keys float64 [room]: counts and their costs; heap int64 [room]: those that wait.
    place int64 [4]: how many wait, how many there are, the one at hand (-1 for none), the depth among its options.
    kind_of int64 [r]; costs float64 [k, v]: of removing v items; highest int64 [k]: the most items that are removed.
    active int64 [r]: the rows that lose items, number[0] of them; picks int64 [r]: the option of each, as a place in
    `Options.order`. sums float64 [labels], touched int64 [labels], counts int64 [r+1]: how many labels are touched at
    each depth; saved float64 [r, labels], values float64 [labels + r · l]. nodes[0], bound[0]: the lower bound.
    answer[0]: the verdict on a doubtful class, -1 for none yet.
    """

    vectors: Array
    keys: Array
    heap: Array
    place: Array
    kind_of: Array
    costs: Array
    highest: Array
    active: Array
    number: Array
    picks: Array
    sums: Array
    touched: Array
    counts: Array
    saved: Array
    values: Array
    nodes: Array
    bound: Array
    answer: Array


@njit(cache=True, nogil=True)
def enumerated(problem: Problem, rows: Array, highest: Array, room: int) -> Options:
    """rows int64 [k]: a row of each kind; highest int64 [k]: the most items to remove; room: for so many options."""
    kinds, words = len(rows), len(problem.everything)
    width = 0
    for k in range(kinds):
        width = max(width, highest[k] + 1)
    first, order = np.zeros((kinds, width + 1), np.int64), np.empty(room, np.int64)
    masks, bits, sizes = np.empty(room, np.int64), np.empty((room, words), np.uint64), np.empty(room, np.int64)
    most, least = np.full((kinds, width), -1, np.int64), np.full((kinds, width), np.inf)
    options = Options(first, order, masks, bits, sizes, most, least)
    total = 0
    for k in range(kinds):
        for v in range(width):
            first[k, v] = total
            if v <= highest[k]:
                total = _of_count(problem, rows[k], v, options, total)
                _sort(options, first[k, v], total)
                _bound(problem, rows[k], options, k, v, total)
        first[k, width] = total
    return options


@part
def _of_count(problem: Problem, row: int, v: int, options: Options, total: int) -> int:
    """Appends the closed sets that are left if v items are removed from a row."""
    start = problem.starts[row]
    length = problem.starts[row + 1] - start
    removed = (1 << v) - 1
    while removed < 1 << length:
        for word in range(len(problem.everything)):
            options.bits[total, word] = problem.everything[word]
        for i in range(length):
            if not (removed >> i) & 1:
                for word in range(len(problem.everything)):
                    options.bits[total, word] &= problem.has[problem.items[start + i], word]
        if _is_closed(problem, start, length, removed, options.bits[total]):
            options.masks[total] = ((1 << length) - 1) & ~removed
            options.sizes[total] = size(options.bits[total])
            options.order[total] = total
            total += 1
        if removed == 0:
            break
        lowest_one = removed & -removed  # the next number with as many ones
        carried = removed + lowest_one
        removed = (((removed ^ carried) >> 2) // lowest_one) | carried
    return total


@part
def _is_closed(problem: Problem, start: int, length: int, removed: int, bits: Array) -> bool:
    for i in range(length):
        if (removed >> i) & 1:
            inside = True
            for word in range(len(bits)):
                if bits[word] & ~problem.has[problem.items[start + i], word] != np.uint64(0):
                    inside = False
                    break
            if inside:
                return False
    return True


@part
def _sort(options: Options, begin: int, end: int) -> None:
    """Sorts options by descending size; equal ones keep their order."""
    for i in range(begin + 1, end):
        option, j = options.order[i], i
        while j > begin and options.sizes[options.order[j - 1]] < options.sizes[option]:
            options.order[j] = options.order[j - 1]
            j -= 1
        options.order[j] = option


@part
def _bound(problem: Problem, row: int, options: Options, k: int, v: int, end: int) -> None:
    """Sets the largest size of a kind's options, and the least that they add to the squared distance."""
    rule, share = problem.rule, problem.weights[row] / problem.rows
    for i in range(options.first[k, v], end):
        option = options.order[i]
        count = options.sizes[option]
        options.most[k, v] = max(options.most[k, v], count)
        added_distance = 0.0
        if rule.closeness and count > 0:
            alpha = 0.0
            for word in range(options.bits.shape[1]):
                rest = options.bits[option, word]
                while rest != np.uint64(0):
                    alpha += rule.alpha[64 * word + lowest(rest)]
                    rest &= rest - np.uint64(1)
            added_distance = (share * share - 2.0 * share * alpha) / count
        options.least[k, v] = min(options.least[k, v], added_distance)


@njit(cache=True, nogil=True)
def best_first(problem: Problem, options: Options, s: Counts, best: float, budget: int) -> int:
    """Continues the search, up to `budget` nodes in all, and returns how it ended.

    `best`: the cost of a known answer. After DONE, `place[2]` and `picks` are a better answer, or -1 if there is none.
    """
    while True:
        if s.nodes[0] >= budget:
            return SPENT
        if s.place[2] < 0:
            if s.place[0] == 0 or s.keys[s.heap[0]] >= best - EPSILON:
                s.bound[0] = best if s.place[0] == 0 else min(best, s.keys[s.heap[0]])
                return DONE
            if s.place[1] + len(s.kind_of) > len(s.keys):
                s.bound[0] = s.keys[s.heap[0]]
                return FULL
            _take(options, s)
            _start(problem, options, s)
            if not _possible(problem, options, s):
                s.place[2] = -1
                continue
        status = _choose(problem, options, s, budget)
        if status != FULL:
            return status
        s.place[2] = -1


@part
def _take(options: Options, s: Counts) -> None:
    """Takes the cheapest counts, and lets those wait that have one removal more in their last row or a later one."""
    at = _pop(s)
    s.place[2], s.bound[0] = at, s.keys[at]
    s.nodes[0] += 1
    last = 0
    for row in range(len(s.kind_of)):
        if s.vectors[at, row] > 0:
            last = row
    for row in range(last, len(s.kind_of)):
        kind, v = s.kind_of[row], s.vectors[at, row]
        above = row > 0 and s.kind_of[row - 1] == kind
        if v == s.highest[kind] or (above and s.vectors[at, row - 1] == v):
            continue
        new = s.place[1]
        s.place[1] += 1
        for other in range(len(s.kind_of)):
            s.vectors[new, other] = s.vectors[at, other]
        s.vectors[new, row] = v + 1
        s.keys[new] = s.keys[at] + s.costs[kind, v + 1] - s.costs[kind, v]
        _push(s, new)


@part
def _is_before(s: Counts, a: int, b: int) -> bool:
    return s.keys[a] < s.keys[b] or (s.keys[a] == s.keys[b] and a < b)


@part
def _push(s: Counts, new: int) -> None:
    i = s.place[0]
    s.place[0] += 1
    while i > 0 and _is_before(s, new, s.heap[(i - 1) >> 1]):
        s.heap[i] = s.heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    s.heap[i] = new


@part
def _pop(s: Counts) -> Any:
    """int64: the cheapest counts, which no longer wait."""
    top = s.heap[0]
    s.place[0] -= 1
    last, i = s.heap[s.place[0]], 0
    while 2 * i + 1 < s.place[0]:
        child = 2 * i + 1
        if child + 1 < s.place[0] and _is_before(s, s.heap[child + 1], s.heap[child]):
            child += 1
        if not _is_before(s, s.heap[child], last):
            break
        s.heap[i] = s.heap[child]
        i = child
    s.heap[i] = last
    return top


@part
def _start(problem: Problem, options: Options, s: Counts) -> None:
    """Adds up the rows that lose nothing, and lists the others; no option of theirs is chosen yet."""
    for i in range(s.counts[0]):
        s.sums[s.touched[i]] = 0.0
    at, count = s.place[2], 0
    s.number[0], s.place[3] = 0, 0
    for row in range(len(s.kind_of)):
        kind = s.kind_of[row]
        if s.vectors[at, row] > 0:
            s.active[s.number[0]] = row
            s.picks[s.number[0]] = -1
            s.number[0] += 1
        elif options.sizes[options.order[options.first[kind, 0]]] > 0:
            option = options.order[options.first[kind, 0]]
            share = problem.weights[row] / options.sizes[option]
            count = added(options.bits[option], share, s.sums, s.touched, count)
    s.counts[0] = count


@part
def _choose(problem: Problem, options: Options, s: Counts, budget: int) -> int:
    """Tries the options of the rows that lose items: DONE if some pass, FULL if none does."""
    if s.number[0] == 0:
        return _leaf(problem, s, 0)
    while True:
        if s.nodes[0] >= budget:
            return SPENT
        d = s.place[3]
        if s.answer[0] < 0:  # otherwise the options at hand were doubtful, and now there is a verdict
            _take_back(options, s, d)
            if not _next(options, s, d):
                if d == 0:
                    return FULL
                s.place[3] -= 1
                continue
            s.nodes[0] += 1
            _apply(problem, options, s, d)
        if d + 1 == s.number[0]:
            status = _leaf(problem, s, d + 1)
            if status != FULL:
                return status
        elif _possible(problem, options, s):
            s.place[3] += 1
            s.picks[d + 1] = -1


@part
def _next(options: Options, s: Counts, d: int) -> Any:
    """Moves to the next option of a row; bool: whether there is one."""
    row = s.active[d]
    kind, v = s.kind_of[row], s.vectors[s.place[2], row]
    if s.picks[d] >= 0:
        s.picks[d] += 1
    else:
        s.picks[d] = options.first[kind, v]
        if d > 0:
            above = s.active[d - 1]
            if s.kind_of[above] == kind and s.vectors[s.place[2], above] == v:
                s.picks[d] = s.picks[d - 1]
    return s.picks[d] < options.first[kind, v + 1]


@part
def _apply(problem: Problem, options: Options, s: Counts, d: int) -> None:
    """Adds the labels of the option of a row, and saves the sums that they had."""
    option, count, i = options.order[s.picks[d]], s.counts[d], 0
    if options.sizes[option] > 0:
        share = problem.weights[s.active[d]] / options.sizes[option]
        for word in range(options.bits.shape[1]):
            rest = options.bits[option, word]
            while rest != np.uint64(0):
                label = 64 * word + lowest(rest)
                s.saved[d, i] = s.sums[label]
                i += 1
                if s.sums[label] == 0.0:
                    s.touched[count] = label
                    count += 1
                s.sums[label] += share
                rest &= rest - np.uint64(1)
    s.counts[d + 1] = count


@part
def _take_back(options: Options, s: Counts, d: int) -> None:
    """Undoes `_apply`, exactly; nothing if no option is chosen."""
    if s.picks[d] < 0:
        return
    option, i = options.order[s.picks[d]], 0
    for word in range(options.bits.shape[1]):
        rest = options.bits[option, word]
        while rest != np.uint64(0):
            s.sums[64 * word + lowest(rest)] = s.saved[d, i]
            i += 1
            rest &= rest - np.uint64(1)


@part
def _leaf(problem: Problem, s: Counts, d: int) -> int:
    """Judges a complete choice: DONE if the class passes, FULL if it fails, ASKS if that is doubtful."""
    rule, count = problem.rule, s.counts[d]
    if rule.closeness:
        verdict = close(rule, distance(rule, s.sums, s.touched, count, problem.rows))
    else:
        for i in range(count):
            s.values[i] = s.sums[s.touched[i]]
        verdict = diverse(s.values, count, rule.c, rule.l)
    if verdict == DOUBTFUL:
        if s.answer[0] < 0:
            return ASKS
        verdict = s.answer[0]
    s.answer[0] = -1
    return DONE if verdict == PASSES else FULL


@part
def _possible(problem: Problem, options: Options, s: Counts) -> bool:
    """Whether the class may pass once the rows without an option have one."""
    done = s.place[3] + 1 if s.number[0] > 0 and s.picks[s.place[3]] >= 0 else s.place[3]
    for i in range(done, s.number[0]):
        row = s.active[i]
        if options.most[s.kind_of[row], s.vectors[s.place[2], row]] < 0:
            return False
    if problem.rule.closeness:
        return _may_be_close(problem, options, s, done)
    return _may_be_diverse(problem, options, s, done)


@part
def _may_be_close(problem: Problem, options: Options, s: Counts, done: int) -> bool:
    rule = problem.rule
    squared = rule.squares
    for i in range(s.counts[done]):
        beta = s.sums[s.touched[i]] / problem.rows
        squared += beta * (beta - 2.0 * rule.alpha[s.touched[i]])
    for i in range(done, s.number[0]):
        row = s.active[i]
        squared += options.least[s.kind_of[row], s.vectors[s.place[2], row]]
    return squared <= rule.limit + BAND * (1.0 + rule.limit)


@part
def _may_be_diverse(problem: Problem, options: Options, s: Counts, done: int) -> bool:
    rule = problem.rule
    labels, count = s.counts[done], s.counts[done]
    first, total = 0.0, 0.0
    for i in range(count):
        s.values[i] = s.sums[s.touched[i]]
        first = max(first, s.values[i])
        total += s.values[i]
    for i in range(done, s.number[0]):
        row = s.active[i]
        most = options.most[s.kind_of[row], s.vectors[s.place[2], row]]
        if most == 0:
            continue
        share = problem.weights[row] / most
        labels += most
        first = max(first, share)
        total += problem.weights[row]
        for _ in range(min(most, rule.l - 1)):
            s.values[count] = share
            count += 1
    if labels == 0:
        return True
    if labels < rule.l:
        return False
    select(s.values, count, rule.l - 1)
    for i in range(rule.l - 1):
        total -= s.values[i]
    return first - rule.c * total <= BAND * (1.0 + rule.c) * problem.rows
