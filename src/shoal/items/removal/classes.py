"""The item sets of one class, as the rows from which items are removed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Flags, Float64, Int32, Int64, UInt64
from shoal.items.beliefs import Belief
from shoal.items.linking import LabelsOfItems
from shoal.items.rules import Rule

if TYPE_CHECKING:
    from shoal.kernels import removing

ROWS = 64
"""In a class of more rows, the rows of a set are divided into parts that lose items alike, about as many in all."""


@dataclass(frozen=True)
class ClassItems:
    """The distinct item sets of a class: set s has the items `members[offsets[s]:offsets[s+1]]` and `weights[s]` rows.

    offsets int64 [sets+1]; members int32, distinct within a set: places in `items`; weights int64 [sets] > 0.
    """

    offsets: Int64
    members: Int32
    weights: Int64
    items: LabelsOfItems


@dataclass(frozen=True)
class Rows:
    """The rows of a class, each with the set it has: row r has the terms `starts[r]:starts[r+1]`.

    starts int64 [r+1], items int32 [terms], weights int64 [r], origin int64 [r] ascending. The weights are 1 unless the
    class has more than `ROWS` rows: then a row stands for a part of the rows of a set, which lose items alike.
    """

    starts: Int64
    items: Int32
    weights: Int64
    origin: Int64
    labels_of: LabelsOfItems

    @classmethod
    def of(cls, sets: ClassItems) -> Rows:
        parts = _parts(sets.weights)
        origin = np.repeat(np.arange(len(sets.weights)), parts)
        lengths = np.diff(sets.offsets)[origin]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(starts[-1]) + np.repeat(sets.offsets[origin] - starts[:-1], lengths)
        place = np.arange(len(origin)) - np.repeat(np.cumsum(parts) - parts, parts)
        weights = sets.weights[origin] // parts[origin] + (place < sets.weights[origin] % parts[origin])
        return cls(starts, sets.members[places].astype(np.int32), weights.astype(np.int64), origin, sets.items)

    @property
    def terms(self) -> int:
        return len(self.items)

    @cached_property
    def lengths(self) -> Int64:
        """int64 [r]: the number of terms of each row."""
        return np.diff(self.starts)

    @cached_property
    def row_of(self) -> Int64:
        """int64 [terms]: the row of each term."""
        return np.repeat(np.arange(len(self.weights)), self.lengths)

    @cached_property
    def everything(self) -> UInt64:
        """uint64 [words]: all labels."""
        return self.labels_of.everything

    @cached_property
    def are_single(self) -> bool:
        """Whether every row may lose items of its own."""
        return bool((self.weights == 1).all())

    @property
    def are_few(self) -> bool:
        """Whether the class has at most `ROWS` rows."""
        return int(self.weights.sum()) <= ROWS

    def problem(self, rule: Rule) -> removing.Problem:
        """The rows as kernels know them."""
        from shoal.kernels import removing

        has, everything = self.labels_of.bits, self.everything
        rows, labels = int(self.weights.sum()), self.labels_of.labels
        return removing.Problem(self.starts, self.items, self.weights, has, everything, labels, rows, rule.kernel)

    def state(self, kept: Flags) -> removing.State:
        """The state in which these terms are kept, to be completed by the kernel `begin`."""
        return self.room(len(self.weights), self.terms)._replace(kept=kept.copy())

    def room(self, rows: int, terms: int) -> removing.State:
        """A state without content for so many rows and terms with these labels."""
        from shoal.kernels import removing

        labels, words = self.labels_of.labels, self.labels_of.bits.shape[1]
        return removing.State(
            kept=np.empty(terms, np.bool_),
            row_of=np.empty(terms, np.int64),
            left=np.empty(rows, np.int64),
            bits=np.empty((rows, words), np.uint64),
            sizes=np.empty(rows, np.int64),
            sums=np.zeros(labels),
            touched=np.empty(labels, np.int64),
            number=np.zeros(1, np.int64),
            trial=np.empty(words, np.uint64),
            values=np.empty(labels),
            saved=np.empty(labels),
            refuted=np.zeros(terms, np.bool_),
            answer=np.full(1, -1, np.int64),
        )

    def left(self, kept: Flags) -> Int64:
        """int64 [r]: the number of kept terms of each row."""
        return np.bincount(self.row_of, kept, minlength=len(self.weights)).astype(np.int64)

    @property
    def least(self) -> float:
        """The cost of the cheapest removal of one item from one row, which a class that fails needs at least."""
        longest = int(self.lengths.max(initial=0))
        return 1 / longest if longest else inf

    def cost(self, kept: Flags) -> float:
        """The cost of keeping only these terms."""
        harmonic = harmonics(int(self.lengths.max(initial=0)))
        return float(self.weights @ (harmonic[self.lengths] - harmonic[self.left(kept)]))

    def satisfy(self, rule: Rule, kept: Flags) -> bool:
        """Whether the rule allows what the rows reveal if only these terms are kept, exactly."""
        starts = np.concatenate([[0], np.cumsum(self.left(kept))]).astype(np.int64)
        return rule.allows(Belief(self.labels_of.links(starts, self.items[kept]), self.weights))


def _parts(weights: Int64) -> Int64:
    """int64 [sets]: into how many parts the rows of each set are divided; single rows if there are few."""
    if int(weights.sum()) <= ROWS:
        return weights
    return np.minimum(weights, max(ROWS // max(len(weights), 1), 1))


@cache
def harmonics(most: int) -> Float64:
    """float64 [most+1]: 1/1 + … + 1/n for every n.

    >>> harmonics(3).tolist()
    [0.0, 1.0, 1.5, 1.8333333333333333]
    """
    sums: Float64 = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, most + 1))])
    sums.flags.writeable = False  # one array for all callers
    return sums
