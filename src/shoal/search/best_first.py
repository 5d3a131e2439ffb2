"""Best-first search of a whole lattice: the cheapest feasible node, proven optimal if the budget allows."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Float64
from shoal.progress import Progress
from shoal.search.lattice import Checked, Lattice
from shoal.search.nodes import Node, above, below, lowered, parents_of
from shoal.search.objectives import Objective

EPSILON = 1e-12
"""Costs that differ by less than this are equal."""


@dataclass(frozen=True)
class Found:
    """The best node that a search found, its cost, and a lower bound on the cost of any node."""

    best: Checked
    cost: float
    proven: bool = False
    lower_bound: float | None = None


def is_proven(cost: float, bound: float) -> bool:
    """Whether a lower bound proves that no node costs less; costs that are no numbers prove nothing."""
    return math.isfinite(cost) and bound >= cost - EPSILON


class BestFirst:
    """Best-first search of a whole lattice.

    Arrays have the shape of the lattice, so up-sets and down-sets are slices. A node is pruned only if its cost bound
    is no better than the best cost, or if a node above it has shown that too many rows must be suppressed below
    (`Checked.least_lost`).
    """

    def __init__(self, lattice: Lattice, goal: Objective, deadline: float, progress: Progress) -> None:
        self.lattice, self.goal, self.deadline, self.progress = lattice, goal, deadline, progress
        self.bounds: Float64 = np.array(goal.bounds(), np.float64)
        self.open = np.ones(self.bounds.shape, np.bool_)
        self.surely_feasible = np.zeros(self.bounds.shape, np.bool_)
        self.best: Checked | None = None
        self.cost = np.inf
        self.relaxed = np.inf  # the lowest cost of any checked node with another choice of classes

    def run(self) -> Found:
        """The cheapest feasible node, or the cheapest one found before the deadline."""
        while (node := self._lowest()) is not None and not self._late():
            self._bisect([node] if self.surely_feasible[node] else self._path(node))
        if self.best is None and self.open[self.lattice.top]:
            self._look(self.lattice.top)  # the last resort if the time ran out
        if self.best is None:
            raise self.lattice.cannot_be_met()
        while self._lowered_at_no_cost(self.best):
            pass
        remaining = self._candidates()
        bound = float(min(self.cost, self.relaxed, self.bounds[remaining].min(initial=np.inf)))
        return Found(self.best, float(self.cost), is_proven(self.cost, bound), bound)

    def _lowered_at_no_cost(self, best: Checked) -> bool:
        """Takes a node just below the best one that costs no more; returns whether there was one.

        Of nodes with equal cost, the one that generalizes less is better.
        """
        node = best.classes.node
        for lower in (lowered(node, a) for a in range(len(node)) if node[a]):
            known = self.lattice.looked.get(lower)  # None if it was never checked
            worth_checking = self.open[lower] if known is None else known.feasible
            if worth_checking and self.bounds[lower] <= self.cost + EPSILON and not self._late():
                checked = self.lattice.check(lower)
                self.open[lower] = False
                if self.lattice.feasible(checked) and self.goal.cost(checked) <= self.cost + EPSILON:
                    self.best = checked
                    return True
        return False

    def _late(self) -> bool:
        return time.monotonic() > self.deadline

    def _candidates(self) -> Flags:
        """The unchecked nodes that could still cost less than the best one."""
        return self.open & (self.bounds < self.cost - EPSILON)

    def _lowest(self) -> Node | None:
        """The candidate with the lowest bound."""
        candidates = self._candidates()
        self.progress("search", 1.0 - float(candidates.mean()))
        if not candidates.any():
            return None
        at = int(np.argmin(np.where(candidates, self.bounds, np.inf)))
        return tuple(int(level) for level in np.unravel_index(at, self.bounds.shape))

    def _path(self, node: Node) -> list[Node]:
        """A path of candidates of unknown feasibility, from a node upwards, each time to the lowest bound."""
        candidates = self._candidates() & ~self.surely_feasible
        path = [node]
        while True:
            parents = [parent for parent in parents_of(path[-1], self.lattice.top) if candidates[parent]]
            if not parents:
                return path
            path.append(min(parents, key=lambda parent: (self.bounds[parent], parent)))

    def _bisect(self, path: list[Node]) -> None:
        """Bisects a path for its lowest node that is not ruled out.

        Every check decides far more than one node.
        """
        low, high = 0, len(path) - 1
        while low <= high and not self._late():
            middle = (low + high) // 2
            if self._look(path[middle]):
                high = middle - 1
            else:
                low = middle + 1

    def _look(self, node: Node) -> bool:
        """Checks a node and prunes by the result; returns whether nodes below it are worth checking."""
        checked = self.lattice.check(node)
        self.open[node] = False
        self.goal.tighten_above(checked, self.bounds)
        if self.lattice.feasible(checked):
            self._take(checked)
        if checked.has_choice and checked.least_lost <= self.lattice.limit and self.lattice.feasible(checked.relaxed):
            self.relaxed = min(self.relaxed, self.goal.least(checked))
        if checked.least_lost <= self.lattice.limit:
            return True
        self.open[below(node)] = False
        return False

    def _take(self, checked: Checked) -> None:
        """Keeps a feasible node if it is the best so far, and tightens the bounds of other nodes."""
        cost = self.goal.cost(checked)
        if self.lattice.monotone:
            self.surely_feasible[above(checked.classes.node)] = True
            self.goal.tighten(checked, cost, self.bounds)
        if cost < self.cost - EPSILON:
            self.best, self.cost = checked, cost
