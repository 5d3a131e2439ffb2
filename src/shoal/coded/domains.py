"""Domains: the meaning of the codes of one column, together with the column's settings in the plan."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import polars as pl

from shoal.arrays import Array, Flags, Float64, Int32, Int64
from shoal.hierarchies.base import Hierarchy, text_of
from shoal.labels import MISSING
from shoal.roles.columns import Column
from shoal.roles.knowledge import Knowledge
from shoal.table.sets import Sets

RANGE, TREE, SET = "range", "tree", "set"
"""How a class publishes a quasi-identifier: as a range, as the lowest tree node above its values, or as their set."""


@dataclass(frozen=True)
class QuasiDomain:
    """A quasi-identifier: code c is the value `values[c]`, null for missing.

    `published`: how a class is described, RANGE, TREE or SET. `ranges`: with "cut", ranges end at the boundaries of
    cuts instead of at values. `leaves`: the number of leaves that losses are counted in, of the hierarchy or of the
    data. `position` float64 [codes]: the position of each value in the range of the column, from 0 to 1.
    `hierarchy` has exactly the codes as leaves, depth-first. `leaves_under[level, c]` counts the leaves of the full
    hierarchy, including those that do not occur in the data. `learned`: whether the labels of the
    hierarchy were made from the column's own values. `finest`: the number of levels of the plan's hierarchy below the
    codes; with it, codes are nodes instead of values. `extent` float64 [codes]: how far a value reaches beyond its
    position, if values are ranges themselves.
    """

    name: str
    type: str
    values: pl.Series
    published: str
    settings: Column
    leaves: int
    position: Float64
    hierarchy: Hierarchy | None = None
    leaves_under: Int64 | None = None
    learned: bool = False
    ranges: str = "tight"
    extent: Float64 | None = None
    finest: int = 0

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def weight(self) -> float:
        """How much the information loss of this column counts in the search."""
        return self.settings.weight

    @property
    def has_missing(self) -> bool:
        return self.values.null_count() > 0

    @cached_property
    def texts(self) -> list[str]:
        """The canonical text of every code, empty for missing."""
        return text_of(self.values).fill_null(MISSING).to_list()

    @property
    def tree(self) -> Hierarchy:
        """The hierarchy of a column that is published as tree nodes."""
        if self.hierarchy is None:
            raise AssertionError(f"column {self.name} was coded without a hierarchy")
        return self.hierarchy

    @property
    def coarsest(self) -> int:
        """The highest level of the tree that may be published."""
        most = self.settings.coarsest
        return self.tree.height if most is None else min(most - self.finest, self.tree.height)

    @property
    def blocks(self) -> Int32 | None:
        """int32 [codes]: the highest node that may be published above each code; None if that is `*`."""
        if self.published != TREE or self.coarsest == self.tree.height:
            return None
        return self.tree.levels[self.coarsest].of_leaf

    def too_coarse(self, low: int, high: int) -> bool:
        """Whether publishing the codes low to high as one value would take a level above the coarsest."""
        blocks = self.blocks
        return blocks is not None and bool(blocks[low] != blocks[high])


@dataclass(frozen=True)
class SensitiveDomain:
    """A sensitive column: code c is the text `labels[c]`, empty for missing.

    Codes follow the values: numbers and dates ascending, hierarchies depth-first.
    """

    name: str
    labels: tuple[str, ...]
    settings: Column
    hierarchy: Hierarchy | None = None

    @property
    def size(self) -> int:
        return len(self.labels)

    @cached_property
    def missing(self) -> int:
        """The code of the missing value; -1 if there is none, or if the plan lets it count as a value."""
        return -1 if self.settings.missing_counts or MISSING not in self.labels else self.labels.index(MISSING)

    @cached_property
    def strong(self) -> Int32:
        """int32 [codes]: a number for the strong ancestor of each code, which is the highest protected node above it.

        A code without one is its own, and so is the missing value. Codes are depth-first: equal numbers are adjacent.
        """
        nodes, numbered = np.full(self.size, -1, np.int64), 0
        for level in reversed(self.hierarchy.levels if self.hierarchy else ()):
            marked = np.array([label in self.settings.protected for label in level.labels], np.bool_)
            nodes = np.where((nodes < 0) & marked[level.of_leaf], numbered + level.of_leaf, nodes)
            numbered += len(level.labels)
        alone = (nodes < 0) | np.array([label == MISSING for label in self.labels], np.bool_)
        nodes = np.where(alone, numbered + np.arange(self.size), nodes)
        return np.unique(nodes, return_inverse=True)[1].astype(np.int32)

    @cached_property
    def positions(self) -> tuple[Array, Flags] | None:
        """[codes] numbers and dates as whole numbers on one scale, and whether a code has one; None for other types.

        The lowest is 0. They are Python integers if 64 bits do not suffice.
        """
        read = _WHOLE.get(self.settings.type or "text")
        if read is None:
            return None
        known = {code: read(label) for code, label in enumerate(self.labels) if label != MISSING}
        exact = {code: value for code, value in known.items() if value is not None}
        scale, lowest = math.lcm(*(value.denominator for value in exact.values())), min(exact.values(), default=0)
        whole = [int((exact.get(code, lowest) - lowest) * scale) for code in range(self.size)]
        placed = np.array([code in exact for code in range(self.size)], np.bool_)
        return np.array(whole, np.int64 if max(whole, default=0) < 2**62 else object), placed


@dataclass(frozen=True)
class TargetDomain:
    """The column to be predicted.

    `missing`: the code of missing values, -1 if there is none. `numbers` float64 [size]: the number of every code, NaN
    for missing; None if the values have no order.
    """

    name: str
    missing: int
    numbers: Float64 | None


@dataclass(frozen=True)
class ItemDomain:
    """A set-valued column: item i is the text `items[i]`.

    Items are ascending. Set s holds the items `members[offsets[s]:offsets[s+1]]`. offsets int64 [sets+1], members
    int32, ascending within a set. `knowledge`: which labels have these items, if the plan names a knowledge table.
    `hierarchy` has exactly the items as leaves, in their order. `leaves_under[level, i]` counts the leaves of the full
    hierarchy under the node of an item, including those that do not occur in the data.
    """

    name: str
    items: tuple[str, ...]
    offsets: Int64
    members: Int32
    settings: Column
    knowledge: Knowledge | None = None
    hierarchy: Hierarchy | None = None
    leaves_under: Int64 | None = None

    @property
    def size(self) -> int:
        """The number of different sets."""
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> Int64:
        """int64 [sets]: the number of items of each set."""
        return np.diff(self.offsets)

    @cached_property
    def texts(self) -> pl.Series:
        """The canonical text of each set, null if it is empty."""
        items = pl.Series(self.name, self.items, dtype=pl.String)
        return Sets(items, self.offsets, self.members).texts(self.settings.separator)

    def of_set(self, code: int) -> tuple[str, ...]:
        """The items of a set."""
        return tuple(self.items[item] for item in self.members[self.offsets[code] : self.offsets[code + 1]].tolist())


def _as_fraction(text: str) -> Fraction | None:
    """The number that a text shows; None if it is not finite."""
    try:
        return Fraction(text)
    except ValueError:
        return None


_WHOLE: dict[str, Callable[[str], Fraction | None]] = {
    "integer": _as_fraction,
    "real": _as_fraction,
    "date": lambda text: Fraction(int(np.datetime64(text, "D").astype(np.int64))),
    "datetime": lambda text: Fraction(int(np.datetime64(text, "us").astype(np.int64))),
}
