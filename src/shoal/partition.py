"""Partition: which rows form a class. ClassStats: what models may ask about classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchies.base import Hierarchy

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class SensitiveCodes:
    """A sensitive column as integers: codes ordered by value (numbers and dates ascending, hierarchies depth-first).

    `missing` is the code of the missing value, or -1 when there is none or when the plan lets it count as a value.
    """

    name: str
    codes: Int32
    labels: tuple[str, ...]
    missing: int = -1
    hierarchy: Hierarchy | None = None


@dataclass(frozen=True)
class Rows:
    """Encoded rows as models see them: one entry per distinct row.

    `weight` int64 [d]: how many input rows each stands for. `person` int32 [d] or None: with it, weights are 1.
    """

    weight: Int64
    sensitive: Mapping[str, SensitiveCodes]
    person: Int32 | None = None
    _whole: dict[str, Int64] = field(default_factory=dict, repr=False, compare=False)

    def whole(self, column: str) -> Int64:
        """int64 [values]: a sensitive column's counts over all rows, by code; counted once and kept."""
        if column not in self._whole:
            everything = ClassStats(self, np.arange(len(self.weight)), np.array([0, len(self.weight)]))
            self._whole[column] = everything.counts(column).dense(len(self.sensitive[column].labels))
        return self._whole[column]


class ValueCounts(NamedTuple):
    """Sparse value counts per class: class c owns entries `offsets[c]:offsets[c+1]`, values ascending, counts > 0.

    With a person column a count is the number of distinct persons of the class that have the value.
    """

    offsets: Int64
    values: Int32
    counts: Int64

    @property
    def totals(self) -> Int64:
        """Sum of the counts of each class."""
        return self.sums(self.counts)

    @property
    def class_of(self) -> Int64:
        """int64 [entries]: the class each entry belongs to."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def every(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool [classes]: whether a flag given per entry is set for all entries of a class."""
        every: NDArray[np.bool_] = self.sums(~flags) == 0
        return every

    def sums(self, entries: NDArray[np.integer[Any] | np.bool_]) -> Int64:
        """int64 [classes]: whole numbers given per entry, summed over each class; a class without entries has 0."""
        running: Int64 = np.concatenate([[0], np.cumsum(entries, dtype=np.int64)])
        return running[self.offsets[1:]] - running[self.offsets[:-1]]

    def dense(self, values: int) -> Int64:
        """int64 [values]: the counts of all classes together, by value."""
        found = np.zeros(values, np.int64)
        np.add.at(found, self.values, self.counts)
        return found

    def without(self, value: int) -> ValueCounts:
        """The same counts with one value left out (classes may become empty); -1 leaves out nothing."""
        if value < 0:
            return self
        keep = self.values != value
        kept = np.concatenate([[0], np.cumsum(keep)])
        return ValueCounts(kept[self.offsets], self.values[keep], self.counts[keep])


@dataclass(frozen=True)
class ClassStats:
    """Statistics of the classes of one frontier. Class c holds the rows `order[offsets[c]:offsets[c+1]]`.

    Everything is computed when first asked for, so a model pays only for what it reads. No class is empty.
    """

    rows: Rows
    order: Int64
    offsets: Int64
    _counts: dict[str, ValueCounts] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def sizes(self) -> Int64:
        """int64 [classes]: rows of each class, or distinct persons where the plan names a person column."""
        from shoal.kernels import counting

        if self.rows.person is None:
            return counting.class_weights(self.order, self.offsets, self.rows.weight)
        return counting.class_persons(self.order, self.offsets, self.rows.person)

    def counts(self, column: str) -> ValueCounts:
        """Sparse counts of a sensitive column's codes in every class."""
        if column not in self._counts:
            self._counts[column] = self._count(self.rows.sensitive[column])
        return self._counts[column]

    def _count(self, column: SensitiveCodes) -> ValueCounts:
        from shoal.kernels import counting

        arrays = (self.order, self.offsets, column.codes)
        if self.rows.person is None:
            return ValueCounts(*counting.class_values(*arrays, self.rows.weight, len(column.labels)))
        return ValueCounts(*counting.class_person_values(*arrays, self.rows.person, len(column.labels)))


@dataclass(frozen=True)
class Partition:
    """A class id per encoded row, from 0 without gaps; -1 is suppressed. And what describes a class beyond its rows:

    `boxes` int32 [classes, quasi-identifiers, 2]: first and last code of the box that cuts made, where there are cuts.
    `levels` int8 [classes, quasi-identifiers]: the level each class is published at, where it was recoded by level.
    """

    class_of: Int64
    classes: int
    boxes: Int32 | None = None
    levels: NDArray[np.int8] | None = None

    def stats(self, rows: Rows) -> ClassStats:
        """The statistics of all classes; suppressed rows belong to none."""
        order = np.argsort(self.class_of, kind="stable")
        sorted_ids = self.class_of[order]
        offsets = np.searchsorted(sorted_ids, np.arange(self.classes + 1))
        return ClassStats(rows, order, offsets.astype(np.int64))


def stats_of(rows: Rows, classes: Sequence[Sequence[int]]) -> ClassStats:
    """Statistics of classes given as lists of row numbers."""
    offsets = np.concatenate([[0], np.cumsum([len(members) for members in classes])]).astype(np.int64)
    return ClassStats(rows, np.array([row for members in classes for row in members], np.int64), offsets)
