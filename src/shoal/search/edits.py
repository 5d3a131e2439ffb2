"""Edits: the entries of a partition after items were removed from some of its classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.arrays import Int32, Int64
from shoal.coded.counted import Coded
from shoal.coded.domains import ItemDomain
from shoal.coded.partition import Edit, Partition
from shoal.items.removal import Removal


def edited(coded: Coded, partition: Partition, column: str, removals: Mapping[int, Removal]) -> Partition:
    """The partition whose classes, given by number, publish the sets that their removals leave in a column.

    `origin` of a removal counts the sets of its class in the order of their codes. Of the entries of a class with equal
    sets, the first lose items as the removal lists them first.
    """
    domain, codes = _sets(coded, partition, column)
    sets, changed = _Sets(domain), np.isin(partition.class_of, np.fromiter(removals, np.int64, len(removals)))
    kept = np.flatnonzero(~changed)
    parts = [np.stack([kept, partition.weight[kept], codes[kept]])]
    for number, removal in removals.items():
        entries = np.arange(partition.offsets[number], partition.offsets[number + 1])
        parts.append(_divided(entries, codes[entries], partition.weight[entries], removal, sets))
    of_entry, weights, of_set = np.concatenate(parts, axis=1)
    order = np.argsort(partition.class_of[of_entry], kind="stable")
    of_entry, weights, of_set = of_entry[order], weights[order], of_set[order]
    others = {
        name: replace(edit, codes=edit.codes[of_entry]) for name, edit in partition.edits.items() if name != column
    }
    sizes = np.bincount(partition.class_of[of_entry], minlength=partition.classes)
    return replace(
        partition,
        row=partition.row[of_entry],
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        weight=weights,
        edits={**others, column: Edit(sets.domain, of_set.astype(np.int32))},
    )


def _sets(coded: Coded, partition: Partition, column: str) -> tuple[ItemDomain, Int32]:
    """The sets of a column, and int32 [entries] the set of every entry."""
    edit = partition.edits.get(column)
    if edit is None:
        return coded.items[column], coded.counted.items[column][partition.row]
    return edit.domain, edit.codes


def _divided(entries: Int64, codes: Int32, weights: Int64, removal: Removal, sets: _Sets) -> Int64:
    """int64 [3, parts]: the entry, weight and set of each part of the entries of a class.

    Entries are divided where equal sets become different ones.
    """
    waiting = _by_origin(removal, sets)
    place = {code: origin for origin, code in enumerate(np.unique(codes).tolist())}
    parts: list[tuple[int, int, int]] = []
    for entry, code, weight in zip(entries.tolist(), codes.tolist(), weights.tolist(), strict=True):
        left, queue = weight, waiting[place[code]]
        while left:
            taken = min(left, queue[-1][1])
            parts.append((entry, taken, queue[-1][0]))
            left -= taken
            queue[-1][1] -= taken
            if not queue[-1][1]:
                queue.pop()
    return np.array(parts, np.int64).reshape(-1, 3).T


def _by_origin(removal: Removal, sets: _Sets) -> dict[int, list[list[int]]]:
    """Origin → new set and rows, the last one first."""
    found: dict[int, list[list[int]]] = defaultdict(list)
    for place in reversed(range(len(removal.origin))):
        members = removal.members[removal.offsets[place] : removal.offsets[place + 1]]
        found[int(removal.origin[place])].append([sets.code(tuple(members.tolist())), int(removal.weights[place])])
    return found


@dataclass
class _Sets:
    """The sets of a column, with those added that removals leave."""

    given: ItemDomain
    added: dict[tuple[int, ...], int] = field(default_factory=dict)

    def code(self, members: tuple[int, ...]) -> int:
        return self.added.setdefault(members, self.given.size + len(self.added))

    @property
    def domain(self) -> ItemDomain:
        lengths = np.array([len(members) for members in self.added], np.int64)
        members = np.array([item for each in self.added for item in each], np.int32)
        ends = self.given.offsets[-1] + np.cumsum(lengths)
        return replace(
            self.given,
            offsets=np.concatenate([self.given.offsets, ends]).astype(np.int64),
            members=np.concatenate([self.given.members, members]),
        )
