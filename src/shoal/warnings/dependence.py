"""Functional dependence between columns, found on a sample of rows by how often rows agree.

A column determines another if rows that agree in it also agree in the other, far more often than any two rows do.
Values that occur once prove nothing, so a column of unique values does not determine everything.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.keys import distinct_packed
from shoal.warnings.base import Case

_NEARLY = 0.9
_FALSE_ALARM = 0.001
_ROWS_SAMPLED = 30_000
_FEWEST_ROWS = 5_000
_COMPARED = 1_000_000
"""About how many pairs of cells are compared in all, which bounds the time for wide tables."""
_SCATTERING = np.uint64(11400714819323198485)


class Dependence(NamedTuple):
    """Whether the first of two columns determines the second in nearly all rows, and the second the first."""

    forward: bool
    backward: bool


class Sample(NamedTuple):
    """The distinct rows in the sample, bool [d], and the evidence that a dependence needs."""

    picked: Flags
    least: float


def sampled(case: Case, classes: Int64, pairs: int) -> Sample:
    """A sample of the released rows that does not depend on their order, for this number of pairs of columns."""
    weight = np.where(classes >= 0, case.coded.counted.weight, 0)
    rows, most = int(weight.sum()), max(min(_ROWS_SAMPLED, _COMPARED // max(pairs, 1)), _FEWEST_ROWS)
    picked = weight > 0
    if rows > most:
        scattered = np.arange(len(weight), dtype=np.uint64) * _SCATTERING
        picked &= scattered < np.uint64(2**64 * (most / rows))
    return Sample(picked, math.log(max(2 * pairs, 1) / _FALSE_ALARM))


class Cells:
    """The cells of one column in a sample: codes int64 [n] of rows that occur `times` int64 [n] each."""

    def __init__(self, codes: Int64 | Int32, times: Int64) -> None:
        ids, firsts, _ = distinct_packed(codes.astype(np.int64), int(codes.max(initial=0)) + 1)
        self.ids, self.values = ids.astype(np.int64), len(firsts)
        self.times, self.counts = times, np.bincount(ids, times).astype(np.int64)

    def dependence(self, other: Cells, least: float) -> Dependence:
        """How this column and another one in the same rows depend on each other."""
        if self.values == 1 or other.values == 1:
            return Dependence(False, False)
        ids = distinct_packed(self.ids * other.values + other.ids, self.values * other.values).ids
        both = np.bincount(ids, self.times).astype(np.int64)
        return Dependence(
            _determines(self.counts, other.counts, both, least), _determines(other.counts, self.counts, both, least)
        )


def _determines(given: Int64, other: Int64, both: Int64, least: float) -> bool:
    """Whether rows that agree in one column agree in another beyond chance, by the number of rows of each value."""
    rows, agreeing = int(given.sum()), _pairs(given)
    by_chance = _pairs(other) / max(rows * (rows - 1), 1)
    if not agreeing or by_chance >= 1:
        return False
    again = rows - len(given)  # rows whose value was seen before; each agrees by chance with this probability
    evidence = -again * math.log(max(by_chance, 1 / rows**2))
    return evidence >= least and _pairs(both) / agreeing - by_chance >= _NEARLY * (1 - by_chance)


def _pairs(counts: Int64) -> float:
    """The number of ordered pairs of rows with equal values."""
    return float((counts.astype(np.float64) * (counts - 1)).sum())
