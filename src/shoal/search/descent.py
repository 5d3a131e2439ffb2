"""Descent: searches a lattice that is too large to list, by descents from above and by a bound from below."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator

import numpy as np

from shoal.arrays import Int64
from shoal.errors import CannotBeMet
from shoal.progress import Progress
from shoal.search.best_first import EPSILON, Found, is_proven
from shoal.search.covering import Covering
from shoal.search.lattice import Checked, Lattice
from shoal.search.nodes import Node, lowered
from shoal.search.objectives import Objective

_RULED_OUT_AT_ONCE = 4
"""The number of conditions derived from one failing node. They differ, because the order of columns is random."""
_STEPS_A_LOOK = 16
"""The number of steps of the covering problem that take about as long as one check of a node."""
_TURN = 2000
"""The number of checks per turn of the bound. With fewer, it would restart more often than it finishes."""
_SHAKEN, _NOISE = 0.3, 0.5
"""The share of columns that a new descent raises, and the noise in its choice of steps; found by experiment."""


class Descent:
    """Searches a lattice that is too large to list until the deadline, by descents from above and a bound from below.

    A descent goes down by the steps that save most: at first from the top, later from the best node with some columns
    raised again. The bound is the cost of the cheapest node that no known failure rules out. Checking this node either
    finds a better one or rules out more.
    """

    def __init__(self, lattice: Lattice, goal: Objective, deadline: float, progress: Progress, seed: int = 0) -> None:
        self.lattice, self.goal, self.deadline, self.progress = lattice, goal, deadline, progress
        self.began = time.monotonic()
        self.best: Checked | None = None
        self.cost = np.inf
        self.bound = 0.0
        costs = [[goal.column_floor(a, level) for level in range(top + 1)] for a, top in enumerate(lattice.top)]
        self.covering = Covering(costs)
        self.bounded = any(column[-1] > 0 for column in costs)
        self.rng = np.random.default_rng(seed)

    def run(self) -> Found:
        """The best node found before the deadline, with a lower bound on the cost of any node."""
        start = self._first()
        self._take(start)
        self._descend(start.classes.node, 0.0)
        # Both sides get about the same work. It is counted, not timed, so that all machines find the same.
        above, below = self._work, 0.0
        while not self._late() and self.cost > self.bound + EPSILON:
            began = self._work
            if self.bounded and below < above:
                self._raise_bound(until=began + _TURN)
                below += self._work - began
            else:
                self._descend(self._shaken(self.best or start), _NOISE)
                above += 1 + self._work - began  # 1, because all of its nodes may be known
        assert self.best is not None
        bound = float(min(self.bound, self.cost))
        return Found(self.best, float(self.cost), is_proven(self.cost, bound), bound)

    @property
    def _work(self) -> float:
        """The checks of nodes so far, plus the work on the covering problem in the same unit."""
        return self.lattice.checks + self.covering.steps / _STEPS_A_LOOK

    def _late(self) -> bool:
        self.progress("search", min(1.0, (time.monotonic() - self.began) / (self.deadline - self.began)))
        return time.monotonic() > self.deadline

    def _first(self) -> Checked:
        """A feasible node: the top, or else the first one found below it, where fewest rows are suppressed first.

        The top may fail although a node below does not, under models that do not survive merging.
        """
        start = self.lattice.check(self.lattice.top)
        open_nodes, seen = [(start.suppressed, 0, start)], {self.lattice.top}
        while open_nodes and not self._late():
            _, _, checked = heapq.heappop(open_nodes)
            if self.lattice.feasible(checked):
                return checked
            if checked.least_lost > self.lattice.limit:
                self.covering.rule_out(checked.classes.node)
                continue
            for node in self._unseen_below(checked.classes.node, seen):
                lower = self.lattice.check(node)
                if self.lattice.feasible(lower):
                    return lower
                heapq.heappush(open_nodes, (lower.suppressed, len(seen), lower))
        raise self._none_found() if open_nodes else self.lattice.cannot_be_met()

    def _unseen_below(self, node: Node, seen: set[Node]) -> Iterator[Node]:
        for lower in (lowered(node, a) for a in range(len(node)) if node[a]):
            if lower not in seen and not self._late():
                seen.add(lower)
                yield lower

    def _none_found(self) -> CannotBeMet:
        return CannotBeMet(
            f"No recoding that satisfies the models was found within the budget; {self.lattice.checks:,} of "
            f"{self.lattice.size:,} were checked.",
            hint="set a larger budget under [algorithm], allow more suppression, or use 'mondrian'.",
        )

    # -- from above ------------------------------------------------------------------------------------------------

    def _shaken(self, best: Checked) -> Node:
        """The best node with about a third of its columns raised to the top."""
        raised = self.rng.random(len(self.lattice.top)) < _SHAKEN
        return tuple(int(t if up else b) for t, b, up in zip(self.lattice.top, best.classes.node, raised, strict=True))

    def _descend(self, node: Node, noise: float) -> None:
        """One descent: always takes the allowed step that saves most, apart from noise."""
        refused = set[int]()
        while not self._late():
            steps = [a for a in range(len(node)) if node[a] > 0 and a not in refused]
            if not steps:
                return
            savings = [self._saving(node, a) * (1 + noise * self.rng.standard_normal()) for a in steps]
            a = steps[int(np.argmax(savings))]
            if self._feasible(lowered(node, a)):
                node = lowered(node, a)
            else:
                refused.add(a)

    def _saving(self, node: Node, a: int) -> float:
        """The cost that lowering column a by one level saves."""
        return self.goal.floor_of(node) - self.goal.floor_of(lowered(node, a))

    def _feasible(self, node: Node) -> bool:
        """Whether a node is feasible; a checked node is kept if it is the best, or rules out others if it fails."""
        known = self.lattice.looked.get(node)
        if known is not None:
            return known.feasible
        checked = self.lattice.check(node)
        if checked.least_lost > self.lattice.limit:
            self.covering.rule_out(node)
        if not self.lattice.feasible(checked):
            return False
        self._take(checked)
        return True

    def _take(self, checked: Checked) -> None:
        cost = self.goal.cost(checked)
        if cost < self.cost - EPSILON:
            self.best, self.cost = checked, cost

    # -- from below ------------------------------------------------------------------------------------------------

    def _raise_bound(self, until: float) -> None:
        """Repeatedly rules out the cheapest node that is not ruled out, together with as many others as possible."""
        while self.bounded and not self._late() and self._work < until and self.cost > self.bound + EPSILON:
            cheapest = self.covering.cheapest(self.deadline, int((until - self._work) * _STEPS_A_LOOK) + 1)
            self.bound = max(self.bound, min(cheapest.bound, self.cost))
            if cheapest.levels is None:
                return
            for _ in range(_RULED_OUT_AT_ONCE):
                hopeless = self._high_and_hopeless(cheapest.levels)
                if hopeless is None:
                    self.bounded = False  # neither taken nor ruled out, it would come up again forever
                    return
                self.covering.rule_out(hopeless)

    def _is_hopeless(self, node: Node) -> bool:
        """Whether no node at or below this one can be better than the best.

        Either too many rows are lost there, or the rows suppressed here cost so much that, together with the bound,
        they reach the best cost: rows suppressed here are suppressed at every node below.
        """
        checked = self.lattice.check(node)
        if checked.least_lost > self.lattice.limit:
            return True
        if not self.lattice.feasible(checked):
            return False
        self._take(checked)
        if not self.lattice.monotone:
            return False
        return self.bound + self.goal.cost(checked) - self.goal.floor_of(node) >= self.cost - EPSILON

    def _high_and_hopeless(self, low: Node) -> Node | None:
        """A hopeless node at or above `low`, as high as possible; None if there is none, or no time left.

        Columns are lowered from the top, in random order, because coarse recodings are checked fast. Then the columns
        that need not be low are raised again.
        """
        node, order = self.lattice.top, self.rng.permutation(len(low))
        for place, a in enumerate(order):
            if self._late():
                return None
            node = (*node[:a], low[a], *node[a + 1 :])
            if low[a] < self.lattice.top[a] and self._is_hopeless(node):
                return self._raised(node, order[: place + 1])
        return None

    def _raised(self, node: Node, columns: Int64) -> Node:
        """The hopeless node with these columns raised as far as it stays hopeless."""
        for a in columns:
            for level in range(self.lattice.top[a], node[a], -1):
                higher = (*node[:a], level, *node[a + 1 :])
                if self._late():
                    return node
                if self._is_hopeless(higher):
                    node = higher
                    break
        return node
