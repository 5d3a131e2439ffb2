"""Generalizing items over a hierarchy until every combination of at most m of them occurs in at least k rows, or none.

The result is a cut of the hierarchy: an item is published as the same node in every row. This is the apriori-based
anonymization of Terrovitis, Mamoulis and Kalnis (2008): combinations are made frequent by size, smallest first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Array, Int64
from shoal.items.combinations import ItemSets, rare


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
    heights = np.zeros(sets.items, np.int64)
    for size in range(1, m + 1):
        while True:
            nodes, shown = at(sets, tree, heights)
            found = [row for each in rare(shown, k, size) for row in each.combinations.tolist()]
            before = heights
            for combination in found:
                heights = _broken(sets, tree, before, heights, nodes, combination)
            if (heights == before).all():
                break
    return heights


def at(sets: ItemSets, tree: ItemTree, heights: Int64) -> tuple[Int64, ItemSets]:
    """int64 [items]: the nodes of the items at these levels, numbered from 0, and the sets of nodes."""
    distinct, nodes = np.unique(tree.shown(heights), return_inverse=True)
    keys = np.unique(sets.set_of * len(distinct) + nodes[sets.members])
    lengths = np.bincount(keys // max(len(distinct), 1), minlength=len(sets.weights))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    members = (keys % max(len(distinct), 1)).astype(np.int32)
    return nodes.astype(np.int64), ItemSets(offsets, members, sets.weights, len(distinct))


def _broken(
    sets: ItemSets, tree: ItemTree, before: Int64, heights: Int64, nodes: Int64, combination: list[int]
) -> Int64:
    """Replaces one node of a combination by its parent, that of the least loss, unless one has been replaced."""
    items = [int(np.argmax(nodes == node)) for node in combination]
    if any(heights[item] != before[item] for item in items):
        return heights
    choices = [tree.raised(heights, item) for item in items if heights[item] < tree.top]
    if not choices:
        return heights
    supports = sets.supports
    return min(choices, key=lambda each: float(supports @ tree.loss(each)))
