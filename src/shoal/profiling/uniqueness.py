"""Uniqueness: codes columns, and counts the rows that a combination of columns makes unique."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.coded.keys import Key
from shoal.roles.columns import Data
from shoal.table import typed

_MISSING = Data().missing
_TRIED = 5
_SEARCHED = 8


@dataclass(frozen=True)
class Combination:
    """How identifying a combination of columns is: the share of unique rows, and the size of the smallest class."""

    columns: tuple[str, ...]
    unique: float
    smallest: int


class Coded(NamedTuple):
    """A coded column: `codes` int64 [rows] index the distinct typed `values`; -1 is missing."""

    type: str
    codes: Int64
    values: pl.Series

    @property
    def counts(self) -> Int64:
        """int64 [values]: the number of rows with each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))


def coded(column: pl.Series) -> Coded:
    """A column coded in its inferred type."""
    if column.dtype != pl.String:
        inferred = typed(column, type=None, missing=_MISSING)
        return Coded(inferred.type, *_encoded(inferred.values))
    text_codes, texts = _encoded(column)  # the type is inferred from the distinct texts, with the same result
    inferred = typed(texts, type="text" if _surely_text(texts) else None, missing=_MISSING)
    codes, values = _encoded(inferred.values)
    return Coded(inferred.type, np.append(codes, -1)[text_codes], values)


def _surely_text(texts: pl.Series) -> bool:
    """Whether one of the first values has no digit: then other types, which take most of the time, are not tried."""
    first = (value.strip() for value in texts.head(_TRIED).to_list())
    return any(value not in _MISSING and re.search(r"\d", value) is None for value in first)


def _encoded(values: pl.Series) -> tuple[Int64, pl.Series]:
    """The codes int64 [rows], -1 for null, and the distinct values in order of appearance."""
    unnamed = values.rechunk().alias("")  # Arrow does not accept a name with a NUL character
    encoded: Any = unnamed.to_arrow().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, pl.Series(values.name, encoded.dictionary, dtype=values.dtype)


def together(frame: pl.DataFrame, names: Sequence[str]) -> Combination | None:
    """The combination of all columns; it stops early if every row is unique, which more columns cannot change."""
    if not names or frame.is_empty():
        return None
    key = Key.nothing(frame.height)
    for name in names:
        key = key.and_by(_key(frame[name]))
        if key.all_unique:
            break
    return _combination(names, key)


def riskiest(frame: pl.DataFrame, names: Sequence[str]) -> tuple[Combination, ...]:
    """The combinations of one, two and three of the first eight columns that make the most rows unique."""
    if frame.is_empty():
        return ()
    keys = {name: _key(frame[name]) for name in names[:_SEARCHED]}
    return tuple(_worst(keys, size) for size in (1, 2, 3) if size <= len(keys))


def _worst(keys: Mapping[str, Key], size: int) -> Combination:
    candidates = []
    for names in combinations(keys, size):
        key = keys[names[0]]
        for name in names[1:]:
            key = key.and_by(keys[name])
        candidates.append(_combination(names, key))
    return max(candidates, key=lambda combination: combination.unique)


def _combination(names: Sequence[str], key: Key) -> Combination:
    sizes = key.class_sizes
    return Combination(tuple(names), int((sizes == 1).sum()) / len(key.codes), int(sizes.min()))


def _key(column: pl.Series) -> Key:
    """The key of a column, in which missing is a separate value."""
    codes = coded(column)
    return Key(codes.codes + 1, len(codes.values) + 1)
