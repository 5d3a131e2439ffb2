"""Our search: how many items each row loses, cheapest first, so that every moment has a lower bound of the cost."""

from __future__ import annotations

from math import comb, inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.arrays import Flags, Float64, Int64
from shoal.items.removal.classes import Rows, harmonics
from shoal.items.removal.deadline import Over, never
from shoal.items.removal.tail_sets import SLICE
from shoal.items.rules import Rule

if TYPE_CHECKING:
    from shoal.kernels import removal_counts

OPTIONS = 1 << 15
"""The most options of all rows together; fewer if the labels are many."""
_OPTION_WORDS = 1 << 21
_COUNTS = 1 << 18
_COUNT_CELLS = 1 << 23
_LONGEST = 62
"""The most items of a row whose options are bits of an integer."""
_EPSILON = 1e-9


class Found(NamedTuple):
    """Kept terms that cost less than what was known, if there are any; the lower bound of all removals; the nodes."""

    kept: Flags | None
    lower_bound: float
    nodes: int


def best_first(rows: Rows, rule: Rule, best: float, budget: int, over: Over = never) -> Found:
    """The least removal that costs less than `best`, the cost of a known answer, within a number of nodes.

    The lower bound is `best` if there is none, which is infinite if no removal satisfies the rule.
    """
    return BestFirst(rows, rule, best).run(best, budget, over)


class BestFirst:
    """A search that can be continued until it finds an answer, which is optimal."""

    def __init__(self, rows: Rows, rule: Rule, best: float) -> None:
        """`best`: as of `run`; later ones may be lower."""
        from shoal.kernels import removal_counts

        self._rows, self._rule = rows, rule
        kinds = np.flatnonzero(np.diff(rows.origin, prepend=-1))
        lengths = rows.lengths[kinds]
        costs = _costs(lengths)
        highest, self._missing = _highest(lengths, costs, best, _room(rows))
        self._search = None if highest is None else _begun(rows, rule, costs, highest)
        if highest is None:
            self._missing = _least(costs)
            return
        room = sum(comb(int(n), v) for n, top in zip(lengths, highest, strict=True) for v in range(top + 1))
        self._problem = rows.problem(rule)
        self._options = removal_counts.enumerated(self._problem, kinds, highest, room)

    def run(self, best: float, budget: int, over: Over = never) -> Found:
        """Continues up to so many nodes in all; see `best_first`."""
        from shoal.kernels import removal_counts, removing

        search = self._search
        if search is None:
            return Found(None, min(best, self._missing), 0)
        while True:
            allowed = min(budget, int(search.nodes[0]) + SLICE)
            status = removal_counts.best_first(self._problem, self._options, search, best, allowed)
            if status == removing.ASKS:
                search.answer[0] = self._rows.satisfy(self._rule, self._kept(search))
            elif status != removing.SPENT or search.nodes[0] >= budget:
                break
            if over():
                break
        found = status == removing.DONE and search.place[2] >= 0
        bound = min(float(search.bound[0]), self._missing, best)
        return Found(self._kept(search) if found else None, bound, int(search.nodes[0]))

    def _kept(self, search: removal_counts.Counts) -> Flags:
        """bool [terms]: the terms that the chosen options keep."""
        starts, kept = self._rows.starts, np.ones(self._rows.terms, np.bool_)
        for row, pick in zip(search.active[: search.number[0]].tolist(), search.picks.tolist(), strict=False):
            mask = int(self._options.masks[self._options.order[pick]])
            first, last = int(starts[row]), int(starts[row + 1])
            kept[first:last] = [bool(mask >> i & 1) for i in range(last - first)]
        return kept


def _costs(lengths: Int64) -> Float64:
    """float64 [kinds, most + 1]: the cost of removing v items from a row of each kind."""
    harmonic = harmonics(int(lengths.max(initial=0)))
    left = np.maximum(lengths[:, None] - np.arange(len(harmonic)), 0)
    costs: Float64 = harmonic[lengths][:, None] - harmonic[left]
    return costs


def _least(costs: Float64) -> float:
    """The least cost of any removal; infinite if there is nothing to remove."""
    return float(costs[:, 1:2].min(initial=inf, where=costs[:, 1:2] > 0))


def _room(rows: Rows) -> int:
    words = int(rows.labels_of.bits.shape[1])
    return min(OPTIONS, _OPTION_WORDS // max(words, 1))


def _highest(lengths: Int64, costs: Float64, best: float, room: int) -> tuple[Int64 | None, float]:
    """int64 [kinds]: the most items to remove of a row, and the least cost of removing more; None without room.

    A removal that costs as much as the known answer is not needed. The room limits all kinds alike.
    """
    if len(lengths) == 0 or int(lengths.max()) > _LONGEST:
        return None, 0.0
    useful = np.array([_useful(int(n), row, best) for n, row in zip(lengths, costs, strict=True)], np.int64)
    top, used = -1, 0
    while top < int(useful.max()):
        used += sum(comb(int(n), top + 1) for n, most in zip(lengths, useful, strict=True) if top < most)
        if used > room:
            break
        top += 1
    if top < 0:
        return None, 0.0
    highest = np.minimum(useful, top)
    cut = highest < useful
    return highest, float(costs[cut, highest[cut] + 1].min(initial=inf))


def _useful(length: int, costs: Float64, best: float) -> int:
    """The most items whose removal from one row costs less than a known answer."""
    return int(np.count_nonzero(costs[1 : length + 1] < best - _EPSILON))


def _begun(rows: Rows, rule: Rule, costs: Float64, highest: Int64) -> removal_counts.Counts:
    """A search in which the counts of no removal wait."""
    from shoal.kernels import removal_counts

    count, labels = len(rows.weights), rows.labels_of.labels
    room = max(min(_COUNTS, _COUNT_CELLS // count), 2 * count + 2)
    search = removal_counts.Counts(
        vectors=np.empty((room, count), np.int8),
        keys=np.empty(room),
        heap=np.empty(room, np.int64),
        place=np.array([1, 1, -1, 0], np.int64),
        kind_of=np.unique(rows.origin, return_inverse=True)[1].astype(np.int64),
        costs=costs,
        highest=highest,
        active=np.empty(count, np.int64),
        number=np.zeros(1, np.int64),
        picks=np.full(count, -1, np.int64),
        sums=np.zeros(labels),
        touched=np.empty(labels, np.int64),
        counts=np.zeros(count + 1, np.int64),
        saved=np.empty((count, labels)),
        values=np.empty(labels + count * rule.kernel.l),
        nodes=np.zeros(1, np.int64),
        bound=np.zeros(1),
        answer=np.full(1, -1, np.int64),
    )
    search.vectors[0], search.keys[0], search.heap[0] = 0, 0.0, 0
    return search
