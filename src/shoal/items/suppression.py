"""Removing items until every combination of at most m items that occurs, occurs in at least k rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.items.combinations import ItemSets, Rare, among, rare
from shoal.items.removal.classes import harmonics


def removed(sets: ItemSets, k: int, m: int) -> Flags:
    """bool [members]: the members to keep so that the sets are km-anonymous.

    Items are removed from all rows, or only from the rows with a rare combination, whichever costs less.
    """
    found = rare(sets, k, m)
    return min(everywhere(sets, found), by_row(sets, k, m, found), key=lambda kept: cost(sets, kept))


def cost(sets: ItemSets, kept: Flags) -> float:
    """The cost of keeping only these members: removing an item from a row that has j items left costs 1/j."""
    lengths = np.diff(sets.offsets)
    left = np.bincount(sets.set_of[kept], minlength=len(lengths))
    harmonic = harmonics(int(lengths.max(initial=0)))
    return float(sets.weights @ (harmonic[lengths] - harmonic[left]))


def everywhere(sets: ItemSets, found: list[Rare]) -> Flags:
    """Removes items from all rows until no rare combination is left; the rows of all others stay as many.

    The item with the most rare combinations per row comes first.
    """
    gone = np.zeros(sets.items, np.bool_)
    supports = np.maximum(sets.supports, 1)
    waiting = [_Waiting.of(each.combinations, sets.items) for each in found]
    while any(each.left for each in waiting):
        hits = sum(each.hits for each in waiting)
        chosen = int(np.argmax(hits / supports))
        gone[chosen] = True
        for each in waiting:
            each.break_with(chosen)
    return ~gone[sets.members]


@dataclass
class _Waiting:
    """Combinations of one size that are not broken yet, and int64 [items] the number of them that have each item.

    Those of item i are at `order[offsets[i]:offsets[i+1]]`, an order of the entries of `combinations`.
    """

    combinations: Int32
    order: Int64
    offsets: Int64
    hits: Int64
    unbroken: Flags
    left: int

    @classmethod
    def of(cls, combinations: Int32, items: int) -> _Waiting:
        hits = np.bincount(combinations.ravel(), minlength=items)
        order = np.argsort(combinations.ravel(), kind="stable")
        offsets = np.concatenate([[0], np.cumsum(hits)])
        return cls(combinations, order, offsets, hits, np.ones(len(combinations), np.bool_), len(combinations))

    def break_with(self, item: int) -> None:
        """Breaks all combinations that have this item."""
        own = self.order[self.offsets[item] : self.offsets[item + 1]] // self.combinations.shape[1]
        broken = own[self.unbroken[own]]
        np.subtract.at(self.hits, self.combinations[broken].ravel(), 1)
        self.unbroken[broken] = False
        self.left -= len(broken)


def by_row(sets: ItemSets, k: int, m: int, found: list[Rare]) -> Flags:
    """Removes items from the sets that have rare combinations, again until none is left.

    Combinations may become rare by that, and every pass removes at least one item.
    """
    kept = np.ones(len(sets.members), np.bool_)
    while any(len(each.combinations) for each in found):
        kept &= ~_breaking(sets, found)
        found = rare(sets.keeping(kept), k, m)
    return kept


def _breaking(sets: ItemSets, found: list[Rare]) -> Flags:
    """bool [members]: items of every set without which it has none of these combinations.

    In every set, the item of the most combinations comes first; of several, the one that most rows have, since its
    other combinations are the most likely to remain frequent.
    """
    place = sets.set_of * sets.items + sets.members  # ascending
    rank = np.argsort(np.argsort(sets.supports, kind="stable"), kind="stable")
    waiting = [each.set_of[:, None] * sets.items + each.combinations[each.which] for each in found]
    removed_places: list[Int64] = []
    while any(map(len, waiting)):
        keys, hits = np.unique(np.concatenate([each.ravel() for each in waiting]), return_counts=True)
        order = np.lexsort((rank[keys % sets.items], hits, keys // sets.items))
        last = np.append(np.diff(keys[order] // sets.items) > 0, True)
        chosen = np.sort(keys[order][last])
        removed_places.append(chosen)
        waiting = [each[~among(each, chosen).any(axis=1)] for each in waiting]
    return among(place, np.sort(np.concatenate(removed_places))) if removed_places else np.zeros(len(place), np.bool_)
