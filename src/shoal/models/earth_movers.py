"""Earth mover's distances of classes to a reference distribution, over arrays, as the search of t-closeness needs them.

Each function returns (over, unit), over being int64 or object [classes]: the distance of a class of n rows to a
reference of N rows is over / (n · N · unit), exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from shoal.arrays import Array, Int32, Int64
from shoal.coded.domains import SensitiveDomain
from shoal.coded.stats import ValueCounts
from shoal.errors import PlanError


def equal(counts: ValueCounts, reference: Int64, column: SensitiveDomain) -> tuple[Int64, int]:
    """The equal distance."""
    from shoal.kernels import distances

    return distances.excess(*counts, np.arange(len(reference), dtype=np.int32), reference), 1


def ordered(counts: ValueCounts, reference: Int64, column: SensitiveDomain) -> tuple[Int64, int]:
    """The ordered distance, over the values that occur in the reference distribution."""
    from shoal.kernels import distances

    occurring = np.flatnonzero(reference)
    if len(occurring) < 2:
        return np.zeros(len(counts.offsets) - 1, np.int64), 1
    rank = np.zeros(len(reference), np.int32)
    rank[occurring] = np.arange(len(occurring))
    below = np.cumsum(reference[occurring])
    a, b = distances.ordered_moves(counts.offsets, rank[counts.values], counts.counts, below)
    integers = _integers(counts, reference, len(occurring))
    moved: Array = int(below[-1]) * a.astype(integers) - counts.totals.astype(integers) * b.astype(integers)
    return moved, len(occurring) - 1


def hierarchical(counts: ValueCounts, reference: Int64, column: SensitiveDomain) -> tuple[Int64, int]:
    """The mean, over the levels below the top, of the equal distance between the nodes of a level.

    Going up one level at a time, what a node has in excess must leave it. Each unit that is balanced at height h is in
    excess at h levels.
    """
    from shoal.kernels import distances

    levels = _nodes(column)
    over: Array = np.zeros(len(counts.offsets) - 1, _integers(counts, reference, len(levels)))
    for nodes in levels:
        reference_of_node = np.zeros(nodes.max(initial=-1) + 1, np.int64)
        np.add.at(reference_of_node, nodes, reference)
        over += distances.excess(*counts, nodes, reference_of_node)
    return over, max(len(levels), 1)


def _nodes(column: SensitiveDomain) -> list[Int32]:
    """For every level below the top, int32 [values]: the node above each value. Missing is a separate branch."""
    if column.hierarchy is None:
        raise no_hierarchy(column.name)
    tree = column.hierarchy
    leaf = np.array([tree.index.get(label, -1) for label in column.labels])
    levels = []
    for level in tree.levels[:-1]:
        outside = len(level.labels) + np.arange(len(leaf))
        levels.append(np.where(leaf < 0, outside, level.of_leaf[leaf]).astype(np.int32))
    return levels


def _integers(counts: ValueCounts, reference: Int64, times: int) -> type:
    """The type that holds `times` · n · N: int64 if it suffices, otherwise Python integers."""
    largest = times * int(reference.sum()) * int(counts.totals.max(initial=0))
    return np.int64 if largest < 2**62 else object


def no_hierarchy(column: str) -> PlanError:
    """The error for a hierarchical distance without a hierarchy."""
    return PlanError(
        f"TCloseness with distance 'hierarchical' needs a hierarchy of column '{column}'; it has none.",
        hint="give the sensitive column a hierarchy, or use distance 'equal' or 'ordered'.",
    )


SEARCHED: Mapping[str, Callable[[ValueCounts, Int64, SensitiveDomain], tuple[Array, int]]] = {
    "equal": equal,
    "ordered": ordered,
    "hierarchical": hierarchical,
}
"""The distances, by the words of a plan."""
