"""Local recoding: every row gets the cheapest recoding at which it finds a class, so levels differ between rows."""

from __future__ import annotations

import time
from collections.abc import Iterable
from itertools import product

import numpy as np

from shoal.arrays import Int64
from shoal.coded.partition import Partition
from shoal.coded.recoding import Levels
from shoal.progress import Progress
from shoal.search.lattice import Lattice
from shoal.search.nodes import Node, parents_of
from shoal.search.objectives import Objective

_SWEPT = 20_000
"""The most nodes to sweep. In a larger lattice only some are swept, from the bottom to the top."""


def sweep(
    lattice: Lattice, goal: Objective, deadline: float, progress: Progress, start: Partition | None = None
) -> Partition | None:
    """Local recoding: node by node, cheapest first, every row that finds a passing class there keeps it.

    Rows of `start`, a partition with levels, keep their classes from the beginning. Rows that never find a class are
    suppressed within the limit, or form a class together with the classes taken last. None if neither is allowed.
    """
    weight, floor = lattice.coded.counted.weight, max(model.floor for model in lattice.models)
    class_of, levels = np.full(len(weight), -1, np.int64), list[Node]()
    if start is not None and (given := start.recoding.class_levels()) is not None:
        class_of[start.row] = start.class_of
        levels = [tuple(row) for row in given.tolist()]
    unassigned = np.flatnonzero(class_of < 0)
    nodes = _cheapest_first(lattice, goal)
    for number, node in enumerate(nodes):
        progress("search", number / len(nodes))
        if weight[unassigned].sum() < floor or time.monotonic() > deadline:
            break
        ids, passing = lattice.check_rows(unassigned, node)
        taken = passing[ids]
        names = np.cumsum(passing) - 1 + len(levels)
        class_of[unassigned[taken]] = names[ids[taken]]
        levels += [node] * int(passing.sum())
        unassigned = unassigned[~taken]
    return _closed(lattice, class_of, levels)


def _closed(lattice: Lattice, class_of: Int64, levels: list[Node]) -> Partition | None:
    """The classes as a partition that keeps every promise; all other rows are suppressed, or else form a class.

    If suppression changes the reference distribution, a release of all rows may hold where one of fewer rows does not.
    So both are tried.
    """
    unassigned = int(lattice.coded.counted.weight[class_of < 0].sum())
    if unassigned <= lattice.limit:
        without_rest = _as_partition(lattice, class_of, levels)
        if lattice.holds(without_rest):
            return without_rest
    with_rest = _with_rest(lattice, class_of, levels)
    return with_rest if with_rest is not None and lattice.holds(with_rest) else None


def _with_rest(lattice: Lattice, class_of: Int64, levels: list[Node]) -> Partition | None:
    """Every row in a class: the remaining rows form one, with as few of the classes taken last as make it pass."""

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
    """The partition with these classes, each published at its levels."""
    table = np.array(levels, np.int16).reshape(len(levels), len(lattice.heights))
    return Partition.of_rows(class_of, len(levels), lattice.coded.counted.weight, Levels(table))


def _cheapest_first(lattice: Lattice, goal: Objective) -> list[Node]:
    """The nodes in ascending order of their cost without suppression."""
    nodes: Iterable[Node] = product(*(range(height + 1) for height in lattice.heights))
    if lattice.size > _SWEPT:  # a path from the bottom to the top, and where a search found classes
        nodes = {*_chain(lattice, goal), *[node for node, look in lattice.looked.items() if look.classes][-_SWEPT:]}
    return sorted(nodes, key=lambda node: (goal.floor_of(node), node))


def _chain(lattice: Lattice, goal: Objective) -> list[Node]:
    """A path from the bottom to the top, always by the step that costs least."""
    chain: list[Node] = [tuple(0 for _ in lattice.heights)]
    while chain[-1] != lattice.top:
        chain.append(min(parents_of(chain[-1], lattice.top), key=lambda node: (goal.floor_of(node), node)))
    return chain
