"""Removing items until every combination of at most m items that occurs, occurs in at least k rows."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.items.combinations import ItemSets, rare
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


def everywhere(sets: ItemSets, found: list[Int32]) -> Flags:
    """Removes items from all rows until no rare combination is left; the rows of all others stay as many.

    The item with the most rare combinations per row comes first.
    """
    gone = np.zeros(sets.items, np.bool_)
    supports = np.maximum(sets.supports, 1)
    waiting = list(found)
    while any(map(len, waiting)):
        hits = sum(np.bincount(each.ravel(), minlength=sets.items) for each in waiting)
        chosen = int(np.argmax(hits / supports))
        gone[chosen] = True
        waiting = [each[(each != chosen).all(axis=1)] for each in waiting]
    return ~gone[sets.members]


def by_row(sets: ItemSets, k: int, m: int, found: list[Int32]) -> Flags:
    """Removes one item of every rare combination from the rows that have it, again until none is left.

    The item that most rows have is removed, since its other combinations are the most likely to remain frequent.
    Combinations may become rare by that, and every pass removes at least one item.
    """
    kept = np.ones(len(sets.members), np.bool_)
    while any(map(len, found)):
        _break(sets, kept, found)
        found = rare(sets.keeping(kept), k, m)
    return kept


def _break(sets: ItemSets, kept: Flags, found: list[Int32]) -> None:
    """Removes an item of each of these combinations in every row that still has the whole combination."""
    supports, index = sets.keeping(kept).supports, _Places(sets)
    for combination in (row for each in found for row in each.tolist()):
        places = index.of(combination, kept)
        if places.shape[1]:
            chosen = max(range(len(combination)), key=lambda i: (supports[combination[i]], -combination[i]))
            kept[places[chosen]] = False
            supports[combination[chosen]] -= int(sets.weights[index.set_of[places[chosen]]].sum())


class _Places:
    """Where each item stands among the members."""

    def __init__(self, sets: ItemSets) -> None:
        self.set_of = sets.set_of
        self.order = np.argsort(sets.members, kind="stable")
        self.starts = np.searchsorted(sets.members[self.order], np.arange(sets.items + 1))

    def of(self, combination: list[int], kept: Flags) -> Int64:
        """int64 [items, sets]: the places of the items in every set that still has all of them."""
        places = [self._kept(item, kept) for item in combination]
        common = self.set_of[places[0]]
        for each in places[1:]:
            common = np.intersect1d(common, self.set_of[each], assume_unique=True)
        return np.array([each[np.isin(self.set_of[each], common, assume_unique=True)] for each in places])

    def _kept(self, item: int, kept: Flags) -> Int64:
        places = self.order[self.starts[item] : self.starts[item + 1]]
        return places[kept[places]]
