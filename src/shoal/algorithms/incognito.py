"""Incognito: all minimal full-domain recodings, built up from those of ever larger sets of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import ClassVar

from shoal.algorithms.base import needs_pruning
from shoal.algorithms.full_domain import FullDomain
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.record import SearchRecord
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.search.best_first import Found
from shoal.search.lattice import Lattice
from shoal.search.listing import require_listable
from shoal.search.nodes import Node, minimal
from shoal.search.objectives import objective

Subset = tuple[int, ...]


@dataclass(frozen=True)
class Incognito(FullDomain):
    """All minimal recodings that satisfy the models; the one with the lowest cost by `measure` is released.

    A recoding is minimal if no recoding below it satisfies the models. By the subset property, a recoding that fails on
    some of the columns, with all others fully generalized, fails on all columns too. So sets of columns are processed
    in order of size, and only levels that passed in every smaller set are tried. The steward's record lists all
    minimal recodings.
    Paper: LeFevre, DeWitt, Ramakrishnan, Incognito: efficient full-domain k-anonymity, SIGMOD 2005.
    """

    kind: ClassVar[str] = "incognito"
    lists_recodings: ClassVar[bool] = True

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        return needs_pruning(self.kind, models, suppression, persons)

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """The classes of the cheapest minimal recoding."""
        lattice = Lattice(coded, models, suppression)
        nodes = self._minimal(lattice, progress)
        best = self._cheapest(lattice, nodes).best
        record = SearchRecord(
            lattice_nodes=lattice.size,
            nodes_checked=lattice.checks,
            minimal=tuple(lattice.levels(node) for node in nodes),
        )
        return lattice.partition(best, record)

    def search(self, lattice: Lattice, seed: int, progress: Progress) -> Found:
        """The cheapest of the minimal nodes."""
        return self._cheapest(lattice, self._minimal(lattice, progress))

    def _minimal(self, lattice: Lattice, progress: Progress) -> list[Node]:
        """The minimal nodes. Raises an error if they cannot be listed, or if there is none."""
        require_listable(self.kind, lattice)
        nodes = minimal_nodes(lattice, progress)
        if not nodes:
            raise lattice.cannot_be_met()
        return nodes

    def _cheapest(self, lattice: Lattice, nodes: list[Node]) -> Found:
        """The cheapest of these nodes."""
        goal = objective(self.measure, lattice)
        cost, node = min((goal.cost(lattice.check(node)), node) for node in nodes)
        return Found(lattice.check(node), cost)


def minimal_nodes(lattice: Lattice, progress: Progress) -> list[Node]:
    """All minimal feasible nodes, in lexical order."""
    columns = range(len(lattice.heights))
    passed: dict[Subset, set[Node]] = {}
    for size in range(1, len(lattice.heights) + 1):
        before, passed = passed, {}
        subsets = list(combinations(columns, size))
        for number, subset in enumerate(subsets):
            progress("search", (size - 1 + number / len(subsets)) / len(lattice.heights))
            passed[subset] = _passing(lattice, subset, before)
    return minimal(passed[tuple(columns)])


def _passing(lattice: Lattice, subset: Subset, before: dict[Subset, set[Node]]) -> set[Node]:
    """The levels of a set of columns that pass, with all other columns fully generalized.

    Levels above passing ones pass too, and are not checked.
    """
    passed: set[Node] = set()
    for levels in sorted(product(*(range(lattice.heights[a] + 1) for a in subset)), key=lambda node: (sum(node), node)):
        if not _passed_before(subset, levels, before):
            continue
        if _above_one(levels, passed) or lattice.feasible(lattice.check(_filled(lattice.top, subset, levels))):
            passed.add(levels)
    return passed


def _passed_before(subset: Subset, levels: Node, before: dict[Subset, set[Node]]) -> bool:
    """Whether the levels passed in every set with one column less."""
    if not before:
        return True
    return all((*levels[:i], *levels[i + 1 :]) in before[(*subset[:i], *subset[i + 1 :])] for i in range(len(subset)))


def _above_one(levels: Node, passed: set[Node]) -> bool:
    """Whether a node one level lower in one column passed, so that this one passes too."""
    return any((*levels[:i], level - 1, *levels[i + 1 :]) in passed for i, level in enumerate(levels) if level)


def _filled(top: Node, subset: Subset, levels: Node) -> Node:
    """The node with these levels in a set of columns, and all other columns fully generalized."""
    node = list(top)
    for a, level in zip(subset, levels, strict=True):
        node[a] = level
    return tuple(node)
