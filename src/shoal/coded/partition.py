"""Partition: which rows form a class. ClassStats: what models may ask about classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchies.base import Hierarchy

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

_PACKED_BITS = 62


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


class Joint(NamedTuple):
    """Several sensitive columns read as one. `codes` int32 [d]: which tuple each row has; `tuples` int32 [t, columns]:

    the tuples that occur, as codes of the columns, in ascending order: what follows it follows content alone.
    """

    codes: Int32
    tuples: Int32


@dataclass(frozen=True)
class Rows:
    """Encoded rows as models see them: one entry per distinct row.

    `weight` int64 [d]: how many input rows each stands for. `person` int32 [d] or None: with it, weights are 1.
    """

    weight: Int64
    sensitive: Mapping[str, SensitiveCodes]
    person: Int32 | None = None
    _whole: dict[str, Int64] = field(default_factory=dict, repr=False, compare=False)
    _joint: dict[tuple[str, ...], Joint] = field(default_factory=dict, repr=False, compare=False)

    def joint(self, columns: tuple[str, ...]) -> Joint:
        """The tuples that these sensitive columns form together; found once and kept."""
        if columns not in self._joint:
            self._joint[columns] = _joint([self.sensitive[column].codes for column in columns])
        return self._joint[columns]

    def whole(self, column: str) -> Int64:
        """int64 [values]: a sensitive column's counts over all rows, by code; counted once and kept."""
        if column not in self._whole:
            everything = ClassStats(self, np.arange(len(self.weight)), np.array([0, len(self.weight)]))
            self._whole[column] = everything.counts(column).dense(len(self.sensitive[column].labels))
        return self._whole[column]

    def like(self, chosen: Int64, weight: Int64) -> Rows:
        """Rows like the chosen ones, with weights of their own; what they are compared with is still the whole here."""
        for column in self.sensitive:
            self.whole(column)
        sensitive = {name: replace(column, codes=column.codes[chosen]) for name, column in self.sensitive.items()}
        return Rows(weight, sensitive, None if self.person is None else self.person[chosen], self._whole)


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
            found = self.rows.sensitive[column]
            self._counts[column] = self._count(found.codes, len(found.labels))
        return self._counts[column]

    def joint(self, columns: tuple[str, ...]) -> ValueCounts:
        """Sparse counts of the joint tuples in every class; a value is a row of `rows.joint(columns).tuples`."""
        joint = self.rows.joint(columns)
        return self._count(joint.codes, len(joint.tuples))

    def _count(self, codes: Int32, values: int) -> ValueCounts:
        from shoal.kernels import counting

        arrays = (self.order, self.offsets, codes)
        if self.rows.person is None:
            return ValueCounts(*counting.class_values(*arrays, self.rows.weight, values))
        return ValueCounts(*counting.class_person_values(*arrays, self.rows.person, values))


@dataclass(frozen=True)
class Partition:
    """A class id per encoded row, from 0 without gaps; -1 is suppressed. And what describes a class beyond its rows:

    `boxes` int32 [classes, quasi-identifiers, 2]: first and last code of the box that cuts made, where there are cuts.
    `levels` int16 [classes, quasi-identifiers]: the level each class is published at, where it was recoded by level.
    `recoded`: per quasi-identifier int32 [codes, 2], the first and last code of the value that each code is published
    as, where a code is published the same in every row.
    `facts`: what the algorithm says of its work, for the manifest; nothing in it may tell of rows left out.
    """

    class_of: Int64
    classes: int
    boxes: Int32 | None = None
    levels: NDArray[np.int16] | None = None
    recoded: tuple[Int32, ...] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def stats(self, rows: Rows) -> ClassStats:
        """The statistics of all classes; suppressed rows belong to none."""
        from shoal.kernels.distinct import counting_order

        places = (self.class_of + 1).astype(np.int32)  # those left out come first
        order = counting_order(places, self.classes + 1)
        offsets = np.cumsum(np.bincount(places, minlength=self.classes + 1))
        return ClassStats(rows, order, offsets.astype(np.int64))


def _joint(columns: Sequence[Int32]) -> Joint:
    """The distinct tuples of some columns, packed into one number as long as that fits 62 bits."""
    keys, room = np.zeros(len(columns[0]), np.int64), 1
    for codes in columns:
        size = int(codes.max(initial=0)) + 1
        if room.bit_length() + size.bit_length() > _PACKED_BITS:
            known, keys = np.unique(keys, return_inverse=True)  # ranks keep the order
            room = len(known)
        keys, room = keys * size + codes, room * size
    _, firsts, places = np.unique(keys, return_index=True, return_inverse=True)
    tuples = np.stack([codes[firsts] for codes in columns], axis=1).astype(np.int32)
    return Joint(places.astype(np.int32), np.ascontiguousarray(tuples))


def stats_of_cuts(rows: Rows, kinds: Int32, members: Int64, cuts: Int64) -> ClassStats:
    """Statistics of the two parts of one class for every place where it may be cut: members[:cut] and members[cut:].

    Rows of a kind are alike to models. They are counted once, and what is before a cut is what is before the last one
    and a little more, so that the work follows cuts times kinds and not cuts times rows.
    """
    found, firsts, kind = np.unique(kinds[members], return_index=True, return_inverse=True)
    between = np.zeros((len(cuts) + 1, len(found)), np.int64)
    piece = np.repeat(np.arange(len(cuts) + 1), np.diff(cuts, prepend=0, append=len(members)))
    np.add.at(between, (piece, kind), rows.weight[members])
    running = np.cumsum(between, axis=0)
    parts = np.stack([running[:-1], running[-1] - running[:-1]], axis=1).reshape(-1, len(found))
    part, which = np.nonzero(parts)
    offsets = np.searchsorted(part, np.arange(len(parts) + 1))
    return ClassStats(rows.like(members[firsts][which], parts[part, which]), np.arange(len(part)), offsets)


def stats_of(rows: Rows, classes: Sequence[Sequence[int]]) -> ClassStats:
    """Statistics of classes given as lists of row numbers."""
    offsets = np.concatenate([[0], np.cumsum([len(members) for members in classes])]).astype(np.int64)
    return ClassStats(rows, np.array([row for members in classes for row in members], np.int64), offsets)
