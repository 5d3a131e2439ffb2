"""Packing the codes of several columns into one 64-bit key, and finding the distinct keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Codes, Int32, Int64

CodesOf = Callable[[int, slice], Int32 | Codes]
"""The codes of a column in some rows, given the number of the column."""
ROOM = 1 << 62
"""Packed keys stay below this, so that they fit in signed 64 bits."""
_PART = 1 << 16
"""Rows that are packed at once, few enough to stay in the cache of a processor."""
_BLOCK = 1 << 24
"""Rows whose keys are in memory at once."""
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


def distinct_recoded(columns: Sequence[tuple[Codes, Int32]]) -> Distinct:
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


def distinct_by(sizes: Sequence[int], length: int, codes_of: CodesOf) -> Distinct:
    """The distinct combinations of columns of codes below these sizes, which `codes_of` gives for a slice of rows.

    >>> distinct_by([3], 3, lambda column, rows: np.array([2, 0, 2], np.int32)[rows]).ids.tolist()
    [1, 0, 1]
    """
    return _distinct(sizes, length, codes_of)


def _distinct(sizes: Sequence[int], length: int, codes_of: CodesOf) -> Distinct:
    """The distinct combinations of columns of these sizes; `codes_of` are the codes of a column in some rows."""
    if length > _BLOCK:
        return _distinct_by_blocks(sizes, length, codes_of)

    def extend(keys: Int64, part: slice) -> None:
        _extend(keys, range(*part.indices(len(sizes))), sizes, codes_of)

    def compress(keys: Int64, room: int) -> tuple[Int64, int]:
        distinct = distinct_packed(keys, room)
        return distinct.ids.astype(np.int64), len(distinct.firsts)

    return distinct_packed(*packed(sizes, length, extend, compress))


def _extend(keys: Int64, columns: Iterable[int], sizes: Sequence[int], codes_of: CodesOf, first: int = 0) -> None:
    """Multiplies keys by the sizes of some columns and adds their codes, in place; `first` is the first row."""
    for begin in range(0, len(keys), _PART):
        some = keys[begin : begin + _PART]
        rows = slice(first + begin, first + begin + len(some))
        for a in columns:
            some *= sizes[a]
            some += codes_of(a, rows)


def _distinct_by_blocks(sizes: Sequence[int], length: int, codes_of: CodesOf) -> Distinct:
    """The same as `_distinct` of all rows, with keys in memory for one block of rows at a time."""
    ids, found, begin = np.zeros(length, np.int32), KeyCounts(), 0
    room = 1
    while begin < len(sizes) or not len(found):
        end = begin
        while end < len(sizes) and room * sizes[end] <= ROOM:
            room *= sizes[end]
            end += 1
        found = KeyCounts()
        for first in range(0, length, _BLOCK):
            rows = slice(first, first + _BLOCK)
            keys = ids[rows].astype(np.int64)
            _extend(keys, range(begin, end), sizes, codes_of, first)
            ids[rows] = found.add(keys, room, first)
        ranks = found.ranks
        for first in range(0, length, _BLOCK):
            ids[first : first + _BLOCK] = ranks[ids[first : first + _BLOCK]]
        room, begin = len(found), end
    return Distinct(ids, found.firsts, found.counts)


class KeyCounts:
    """The distinct keys of a table whose rows are seen block by block, with the number of rows of each."""

    def __init__(self) -> None:
        self._keys = np.zeros(0, np.int64)  # ascending
        self._numbers = np.zeros(0, np.int32)  # of these keys, in order of appearance
        self._firsts = np.zeros(0, np.int64)  # by number
        self._counts = np.zeros(0, np.int64)  # by number

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def keys(self) -> Int64:
        """int64 [d]: the distinct keys, ascending."""
        return self._keys

    @property
    def ranks(self) -> Int32:
        """int32 [d]: the place of each number among the keys in ascending order."""
        ranks = np.empty(len(self), np.int32)
        ranks[self._numbers] = np.arange(len(self), dtype=np.int32)
        return ranks

    @property
    def firsts(self) -> Int64:
        """int64 [d]: the first row of each key."""
        return self._firsts[self._numbers]

    @property
    def counts(self) -> Int64:
        """int64 [d]: the number of rows of each key."""
        return self._counts[self._numbers]

    def add(self, keys: Int64, room: int, first: int = 0) -> Int32:
        """int32: a number for every key of a block, all below `room`; `first` is the row of the first one."""
        ids, firsts, counts = distinct_packed(keys, room)
        distinct = keys[firsts]
        place = np.searchsorted(self._keys, distinct)
        known = np.append(self._keys, -1)[place] == distinct
        numbers = np.empty(len(distinct), np.int32)
        numbers[known] = self._numbers[place[known]]
        numbers[~known] = np.arange(len(self), len(self) + np.count_nonzero(~known), dtype=np.int32)
        self._counts = np.concatenate([self._counts, np.zeros(np.count_nonzero(~known), np.int64)])
        self._counts[numbers] += counts
        self._firsts = np.concatenate([self._firsts, firsts[~known] + first])
        merged = np.concatenate([self._keys, distinct[~known]])
        order = np.argsort(merged, kind="stable")
        self._keys, self._numbers = merged[order], np.concatenate([self._numbers, numbers[~known]])[order]
        return numbers[ids]


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
