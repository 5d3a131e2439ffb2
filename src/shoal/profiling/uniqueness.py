"""Uniqueness: columns as integers, and how many rows some of them together make unique. Only counts leave it."""

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
    """How far some columns together identify rows: the share that is unique, and the smallest class."""

    columns: tuple[str, ...]
    unique: float
    smallest: int


class Coded(NamedTuple):
    """A column as integers: `codes` int64 [rows] index the distinct typed `values`, -1 is missing."""

    type: str
    codes: Int64
    values: pl.Series

    @property
    def counts(self) -> Int64:
        """int64 [values]: how many rows have each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))


def coded(column: pl.Series) -> Coded:
    """A column as integers, of the type it seems to have."""
    if column.dtype != pl.String:
        guess = typed(column, type=None, missing=_MISSING)
        return Coded(guess.type, *_encoded(guess.values))
    spellings, spelt = _encoded(column)  # typed once per distinct value: the type cannot tell the difference
    guess = typed(spelt, type="text" if _surely_text(spelt) else None, missing=_MISSING)
    codes, values = _encoded(guess.values)
    return Coded(guess.type, np.append(codes, -1)[spellings], values)


def _surely_text(spelt: pl.Series) -> bool:
    """Whether one of the first values has no digit: then no other type is worth trying, which is most of the work."""
    first = (value.strip() for value in spelt.head(_TRIED).to_list())
    return any(value not in _MISSING and re.search(r"\d", value) is None for value in first)


def _encoded(values: pl.Series) -> tuple[Int64, pl.Series]:
    """int64 [rows], -1 for null, and the distinct values that these index, in order of appearance."""
    unnamed = values.rechunk().alias("")  # a name with a NUL character cannot pass
    encoded: Any = unnamed.to_arrow().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return codes, pl.Series(values.name, encoded.dictionary, dtype=values.dtype)


def together(frame: pl.DataFrame, names: Sequence[str]) -> Combination | None:
    """All of the columns at once; stops as soon as every row is unique, which more columns cannot change."""
    if not names or frame.is_empty():
        return None
    key = Key.nothing(frame.height)
    for name in names:
        key = key.and_by(_key(frame[name]))
        if key.all_unique:
            break
    return _combination(names, key)


def riskiest(frame: pl.DataFrame, names: Sequence[str]) -> tuple[Combination, ...]:
    """Of one, two and three of the first eight columns the combination that makes most rows unique."""
    if frame.is_empty():
        return ()
    keys = {name: _key(frame[name]) for name in names[:_SEARCHED]}
    return tuple(_worst(keys, size) for size in (1, 2, 3) if size <= len(keys))


def _worst(keys: Mapping[str, Key], size: int) -> Combination:
    found = []
    for names in combinations(keys, size):
        key = keys[names[0]]
        for name in names[1:]:
            key = key.and_by(keys[name])
        found.append(_combination(names, key))
    return max(found, key=lambda combination: combination.unique)


def _combination(names: Sequence[str], key: Key) -> Combination:
    sizes = key.class_sizes
    return Combination(tuple(names), int((sizes == 1).sum()) / len(key.codes), int(sizes.min()))


def _key(column: pl.Series) -> Key:
    """A missing value is a value of its own."""
    found = coded(column)
    return Key(found.codes + 1, len(found.values) + 1)
