"""Domains: what the codes of one column mean. What the plan says of the column travels with them, in `settings`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from shoal.arrays import Array, Float64, Int32, Int64
from shoal.hierarchies.base import Hierarchy, text_of
from shoal.labels import MISSING
from shoal.roles.columns import Column

RANGE, TREE, SET = "range", "tree", "set"
"""How a quasi-identifier of a class is published: a range of values, the lowest tree node above them, or their set."""


@dataclass(frozen=True)
class QuasiDomain:
    """A quasi-identifier: code c is the value `values[c]`, null for missing.

    `published` says how a class is described: RANGE, TREE or SET. With `ranges = "cut"` ranges end at the boundaries
    of cuts instead of at values. Losses count `leaves`: those of the hierarchy, or the values of the data.
    `position` float64 [codes]: where each value lies in the range of the column, from 0 to 1.
    `hierarchy` has exactly the codes as leaves, depth-first; `leaves_under[level, c]` counts the leaves of the whole
    hierarchy, those that do not occur in the data included. `leaf_numbers` are the leaves' values, ascending, where
    the loss of a range is counted in leaves. `learned`: whether the labels of the hierarchy were made of the column's
    own values.
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
    leaf_numbers: Array | None = None
    learned: bool = False
    ranges: str = "tight"

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def weight(self) -> float:
        """How much the loss of this column counts."""
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
        """The hierarchy of a column that is published by one."""
        if self.hierarchy is None:
            raise AssertionError(f"column {self.name} was coded without a hierarchy")
        return self.hierarchy


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
        """The code of the missing value; -1 where there is none, or where the plan lets it count as a value."""
        return -1 if self.settings.missing_counts or MISSING not in self.labels else self.labels.index(MISSING)


@dataclass(frozen=True)
class ItemDomain:
    """A set-valued column: item i is the text `items[i]`. Set s holds the items `members[offsets[s]:offsets[s+1]]`.

    offsets int64 [sets+1], members int32, ascending within a set.
    """

    name: str
    items: tuple[str, ...]
    offsets: Int64
    members: Int32
    settings: Column

    @property
    def size(self) -> int:
        """How many different sets there are."""
        return len(self.offsets) - 1

    def of_set(self, code: int) -> tuple[str, ...]:
        """The items of a set."""
        return tuple(self.items[item] for item in self.members[self.offsets[code] : self.offsets[code + 1]].tolist())
