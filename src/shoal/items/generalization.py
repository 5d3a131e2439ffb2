"""Generalizing items over a hierarchy until every combination of at most m of them occurs in at least k rows, or none.

The result is a cut of the hierarchy: an item is published as the same node in every row. This is the apriori-based
anonymization of Terrovitis, Mamoulis and Kalnis (2008): combinations are made frequent by size, smallest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Array, Int32, Int64
from shoal.items.combinations import ItemSets, ascending, rare

_AT_ONCE = 1024
"""So many combinations are looked at together for one of which no node was replaced yet."""


@dataclass(frozen=True)
class ItemTree:
    """A hierarchy of items: at level h, item i is the node `nodes[h, i]`, with `leaves[h, i]` leaves under it.

    nodes int64 [levels, items]: level 0 are the items themselves, the last level is a single node; equal numbers are
    equal nodes within a level. leaves int64 [levels, items]: also counts leaves of the hierarchy that do not occur.
    """

    nodes: Int64
    leaves: Int64

    @property
    def top(self) -> int:
        """The highest level."""
        return len(self.nodes) - 1

    def shown(self, heights: Int64) -> Int64:
        """int64 [items]: a number for the node of each item at these levels, distinct over all levels."""
        items = np.arange(self.nodes.shape[1])
        width = int(self.nodes.max(initial=0)) + 1
        return heights * width + self.nodes[heights, items]

    def loss(self, heights: Int64) -> Array:
        """float64 [items]: the share of all other leaves that the node of an item has besides it."""
        items = np.arange(self.nodes.shape[1])
        others: Array = (self.leaves[heights, items] - 1) / np.maximum(self.leaves[self.top] - 1, 1)
        return others

    def raised(self, heights: Int64, item: int) -> Int64:
        """The levels after the node of an item is replaced by its parent, for all items under the parent."""
        level = int(heights[item]) + 1
        under = self.nodes[level] == self.nodes[level, item]
        return np.where(under, np.maximum(heights, level), heights)


def generalized(sets: ItemSets, tree: ItemTree, k: int, m: int) -> Int64:
    """int64 [items]: the level of each item at which the sets are km-anonymous, with little loss.

    If fewer than k rows have any item, no level suffices: then all of these items are at the top, and must be removed.
    """
    return stages(sets, tree, k, m)[-1]


def stages(sets: ItemSets, tree: ItemTree, k: int, m: int) -> list[Int64]:
    """The levels of the items after each pass over the rare combinations, from the items themselves on."""
    found = [np.zeros(sets.items, np.int64)]
    supports = sets.supports
    for size in range(1, m + 1):
        while True:
            nodes, shown = at(sets, tree, found[-1])
            raised = _raised(tree, supports, found[-1], nodes, [each.combinations for each in rare(shown, k, size)])
            if (raised == found[-1]).all():
                break
            found.append(raised)
    return found


def at(sets: ItemSets, tree: ItemTree, heights: Int64) -> tuple[Int64, ItemSets]:
    """int64 [items]: the nodes of the items at these levels, numbered from 0, and the sets of nodes."""
    distinct, nodes = np.unique(tree.shown(heights), return_inverse=True)
    keys = ascending(sets.set_of * len(distinct) + nodes[sets.members])
    lengths = np.bincount(keys // max(len(distinct), 1), minlength=len(sets.weights))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    members = (keys % max(len(distinct), 1)).astype(np.int32)
    return nodes.astype(np.int64), ItemSets(offsets, members, sets.weights, len(distinct))


def _raised(tree: ItemTree, supports: Int64, heights: Int64, nodes: Int64, found: Sequence[Int32]) -> Int64:
    """The levels after one node of each combination is replaced by its parent, that of the least loss.

    A combination of which a node has been replaced already is skipped. supports int64 [items]: the rows of each item.
    """
    first = np.unique(nodes, return_index=True)[1]
    before, raised = heights, heights
    for combinations in found:
        items = first[combinations]
        begin = 0
        while begin < len(items):
            part = items[begin : begin + _AT_ONCE]
            waiting = np.flatnonzero((raised[part] == before[part]).all(axis=1))
            if not len(waiting):
                begin += _AT_ONCE
                continue
            raised = _broken(tree, supports, raised, part[waiting[0]].tolist())
            begin += int(waiting[0]) + 1
    return raised


def _broken(tree: ItemTree, supports: Int64, heights: Int64, items: Sequence[int]) -> Int64:
    """Replaces the node of one of these items by its parent, that of the least loss."""
    choices = [tree.raised(heights, item) for item in items if heights[item] < tree.top]
    if not choices:
        return heights
    return min(choices, key=lambda each: float(supports @ tree.loss(each)))
