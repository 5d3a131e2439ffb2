"""How items are published so that every combination of at most m of them occurs in at least k rows.

Items are generalized over a hierarchy, if there is one, and what is still rare is removed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Array, Flags, Int64
from shoal.items.combinations import ItemSets, among, rare
from shoal.items.generalization import ItemTree, at, stages
from shoal.items.removal.classes import harmonics
from shoal.items.suppression import removed

_TRIED = 3
"""The most steps of generalization after which removal is tried."""


class ItemRecoding(NamedTuple):
    """What is published in place of the sets of a table.

    heights int64 [items]: the level at which an item is published. nodes int64 [items]: the number of its node there.
    `sets`: the sets of nodes that are published, one for each given set. `cost`: what this loses.
    """

    heights: Int64
    nodes: Int64
    sets: ItemSets
    cost: float


def recoded(sets: ItemSets, tree: ItemTree | None, k: int, m: int) -> ItemRecoding:
    """The cheapest of several recodings after which every combination of at most m nodes occurs in at least k rows.

    Generalization goes on step by step. What is rare after a step is removed: without any step, which only removes, and
    after those steps that may cost least.
    """
    flat = np.zeros(sets.items, np.int64)
    if tree is None:
        return _removing(sets, tree, flat, k, m)
    heights = stages(sets, tree, k, m)[1:]
    heights.sort(key=lambda each: _at_least(sets, tree, each, k, m))
    tried = [_removing(sets, tree, each, k, m) for each in (*heights[:_TRIED], flat)]
    return min(tried, key=lambda each: round(each.cost, 9))  # of equal costs, one that generalizes, and shows more


def _at_least(sets: ItemSets, tree: ItemTree, heights: Int64, k: int, m: int) -> float:
    """About the least cost of these levels: what generalization costs, and one node of every set with a rare one."""
    _, shown = at(sets, tree, heights)
    lengths = np.diff(sets.offsets)
    part = harmonics(int(lengths.max(initial=0)))[lengths] / np.maximum(lengths, 1)
    lost = np.bincount(sets.set_of, tree.loss(heights)[sets.members], minlength=len(lengths))
    return float(sets.weights @ (part * lost)) + least_cost(shown, k, m)


def _removing(sets: ItemSets, tree: ItemTree | None, heights: Int64, k: int, m: int) -> ItemRecoding:
    """The recoding with these levels, without the nodes that must be removed from each set."""
    nodes, shown = (np.arange(sets.items), sets) if tree is None else at(sets, tree, heights)
    kept = removed(shown, k, m)
    lost = np.zeros(sets.items) if tree is None else tree.loss(heights)
    published = shown.keeping(kept)
    return ItemRecoding(heights, nodes, published, float(sets.weights @ losses(sets, published, nodes, lost)))


def losses(sets: ItemSets, published: ItemSets, nodes: Int64, lost: Array) -> Array:
    """float64 [sets]: what each set loses, from 0 to the cost of removing all of its items.

    `published`: the sets of nodes in their place. nodes int64 [items]: the node of each item. lost float64 [items]: the
    share of its information that an item loses as this node. Removing an item of j costs 1/j. The items that are left,
    as themselves or as a node, share equally what it would cost to remove them, and lose their part of that.
    """
    kept = shows(sets, published, nodes)
    set_of, count = sets.set_of, len(sets.weights)
    left = np.bincount(set_of[kept], minlength=count)
    harmonic = harmonics(int(np.diff(sets.offsets).max(initial=0)))
    blurred = np.bincount(set_of[kept], lost[sets.members[kept]], minlength=count)
    shares: Array = harmonic[np.diff(sets.offsets)] - harmonic[left] + blurred * harmonic[left] / np.maximum(left, 1)
    return shares


def shows(sets: ItemSets, published: ItemSets, nodes: Int64) -> Flags:
    """bool [members]: whether the published set has the node of this item."""
    width = max(published.items, 1)
    there = published.set_of * width + published.members  # ascending, as sets are, and members within a set
    wanted = sets.set_of * width + nodes[sets.members]
    return among(wanted, there)


def least_cost(sets: ItemSets, k: int, m: int) -> float:
    """A lower bound on the cost of any removal: a row with a rare combination must lose an item of it.

    Removing items from other rows makes no combination more frequent.
    """
    lengths, failing = np.diff(sets.offsets), with_rare(sets, k, m)
    return float((sets.weights[failing] / lengths[failing]).sum())


def with_rare(sets: ItemSets, k: int, m: int) -> Flags:
    """bool [sets]: whether a set has a combination of at most m items that fewer than k rows have."""
    flags = np.zeros(len(sets.weights), np.bool_)
    for found in rare(sets, k, m):
        flags[found.set_of] = True
    return flags
