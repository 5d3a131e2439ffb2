"""Persons: the column whose values number individuals that have several rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Protocol

import numpy as np

from shoal.arrays import Int32
from shoal.profiling.signs import Numbered

_BEST_FIRST: tuple[Numbered, ...] = ("patients", "visits", "records")
_MOST_TRAITS = 12
_FEWEST = 20
_MOST_DISTINCT = 0.9
_AGREEING = 0.95


class Numbering(Protocol):
    """What the choice of a person column needs to know about a column."""

    @property
    def name(self) -> str: ...
    @property
    def distinct(self) -> int: ...
    @property
    def missing(self) -> float: ...
    @property
    def numbers(self) -> Numbered | None: ...


def person_column(columns: Sequence[Numbering], rows: int) -> str | None:
    """The column that numbers patients; without one, the column that numbers visits, then other records.

    Of several columns, it is the one with the most values among those that repeat: counting too few individuals is
    safe. None if all columns of the best kind have a value of their own in every row: then every row is a person.
    """
    for kind in _BEST_FIRST:
        numbers = [column for column in columns if column.numbers == kind and column.distinct > 1]
        repeating = [column for column in numbers if column.distinct < rows and column.missing == 0]
        if repeating:
            return max(repeating, key=lambda column: column.distinct).name
        if any(column.distinct == rows for column in numbers):
            return None
    return None


def agreeing_traits(codes: Int32, traits: Mapping[str, Int32]) -> tuple[str, ...]:
    """The traits in which rows with the same code nearly always agree; of many traits, only the first are compared."""
    compared = islice(traits.items(), _MOST_TRAITS)
    return tuple(name for name, trait in compared if repeats_like_persons(codes, [trait]))


def may_repeat(distinct: int, known: int) -> bool:
    """Whether a column has enough values, and enough repetitions, to number individuals with several rows."""
    return _FEWEST <= distinct <= _MOST_DISTINCT * known


def repeats_like_persons(codes: Int32, traits: Sequence[Int32]) -> bool:
    """Whether rows with the same code nearly always agree in all traits, such as sex and birth date.

    `codes` and each of `traits`: int32 [rows], -1 for missing. Codes that occur once, and traits that never differ, say
    nothing.
    """
    known = codes >= 0
    counts = np.bincount(codes[known])
    repeated = counts > 1
    if not repeated.any():
        return False
    agreeing = repeated
    asked = False
    for trait in traits:
        if trait.size and trait.min() != trait.max():
            asked = True
            agreeing = agreeing & _agree(codes[known], trait[known], len(counts))
            if agreeing.sum() < _AGREEING * repeated.sum():
                return False
    return asked


def _agree(codes: Int32, trait: Int32, size: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """bool [size]: whether all rows with a code have the same trait."""
    last = np.full(size, -2, dtype=np.int32)
    last[codes] = trait
    differing = np.zeros(size, dtype=bool)
    differing[codes[trait != last[codes]]] = True
    return ~differing
