"""Optimal: the full-domain recoding that costs least, proven where the lattice can be searched whole."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.algorithms.base import Progress
from shoal.encode import Encoded
from shoal.errors import CannotBeMet
from shoal.lattice import Checked, Lattice, Node
from shoal.models.base import ClassModel, number, one_of
from shoal.objectives import MEASURES, Float64, Objective, objective
from shoal.partition import Partition

_ENUMERABLE = 2_000_000
_EPSILON = 1e-12


@dataclass(frozen=True)
class Found:
    """The best node a search knows, what it costs, and how little any other could cost."""

    best: Checked
    cost: float
    proven: bool
    lower_bound: float


class Search:
    """Best-first search over an enumerable lattice. Arrays have the lattice's shape; slices are up-sets and down-sets."""

    def __init__(self, lattice: Lattice, goal: Objective, deadline: float, progress: Progress) -> None:
        self.lattice, self.goal, self.deadline, self.progress = lattice, goal, deadline, progress
        self.bounds: Float64 = np.array(goal.bounds(), np.float64)
        self.open = np.ones(self.bounds.shape, np.bool_)
        self.surely_feasible = np.zeros(self.bounds.shape, np.bool_)
        self.best: Checked | None = None
        self.cost = np.inf

    def run(self) -> Found:
        while (node := self._lowest()) is not None:
            if time.monotonic() > self.deadline and self.best is not None:
                break
            self.progress("search", 0.0)
            self._bisect([node] if self.surely_feasible[node] else self._path(node))
        if self.best is None:
            raise CannotBeMet("No recoding satisfies the models.")
        left = self._candidates()
        proven = not left.any()
        bound = self.cost if proven else float(min(self.cost, self.bounds[left].min()))
        return Found(self.best, float(self.cost), proven, bound)

    def _candidates(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Nodes nobody looked at that could still cost less than the best."""
        return self.open & (self.bounds < self.cost - _EPSILON)

    def _lowest(self) -> Node | None:
        """The candidate with the lowest bound; where classes cannot be pruned, the lowest in the lattice, so that
        every grouping is rolled up from one just below it."""
        candidates = self._candidates()
        if not candidates.any():
            return None
        at = int(np.argmin(np.where(candidates, self.bounds, np.inf)))
        return tuple(int(level) for level in np.unravel_index(at, self.bounds.shape))

    def _path(self, node: Node) -> list[Node]:
        """From a candidate upwards through candidates of unknown feasibility, each time to the one of lowest bound."""
        candidates = self._candidates() & ~self.surely_feasible
        path = [node]
        while True:
            parents = [parent for parent in _parents(path[-1], self.lattice.top) if candidates[parent]]
            if not parents:
                return path
            path.append(min(parents, key=lambda parent: (self.bounds[parent], parent)))

    def _bisect(self, path: list[Node]) -> None:
        """Finds the lowest feasible node of a path; every look decides a whole up-set or down-set."""
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if self._look(path[middle]):
                high = middle - 1
            else:
                low = middle + 1

    def _look(self, node: Node) -> bool:
        """Checks a node and prunes by what it shows; whether nodes below it are worth a look."""
        checked = self.lattice.check(node)
        self.open[node] = False
        self.goal.tighten_above(checked, self.bounds)
        if self.lattice.feasible(checked):
            self._take(checked)
        if checked.least_lost <= self.lattice.limit:
            return True
        self.open[below(node)] = False
        return False

    def _take(self, checked: Checked) -> None:
        cost = self.goal.cost(checked)
        if self.lattice.monotone:
            self.surely_feasible[above(checked.groups.node)] = True
            self.goal.tighten(checked, cost, self.bounds)
        if cost < self.cost - _EPSILON:
            self.best, self.cost = checked, cost


def below(node: Node) -> tuple[slice, ...]:
    """The index of all nodes at or below."""
    return tuple(slice(0, level + 1) for level in node)


def above(node: Node) -> tuple[slice, ...]:
    """The index of all nodes at or above."""
    return tuple(slice(level, None) for level in node)


def _parents(node: Node, top: Node) -> list[Node]:
    return [(*node[:a], node[a] + 1, *node[a + 1 :]) for a in range(len(node)) if node[a] < top[a]]
