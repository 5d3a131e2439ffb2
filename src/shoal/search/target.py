"""What kernels need to know about the target of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Float64, Int32, Int64
from shoal.coded.counted import Coded
from shoal.coded.keys import distinct_rows

if TYPE_CHECKING:
    from shoal.kernels.gain import Target

_ROWS_PER_STRATUM = 1000
_LOGARITHMS = 1 << 16
_MOST_PARTS = 1 << 22
"""The most pairs of a stratum and a value of the target with which strata are distinguished. They bound memory."""


def target(coded: Coded) -> Target:
    """The target of every distinct row, and its stratum; rows without a target count for nothing."""
    from shoal.kernels.gain import Target

    values, domain = coded.counted.target, coded.target
    assert values is not None and domain is not None
    numbers = np.empty(0, np.int64)
    if domain.numbers is not None:
        numbers = _whole_numbers(domain.numbers[values], coded.counted.weight)
    kinds = 1 if len(numbers) else int(values.max(initial=0)) + 1
    stratum = strata(coded).astype(np.int64)
    if (int(stratum.max(initial=0)) + 1) * kinds > _MOST_PARTS:
        stratum[:] = 0
    part = stratum if len(numbers) else stratum * kinds + values
    count = int(stratum.max(initial=0)) + 1
    known = np.where(values == domain.missing, -1, stratum)
    return Target(known, part, numbers, _logarithms(), count, count * kinds)


def _logarithms() -> Int64:
    """int64: n log2 n for small n, in fixed point."""
    from shoal.kernels.gain import FINE

    n = np.arange(1, _LOGARITHMS)
    return np.concatenate([[0], np.floor(n * np.log2(n) * FINE + 0.5)]).astype(np.int64)


def _whole_numbers(numbers: Float64, weight: Int64) -> Int64:
    """Deviations from the middle as whole numbers, 0 for NaN, so large that the sum of all squares fits in 62 bits."""
    known = np.flatnonzero(~np.isnan(numbers))
    found = np.zeros(len(numbers), np.int64)
    if len(known):
        low, high = float(numbers[known].min()), float(numbers[known].max())
        middle = low / 2 + high / 2  # neither overflows
        widest = max(high - middle, middle - low)
        scale = 2.0 ** ((62 - int(weight.sum()).bit_length()) // 2)
        if widest > 0:
            found[known] = np.rint((numbers[known] - middle) / widest * scale)
    return found


def strata(coded: Coded) -> Int32:
    """int32 [distinct rows]: equal numbers for rows that agree in the sensitive columns of models, besides the target.

    If there are too many, all rows are one stratum: with few rows in each, chance would outweigh the columns.
    """
    columns = [codes for codes in coded.counted.sensitive.values() if codes is not coded.counted.target]
    if columns:
        stratum, firsts, _ = distinct_rows(columns)
        if len(firsts) * _ROWS_PER_STRATUM <= coded.counted.rows:
            return stratum
    return np.zeros(len(coded.counted), np.int32)
