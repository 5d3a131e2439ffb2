"""Uniqueness: counts the rows that a combination of columns makes unique."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.coded.keys import Key
from shoal.profiling.facts import Coded

_SEARCHED = 8
_COMPARED_ROWS = 50_000


@dataclass(frozen=True)
class Combination:
    """How identifying a combination of columns is: the share of unique rows, and the size of the smallest class."""

    columns: tuple[str, ...]
    unique: float
    smallest: int


def together(columns: Mapping[str, Coded]) -> Combination | None:
    """The combination of all columns; it stops early if every row is unique, which more columns cannot change."""
    if not columns or not _rows(columns):
        return None
    key = Key.nothing(_rows(columns))
    for column in columns.values():
        other = _key(column)
        if not key.packs_with(other) and key.all_unique:
            break
        key = key.and_by(other)
    return _combination(tuple(columns), key)


def riskiest(columns: Mapping[str, Coded]) -> tuple[Combination, ...]:
    """The combinations of one, two and three of the eight columns with the most values that make most rows unique.

    In a long table, combinations are compared on some 50,000 evenly spaced rows. The figures are always those of all
    rows.
    """
    if not columns or not _rows(columns):
        return ()
    most_values_first = sorted(columns, key=lambda name: -len(columns[name].values))[:_SEARCHED]
    keys = {name: _key(columns[name]) for name in most_values_first}
    return tuple(_worst(keys, size) for size in (1, 2, 3) if size <= len(keys))


def _worst(keys: Mapping[str, Key], size: int) -> Combination:
    """The combination of this size that makes the most rows unique; the first one of equals."""
    rows = len(next(iter(keys.values())).codes)
    step = max(1, rows // _COMPARED_ROWS)
    compared = {name: Key(key.codes[::step], key.bound) for name, key in keys.items()}
    names = max(combinations(keys, size), key=lambda names: _combined(compared, names).unique)
    return _combined(keys, names)


def _combined(keys: Mapping[str, Key], names: Sequence[str]) -> Combination:
    key = keys[names[0]]
    for name in names[1:]:
        key = key.and_by(keys[name])
    return _combination(names, key)


def _combination(names: Sequence[str], key: Key) -> Combination:
    sizes = key.class_sizes
    return Combination(tuple(names), int((sizes == 1).sum()) / len(key.codes), int(sizes.min()))


def _key(column: Coded) -> Key:
    """The key of a column, in which missing is a separate value."""
    return Key(column.codes.astype(np.int64) + 1, len(column.values) + 1)


def _rows(columns: Mapping[str, Coded]) -> int:
    return len(next(iter(columns.values())).codes)
