"""The paper's searches: depth-first over terms, in plain order or with tail sets reordered by Δl'/ΔT."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Flags
from shoal.items.removal.classes import Rows
from shoal.items.removal.deadline import Over, never
from shoal.items.rules import Rule

if TYPE_CHECKING:
    from shoal.kernels import tail_sets

TERMS = 1024
"""More terms than this are not searched: their tail sets would not fit in memory."""
SLICE = 1_000
"""So many nodes are searched between two looks at the clock."""


def depth_first(rows: Rows, rule: Rule, budget: int, over: Over = never) -> tuple[Flags | None, bool, int]:
    """The best kept terms found in the order of the terms, whether the search is complete, and its nodes."""
    return TailSets(rows, rule, is_adaptive=False).run(inf, budget, over)


def adaptive(rows: Rows, rule: Rule, budget: int, over: Over = never) -> tuple[Flags | None, bool, int]:
    """The best kept terms found if the most effective removals come first; see `depth_first`."""
    return TailSets(rows, rule).run(inf, budget, over)


class TailSets:
    """A search that can be continued."""

    def __init__(self, rows: Rows, rule: Rule, *, is_adaptive: bool = True) -> None:
        from shoal.kernels import removing, tail_sets

        self._rows, self._rule = rows, rule
        self._problem, self._state = rows.problem(rule), rows.state(np.ones(rows.terms, np.bool_))
        self._search = _begun(rows.terms, rows.terms if is_adaptive else 0)
        self._continue = tail_sets.adaptive if is_adaptive else tail_sets.plain
        removing.begin(self._problem, self._state)

    def run(self, best: float, budget: int, over: Over = never) -> tuple[Flags | None, bool, int]:
        """Continues up to so many nodes in all: kept terms that cost less than `best`, completeness, all nodes.

        `best` is the cost of an answer that is known otherwise. What costs as much is skipped, and a removal that is
        skipped at one node is skipped below it as well. So the search visits some of the nodes that it would visit
        without the known answer, in the same order, and after as many nodes, the cheaper of both answers costs no more.
        """
        from shoal.kernels import removing

        search, state = self._search, self._state
        known = min(best, float(search.best[0]))
        search.best[0] = known
        while True:
            status, term = self._continue(self._problem, state, search, min(budget, int(search.nodes[0]) + SLICE))
            if status == removing.ASKS:
                kept = state.kept.copy()
                kept[term] = False
                state.answer[0] = self._rows.satisfy(self._rule, kept)
            elif status == removing.DONE or search.nodes[0] >= budget:
                break
            if over():
                break
        found = search.answer.copy() if search.best[0] < known else None
        return found, status == removing.DONE, int(search.nodes[0])


def _begun(terms: int, width: int) -> tail_sets.Search:
    """A search at its root, with room for tail sets of this width."""
    from shoal.kernels import tail_sets

    depths = terms + 1
    return tail_sets.Search(
        tails=np.empty((depths, width), np.int32),
        lengths=np.zeros(depths, np.int64),
        reached=np.empty((depths, width)),
        closed=np.empty((depths, width), np.bool_),
        tested=np.zeros(depths, np.int64),
        places=np.zeros(depths, np.int64),
        costs=np.zeros(depths),
        scores=np.zeros(depths),
        path=np.empty(depths, np.int32),
        depth=np.zeros(1, np.int64),
        ratios=np.empty(terms),
        best=np.full(1, np.inf),
        answer=np.zeros(terms, np.bool_),
        nodes=np.zeros(1, np.int64),
    )
