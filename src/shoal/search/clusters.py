"""Units that are clustered, and classes made of them, whole or in part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.arrays import Int32, Int64
from shoal.coded.counted import Coded
from shoal.coded.keys import distinct_rows
from shoal.coded.stats import Members
from shoal.models.base import ClassModel
from shoal.search.reading import sets_read


class Units(NamedTuple):
    """What is clustered: a unit has the distinct rows `rows[offsets[u]:offsets[u+1]]`.

    A unit is a distinct row, which may be divided. If persons are counted, it is all rows with the same codes, and is
    never divided: which person is taken first would depend on the order of the input.
    rows, weight int64 [d], offsets int64 [units+1]. Per unit: codes int32 [units, q], size int64 (input rows), spot
    int64 (equal for equal quasi-identifiers), kind int32 (equal for equal values of the columns that the models read).
    """

    rows: Int64
    weight: Int64
    offsets: Int64
    codes: Int32
    size: Int64
    spot: Int64
    kind: Int32

    def __len__(self) -> int:
        return len(self.size)

    @property
    def first(self) -> Int64:
        """int64 [units]: one row of each unit."""
        return self.rows[self.offsets[:-1]]

    @property
    def of_rows(self) -> Int64:
        """int64 [d]: the unit of each distinct row."""
        unit = np.empty(len(self.rows), np.int64)
        unit[self.rows] = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        return unit

    def places(self, unit: Int64) -> tuple[Int64, Int64]:
        """The places of the rows of some units in `rows`, one unit after the other, and where each unit ends."""
        counts = np.diff(self.offsets)[unit]
        ends = np.cumsum(counts)
        return np.repeat(self.offsets[unit] - (ends - counts), counts) + np.arange(counts.sum()), ends

    def parts(self, unit: Int64, weight: Int64, place: Int64) -> Units:
        """Parts of units as units: of each unit, so many rows. Those in different places have different spots."""
        places, ends = self.places(unit)
        whole = bool((weight == self.size[unit]).all())
        return Units(
            rows=self.rows[places],
            weight=self.weight[places] if whole else weight,
            offsets=np.concatenate([[0], ends]),
            codes=np.ascontiguousarray(self.codes[unit]),
            size=weight,
            spot=np.unique(place * (int(self.spot.max(initial=0)) + 1) + self.spot[unit], return_inverse=True)[1],
            kind=self.kind[unit],
        )


def units_of(coded: Coded, models: Sequence[ClassModel]) -> Units:
    """The units of a table, in an order that depends on its content only."""
    counted = coded.counted
    rows, offsets = np.arange(len(counted)), np.arange(len(counted) + 1)
    if coded.counts_persons:
        ids, _, counts = distinct_rows([*counted.quasi, *counted.sensitive.values(), *counted.items.values()])
        rows = np.argsort(ids, kind="stable")
        offsets = np.concatenate([[0], np.cumsum(counts)])
    first = rows[offsets[:-1]]
    reads = tuple(dict.fromkeys(column for model in models for column in model.reads))
    kind = coded.joint(reads).codes[first] if reads else np.zeros(len(first), np.int32)
    if sets := sets_read(counted, models):
        kind = distinct_rows([kind, *(codes[first] for codes in sets)]).ids
    spot = distinct_rows([*counted.quasi]).ids[first].astype(np.int64)
    weight = counted.weight[rows]
    size = np.add.reduceat(weight, offsets[:-1])
    return Units(rows, weight, offsets, np.ascontiguousarray(counted.by_row[first]), size, spot, kind)


class Classes(NamedTuple):
    """Classes in the order of their blocks: the entries `offsets[c]:offsets[c+1]`, each a unit with a weight.

    unit, weight int64 [entries], offsets int64 [classes+1], block int64 [classes].
    """

    unit: Int64
    weight: Int64
    offsets: Int64
    block: Int64

    def __len__(self) -> int:
        return len(self.block)

    @property
    def class_of(self) -> Int64:
        """int64 [entries]: the class of each entry."""
        return np.repeat(np.arange(len(self.block)), np.diff(self.offsets))

    @property
    def rows(self) -> Int64:
        """int64 [classes]: the number of input rows of each class."""
        return np.diff(np.concatenate([[0], np.cumsum(self.weight)])[self.offsets])

    def members(self, units: Units, whole: bool) -> Members:
        """The distinct rows of the classes.

        `whole`: units are not divided, and may have several rows.
        """
        if not whole:
            return Members(units.rows[self.unit], self.offsets, self.weight)
        places, ends = units.places(self.unit)
        offsets = np.concatenate([[0], ends])[self.offsets]
        return Members(units.rows[places], offsets, units.weight[places])


def classes_of(unit: Int64, weight: Int64, class_of: Int64, block: Int64) -> Classes:
    """Classes from entries in any order, numbered by block and then by `class_of`.

    Entries of the same unit and class are added up. block int64 [units]; a class lies in one block.
    """
    place = np.lexsort((unit, class_of, block[unit]))
    unit, weight, class_of = unit[place], weight[place], class_of[place]
    new_class = np.diff(class_of, prepend=-1) != 0
    starts = np.flatnonzero(new_class | (np.diff(unit, prepend=-1) != 0))
    offsets = np.append(np.flatnonzero(new_class[starts]), len(starts))
    weight = np.add.reduceat(weight, starts) if len(starts) else weight
    unit = unit[starts]
    return Classes(unit, weight, offsets, block[unit[offsets[:-1]]])


def joined(classes: int, pairs: Sequence[tuple[int, int]]) -> Int64:
    """int64 [classes]: a number for each class after merging pairs of classes, the smallest of those merged.

    >>> joined(4, [(3, 1), (1, 2)]).tolist()
    [0, 1, 1, 1]
    """
    number = np.arange(classes)

    def root(c: int) -> int:
        while number[c] != c:
            number[c] = number[number[c]]
            c = int(number[c])
        return c

    for one, other in pairs:
        first, second = sorted((root(one), root(other)))
        number[second] = first
    return np.array([root(c) for c in range(classes)], np.int64)
