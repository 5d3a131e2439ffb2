"""The first answer: items are removed one after the other, and all of them if need be."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Flags
from shoal.items.removal.classes import Rows
from shoal.items.rules import Rule


def greedy(rows: Rows, rule: Rule, budget: int) -> tuple[Flags | None, int]:
    """Kept terms for which the rule is satisfied, and the removals tried.

    None only if the rule is not satisfied either when everything is removed. Out of budget, whole rows are emptied.
    """
    from shoal.kernels import removing

    problem, state = rows.problem(rule), rows.state(np.ones(rows.terms, np.bool_))
    removing.begin(problem, state)
    nodes = 0
    while True:
        status, term, tried = removing.greedy(problem, state, removing.MARGIN, budget - nodes)
        nodes += tried
        if status != removing.ASKS:
            break
        kept = state.kept.copy()
        kept[term] = False
        if rows.satisfy(rule, kept):
            return restored(rows, rule, kept, budget), nodes
        state.refuted[term] = True
    if status == removing.DONE and rows.satisfy(rule, state.kept):
        return restored(rows, rule, state.kept, budget), nodes
    return emptied(rows, rule, state.kept, budget), nodes


def emptied(rows: Rows, rule: Rule, kept: Flags, budget: int) -> Flags | None:
    """Empties as few rows as bisection finds, those with the fewest labels first; None if emptying all does not do."""
    starts = np.concatenate([[0], np.cumsum(rows.left(kept))]).astype(np.int64)
    sizes = rows.labels_of.links(starts, rows.items[kept]).sizes
    rank = np.empty(len(sizes), np.int64)
    rank[np.argsort(sizes, kind="stable")] = np.arange(len(sizes))
    rank_of_term = rank[rows.row_of]
    low, high = 0, len(sizes)
    if not rows.satisfy(rule, np.zeros(rows.terms, np.bool_)):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if rows.satisfy(rule, kept & (rank_of_term >= middle)):
            high = middle
        else:
            low = middle
    return restored(rows, rule, kept & (rank_of_term >= high), budget)


def restored(rows: Rows, rule: Rule, kept: Flags, budget: int) -> Flags:
    """The kept terms with those put back that the rule does not need removed."""
    from shoal.kernels import removing

    problem, state = rows.problem(rule), rows.state(kept)
    removing.begin(problem, state)
    removing.restore(problem, state, budget)
    return state.kept if rows.satisfy(rule, state.kept) else kept
