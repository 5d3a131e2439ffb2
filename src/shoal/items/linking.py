"""Linking: the labels of a knowledge table that the items of a row allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.arrays import Int32, Int64, UInt64
from shoal.coded.domains import ItemDomain
from shoal.roles.knowledge import Knowledge


class Links(NamedTuple):
    """The linked labels of item sets, K of the paper, out of `labels` labels.

    bits uint64 [sets, words]: bit i of a set's row is set if label i has all items of the set. sizes int64 [sets]: |K|.
    """

    bits: UInt64
    sizes: Int64
    labels: int


class LabelsOfItems(NamedTuple):
    """The labels that have an item, out of `labels` labels: bits uint64 [items, words], no bit for an unknown item."""

    bits: UInt64
    labels: int

    @property
    def everything(self) -> UInt64:
        """uint64 [words]: all labels, to which a set without items links."""
        words = np.full(self.bits.shape[1], np.uint64(2**64 - 1))
        if self.labels % 64:
            words[-1] = np.uint64(2 ** (self.labels % 64) - 1)
        return words

    def links(self, offsets: Int64, members: Int32) -> Links:
        """The links of sets: set s has the items `members[offsets[s]:offsets[s+1]]`."""
        from shoal.kernels import linking

        bits = linking.linked(offsets, members, self.bits, self.everything)
        return Links(bits, linking.sizes(bits), self.labels)


def labels_of(items: Sequence[str], knowledge: Knowledge) -> LabelsOfItems:
    """The labels of each of these items."""
    known = np.zeros((len(knowledge.items) + 1, -(-knowledge.size // 64)), np.uint64)  # the last one has no label
    label = np.repeat(np.arange(knowledge.size), np.diff(knowledge.offsets))
    bit = np.left_shift(np.uint64(1), (label % 64).astype(np.uint64))
    np.bitwise_or.at(known, (knowledge.members, label // 64), bit)
    places = np.array([knowledge.index.get(item, len(knowledge.items)) for item in items], np.int64)
    return LabelsOfItems(known[places], knowledge.size)


def links(domain: ItemDomain, knowledge: Knowledge) -> UInt64:
    """uint64 [sets, words]: bit i of a set's row is set if label i has all items of the set.

    A set without items links to every label, a set with an item that no label has to none.
    """
    return linked(domain, knowledge).bits


def linked(domain: ItemDomain, knowledge: Knowledge) -> Links:
    """The links of every set of a column."""
    return labels_of(domain.items, knowledge).links(domain.offsets, domain.members)
