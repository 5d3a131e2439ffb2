"""Small knowledge tables and classes for the tests of items, and slow definitions over Python sets."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from shoal.arrays import Int32, Int64
from shoal.coded.domains import ItemDomain
from shoal.coded.stats import ValueCounts
from shoal.roles.columns import Column
from shoal.roles.knowledge import Knowledge

Sets = Sequence[frozenset[str]]


def sparse(sets: Sequence[Sequence[int]]) -> tuple[Int64, Int32]:
    offsets = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    return offsets, np.array([item for each in sets for item in sorted(each)], np.int32)


def domain_of(sets: Sequence[frozenset[str]], extra: Sequence[str] = ()) -> ItemDomain:
    """The column that has exactly these sets, in this order."""
    items = tuple(sorted({item for each in sets for item in each} | set(extra)))
    offsets, members = sparse([[items.index(item) for item in each] for each in sets])
    return ItemDomain("symptoms", items, offsets, members, Column(role="quasi-sensitive"))


def counts_of(classes: Sequence[dict[int, int]]) -> ValueCounts:
    """Classes that hold the given sets as often as stated."""
    entries = [sorted(each.items()) for each in classes]
    offsets = np.cumsum([0, *map(len, entries)]).astype(np.int64)
    flat = [pair for each in entries for pair in each]
    return ValueCounts(offsets, np.array([s for s, _ in flat], np.int32), np.array([n for _, n in flat], np.int64))


def labels_linked(items: frozenset[str], knowledge: Knowledge) -> set[int]:
    """K of the paper."""
    return {label for label in range(knowledge.size) if items <= set(knowledge.of_label(label))}


def belief(rows: Sets, knowledge: Knowledge) -> list[Fraction]:
    """β of a class: the mean over its rows of 1/|K| for each label of K."""
    total = [Fraction(0)] * knowledge.size
    for row in rows:
        linked = labels_linked(row, knowledge)
        for label in linked:
            total[label] += Fraction(1, len(linked) * len(rows))
    return total


def is_diverse(beta: list[Fraction], c: Fraction, l: int) -> bool:
    shares = sorted((share for share in beta if share), reverse=True)
    if not shares:
        return True
    return len(shares) >= l and shares[0] <= c * sum(shares[l - 1 :])


def is_close(beta: list[Fraction], alpha: list[Fraction], t: Fraction) -> bool:
    return sum((b - a) ** 2 for b, a in zip(beta, alpha, strict=True)) <= t**2
