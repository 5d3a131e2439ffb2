"""Packing the codes of several columns into one 64-bit key, and finding the distinct keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Int32, Int64, UInt32

ROOM = 1 << 62
"""Packed keys stay below this, so that they fit in signed 64 bits."""
_PART = 1 << 16
"""Rows that are packed at once, few enough to stay in the cache of a processor."""
_SMALL_ROOM = 4096
_LARGEST_TALLY = 2**24
_TALLY_A_ROW = 8  # with more keys than this for every row, sorting is faster than counting


class Distinct(NamedTuple):
    """Distinct keys in ascending order.

    `ids` int32 [n]: the id of every key. `firsts` int64 [d]: one position of each distinct key. `counts` int64 [d]: its
    number of occurrences.
    """

    ids: Int32
    firsts: Int64
    counts: Int64


def distinct_rows(columns: Sequence[Int32]) -> Distinct:
    """The distinct combinations of some columns of codes, ordered by the first column, then by the next.

    >>> distinct_rows([np.array([1, 0, 1], np.int32), np.array([2, 5, 2], np.int32)]).ids.tolist()
    [1, 0, 1]
    """
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    return _distinct(sizes, len(columns[0]), lambda a, rows: columns[a][rows])


def distinct_recoded(columns: Sequence[tuple[UInt32, Int32]]) -> Distinct:
    """The distinct combinations of columns, each given as codes of values and the code `of_value` of each value.

    They are those of `distinct_rows([of_value[codes], …])`, without these columns in memory.

    >>> distinct_recoded([(np.array([1, 0, 1], np.uint32), np.array([5, 2], np.int32))]).ids.tolist()
    [0, 1, 0]
    """
    sizes = [int(of_value.max(initial=0)) + 1 for _, of_value in columns]

    def codes_of(a: int, rows: slice) -> Int32:
        codes, of_value = columns[a]
        return of_value[codes[rows]]

    return _distinct(sizes, len(columns[0][0]), codes_of)


def _distinct(sizes: Sequence[int], length: int, codes_of: Callable[[int, slice], Int32]) -> Distinct:
    """The distinct combinations of columns of these sizes; `codes_of` are the codes of a column in some rows."""

    def extend(keys: Int64, part: slice) -> None:
        for begin in range(0, length, _PART):
            rows = slice(begin, begin + _PART)
            some = keys[rows]
            for a in range(*part.indices(len(sizes))):
                some *= sizes[a]
                some += codes_of(a, rows)

    def compress(keys: Int64, room: int) -> tuple[Int64, int]:
        distinct = distinct_packed(keys, room)
        return distinct.ids.astype(np.int64), len(distinct.firsts)

    return distinct_packed(*packed(sizes, length, extend, compress))


def packed(
    sizes: Sequence[int],
    length: int,
    extend: Callable[[Int64, slice], None],
    compress: Callable[[Int64, int], tuple[Int64, int]],
) -> tuple[Int64, int]:
    """int64 [length]: keys packed from columns of these sizes, and the room, which all keys are below.

    `extend` multiplies keys by the sizes of some columns and adds their codes, in place. When the next column does not
    fit, `compress` replaces the keys by smaller ones in the same order, and returns their room.
    """
    keys, room, begin = np.zeros(length, np.int64), 1, 0
    for a, size in enumerate(sizes):
        if room * size > ROOM:
            extend(keys, slice(begin, a))
            keys, room = compress(keys, room)
            begin = a
        room *= size
    extend(keys, slice(begin, len(sizes)))
    return keys, room


def distinct_packed(keys: Int64, room: int) -> Distinct:
    """The distinct packed keys, all below `room`."""
    from shoal.kernels.distinct import distinct_codes, runs, sorted_places

    if room <= max(2 * len(keys), _SMALL_ROOM):
        return Distinct(*distinct_codes(keys, room))
    # Sorting is faster than hashing here: most tables have many distinct rows, and these are needed in order.
    return Distinct(*runs(keys, sorted_places(keys, room)))


@dataclass(frozen=True)
class Key:
    """Rows distinguished by one integer each, int64 [rows] below `bound`.

    Columns are packed one after the other.
    """

    codes: Int64
    bound: int

    @staticmethod
    def nothing(rows: int) -> Key:
        """A key that is the same for all rows."""
        return Key(np.zeros(rows, np.int64), 1)

    def packs_with(self, other: Key) -> bool:
        """Whether both keys fit in one integer as they are."""
        return self.bound * other.bound < ROOM

    def and_by(self, other: Key) -> Key:
        """Rows distinguished by both keys."""
        left = self if self.packs_with(other) else self._dense()
        other = other if left.packs_with(other) else other._dense()
        return Key(left.codes * other.bound + other.codes, left.bound * other.bound)

    @property
    def all_unique(self) -> bool:
        """Whether every row is unique."""
        return self.bound >= len(self.codes) and bool((self.class_sizes == 1).all())

    @property
    def class_sizes(self) -> Int64:
        """int64: the number of rows of each key that occurs."""
        if self.bound <= min(_LARGEST_TALLY, _SMALL_ROOM + _TALLY_A_ROW * len(self.codes)):
            tally = np.bincount(self.codes, minlength=1)
            return tally[tally > 0]
        ordered = pl.Series(self.codes).sort().to_numpy()  # on all cores
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        return np.diff(np.append(starts, len(ordered)))

    def _dense(self) -> Key:
        """The same distinctions with keys from 0 without gaps."""
        distinct, codes = np.unique(self.codes, return_inverse=True)
        return Key(codes.astype(np.int64), len(distinct))
