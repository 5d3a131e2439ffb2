"""The paper's searches: depth-first over terms, in plain order or with tail sets reordered by Δl'/ΔT."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Flags
from shoal.items.removal.classes import Rows
from shoal.items.rules import Rule

if TYPE_CHECKING:
    from shoal.kernels import tail_sets

TERMS = 1024
"""More terms than this are not searched: their tail sets would not fit in memory."""
SLICE = 1_000
"""So many nodes are searched between two looks at the clock."""


def depth_first(rows: Rows, rule: Rule, budget: int, until: float | None = None) -> tuple[Flags | None, bool, int]:
    """The best kept terms found in the order of the terms, whether the search is complete, and its nodes."""
    from shoal.kernels import tail_sets

    return _search(rows, rule, tail_sets.plain, budget, until)


def adaptive(rows: Rows, rule: Rule, budget: int, until: float | None = None) -> tuple[Flags | None, bool, int]:
    """The best kept terms found if the most effective removals come first; see `depth_first`."""
    from shoal.kernels import tail_sets

    return _search(rows, rule, tail_sets.adaptive, budget, until)


def _search(
    rows: Rows, rule: Rule, kernel: Callable[..., tuple[int, int]], budget: int, until: float | None
) -> tuple[Flags | None, bool, int]:
    from shoal.kernels import removing, tail_sets

    problem, state = rows.problem(rule), rows.state(np.ones(rows.terms, np.bool_))
    removing.begin(problem, state)
    search = _begun(rows.terms, rows.terms if kernel is tail_sets.adaptive else 0)
    while True:
        status, term = kernel(problem, state, search, min(budget, int(search.nodes[0]) + SLICE))
        if status == removing.ASKS:
            kept = state.kept.copy()
            kept[term] = False
            state.answer[0] = rows.satisfy(rule, kept)
        elif status == removing.DONE or search.nodes[0] >= budget:
            break
        if until is not None and monotonic() >= until:
            break
    found = search.answer if search.best[0] < np.inf else None
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
