"""Searches over the lattice: the whole of it best-first, down from the top where it is too large, or row by row."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from shoal.coded.partition import Int64, Partition
from shoal.progress import Progress
from shoal.search.covering import Covering
from shoal.search.lattice import Checked, Lattice, Node
from shoal.search.objectives import Float64, Objective

_EPSILON = 1e-12
_RULED_OUT_AT_ONCE = 4
"""How many conditions are made of one node that fails: different ones, for columns are raised in random order."""
_STEPS_A_LOOK = 16
"""So many steps of the covering problem take about as long as one look at a node."""
_TURN = 2000
"""Looks at a time for the bound: fewer, and it would begin anew more often than it ends."""
_SHAKEN, _NOISE = 0.3, 0.5
"""The share of columns that a new descent raises, and how freely it chooses its steps; found by trying."""
_SWEPT = 20_000
"""More nodes than this are not all swept: then some are, from the bottom to the top."""


@dataclass(frozen=True)
class Found:
    """The best node a search knows, what it costs, and how little any node could cost."""

    best: Checked
    cost: float
    proven: bool = False
    lower_bound: float | None = None


class Search:
    """Best-first search of a whole lattice. Arrays have the lattice's shape, so up-sets and down-sets are slices.

    A node is left out only when its cost bound is no better than the best, or when a node above it has shown that too
    many rows must be lost below (`Checked.least_lost`).
    """

    def __init__(self, lattice: Lattice, goal: Objective, deadline: float, progress: Progress) -> None:
        self.lattice, self.goal, self.deadline, self.progress = lattice, goal, deadline, progress
        self.bounds: Float64 = np.array(goal.bounds(), np.float64)
        self.open = np.ones(self.bounds.shape, np.bool_)
        self.surely_feasible = np.zeros(self.bounds.shape, np.bool_)
        self.best: Checked | None = None
        self.cost = np.inf
        self.relaxed = np.inf  # the least that any node looked at could cost with another choice of classes

    def run(self) -> Found:
        """The cheapest feasible node, or where the deadline comes first the cheapest found so far."""
        while (node := self._lowest()) is not None and not self._late():
            self._bisect([node] if self.surely_feasible[node] else self._path(node))
        if self.best is None and self.open[self.lattice.top]:
            self._look(self.lattice.top)  # the last resort of a search that ran out of time
        if self.best is None:
            raise self.lattice.cannot_be_met()
        while self._lowered_for_nothing(self.best):
            pass
        left = self._candidates()
        bound = float(min(self.cost, self.relaxed, self.bounds[left].min(initial=np.inf)))
        return Found(self.best, float(self.cost), bound >= self.cost - _EPSILON, bound)

    def _lowered_for_nothing(self, best: Checked) -> bool:
        """Takes a node just below the best that costs no more: of equals, the one that changes less is better."""
        node = best.groups.node
        for lower in (lowered(node, a) for a in range(len(node)) if node[a]):
            if self.open[lower] and self.bounds[lower] <= self.cost + _EPSILON and not self._late():
                checked = self.lattice.check(lower)
                self.open[lower] = False
                if self.lattice.feasible(checked) and self.goal.cost(checked) <= self.cost + _EPSILON:
                    self.best = checked
                    return True
        return False

    def _late(self) -> bool:
        return time.monotonic() > self.deadline

    def _candidates(self) -> NDArray[np.bool_]:
        """Nodes nobody looked at that could still cost less than the best."""
        return self.open & (self.bounds < self.cost - _EPSILON)

    def _lowest(self) -> Node | None:
        """The candidate with the lowest bound."""
        candidates = self._candidates()
        self.progress("search", 1.0 - float(candidates.mean()))
        if not candidates.any():
            return None
        at = int(np.argmin(np.where(candidates, self.bounds, np.inf)))
        return tuple(int(level) for level in np.unravel_index(at, self.bounds.shape))

    def _path(self, node: Node) -> list[Node]:
        """From a candidate upwards through candidates of unknown feasibility, each time to the one of lowest bound."""
        candidates = self._candidates() & ~self.surely_feasible
        path = [node]
        while True:
            parents = [parent for parent in parents_of(path[-1], self.lattice.top) if candidates[parent]]
            if not parents:
                return path
            path.append(min(parents, key=lambda parent: (self.bounds[parent], parent)))

    def _bisect(self, path: list[Node]) -> None:
        """Looks for the lowest node of a path that nothing rules out; every look decides much more than one node."""
        low, high = 0, len(path) - 1
        while low <= high and not self._late():
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
        if checked.has_choice and checked.least_lost <= self.lattice.limit and self.lattice.feasible(checked.relaxed):
            self.relaxed = min(self.relaxed, self.goal.least(checked))
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


class Descent:
    """Search of a lattice too large to list, until the deadline: from above by descents, from below by a bound.

    A descent goes down by the steps that save most, at first from the top, then from the best with some columns raised
    again. The bound is the cheapest node that no known failure rules out; looking at it either finds something better
    or rules out more.
    """

    def __init__(self, lattice: Lattice, goal: Objective, deadline: float, progress: Progress) -> None:
        self.lattice, self.goal, self.deadline, self.progress = lattice, goal, deadline, progress
        self.began = time.monotonic()
        self.best: Checked | None = None
        self.cost = np.inf
        self.bound = 0.0
        costs = [[goal.column_floor(a, level) for level in range(top + 1)] for a, top in enumerate(lattice.top)]
        self.covering = Covering(costs)
        self.bounded = any(column[-1] > 0 for column in costs)
        self.rng = np.random.default_rng(0)

    def run(self) -> Found:
        start = self.lattice.check(self.lattice.top)
        if not self.lattice.feasible(start):
            raise self.lattice.cannot_be_met()
        self._take(start)
        self._descend(self.lattice.top, 0.0)
        # Work on either side is kept about equal. It is counted, not timed: a fast machine finds what a slow one does.
        above, below = self._work, 0.0
        while not self._late() and self.cost > self.bound + _EPSILON:
            began = self._work
            if self.bounded and below < above:
                self._raise_bound(until=began + _TURN)
                below += self._work - began
            else:
                self._descend(self._shaken(self.best or start), _NOISE)
                above += 1 + self._work - began  # all of its nodes may be known
        assert self.best is not None
        bound = float(min(self.bound, self.cost))
        return Found(self.best, float(self.cost), self.cost <= bound + _EPSILON, bound)

    @property
    def _work(self) -> float:
        """Looks at nodes so far, and what the covering problem took, in looks."""
        return self.lattice.checks + self.covering.steps / _STEPS_A_LOOK

    def _late(self) -> bool:
        self.progress("search", min(1.0, (time.monotonic() - self.began) / (self.deadline - self.began)))
        return time.monotonic() > self.deadline

    # -- from above ------------------------------------------------------------------------------------------------

    def _shaken(self, best: Checked) -> Node:
        """The best node with about every third column raised to its top."""
        raised = self.rng.random(len(self.lattice.top)) < _SHAKEN
        return tuple(int(t if up else b) for t, b, up in zip(self.lattice.top, best.groups.node, raised, strict=True))

    def _descend(self, node: Node, noise: float) -> None:
        """One way down: always the step that saves most, give or take the noise, and is allowed."""
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
        return self.goal.floor_of(node) - self.goal.floor_of(lowered(node, a))

    def _feasible(self, node: Node) -> bool:
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
        if cost < self.cost - _EPSILON:
            self.best, self.cost = checked, cost

    # -- from below ------------------------------------------------------------------------------------------------

    def _raise_bound(self, until: float) -> None:
        """Rules out the cheapest node that nothing rules out, with as many others as it can, again and again."""
        while self.bounded and not self._late() and self._work < until and self.cost > self.bound + _EPSILON:
            found = self.covering.cheapest(self.deadline, int((until - self._work) * _STEPS_A_LOOK) + 1)
            self.bound = max(self.bound, min(found.bound, self.cost))
            if found.levels is None:
                return
            for _ in range(_RULED_OUT_AT_ONCE):
                hopeless = self._high_and_hopeless(found.levels)
                if hopeless is None:
                    self.bounded = False  # neither taken nor ruled out, it would come up for ever
                    return
                self.covering.rule_out(hopeless)

    def _is_hopeless(self, node: Node) -> bool:
        """Whether nothing at or below a node can be better than the best.

        Too many rows are lost there; or those that are cost so much, wherever they are, that the bound and they
        together reach the best: what is suppressed here is suppressed at every node below.
        """
        checked = self.lattice.check(node)
        if checked.least_lost > self.lattice.limit:
            return True
        if not self.lattice.feasible(checked):
            return False
        self._take(checked)
        if not self.lattice.monotone:
            return False
        return self.bound + self.goal.cost(checked) - self.goal.floor_of(node) >= self.cost - _EPSILON

    def _high_and_hopeless(self, low: Node) -> Node | None:
        """A hopeless node at or above another, as high as can be; None where there is none, or no time.

        From the top down, columns in random order: coarse recodings are quickly looked at. Then those that were not
        needed go up again.
        """
        node, order = self.lattice.top, self.rng.permutation(len(low))
        for place, a in enumerate(order):
            if self._late():
                return None
            node = (*node[:a], low[a], *node[a + 1 :])
            if low[a] < self.lattice.top[a] and self._is_hopeless(node):
                return self._raised(node, order[: place + 1])
        return None

    def _raised(self, node: Node, columns: NDArray[np.int64]) -> Node:
        for a in columns:
            for level in range(self.lattice.top[a], node[a], -1):
                higher = (*node[:a], level, *node[a + 1 :])
                if self._late():
                    return node
                if self._is_hopeless(higher):
                    node = higher
                    break
        return node


def sweep(
    lattice: Lattice, goal: Objective, deadline: float, progress: Progress, start: Partition | None = None
) -> Partition | None:
    """Local recoding: node after node, cheapest first, every row that finds a passing class there keeps it.

    Rows of `start`, a partition with levels, keep their classes from the beginning. Rows that never find one are
    suppressed within the limit, or become a class together with those taken last. None where neither is allowed.
    """
    class_of = np.full(len(lattice.encoded.rows.weight), -1, np.int64) if start is None else start.class_of.copy()
    levels = [] if start is None or start.levels is None else [tuple(row) for row in start.levels.tolist()]
    left = np.flatnonzero(class_of < 0)
    weight, floor = lattice.encoded.rows.weight, max(model.floor for model in lattice.models)
    nodes = _cheapest_first(lattice, goal)
    for number, node in enumerate(nodes):
        progress("search", number / len(nodes))
        if weight[left].sum() < floor or time.monotonic() > deadline:
            break
        ids, passing = lattice.check_rows(left, node)
        taken = passing[ids]
        names = np.cumsum(passing) - 1 + len(levels)
        class_of[left[taken]] = names[ids[taken]]
        levels += [node] * int(passing.sum())
        left = left[~taken]
    return _closed(lattice, class_of, levels)


def _closed(lattice: Lattice, class_of: Int64, levels: list[Node]) -> Partition | None:
    """The classes as a partition that keeps every promise, with the rest suppressed or else as a class of its own.

    Where leaving rows out moves what shares are compared with, a release of all rows may hold where one of fewer does
    not: it is tried as well.
    """
    left_out = int(lattice.encoded.rows.weight[class_of < 0].sum())
    if left_out <= lattice.limit:
        without_rest = _as_partition(lattice, class_of, levels)
        if lattice.holds(without_rest):
            return without_rest
    with_rest = _with_rest(lattice, class_of, levels)
    return with_rest if with_rest is not None and lattice.holds(with_rest) else None


def _with_rest(lattice: Lattice, class_of: Int64, levels: list[Node]) -> Partition | None:
    """Every row in a class: those left over become one with as few of the classes taken last as make it pass."""

    def rest(given_back: int) -> Int64:
        return np.flatnonzero((class_of < 0) | (class_of >= len(levels) - given_back))

    if not len(rest(0)):
        return _as_partition(lattice, class_of, levels)
    too_few, enough = -1, 0
    while not lattice.passes_together(rest(enough)):
        if enough == len(levels):
            return None
        too_few, enough = enough, min(2 * enough + 1, len(levels))
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if lattice.passes_together(rest(middle)):
            enough = middle
        else:
            too_few = middle
    rows, kept = rest(enough), len(levels) - enough
    joined = class_of.copy()
    joined[rows] = kept
    return _as_partition(lattice, joined, [*levels[:kept], lattice.common_levels(rows)])


def _as_partition(lattice: Lattice, class_of: Int64, levels: list[Node]) -> Partition:
    table = np.array(levels, np.int16).reshape(len(levels), len(lattice.heights))
    return Partition(class_of, len(levels), levels=table)


def _cheapest_first(lattice: Lattice, goal: Objective) -> list[Node]:
    """The nodes in ascending order of what they cost as if nothing were suppressed."""
    nodes: Iterable[Node] = product(*(range(height + 1) for height in lattice.heights))
    if lattice.size > _SWEPT:  # a way from the bottom to the top, and where a search has found classes
        nodes = {*_chain(lattice, goal), *[node for node, look in lattice.looked.items() if look.classes][-_SWEPT:]}
    return sorted(nodes, key=lambda node: (goal.floor_of(node), node))


def _chain(lattice: Lattice, goal: Objective) -> list[Node]:
    """From the bottom to the top, always by the step that costs least."""
    chain: list[Node] = [tuple(0 for _ in lattice.heights)]
    while chain[-1] != lattice.top:
        chain.append(min(parents_of(chain[-1], lattice.top), key=lambda node: (goal.floor_of(node), node)))
    return chain


def below(node: Node) -> tuple[slice, ...]:
    """The index of all nodes at or below."""
    return tuple(slice(0, level + 1) for level in node)


def above(node: Node) -> tuple[slice, ...]:
    """The index of all nodes at or above."""
    return tuple(slice(level, None) for level in node)


def parents_of(node: Node, top: Node) -> list[Node]:
    """The nodes one level higher in one column."""
    return [(*node[:a], node[a] + 1, *node[a + 1 :]) for a in range(len(node)) if node[a] < top[a]]


def lowered(node: Node, a: int) -> Node:
    """The node with column a one level lower."""
    return (*node[:a], node[a] - 1, *node[a + 1 :])


def minimal(nodes: Iterable[Node]) -> list[Node]:
    """Of some nodes those that lie above no other, in lexical order."""
    chosen: list[Node] = []
    for node in sorted(nodes, key=lambda each: (sum(each), each)):
        if not any(all(a <= b for a, b in zip(lower, node, strict=True)) for lower in chosen):
            chosen.append(node)
    return sorted(chosen)
