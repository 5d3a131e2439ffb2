"""Columns of a table as an engine needs them: as codes of their distinct values, wherever the rows are stored."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Protocol

import numpy as np
import polars as pl

from shoal.arrays import Codes, Int32, Int64, UInt64
from shoal.engines.dictionary import Dictionary, dictionary
from shoal.errors import PromiseBroken

_PART = 1 << 17
"""Rows that are compared at once, few enough to stay in the cache of a processor."""
_MANY = 1 << 22
"""Rows that are counted at once."""


class Columns(Protocol):
    """The columns of a table. Cells that differ in any way have different codes."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def rows(self) -> int: ...

    def coded(self, name: str) -> Dictionary:
        """The codes and the distinct raw values of a column."""
        ...

    def checked(self, name: str) -> Dictionary:
        """The same, after codes and cells were compared."""
        ...

    def hashes(self, name: str) -> UInt64:
        """uint64 [n]: a hash of every cell of a column."""
        ...

    def kind(self, name: str) -> pl.DataType:
        """The type of the cells of a column."""
        ...


class FrameColumns:
    """The columns of a table in memory. Each is dictionary-coded at most once, on first use."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame
        self._dictionaries: dict[str, Dictionary] = {}
        self._locks = {name: Lock() for name in frame.columns}

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._frame.columns)

    @property
    def rows(self) -> int:
        return self._frame.height

    def coded(self, name: str) -> Dictionary:
        with self._locks[name]:
            if name not in self._dictionaries:
                self._dictionaries[name] = dictionary(self._frame[name])
            return self._dictionaries[name]

    def checked(self, name: str) -> Dictionary:
        found, column = self.coded(name), self._frame[name]
        if any(unequal(column[part], found.distinct, found.codes[part]) for part in parts(self.rows)):
            raise wrong_codes(name)
        return found

    def hashes(self, name: str) -> UInt64:
        return hashed(self._frame[name])

    def kind(self, name: str) -> pl.DataType:
        return self._frame.schema[name]


def hashed(column: pl.Series) -> UInt64:
    """uint64 [n]: a hash of every cell, the same in every table and part of a table."""
    is_coded = isinstance(column.dtype, pl.Categorical | pl.Enum)
    hashes: UInt64 = (column.cast(pl.String) if is_coded else column).hash(0).to_numpy()
    return hashes


def wrong_codes(name: str) -> PromiseBroken:
    return PromiseBroken(f"The codes of column '{name}' do not stand for its values. Nothing was published.")


def parts(rows: int, size: int = _PART) -> Iterator[slice]:
    """Consecutive parts of the rows."""
    return (slice(begin, begin + size) for begin in range(0, rows, size))


def unequal(column: pl.Series, distinct: pl.Series, codes: Int32 | Codes) -> int:
    """The number of cells that are not the value of their code; cells with a negative code do not count."""
    if codes.min(initial=0) < 0:
        coded = codes >= 0
        column, codes = column.filter(pl.Series(coded)), codes[coded]
    return len(column) - int(distinct.gather(codes).eq_missing(column).sum())


def tallied(codes: Codes, size: int) -> Int64:
    """int64 [size]: the number of rows of each code."""
    counts = np.zeros(size, np.int64)
    for part in parts(len(codes), _MANY):
        counts += np.bincount(codes[part], minlength=size)
    return counts
