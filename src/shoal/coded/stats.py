"""Class statistics: what models may ask about classes, and the implementation that every search uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from shoal.arrays import Array, Flags, Int32, Int64
from shoal.coded.counted import Coded, Counted
from shoal.coded.domains import ItemDomain, SensitiveDomain


class ValueCounts(NamedTuple):
    """Sparse value counts per class: class c owns entries `offsets[c]:offsets[c+1]`, values ascending, counts > 0.

    With a person column, a count is the number of distinct persons of the class with the value.
    """

    offsets: Int64
    values: Int32
    counts: Int64

    @property
    def totals(self) -> Int64:
        """int64 [classes]: the sum of the counts of each class."""
        return self.sums(self.counts)

    @property
    def class_of(self) -> Int64:
        """int64 [entries]: the class of each entry."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def every(self, flags: Flags) -> Flags:
        """bool [classes]: whether a flag given per entry is set for all entries of a class."""
        all_set: Flags = self.sums(~flags) == 0
        return all_set

    def sums(self, entries: Array) -> Int64:
        """int64 [classes]: integers given per entry, summed over each class; 0 for a class without entries."""
        running: Int64 = np.concatenate([[0], np.cumsum(entries, dtype=np.int64)])
        return running[self.offsets[1:]] - running[self.offsets[:-1]]

    def dense(self, values: int) -> Int64:
        """int64 [values]: the counts of all classes together, by value."""
        counts = np.zeros(values, np.int64)
        np.add.at(counts, self.values, self.counts)
        return counts

    def without(self, value: int) -> ValueCounts:
        """The same counts without one value, which may leave classes empty; -1 removes nothing."""
        if value < 0:
            return self
        keep = self.values != value
        kept = np.concatenate([[0], np.cumsum(keep)])
        return ValueCounts(kept[self.offsets], self.values[keep], self.counts[keep])


class JointCounts(NamedTuple):
    """Sparse counts of tuples per class; a value is a row of `tuples` int32 [t, columns]."""

    counts: ValueCounts
    tuples: Int32


class ClassStats(Protocol):
    """What a model may ask about the classes of one frontier.

    A model receives all of its information in this way.
    """

    def __len__(self) -> int:
        """The number of classes."""
        ...

    @property
    def counts_persons(self) -> bool:
        """Whether sizes and counts refer to distinct persons instead of rows."""
        ...

    @property
    def sizes(self) -> Int64:
        """int64 [classes]: the rows of each class, or its distinct persons if the plan names a person column."""
        ...

    def counts(self, column: str) -> ValueCounts:
        """Sparse counts of the codes of a sensitive column in every class."""
        ...

    def joint(self, columns: tuple[str, ...]) -> JointCounts:
        """Sparse counts of the tuples that several sensitive columns form."""
        ...

    def items(self, column: str) -> ValueCounts:
        """Sparse counts of the sets of a set-valued column in every class."""
        ...

    def reference(self, column: str) -> Int64:
        """int64 [values]: the reference distribution, as counts by code."""
        ...

    def domain(self, column: str) -> SensitiveDomain:
        """The meaning of the codes of a sensitive column."""
        ...

    def item_domain(self, column: str) -> ItemDomain:
        """The meaning of the sets of a set-valued column."""
        ...

    def item_reference(self, column: str) -> tuple[ItemDomain, Int64]:
        """The reference distribution of a set-valued column: int64 [sets], the rows of each set of the domain."""
        ...

    def labels(self) -> Int32:
        """int32 [classes, quasi-identifiers]: a number for the label of each class, equal for equal labels."""
        ...

    def entries(self, column: str) -> Entries:
        """The rows of all classes with their codes of a sensitive column, for models that judge combinations."""
        ...


class Entries(NamedTuple):
    """Rows of classes.

    `class_of` int32 [m], `weight` int64 [m], `codes` int32 [m] of a sensitive column, and `person` int32 [m] or None.
    """

    class_of: Int32
    weight: Int64
    codes: Int32
    person: Int32 | None


class Members(NamedTuple):
    """Rows by class: class c holds the entries `offsets[c]:offsets[c+1]`, each a distinct row with a weight.

    rows int64 [m], offsets int64 [c+1], weight int64 [m].
    """

    rows: Int64
    offsets: Int64
    weight: Int64

    @property
    def class_of(self) -> Int32:
        """int32 [m]: the class of each entry."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int32), np.diff(self.offsets))

    @property
    def firsts(self) -> Int64:
        """int64 [c]: one row of each class."""
        return self.rows[self.offsets[:-1]]


@dataclass(frozen=True)
class MemberStats:
    """Statistics of classes given as lists of distinct rows: class c holds `rows[offsets[c]:offsets[c+1]]`.

    `weight` int64 [m]: the number of rows of each entry; by default the weight of its row. Classes are never empty.
    `released`: sensitive column → counts to compare with instead of those of the full table. `shown` gives the labels.
    `sets`: set-valued column → int32 [m] the set of each entry and their meaning, if not those of the rows.
    Everything is computed when it is first asked for, so a model pays only for what it reads.
    """

    coded: Coded
    rows: Int64
    offsets: Int64
    weight: Int64 | None = None
    released: Mapping[str, Int64] | None = None
    shown: Callable[[], Int32] | None = None
    sets: Mapping[str, tuple[Int32, ItemDomain]] = field(default_factory=dict)
    _counts: dict[str, ValueCounts] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts_persons(self) -> bool:
        return self.coded.counts_persons

    @cached_property
    def entry_weight(self) -> Int64:
        """int64 [m]: the number of rows that each entry stands for."""
        return self.coded.counted.weight[self.rows] if self.weight is None else self.weight

    @cached_property
    def sizes(self) -> Int64:
        from shoal.kernels import counting

        person = self.coded.counted.person
        if person is None:
            return counting.class_weights(self.offsets, self.entry_weight)
        return counting.class_persons(self.rows, self.offsets, person)

    def counts(self, column: str) -> ValueCounts:
        if column not in self._counts:
            self._counts[column] = self._count(self.coded.counted.sensitive[column], self.domain(column).size)
        return self._counts[column]

    def joint(self, columns: tuple[str, ...]) -> JointCounts:
        joint = self.coded.joint(columns)
        return JointCounts(self._count(joint.codes, len(joint.tuples)), joint.tuples)

    def items(self, column: str) -> ValueCounts:
        if column in self.sets:
            codes, domain = self.sets[column]
            return self._by_entry._count(codes, domain.size)
        return self._count(self.coded.counted.items[column], self.coded.items[column].size)

    def reference(self, column: str) -> Int64:
        return (self.coded.counted.reference if self.released is None else self.released)[column]

    def domain(self, column: str) -> SensitiveDomain:
        return self.coded.sensitive[column]

    def item_domain(self, column: str) -> ItemDomain:
        return self.sets[column][1] if column in self.sets else self.coded.items[column]

    def item_reference(self, column: str) -> tuple[ItemDomain, Int64]:
        rows = whole_table(self.coded) if self.released is None else self._together
        domain = rows.item_domain(column)
        return domain, rows.items(column).dense(domain.size)

    def labels(self) -> Int32:
        if self.shown is None:
            raise AssertionError("the labels of these classes are not given")
        return self.shown()

    def entries(self, column: str) -> Entries:
        counted, members = self.coded.counted, Members(self.rows, self.offsets, self.entry_weight)
        person = None if counted.person is None else counted.person[self.rows]
        return Entries(members.class_of, members.weight, counted.sensitive[column][self.rows], person)

    def among_themselves(self) -> MemberStats:
        """The same classes as the full table.

        Their own rows are the reference distribution.
        """
        columns, everything = self.coded.sensitive, self._together
        return replace(self, released={name: everything.counts(name).dense(columns[name].size) for name in columns})

    @property
    def _together(self) -> MemberStats:
        """The rows of all classes as a single class."""
        return replace(self, offsets=np.array([0, len(self.rows)], np.int64), _counts={})

    @property
    def _by_entry(self) -> MemberStats:
        """The same classes over a table with a row for each entry, of which only weights and persons are known."""
        entries = np.arange(len(self.rows))
        person = self.coded.counted.person
        person = None if person is None else person[self.rows]
        counted = Counted(np.zeros((0, len(entries)), np.int32), self.entry_weight, person=person)
        return MemberStats(replace(self.coded, counted=counted), entries, self.offsets)

    def _count(self, codes: Int32, values: int) -> ValueCounts:
        from shoal.kernels import counting

        person = self.coded.counted.person
        if person is None:
            return ValueCounts(*counting.class_values(self.rows, self.offsets, codes, self.entry_weight, values))
        return ValueCounts(*counting.class_person_values(self.rows, self.offsets, codes, person, values))


def whole_table(coded: Coded) -> MemberStats:
    """The statistics of all rows as a single class."""
    return MemberStats(coded, np.arange(len(coded.counted)), np.array([0, len(coded.counted)], np.int64))


def stats_of(coded: Coded, classes: Sequence[Sequence[int]]) -> MemberStats:
    """The statistics of classes given as lists of row numbers.

    >>> from shoal.coded.counted import coded_values
    >>> stats_of(coded_values({"disease": ["flu", "HIV", "flu"]}), [[0, 1], [2]]).sizes.tolist()
    [2, 1]
    """
    offsets = np.concatenate([[0], np.cumsum([len(members) for members in classes])]).astype(np.int64)
    return MemberStats(coded, np.array([row for members in classes for row in members], np.int64), offsets)


def stats_of_cuts(coded: Coded, kinds: Int32, members: Int64, cuts: Int64) -> MemberStats:
    """The statistics of both parts of one class, members[:cut] and members[cut:], for every possible cut.

    Rows of a kind are the same to models, and are counted once. The rows before a cut are those before the previous cut
    and a few more, so the work grows with cuts times kinds, not with cuts times rows.
    """
    distinct, firsts, kind = np.unique(kinds[members], return_index=True, return_inverse=True)
    between = np.zeros((len(cuts) + 1, len(distinct)), np.int64)
    piece = np.repeat(np.arange(len(cuts) + 1), np.diff(cuts, prepend=0, append=len(members)))
    np.add.at(between, (piece, kind), coded.counted.weight[members])
    running = np.cumsum(between, axis=0)
    parts = np.stack([running[:-1], running[-1] - running[:-1]], axis=1).reshape(-1, len(distinct))
    part, kinds_in_part = np.nonzero(parts)
    offsets = np.searchsorted(part, np.arange(len(parts) + 1))
    return MemberStats(coded, members[firsts][kinds_in_part], offsets, weight=parts[part, kinds_in_part])


def flags_at(places: Array, size: int) -> Flags:
    """bool [size]: set at the given positions."""
    flags = np.zeros(size, np.bool_)
    flags[places] = True
    return flags
