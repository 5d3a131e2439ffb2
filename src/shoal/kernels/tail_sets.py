"""The search for removals of Shi, Xiong and Fung: depth-first over terms, with tail sets in plain or adaptive order.

A node is a set of removed terms. Its tail set lists the terms that may be removed next; a child's tail set is what
follows the child's term, so that every set of terms is one node. A search can be continued where it ended.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from shoal.arrays import Array
from shoal.kernels import part
from shoal.kernels.beliefs import DOUBTFUL, PASSES
from shoal.kernels.removing import (
    ASKS,
    DONE,
    EPSILON,
    LARGEST_L,
    NOTHING,
    SPENT,
    Problem,
    State,
    put_back,
    remove,
    scored,
    step,
    tried,
)


class Search(NamedTuple):
    """The path from the root to the current node, and the best answer so far.

    By depth: tails int32 [d, terms] with lengths int64 [d], the scores that their terms would reach float64 [d, terms],
    whether nothing is below a child, closed bool [d, terms]; tested int64 [d]: how many terms have been tried;
    places int64 [d]: the next child; costs and scores of the nodes float64 [d]; path int32 [d]: the removed term.
    depth[0]: the depth of the current node. ratios float64 [terms]: room for sorting. best[0]: the least cost so far,
    with the kept terms in answer bool [terms]. nodes[0]: the removals tried.
    """

    tails: Array
    lengths: Array
    reached: Array
    closed: Array
    tested: Array
    places: Array
    costs: Array
    scores: Array
    path: Array
    depth: Array
    ratios: Array
    best: Array
    answer: Array
    nodes: Array


@njit(cache=True, nogil=True)
def plain(problem: Problem, state: State, search: Search, budget: int) -> tuple[int, int]:
    """Continues the search in the order of the terms, up to `budget` nodes in all.

    Returns how it ended, and the term whose removal is doubtful.
    """
    while search.nodes[0] < budget:
        d = search.depth[0]
        term = search.places[d]
        if term >= len(state.kept):
            if d == 0:
                return DONE, -1
            _ascend(problem, state, search)
            continue
        search.places[d] += 1
        if search.costs[d] + step(problem, state, term) >= search.best[0] - EPSILON:
            continue
        verdict, _ = tried(problem, state, term, NOTHING)
        if verdict == DOUBTFUL:
            if state.answer[0] < 0:
                search.places[d] -= 1
                return ASKS, term
            verdict = state.answer[0]
            state.answer[0] = -1
        search.nodes[0] += 1
        if verdict == PASSES:
            _improve(problem, state, search, term)
        else:
            _descend(problem, state, search, term)
            search.places[d + 1] = term + 1
    return SPENT, -1


@njit(cache=True, nogil=True)
def adaptive(problem: Problem, state: State, search: Search, budget: int) -> tuple[int, int]:
    """Continues the search with tail sets ordered by the gain in score per cost; see `plain`."""
    if search.nodes[0] == 0 and search.lengths[0] == 0:
        search.scores[0] = scored(problem, state, LARGEST_L)[1]
        for term in range(len(state.kept)):
            search.tails[0, term] = term
        search.lengths[0] = len(state.kept)
    while search.nodes[0] < budget:
        d = search.depth[0]
        if search.tested[d] < search.lengths[d]:
            doubtful = _test(problem, state, search, d, budget)
            if doubtful >= 0:
                return ASKS, doubtful
            if search.tested[d] < search.lengths[d]:
                return SPENT, -1
            _order(problem, state, search, d)
        i = search.places[d]
        if i >= search.lengths[d]:
            if d == 0:
                return DONE, -1
            _ascend(problem, state, search)
            continue
        search.places[d] += 1
        term = search.tails[d, i]
        if search.closed[d, i] or search.costs[d] + step(problem, state, term) >= search.best[0] - EPSILON:
            continue
        _descend(problem, state, search, term)
        search.scores[d + 1] = search.reached[d, i]
        rest = search.lengths[d] - i - 1
        for j in range(rest):
            search.tails[d + 1, j] = search.tails[d, i + 1 + j]
        search.lengths[d + 1], search.tested[d + 1], search.places[d + 1] = rest, 0, 0
    return SPENT, -1


@part
def _test(problem: Problem, state: State, search: Search, d: int, budget: int) -> Any:
    """Tries the terms of a tail set; returns int64: a term whose removal is doubtful, -1 for none."""
    while search.tested[d] < search.lengths[d] and search.nodes[0] < budget:
        i = search.tested[d]
        term = search.tails[d, i]
        search.closed[d, i], search.ratios[i] = True, -np.inf
        if search.costs[d] + step(problem, state, term) < search.best[0] - EPSILON:
            verdict, score = tried(problem, state, term, LARGEST_L)
            if verdict == DOUBTFUL:
                if state.answer[0] < 0:
                    return term
                verdict = state.answer[0]
                state.answer[0] = -1
            search.nodes[0] += 1
            search.ratios[i] = (score - search.scores[d]) / step(problem, state, term)
            search.reached[d, i] = score
            search.closed[d, i] = verdict == PASSES
            if verdict == PASSES:
                _improve(problem, state, search, term)
        search.tested[d] += 1
    return -1


@part
def _order(problem: Problem, state: State, search: Search, d: int) -> None:
    """Sorts a tail set by descending ratio; equal ones keep their order."""
    for i in range(1, search.lengths[d]):
        ratio, term = search.ratios[i], search.tails[d, i]
        closed, reached = search.closed[d, i], search.reached[d, i]
        j = i
        while j > 0 and search.ratios[j - 1] < ratio:
            search.ratios[j], search.tails[d, j] = search.ratios[j - 1], search.tails[d, j - 1]
            search.closed[d, j], search.reached[d, j] = search.closed[d, j - 1], search.reached[d, j - 1]
            j -= 1
        search.ratios[j], search.tails[d, j] = ratio, term
        search.closed[d, j], search.reached[d, j] = closed, reached


@part
def _improve(problem: Problem, state: State, search: Search, term: int) -> None:
    """Takes the current node without a term as the best answer."""
    search.best[0] = search.costs[search.depth[0]] + step(problem, state, term)
    for other in range(len(state.kept)):
        search.answer[other] = state.kept[other] and other != term


@part
def _descend(problem: Problem, state: State, search: Search, term: int) -> None:
    d = search.depth[0]
    search.path[d] = term
    search.costs[d + 1] = search.costs[d] + step(problem, state, term)
    search.depth[0] = d + 1
    remove(problem, state, term)


@part
def _ascend(problem: Problem, state: State, search: Search) -> None:
    search.depth[0] -= 1
    put_back(problem, state, search.path[search.depth[0]])
