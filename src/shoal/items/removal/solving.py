"""Solving one class: a greedy answer first, then the search of a method, within a budget of nodes or seconds."""

from __future__ import annotations

from math import inf
from time import monotonic

import numpy as np

from shoal.arrays import Flags
from shoal.items.removal import tail_sets
from shoal.items.removal.best_first import Found, best_first
from shoal.items.removal.classes import ClassItems, Rows
from shoal.items.removal.greedy import greedy, restored
from shoal.items.removal.result import Removal
from shoal.items.rules import Rule

METHODS = ("best-first", "adaptive", "depth-first", "greedy")
"""Ours, the paper's search, its baseline, and the first answer alone."""

_PAPER = {"adaptive": tail_sets.adaptive, "depth-first": tail_sets.depth_first}


def solve(
    sets: ClassItems, rule: Rule, budget: int = 20_000, *, seconds: float | None = None, method: str = "best-first"
) -> Removal:
    """Removes items until the rule allows what the class reveals, at the least cost that the method finds.

    If removing everything satisfies the rule, the answer always does, whatever the budget. `budget`: the most removals
    that one search tries; `best-first` also runs the paper's adaptive search within the same budget if it cannot prove
    that its answer is optimal, so that it is never worse. `seconds` ends the searches early.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}.")
    rows, until = Rows.of(sets), None if seconds is None else monotonic() + seconds
    untouched = np.ones(rows.terms, np.bool_)
    if rows.satisfy(rule, untouched):
        return Removal.of(rows, untouched, 0.0, 0)
    if method in _PAPER and rows.terms <= tail_sets.TERMS:
        return _papers(rows, rule, budget, until, method)
    kept, nodes = greedy(rows, rule, max(budget, rows.terms))
    if method != "best-first":
        return Removal.of(rows, kept, _least(rows), nodes)
    return _best(rows, rule, budget, until, kept, nodes)


def _papers(rows: Rows, rule: Rule, budget: int, until: float | None, method: str) -> Removal:
    kept, complete, nodes = _PAPER[method](rows, rule, budget, until)
    if kept is None and not complete:  # out of time before the first answer
        nothing = np.zeros(rows.terms, np.bool_)
        kept = nothing if rows.satisfy(rule, nothing) else None
    bound = _cost(rows, kept) if complete and rows.are_single else _least(rows)
    return Removal.of(rows, kept, bound, nodes)


def _best(rows: Rows, rule: Rule, budget: int, until: float | None, kept: Flags | None, nodes: int) -> Removal:
    """Improves a greedy answer, first by our search and then, unless that proves it optimal, by the paper's.

    Ours is for classes of few rows.
    """
    halfway = None if until is None else (monotonic() + until) / 2
    found = Found(None, _least(rows), 0)
    if rows.are_few:
        found = best_first(rows, rule, _cost(rows, kept), budget, halfway)
    kept = kept if found.kept is None else found.kept
    nodes += found.nodes
    if found.lower_bound < _cost(rows, kept) - 1e-9 and rows.terms <= tail_sets.TERMS:
        other, complete, more = tail_sets.adaptive(rows, rule, budget, until)
        nodes += more
        if other is not None:
            other = restored(rows, rule, other, budget)
        kept = min(kept, other, key=lambda each: _cost(rows, each))
        if complete and rows.are_single:
            return Removal.of(rows, kept, _cost(rows, kept), nodes)
    return Removal.of(rows, kept, found.lower_bound, nodes)


def _cost(rows: Rows, kept: Flags | None) -> float:
    return inf if kept is None else rows.cost(kept)


def _least(rows: Rows) -> float:
    """The cost of the cheapest removal of one item from one row, which a class that fails needs at least."""
    lengths = np.diff(rows.starts)
    return 1 / int(lengths.max()) if lengths.max(initial=0) else inf
