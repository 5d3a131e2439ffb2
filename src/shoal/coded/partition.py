"""Partition: which rows form a class, and how the members of a class become published values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int32, Int64
from shoal.coded.counted import Coded
from shoal.coded.domains import ItemDomain
from shoal.coded.recoding import Recoding, alike, shown_columns
from shoal.coded.record import SearchRecord
from shoal.coded.stats import Members, MemberStats


class Generalized(NamedTuple):
    """The labels by which the items of a column are published: item i as the item `label_of[i]` of another domain.

    label_of int32 [items]. lost float64 [items]: the share of its information that an item loses by that, 0 for itself.
    """

    label_of: Int32
    lost: Float64


@dataclass(frozen=True)
class Rewritten:
    """The sets that a column publishes in place of its own: `of_set` int32 [sets] is the set of `domain` for each.

    failing bool [sets]: the sets that must not be published as they are. `cost`: what the rows lose; no other sets that
    keep the promise cost less than `lower_bound`, None if no bound is known.
    """

    domain: ItemDomain
    of_set: Int32
    failing: Flags
    cost: float
    lower_bound: float | None
    generalized: Generalized | None = None


@dataclass(frozen=True)
class Edit:
    """The sets that a set-valued column publishes: `codes` int32 [a] is the set of `domain` of each entry.

    `generalized`: how items became labels, if the items of `domain` are labels of the column's hierarchy.
    """

    domain: ItemDomain
    codes: Int32
    generalized: Generalized | None = None


@dataclass(frozen=True)
class Partition:
    """Assignments of distinct rows to classes: class c has the entries `offsets[c]:offsets[c+1]`.

    `row` int64 [a]: the distinct row of each entry. `weight` int64 [a]: how many of its input rows the entry holds,
    because equal rows may belong to different classes. Rows without an assignment are suppressed. `recoding` states how
    classes are published, `record` how they were found. `edits`: set-valued column → the sets that are published in it,
    after items were removed; without an edit, every row publishes its own set. Two entries of a class may be the same
    row with different sets.
    """

    row: Int64
    offsets: Int64
    weight: Int64
    recoding: Recoding
    record: SearchRecord = field(default_factory=SearchRecord)
    edits: Mapping[str, Edit] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, edit in self.edits.items():
            if len(edit.codes) != len(self.row):
                raise AssertionError(f"the edit of column {name} has not one set for each entry")

    @classmethod
    def of_rows(
        cls, class_of: Int64, classes: int, weight: Int64, recoding: Recoding, record: SearchRecord | None = None
    ) -> Partition:
        """A partition in which each distinct row belongs to one class or to none.

        class_of int64 [d]: the class of each row, -1 for none. weight int64 [d]: the weights of the rows.
        """
        from shoal.kernels.distinct import counting_order

        places = (class_of + 1).astype(np.int32)  # suppressed rows come first
        ends = np.cumsum(np.bincount(places, minlength=classes + 1))
        row = counting_order(places, classes + 1)[ends[0] :]
        return cls(row, (ends - ends[0]).astype(np.int64), weight[row], recoding, record or SearchRecord())

    @property
    def classes(self) -> int:
        return len(self.offsets) - 1

    @property
    def members(self) -> Members:
        """The entries by class."""
        return Members(self.row, self.offsets, self.weight)

    @cached_property
    def class_of(self) -> Int32:
        """int32 [a]: the class of every entry."""
        return self.members.class_of

    @cached_property
    def rows(self) -> Int64:
        """int64 [classes]: the number of input rows of each class."""
        running = np.concatenate([[0], np.cumsum(self.weight)])
        return np.diff(running[self.offsets])

    def released(self, coded: Coded) -> Int32:
        """int32 [classes]: equal numbers for classes with equal labels, which are one class of the release."""
        shown = shown_columns(self.recoding, coded, self.members)
        return alike(list(shown.values())) if shown else np.arange(self.classes, dtype=np.int32)

    def rule(self, coded: Coded) -> Mapping[str, pl.DataFrame]:
        """Column → `value`, `label`, for columns in which the recoding gives a value the same label in every row."""
        values = {domain.name: domain.values for domain in coded.quasi}
        return {
            name: pl.DataFrame([values[name].alias("value"), pl.Series("label", texts)])
            for name, texts in self.recoding.rule(coded, self.members).items()
        }

    def levels(self, coded: Coded) -> Mapping[str, int]:
        """Column → level, for columns that are published at the same level in all classes."""
        levels = self.recoding.class_levels()
        if levels is None or not len(levels):
            return {}
        return {
            domain.name: int(levels[0, a]) + domain.finest
            for a, domain in enumerate(coded.quasi)
            if (levels[:, a] == levels[0, a]).all()
        }

    def splits(self, weight: Int64) -> bool:
        """Whether some distinct row is divided between classes, or between a class and suppression.

        weight int64 [d]: the weights of the distinct rows.
        """
        return bool((self.weight != weight[self.row]).any())

    def stats(self, coded: Coded) -> MemberStats:
        """The statistics of all classes; suppressed rows belong to none, and items that are removed do not count."""
        sets = {name: (edit.codes, edit.domain) for name, edit in self.edits.items()}
        return MemberStats(coded, self.row, self.offsets, weight=self.weight, sets=sets)
