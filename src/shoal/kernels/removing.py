"""Removing items from the rows of one class: what a removal would change, and the greedy first answer.

A term is an item of a row, numbered by its place in `Problem.items`. Removing it costs weight / items left in its row.
Verdicts that floats leave DOUBTFUL are returned to the caller, who decides them in integers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import part
from shoal.kernels.beliefs import (
    DOUBTFUL,
    FAILS,
    PASSES,
    Rule,
    added,
    close,
    compared,
    distance,
    diverse,
    select,
    widest,
)
from shoal.kernels.linking import lowest, size

# How a call ended: everything was searched, the nodes are spent, or a doubtful verdict is needed first.
DONE, SPENT, ASKS = 0, 1, 2
# What `tried` scores a removal by: nothing, l' of the paper, or how far the class is from passing.
NOTHING, LARGEST_L, MARGIN = 0, 1, 2
EPSILON = 1e-9
"""Costs that differ by less are equal."""


class Problem(NamedTuple):
    """The rows of a class: row r has the items `items[starts[r]:starts[r+1]]` and stands for `weights[r]` equal rows.

    starts int64 [r+1], items int32 [terms], weights int64 [r]; has uint64 [items, words]: the labels of each item;
    everything uint64 [words]: all labels; rows: the sum of the weights.
    """

    starts: Array
    items: Array
    weights: Array
    has: Array
    everything: Array
    labels: int
    rows: int
    rule: Rule


class State(NamedTuple):
    """Which terms are kept, and what follows from it.

    kept bool [terms], row_of int64 [terms], left int64 [r]: the items that each row still has; bits uint64 [r, words]
    and sizes int64 [r]: its linked labels; sums float64 [labels], `touched[:number[0]]` the labels whose sum is not 0.
    trial uint64 [words], values and saved float64 [labels] are room for one tentative removal. refuted bool [terms]:
    doubtful removals that were found to fail. answer[0]: the verdict on a doubtful class, -1 for none yet.
    """

    kept: Array
    row_of: Array
    left: Array
    bits: Array
    sizes: Array
    sums: Array
    touched: Array
    number: Array
    trial: Array
    values: Array
    saved: Array
    refuted: Array
    answer: Array


@njit(cache=True, nogil=True)
def begin(problem: Problem, state: State) -> None:
    """Computes what follows from `kept`."""
    for row in range(len(problem.weights)):
        state.left[row] = 0
        for word in range(len(problem.everything)):
            state.bits[row, word] = problem.everything[word]
        for term in range(problem.starts[row], problem.starts[row + 1]):
            state.row_of[term] = row
            if state.kept[term]:
                state.left[row] += 1
                for word in range(len(problem.everything)):
                    state.bits[row, word] &= problem.has[problem.items[term], word]
        state.sizes[row] = size(state.bits[row])
    add_up(problem, state)


@njit(cache=True, nogil=True)
def greedy(problem: Problem, state: State, by: int, budget: int) -> tuple[int, int, int]:
    """Removes one term after the other, that of the best score per cost, until the class passes.

    Returns how it ended, the term whose removal is doubtful (-1 for none) and the number of nodes. After DONE, the
    class passes unless nothing is left to remove.
    """
    nodes = 0
    current = scored(problem, state, by)[1]
    while True:
        best, ratio, cheapest, doubtful = -1, 0.0, -1, -1
        for term in range(len(state.kept)):
            if not state.kept[term]:
                continue
            if nodes == budget:
                return SPENT, -1, nodes
            nodes += 1
            verdict, score = tried(problem, state, term, by)
            gain = (score - current) / step(problem, state, term)
            if best < 0 or gain > ratio:
                best, ratio = term, gain
            if verdict == PASSES and (cheapest < 0 or is_cheaper(problem, state, term, cheapest)):
                cheapest = term
            open_doubt = verdict == DOUBTFUL and not state.refuted[term]
            if open_doubt and (doubtful < 0 or is_cheaper(problem, state, term, doubtful)):
                doubtful = term
        if doubtful >= 0 and (cheapest < 0 or is_cheaper(problem, state, doubtful, cheapest)):
            return ASKS, doubtful, nodes
        if best < 0:
            return DONE, -1, nodes
        remove(problem, state, cheapest if cheapest >= 0 else best)
        if cheapest >= 0:
            return DONE, -1, nodes
        for term in range(len(state.kept)):
            state.refuted[term] = False
        current = scored(problem, state, by)[1]


@njit(cache=True, nogil=True)
def restore(problem: Problem, state: State, budget: int) -> int:
    """Puts terms back, one after the other, wherever the class surely passes with them; returns the nodes.

    Only `kept` holds afterwards. Putting one back may make room for another, so all are tried until none is put back.
    """
    nodes, changed = 0, True
    while changed:
        changed = False
        for term in range(len(state.kept)):
            if state.kept[term]:
                continue
            if nodes == budget:
                return nodes
            nodes += 1
            count = _exchange(problem, state, term)
            if scored(problem, state, NOTHING)[0] == PASSES:
                changed = True
                row = state.row_of[term]
                state.kept[term] = True
                state.sizes[row] = count
                for word in range(len(state.trial)):
                    state.bits[row, word] = state.trial[word]
            else:
                _exchange_back(state, term)
    return nodes


@part
def _exchange(problem: Problem, state: State, term: int) -> int:
    """Changes the sums to those with a term, whose row then has the labels in `trial`, and returns their number.

    A label that no row has any more gets exactly 0: any other sum is at least 1 / labels.
    """
    row = state.row_of[term]
    for word in range(len(state.trial)):
        state.trial[word] = state.bits[row, word] & problem.has[problem.items[term], word]
    count = size(state.trial)
    old = problem.weights[row] / max(state.sizes[row], 1)
    new = problem.weights[row] / max(count, 1)
    least, i = 0.5 / problem.labels, 0
    for word in range(len(state.trial)):
        rest, linked = state.bits[row, word], state.trial[word]
        while rest != np.uint64(0):
            bit = lowest(rest)
            label = 64 * word + bit
            state.saved[i] = state.sums[label]
            i += 1
            value = state.sums[label] - old
            if (linked >> np.uint64(bit)) & np.uint64(1):
                value += new
            state.sums[label] = value if value > least else 0.0
            rest &= rest - np.uint64(1)
    return count


@part
def _exchange_back(state: State, term: int) -> None:
    """Undoes `_exchange`."""
    row, i = state.row_of[term], 0
    for word in range(len(state.trial)):
        rest = state.bits[row, word]
        while rest != np.uint64(0):
            state.sums[64 * word + lowest(rest)] = state.saved[i]
            i += 1
            rest &= rest - np.uint64(1)


@part
def remove(problem: Problem, state: State, term: int) -> None:
    """Removes a term."""
    row = state.row_of[term]
    state.sizes[row] = without(problem, state, term)
    for word in range(len(state.trial)):
        state.bits[row, word] = state.trial[word]
    state.kept[term] = False
    state.left[row] -= 1
    add_up(problem, state)


@part
def put_back(problem: Problem, state: State, term: int) -> None:
    """Undoes the removal of a term."""
    row = state.row_of[term]
    for word in range(len(state.trial)):
        state.bits[row, word] &= problem.has[problem.items[term], word]
    state.sizes[row] = size(state.bits[row])
    state.kept[term] = True
    state.left[row] += 1
    add_up(problem, state)


@part
def step(problem: Problem, state: State, term: int) -> Any:
    """float64: the cost of removing a term now."""
    row = state.row_of[term]
    return problem.weights[row] / state.left[row]


@part
def is_cheaper(problem: Problem, state: State, term: int, than: int) -> Any:
    return step(problem, state, term) < step(problem, state, than) - EPSILON


@part
def add_up(problem: Problem, state: State) -> None:
    """Adds up the sums of all labels anew, so that no rounding error accumulates."""
    for i in range(state.number[0]):
        state.sums[state.touched[i]] = 0.0
    count = 0
    for row in range(len(problem.weights)):
        if state.sizes[row] > 0:
            share = problem.weights[row] / state.sizes[row]
            count = added(state.bits[row], share, state.sums, state.touched, count)
    state.number[0] = count


@part
def without(problem: Problem, state: State, term: int) -> int:
    """Writes the labels that a row would link to without a term into `trial`, and returns their number."""
    row = state.row_of[term]
    for word in range(len(state.trial)):
        state.trial[word] = problem.everything[word]
    for other in range(problem.starts[row], problem.starts[row + 1]):
        if state.kept[other] and other != term:
            item = problem.items[other]
            for word in range(len(state.trial)):
                state.trial[word] &= problem.has[item, word]
    return size(state.trial)


@part
def tried(problem: Problem, state: State, term: int, by: int) -> tuple[int, float]:
    """The verdict on the class without a term, and its score."""
    row = state.row_of[term]
    new, old = without(problem, state, term), state.sizes[row]
    share = problem.weights[row] / max(new, 1)
    change = share - problem.weights[row] / max(old, 1)
    before, i = state.number[0], 0
    for word in range(len(state.trial)):
        rest, linked = state.trial[word], state.bits[row, word]
        while rest != np.uint64(0):
            bit = lowest(rest)
            label = 64 * word + bit
            state.saved[i] = state.sums[label]
            i += 1
            if state.sums[label] == 0.0:
                state.touched[state.number[0]] = label
                state.number[0] += 1
            state.sums[label] += change if (linked >> np.uint64(bit)) & np.uint64(1) else share
            rest &= rest - np.uint64(1)
    verdict, score = scored(problem, state, by)
    i = 0
    for word in range(len(state.trial)):
        rest = state.trial[word]
        while rest != np.uint64(0):
            state.sums[64 * word + lowest(rest)] = state.saved[i]
            i += 1
            rest &= rest - np.uint64(1)
    state.number[0] = before
    return verdict, score


@part
def scored(problem: Problem, state: State, by: int) -> tuple[int, float]:
    """The verdict on the class as the sums are, and its score."""
    rule, count = problem.rule, state.number[0]
    if rule.closeness:
        squared = distance(rule, state.sums, state.touched, count, problem.rows)
        return close(rule, squared), -squared
    present = 0
    for i in range(count):
        if state.sums[state.touched[i]] > 0.0:
            state.values[present] = state.sums[state.touched[i]]
            present += 1
    count = present
    if by == NOTHING:
        return diverse(state.values, count, rule.c, rule.l), 0.0
    if by == MARGIN:
        return margin(state.values, count, rule.c, rule.l)
    low, high = widest(state.values, count, rule.c, problem.labels)
    if low >= rule.l or count == 0:
        return PASSES, float(high)
    return (FAILS if high < rule.l else DOUBTFUL), float(high)


@part
def margin(values: Array, count: int, c: float, l: int) -> tuple[int, float]:
    """The verdict of (c,l)-diversity, and how far it is: labels that are missing, or the share that p1 is too high."""
    if count == 0:
        return PASSES, 1e9
    if count < l:
        return FAILS, -1.0 - (l - count)
    select(values, count, l - 1)
    first, tail, total = 0.0, 0.0, 0.0
    for i in range(count):
        first = max(first, values[i])
        total += values[i]
        if i >= l - 1:
            tail += values[i]
    return compared(first, c * tail), (c * tail - first) / total
