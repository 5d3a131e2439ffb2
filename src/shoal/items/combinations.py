"""Combinations of items: those that too few rows have, for km-anonymity.

A table is km-anonymous if every combination of at most m items that occurs, occurs in at least k rows. (Terrovitis,
Mamoulis, Kalnis: Privacy-preserving anonymization of set-valued data, 2008)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Array, Flags, Int32, Int64
from shoal.errors import TableError

_DENSE = 1 << 24
"""Supports of fewer possible combinations than this are counted in an array."""

_MOST = 100_000_000
"""So many combinations of one size can be counted at most, which takes about 5 GB of memory."""


class ItemSets(NamedTuple):
    """Distinct item sets: set s has the items `members[offsets[s]:offsets[s+1]]`, ascending, and `weights[s]` rows.

    offsets int64 [sets+1], members int32 < items, weights int64 [sets].
    """

    offsets: Int64
    members: Int32
    weights: Int64
    items: int

    @property
    def set_of(self) -> Int64:
        """int64 [members]: the set of each member."""
        return np.repeat(np.arange(len(self.weights)), np.diff(self.offsets))

    @property
    def supports(self) -> Int64:
        """int64 [items]: the number of rows that have each item."""
        return _weighed(self.members.astype(np.int64), self.weights[self.set_of], self.items)

    def keeping(self, kept: Flags) -> ItemSets:
        """The sets with only these members."""
        lengths = np.bincount(self.set_of[kept], minlength=len(self.weights))
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return ItemSets(offsets, self.members[kept], self.weights, self.items)


class Rare(NamedTuple):
    """Rare combinations of one size, int32 [n, size], and where: set `set_of[i]` has combination `which[i]`."""

    combinations: Int32
    set_of: Int64
    which: Int64

    def of(self, chosen: Flags) -> Rare:
        """Only these of the combinations; bool [n]."""
        number, inside = np.cumsum(chosen) - 1, chosen[self.which]
        return Rare(self.combinations[chosen], self.set_of[inside], number[self.which[inside]])


def rare(sets: ItemSets, k: int, m: int) -> list[Rare]:
    """For each size up to m, the minimal combinations that a set has, but fewer than k rows.

    A combination is minimal if at least k rows have each smaller one in it. There is none if and only if the sets are
    km-anonymous. Sets of no row, whose weight is 0, are judged like all others.

    >>> sets = ItemSets(np.array([0, 2, 4, 5]), np.array([0, 1, 0, 2, 0], np.int32), np.array([2, 1, 1]), 3)
    >>> [found.combinations.tolist() for found in rare(sets, k=2, m=2)]
    [[[2]], []]
    """
    level = _Level(sets.set_of, np.arange(len(sets.members)), sets.members.astype(np.int64))
    first = Rare(np.arange(sets.items, dtype=np.int32)[:, None], level.set_of, level.combination)
    supports = sets.supports
    occurs = np.bincount(sets.members, minlength=sets.items) > 0
    found = [first.of(occurs & (supports < k))]
    frequent = sets.keeping(supports[sets.members] >= k)
    level = _Level(frequent.set_of, np.arange(len(frequent.members)), frequent.members.astype(np.int64))
    keys: list[Int64] = []
    combinations = first.combinations
    for _ in range(2, m + 1):
        level, key, support = _extended(frequent, level)
        grown = np.hstack([combinations[key // sets.items], (key % sets.items).astype(np.int32)[:, None]])
        is_rare = support < k
        candidates = Rare(grown, level.set_of, level.combination).of(is_rare)
        found.append(candidates.of(_all_parts_frequent(candidates.combinations, keys, sets.items)))
        number, chosen = np.cumsum(~is_rare) - 1, ~is_rare[level.combination]
        level = _Level(level.set_of[chosen], level.last[chosen], number[level.combination[chosen]])
        keys.append(key[~is_rare])
        combinations = grown[~is_rare]
    return found


def are_anonymous(sets: ItemSets, k: int, m: int) -> bool:
    """Whether every combination of at most m items that occurs, occurs in at least k rows."""
    return all(len(found.combinations) == 0 for found in rare(sets, k, m))


def ascending(keys: Int64) -> Int64:
    """The distinct keys, ascending. np.unique hashes integers, which takes ten times as long for many."""
    keys = np.sort(keys)
    distinct: Int64 = keys[np.concatenate([np.ones(min(len(keys), 1), np.bool_), keys[1:] != keys[:-1]])]
    return distinct


def among(keys: Int64, known: Int64) -> Flags:
    """Whether each key is one of the known ones, which are ascending."""
    if not len(known):
        return np.zeros(keys.shape, np.bool_)
    flags: Flags = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    return flags


class _Level(NamedTuple):
    """The frequent combinations of one size in every set: the set, the place of the last item, the combination."""

    set_of: Int64
    last: Int64
    combination: Int64


def _extended(sets: ItemSets, level: _Level) -> tuple[_Level, Int64, Int64]:
    """All combinations with one item more, of which level.combination is a place in the keys and supports returned.

    A key is the number of the shorter combination · items + the last item.
    """
    more = sets.offsets[level.set_of + 1] - level.last - 1
    if (combinations := int(more.sum())) > _MOST:
        raise TableError(
            f"its sets have {combinations:,} combinations of items of one size.",
            allowed=f"At most {_MOST:,} can be counted.",
            hint="lower m, or divide the items into several columns.",
        )
    origin = np.repeat(np.arange(len(more)), more)
    within = np.arange(len(origin)) - np.repeat(np.cumsum(more) - more, more)
    last = level.last[origin] + 1 + within
    keys = level.combination[origin] * sets.items + sets.members[last]
    set_of = level.set_of[origin]
    distinct, place = _numbered(keys)
    support = _weighed(place, sets.weights[set_of], len(distinct))
    return _Level(set_of, last, place), distinct, support


def _numbered(keys: Int64) -> tuple[Int64, Int64]:
    """The distinct keys, ascending, and the place of every key among them."""
    largest = int(keys.max(initial=-1)) + 1
    if largest > _DENSE:
        distinct, place = np.unique(keys, return_inverse=True)
        return distinct, place.astype(np.int64)
    occurs = np.zeros(largest, np.bool_)
    occurs[keys] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[keys]


def _weighed(places: Int64, weights: Int64, size: int) -> Int64:
    """int64 [size]: the sum of the weights of each place. Floats add whole numbers exactly up to 2^53."""
    return np.bincount(places, weights, minlength=size).astype(np.int64)


def _all_parts_frequent(combinations: Int32, keys: list[Int64], items: int) -> Flags:
    """Whether every combination that lacks one of the items is frequent; `keys`: the frequent ones from size 2 on."""
    frequent = np.ones(len(combinations), np.bool_)
    for lacking in range(combinations.shape[1] if keys else 0):
        part: Array = np.delete(combinations, lacking, axis=1)
        number = part[:, 0].astype(np.int64)
        for known, item in zip(keys, part[:, 1:].T, strict=True):
            wanted = number * items + item
            place = np.searchsorted(known, wanted)
            there = (place < len(known)) & (known[np.minimum(place, len(known) - 1)] == wanted) if len(known) else False
            frequent &= there
            number = np.where(there, place, 0)
    return frequent
