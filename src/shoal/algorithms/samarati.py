"""Samarati: the smallest height in the lattice at which the models can be met, by binary search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.algorithms.base import needs_pruning
from shoal.algorithms.full_domain import FullDomain
from shoal.coded.record import SearchRecord
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.search.best_first import Found
from shoal.search.lattice import Checked, Lattice
from shoal.search.listing import require_listable
from shoal.search.nodes import Node
from shoal.search.objectives import objective


@dataclass(frozen=True)
class Samarati(FullDomain):
    """The recoding with the fewest generalization steps in total; of several, the cheapest by `measure`.

    A height (the sum of all levels) is feasible if one of its nodes is. Every node above a feasible node is feasible,
    and so is every greater height. So binary search finds the smallest.
    Paper: Samarati, Protecting respondents' identities in microdata release, TKDE 13(6), 2001.
    """

    kind: ClassVar[str] = "samarati"
    lists_recodings: ClassVar[bool] = True

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        return needs_pruning(self.kind, models, suppression, persons)

    def record(self, result: Found, lattice: Lattice) -> SearchRecord:
        height = sum(lattice.levels(result.best.classes.node).values())
        return SearchRecord(lattice_nodes=lattice.size, nodes_checked=lattice.checks, height=height)

    def search(self, lattice: Lattice, seed: int, progress: Progress) -> Found:
        """The cheapest feasible node of the smallest height."""
        require_listable(self.kind, lattice)
        low, high = 0, sum(lattice.heights)
        while low < high:
            progress("search", 1 - (high - low) / sum(lattice.heights))
            middle = (low + high) // 2
            if any(lattice.feasible(checked) for checked in _at_height(lattice, middle)):
                high = middle
            else:
                low = middle + 1
        goal = objective(self.measure, lattice)
        feasible = [checked for checked in _at_height(lattice, low) if lattice.feasible(checked)]
        if not feasible:
            raise lattice.cannot_be_met()
        costs = [(goal.cost(checked), checked.classes.node) for checked in feasible]
        best = min(range(len(costs)), key=costs.__getitem__)
        return Found(feasible[best], costs[best][0])


def _at_height(lattice: Lattice, height: int) -> Iterator[Checked]:
    """The nodes whose levels add up to `height`, checked, in lexical order."""
    for node in nodes_at_height(lattice.heights, height):
        yield lattice.check(node)


def nodes_at_height(heights: Node, height: int) -> Iterator[Node]:
    """All nodes whose levels add up to `height`.

    >>> list(nodes_at_height((1, 2), 2))
    [(0, 2), (1, 1)]
    """
    if not heights:
        if height == 0:
            yield ()
        return
    rest = sum(heights[1:])
    for level in range(max(0, height - rest), min(heights[0], height) + 1):
        for others in nodes_at_height(heights[1:], height - level):
            yield (level, *others)
