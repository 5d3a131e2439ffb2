"""Covering: the cheapest levels that avoid every known failure, and so a lower bound for all passing recodings.

A node that fails rules out all nodes below it: a passing recoding has at least one column at a higher level than this
node. Many such conditions form a covering problem over a few columns, which is solved best-first.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from shoal.arrays import Int64
from shoal.search.nodes import Node

_NEVER = np.int64(1 << 40)
"""A level that no column has: a column with this level in a condition cannot meet the condition."""


class Cheapest(NamedTuple):
    """Levels that meet all conditions, and a lower bound on the cost of any such levels.

    `levels` is None if time or steps ran out, or if no levels meet the conditions. In the latter case the bound is
    infinite.
    """

    levels: Node | None
    bound: float


class Covering:
    """Conditions on levels.

    `costs[a][level]` never decreases with the level. The costs of columns add up.

    >>> problem = Covering([[0.0, 1.0], [0.0, 5.0]])
    >>> problem.rule_out((0, 1))
    >>> problem.cheapest(time.monotonic() + 1, steps=100)
    Cheapest(levels=(1, 0), bound=1.0)
    """

    def __init__(self, costs: Sequence[Sequence[float]]) -> None:
        self.costs = [np.asarray(column, np.float64) for column in costs]
        self.top = tuple(len(column) - 1 for column in costs)
        self.needed = np.empty((0, len(costs)), np.int64)
        """int64 [conditions, columns]: at least one column must have at least this level."""
        self.steps = 0
        """The steps taken so far: a measure of work that does not depend on the machine."""

    def rule_out(self, failed: Node) -> None:
        """Rules out this node and all nodes below it."""
        needed = np.array([f + 1 if f < t else _NEVER for f, t in zip(failed, self.top, strict=True)], np.int64)
        if (self.needed >= needed).all(axis=1).any():
            return  # a stricter condition is known already
        self.needed = np.concatenate([self.needed[~(self.needed <= needed).all(axis=1)], needed[None]])

    def cheapest(self, deadline: float, steps: int) -> Cheapest:
        """The cheapest levels that meet every condition, or a bound on their cost if time or steps run out."""
        number, last = count(), self.steps + steps
        start = (0,) * len(self.top)
        waiting = [(self._bound(start, self.top), next(number), start, self.top)]
        while waiting:
            bound, _, levels, most = heapq.heappop(waiting)
            if self.steps == last or time.monotonic() > deadline:
                return Cheapest(None, bound)
            self.steps += 1
            unmet = self._unmet(levels)
            if not len(unmet):
                return Cheapest(levels, bound)
            for child, limits in self._ways(levels, most, unmet):
                cost = self._bound(child, limits)
                if cost < np.inf:
                    heapq.heappush(waiting, (cost, next(number), child, limits))
        return Cheapest(None, float("inf"))

    def _unmet(self, levels: Node) -> Int64:
        """The conditions that these levels do not meet."""
        return self.needed[~(np.array(levels) >= self.needed).any(axis=1)]

    def _ways(self, levels: Node, most: Node, unmet: Int64) -> Iterable[tuple[Node, Node]]:
        """All ways to meet the condition with the fewest options; each way excludes those tried before it."""
        possible = unmet <= np.array(most)
        condition = unmet[int(np.argmin(possible.sum(axis=1)))]
        options = [a for a in range(len(levels)) if condition[a] <= most[a]]
        limits = list(most)
        for a in sorted(options, key=lambda a: self._rise(a, levels[a], int(condition[a]))):
            yield (*levels[:a], int(condition[a]), *levels[a + 1 :]), tuple(limits)
            limits[a] = int(condition[a]) - 1

    def _rise(self, a: int, low: int, high: int) -> float:
        """The cost of raising column a from one level to another."""
        return float(self.costs[a][high] - self.costs[a][low])

    def _bound(self, levels: Node, most: Node) -> float:
        """A lower bound on the cost of meeting all conditions from these levels.

        It is the cost of the levels, plus that of unmet conditions of which no column can meet two.
        """
        total = sum(float(cost[level]) for cost, level in zip(self.costs, levels, strict=True))
        unmet = self._unmet(levels)
        if not len(unmet):
            return total
        rises = np.full(unmet.shape, np.inf)
        for a, costs in enumerate(self.costs):
            able = unmet[:, a] <= most[a]
            rises[able, a] = costs[unmet[able, a]] - costs[levels[a]]
        least = rises.min(axis=1)
        used = np.zeros(len(levels), np.bool_)
        for i in np.argsort(-least, kind="stable"):
            columns = rises[i] < np.inf
            if not (columns & used).any():
                total += float(least[i])
                used |= columns
        return total
