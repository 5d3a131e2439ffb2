"""Where ranges may begin and end without saying anybody's exact value."""

from __future__ import annotations

import datetime
import math
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import polars as pl

from shoal.hierarchies.base import text_of

_FIRST_DAY, _LAST_DAY = ((end - datetime.date(1970, 1, 1)).days for end in (datetime.date.min, datetime.date.max))
_LARGEST_REAL = Fraction(sys.float_info.max)
_BOUNDS = {"integer": (Fraction(-(2**63)), Fraction(2**63 - 1)), "real": (-_LARGEST_REAL, _LARGEST_REAL)}


def boundaries(present: pl.Series, type_: str) -> tuple[list[Any], list[Any]]:
    """For every one of some ascending values the lower and the upper boundary of a range that begins or ends with it.

    Inner boundaries lie half-way between neighbouring values; the outermost are rounded outwards.
    """
    numbers = present.to_physical().to_list()
    low, high = _rounded_outwards(numbers[0], numbers[-1], type_)
    if type_ == "real":
        exact = [Decimal(repr(number)) for number in numbers]  # so that 11.8 and 11.9 meet at 11.85
        middles = [float((a + b) / 2) for a, b in pairwise(exact)]
        return [low, *middles], [*middles, high]
    middles = [(a + b) // 2 for a, b in pairwise(numbers)]
    return [low, *(middle + 1 for middle in middles)], [*middles, high]


def written(ends: list[Any], dtype: pl.DataType) -> list[str]:
    """Boundaries of values of this type, as they are written."""
    texts: list[str] = text_of(pl.Series(ends, dtype=pl.Series(dtype=dtype).to_physical().dtype).cast(dtype)).to_list()
    return texts


def _rounded_outwards(low: Any, high: Any, type_: str) -> tuple[Any, Any]:
    """The next round numbers outside, a hundredth to a tenth of the range away, of whole numbers some: so the extremes
    are not published, nor told by how they are rounded. Zero stays, which is nobody's in particular."""
    if high == low:
        return low, high
    if type_ == "date":
        return max(low - 1 - (low - 1) % 30, _FIRST_DAY), min(high + 30 - high % 30, _LAST_DAY)
    step = Fraction(10) ** ((Decimal(high) - Decimal(low)).adjusted() - 1)
    if type_ == "integer":
        step = max(step, Fraction(5 if high - low >= 20 else 2))
    least, most = _BOUNDS[type_]
    down = low if low == 0 else max((math.ceil(Fraction(repr(low)) / step) - 1) * step, least)
    up = high if high == 0 else min((math.floor(Fraction(repr(high)) / step) + 1) * step, most)
    return (int(down), int(up)) if type_ == "integer" else (float(down), float(up))
