"""Solving one class: a greedy answer first, then the search of a method, within a budget of nodes or seconds."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from shoal.arrays import Flags
from shoal.items.removal import tail_sets
from shoal.items.removal.answering import first_answer
from shoal.items.removal.best_first import BestFirst, Found
from shoal.items.removal.classes import ClassItems, Rows
from shoal.items.removal.deadline import Over, after, never
from shoal.items.removal.greedy import greedy, restored
from shoal.items.removal.result import Removal
from shoal.items.rules import Rule

METHODS = ("best-first", "adaptive", "depth-first", "greedy")
"""Ours, the paper's search, its baseline, and the first answer alone."""
FIRST_NODES = 1_000
"""The nodes of the first turn of each search; every other turn doubles them."""
_EQUAL = 1e-9
_PAPER = {"adaptive": tail_sets.adaptive, "depth-first": tail_sets.depth_first}


def solve(
    sets: ClassItems, rule: Rule, budget: int = 20_000, *, seconds: float | None = None, method: str = "best-first"
) -> Removal:
    """Removes items until the rule allows what the class reveals, at the least cost that the method finds.

    If removing everything satisfies the rule, the answer always does, whatever the budget. `budget`: the most removals
    that one search tries; see `improved` for `best-first`. `seconds` ends the searches early.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}.")
    return searched(sets, rule, budget, never if seconds is None else after(seconds), method)


def searched(sets: ClassItems, rule: Rule, budget: int, over: Over, method: str) -> Removal:
    """The removal that one of `METHODS` finds until the time is over."""
    rows = Rows.of(sets)
    if method in _PAPER and rows.terms <= tail_sets.TERMS:
        return _papers(rows, rule, budget, over, method)
    first = first_answer(rows, rule, budget)
    return improved(sets, rule, first, budget, over) if method == "best-first" else first


def improved(sets: ClassItems, rule: Rule, known: Removal, budget: int, over: Over = never) -> Removal:
    """A known removal, or a cheaper one, with a higher lower bound and with all nodes that were tried.

    Two searches take turns until one proves its answer: ours, for classes of few rows, and the paper's adaptive one.
    Each continues where it ended, up to `budget` nodes. The adaptive search skips what costs as much as the best answer
    so far, so the result is never worse than what the adaptive search alone finds with as many nodes.
    """
    if known.proven:
        return known
    search = _Improving(Rows.of(sets), rule, known)
    nodes = FIRST_NODES
    while search.turn(min(nodes, budget), over) and nodes < budget and not over():
        nodes *= 2
    return search.result


class _Improving:
    """Searches that take turns to improve an answer."""

    def __init__(self, rows: Rows, rule: Rule, known: Removal) -> None:
        self._rows, self._rule, self._known = rows, rule, known
        self._best, self._bound = known.cost if known.found else inf, known.lower_bound
        self._kept: Flags | None = None
        self._ours = BestFirst(rows, rule, self._best) if rows.are_few else None
        self._papers: tail_sets.TailSets | None = None
        self._nodes = {"greedy": 0, "ours": 0, "papers": 0}
        self._is_hasty = known.is_hasty

    def turn(self, nodes: int, over: Over) -> bool:
        """Continues both searches up to so many nodes each; whether anything is left to search."""
        if self._is_hasty and nodes > self._known.nodes:
            kept, self._nodes["greedy"] = greedy(self._rows, self._rule, nodes)
            self._is_hasty = self._nodes["greedy"] >= nodes
            self._take(kept)
        if self._ours is not None:
            self._note(self._ours.run(self._best, nodes, over))
        if self._is_proven or over():
            return not self._is_proven
        return self._adapted(nodes, over) or self._ours is not None or self._is_hasty

    def _note(self, found: Found) -> None:
        """What our search found is optimal."""
        self._take(found.kept)
        self._bound = max(self._bound, found.lower_bound)
        self._nodes["ours"] = found.nodes

    def _adapted(self, nodes: int, over: Over) -> bool:
        """Continues the adaptive search; whether anything is left for it."""
        if self._rows.terms > tail_sets.TERMS:
            return False
        self._papers = self._papers or tail_sets.TailSets(self._rows, self._rule)
        kept, complete, self._nodes["papers"] = self._papers.run(self._best, nodes, over)
        self._take(None if kept is None else restored(self._rows, self._rule, kept, nodes))
        if complete and self._rows.are_single:
            self._bound = self._best
        return not complete

    def _take(self, kept: Flags | None) -> None:
        """Takes kept terms as the answer if they cost less than the best one."""
        if kept is not None and self._rows.cost(kept) < self._best - _EQUAL:
            self._kept, self._best = kept, self._rows.cost(kept)

    @property
    def _is_proven(self) -> bool:
        return self._bound >= self._best - _EQUAL

    @property
    def result(self) -> Removal:
        nodes = self._known.nodes + sum(self._nodes.values())
        if self._kept is not None:
            return Removal.of(self._rows, self._kept, self._bound, nodes, is_hasty=self._is_hasty)
        facts = {"lower_bound": min(self._bound, self._best), "proven": self._is_proven, "is_hasty": self._is_hasty}
        return replace(self._known, nodes=nodes, **facts)  # type: ignore[arg-type]


def _papers(rows: Rows, rule: Rule, budget: int, over: Over, method: str) -> Removal:
    untouched = np.ones(rows.terms, np.bool_)
    if rows.satisfy(rule, untouched):
        return Removal.of(rows, untouched, 0.0, 0)
    kept, complete, nodes = _PAPER[method](rows, rule, budget, over)
    if kept is None and not complete:  # out of time before the first answer
        nothing = np.zeros(rows.terms, np.bool_)
        kept = nothing if rows.satisfy(rule, nothing) else None
    least = inf if kept is None else rows.cost(kept)
    return Removal.of(rows, kept, least if complete and rows.are_single else rows.least, nodes)
