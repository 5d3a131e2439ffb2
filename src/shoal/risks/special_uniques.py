"""Special uniques: rows that few columns already make unique, with their SUDA scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.arrays import Flags, Float64, Int64, UInt8
from shoal.coded.keys import distinct_packed
from shoal.progress import Progress
from shoal.risks.base import Comparison, Figures, Limit, Sample
from shoal.risks.classes import Classes

LARGEST_SET = 6
"""Minimal sample uniques of more columns are not searched: they add least to a score."""
WORK = 700_000_000
"""The most rows that are counted, over all column sets; with more, the largest sets are not searched."""
_A_SET = 5_000
"""A set of columns takes about as long as this many rows, even if it has few."""
LISTED = 20
"""How many column sets are listed, those with the most minimal sample uniques first."""


class SpecialUniques:
    """The minimal sample uniques (MSU) of every unique row, and the scores that follow from them.

    An MSU of a row is a set of columns that makes the row unique while none of its subsets does. All sets of up to
    `largest_set` columns are searched. An MSU of k columns adds the product of (q − i), for i from k to the largest set
    or q − 1, to the score of its row, where q is the number of columns: small sets weigh most. `msu` counts MSUs by
    their number of columns, `sets` by column set, and `columns` gives the share of all scores from MSUs with a column.
    The search visits column sets depth-first and leaves out rows that are unique already; it finds what SUDA2 finds.
    Papers: Elliot, Manning, Ford, A computational algorithm for handling the special uniques problem, IJUFKS 10(5),
    2002; Manning, Haglin, Keane, A recursive search algorithm for statistical disclosure assessment, DMKD 16, 2008.
    """

    name: ClassVar[str] = "special_uniques"
    about: ClassVar[str] = "rows that a few columns already make unique (SUDA scores)"
    compares: ClassVar[Comparison] = "equality"
    limits: ClassVar[Mapping[str, Limit]] = {}

    def lacks(self, sample: Sample) -> str:
        return "" if sample.classes.columns else "The plan has no quasi-identifiers."

    def of(self, sample: Sample, progress: Progress) -> Figures:
        classes = sample.classes
        largest = largest_set(classes)
        tally = _Tally(classes, largest)
        for found in minimal_uniques(classes, largest, progress):
            tally.add(found)
        return {"largest_set": largest, **tally.figures(sample.total)}


class Minimal(NamedTuple):
    """A column set, as places in ascending order, and the classes, each of one row, of which it is an MSU."""

    places: tuple[int, ...]
    rows: Int64


def largest_set(classes: Classes) -> int:
    """The number of columns up to which all sets can be searched with the allowed work; at least 2."""
    columns, rows = len(classes.columns), max(len(classes.sizes), 1)
    sets, largest = columns, 1
    while largest < min(LARGEST_SET, columns):
        sets += math.comb(columns, largest + 1)
        if largest >= 2 and sets * (rows + _A_SET) > WORK:
            break
        largest += 1
    return largest


def score(size: int, largest: int, columns: int) -> int:
    """What an MSU of this size adds to the score of its row.

    >>> score(1, 3, 4), score(2, 3, 4), score(3, 3, 4)
    (6, 2, 1)
    """
    return math.prod(columns - i for i in range(size, min(largest, columns - 1) + 1))


def minimal_uniques(classes: Classes, largest: int, progress: Progress) -> Iterator[Minimal]:
    """The MSUs of up to `largest` columns, by column set."""
    return _Search(classes, largest, progress).run()


class _Search:
    """Visits column sets, as bits of a number, in ascending order, so that all subsets of a set come before it.

    A child of a set adds a column before its first one. Rows that are unique on a set are not counted for its children:
    they are unique there too, and no other row can equal them.
    """

    def __init__(self, classes: Classes, largest: int, progress: Progress) -> None:
        self._classes, self._largest, self._progress = classes, largest, progress
        self._spans = [len(labels) for labels in classes.labels]
        self._sets = sum(math.comb(len(self._spans), size) for size in range(1, largest + 1))
        self._visited = 0
        single = classes.sizes == 1
        self._place = np.cumsum(single) - 1  # of a unique row among all of them
        self._single = single
        self._uniques = int(single.sum())
        self._unique_on: dict[int, UInt8] = {0: np.packbits(np.zeros(self._uniques, np.bool_))}

    def run(self) -> Iterator[Minimal]:
        rows = np.arange(len(self._classes.sizes))
        if self._single.any():
            yield from self._children(0, rows, np.zeros(len(rows), np.int64), 1)

    def _children(self, above: int, rows: Int64, ids: Int64, room: int) -> Iterator[Minimal]:
        lowest = (above & -above).bit_length() - 1 if above else len(self._spans)
        for column in range(lowest):
            self._progress("special uniques", self._visited / self._sets)
            self._visited += 1
            yield from self._visit(above | 1 << column, column, rows, ids * self._spans[column], room)

    def _visit(self, columns: int, column: int, rows: Int64, ids: Int64, room: int) -> Iterator[Minimal]:
        keys = ids + self._classes.codes[column][rows]
        found = distinct_packed(keys, room * self._spans[column])
        times = np.bincount(found.ids, self._classes.sizes[rows], len(found.firsts))
        unique: Flags = (times == 1)[found.ids]
        flags = self._unpacked(self._on(columns & (columns - 1)))
        flags[self._place[rows[unique]]] = True
        self._unique_on[columns] = np.packbits(flags)
        minimal = rows[unique & ~self._unique_on_a_subset(columns, rows)]
        if len(minimal):
            yield Minimal(tuple(place for place in range(len(self._spans)) if columns >> place & 1), minimal)
        left = rows[~unique]
        if columns.bit_count() < self._largest and self._single[left].any():
            yield from self._children(columns, left, found.ids[~unique].astype(np.int64), len(found.firsts))

    def _unique_on_a_subset(self, columns: int, rows: Int64) -> Flags:
        """bool [rows]: whether one column less already makes a row unique; rows that are no uniques are ignored."""
        subsets = [columns & ~(1 << place) for place in range(columns.bit_length()) if columns >> place & 1]
        packed: UInt8 = np.bitwise_or.reduce([self._on(subset) for subset in subsets])
        unique: Flags = self._unpacked(packed)[np.maximum(self._place[rows], 0)] & self._single[rows]
        return unique

    def _unpacked(self, packed: UInt8) -> Flags:
        return np.unpackbits(packed, count=self._uniques).view(np.bool_)

    def _on(self, columns: int) -> UInt8:
        """Which rows are unique on a set, packed; below a set that leaves none to find, they are those of that set."""
        while columns not in self._unique_on:
            columns &= columns - 1
        return self._unique_on[columns]


class _Tally:
    """Scores and counts of the MSUs that were found."""

    def __init__(self, classes: Classes, largest: int) -> None:
        self._columns, self._largest = classes.columns, largest
        self._scores: Float64 = np.zeros(len(classes.sizes))
        self._by_column: Float64 = np.zeros(len(classes.columns))
        self._sizes: dict[int, int] = {}
        self._sets: list[tuple[int, tuple[int, ...]]] = []

    def add(self, found: Minimal) -> None:
        size, rows = len(found.places), len(found.rows)
        points = score(size, self._largest, len(self._columns))
        self._scores[found.rows] += points
        self._by_column[list(found.places)] += points * rows
        self._sizes[size] = self._sizes.get(size, 0) + rows
        self._sets.append((rows, found.places))

    def figures(self, total: int) -> dict[str, object]:
        every = float(self._scores.sum())
        most = sorted(self._sets, key=lambda each: (-each[0], each[1]))[:LISTED]
        special = int(np.count_nonzero(self._scores))
        return {
            "rows": special,
            "share": special / total,
            "highest_score": float(self._scores.max(initial=0.0)),
            "mean_score": every / total,
            "msu": {str(size): self._sizes[size] for size in sorted(self._sizes)},
            "columns": {
                name: points / every if every else 0.0
                for name, points in zip(self._columns, self._by_column.tolist(), strict=True)
            },
            "sets": [{"columns": [self._columns[place] for place in places], "msu": n} for n, places in most],
        }
