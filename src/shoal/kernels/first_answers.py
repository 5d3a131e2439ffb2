"""A first answer for each of many classes: the greedy removal, without what it removed in vain.

What cannot be decided in floats stays OPEN for the caller, as do classes for which the nodes do not suffice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import part
from shoal.kernels.beliefs import DOUBTFUL, FAILS, PASSES, Rule, exactly_diverse
from shoal.kernels.removing import (
    ASKS,
    DONE,
    MARGIN,
    NOTHING,
    Problem,
    State,
    begin,
    greedy,
    put_back,
    remove,
    restore,
    scored,
)

OPEN, ANSWERED = 0, 1


class Many(NamedTuple):
    """The rows of many classes, one after the other: class c has the rows `first[c]:first[c+1]`.

    first int64 [c+1]; starts int64 [r+1], items int32 [terms], weights int64 [r], has, everything, labels, rule: as in
    `Problem`, but for all classes.
    """

    first: Array
    starts: Array
    items: Array
    weights: Array
    has: Array
    everything: Array
    labels: int
    rule: Rule


class Exact(NamedTuple):
    """Room for a verdict in whole numbers: sums float64 [labels], all 0, and touched int64 [labels]."""

    sums: Array
    touched: Array


@njit(cache=True, nogil=True)
def answers(
    many: Many, low: int, high: int, budget: int, room: State, starts: Array, kept: Array, nodes: Array, status: Array
) -> None:
    """Answers the classes from `low` to below `high`, each with at most `budget` nodes, or with one for each term.

    room, starts int64 [r+1]: room for the largest class, with sums that are 0 and no touched label. Written:
    kept bool [terms], all true before; nodes int64 [c]; status int8 [c]: ANSWERED, or OPEN if `kept` has no meaning.
    """
    exact = Exact(np.zeros(many.labels), np.empty(many.labels, np.int64))
    for c in range(low, high):
        a, b = many.first[c], many.first[c + 1]
        left, right = many.starts[a], many.starts[b]
        rows, terms, total = b - a, right - left, 0
        for row in range(rows):
            starts[row] = many.starts[a + row] - left
            total += many.weights[a + row]
        starts[rows] = terms
        problem = Problem(
            starts[: rows + 1],
            many.items[left:right],
            many.weights[a:b],
            many.has,
            many.everything,
            many.labels,
            total,
            many.rule,
        )
        state = State(
            kept[left:right],
            room.row_of[:terms],
            room.left[:rows],
            room.bits[:rows],
            room.sizes[:rows],
            room.sums,
            room.touched,
            room.number,
            room.trial,
            room.values,
            room.saved,
            room.refuted[:terms],
            room.answer,
        )
        status[c], nodes[c] = _answer(problem, state, exact, max(budget, terms))


@part
def _answer(problem: Problem, state: State, exact: Exact, budget: int) -> tuple[int, int]:
    """How a class ended, and its nodes."""
    begin(problem, state)
    verdict = _judged(problem, state, exact)
    if verdict != FAILS:
        return ANSWERED if verdict == PASSES else OPEN, 0
    for term in range(len(state.kept)):
        state.refuted[term] = False
    nodes = 0
    while True:
        ended, term, tried = greedy(problem, state, MARGIN, budget - nodes)
        nodes += tried
        if ended != ASKS:
            break
        remove(problem, state, term)
        verdict = _judged(problem, state, exact)
        if verdict == PASSES:
            ended = DONE
            break
        if verdict == DOUBTFUL:
            return OPEN, nodes
        put_back(problem, state, term)
        state.refuted[term] = True
    if ended != DONE or _judged(problem, state, exact) != PASSES:
        return OPEN, nodes
    restore(problem, state, budget)
    begin(problem, state)  # the sums anew, without the rounding errors of putting items back
    return ANSWERED if _judged(problem, state, exact) == PASSES else OPEN, nodes


@part
def _judged(problem: Problem, state: State, exact: Exact) -> int:
    """The verdict on the class as it is; in whole numbers where floats leave it doubtful."""
    verdict = scored(problem, state, NOTHING)[0]
    if verdict != DOUBTFUL or problem.rule.closeness:
        return verdict
    return exactly_diverse(
        state.bits, state.sizes, problem.weights, problem.rule, exact.sums, exact.touched, state.values
    )
