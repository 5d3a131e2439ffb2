"""Where ranges begin and end: at values, or at boundaries that are no individual's exact value."""

from __future__ import annotations

import datetime
import math
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal import labels
from shoal.arrays import Float64
from shoal.coded.coding import bounded
from shoal.coded.domains import QuasiDomain
from shoal.hierarchies.base import text_of
from shoal.roles.columns import Column

_FIRST_DAY, _LAST_DAY = ((end - datetime.date(1970, 1, 1)).days for end in (datetime.date.min, datetime.date.max))
_LARGEST_REAL = Fraction(sys.float_info.max)
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_FIRST_TICK, _LAST_TICK = _FIRST_DAY * _DAY, (_LAST_DAY + 1) * _DAY - 1
_ROUND_TIMES = (30 * _DAY, _DAY, 3600 * _SECOND, 60 * _SECOND, _SECOND)
"""The periods to which date-times are rounded, in microseconds."""
_BOUNDS = {"integer": (Fraction(-(2**63)), Fraction(2**63 - 1)), "real": (-_LARGEST_REAL, _LARGEST_REAL)}


class Ends(NamedTuple):
    """Per code: the text with which a range begins or ends at it, and its position in the range of the column."""

    texts: list[str]
    position: Float64


def value_ends(domain: QuasiDomain) -> Ends:
    """The ends of ranges that begin and end at values of the data."""
    return Ends(domain.texts, domain.position)


def boundary_ends(domain: QuasiDomain) -> tuple[Ends, Ends]:
    """For every code, the lower and the upper boundary of a box that begins or ends with it."""
    present = domain.values.drop_nulls()
    if present.is_empty():
        return value_ends(domain), value_ends(domain)
    lows, highs = boundaries(present, domain.type, domain.settings)
    return _ends(domain, lows), _ends(domain, highs)


def _ends(domain: QuasiDomain, ends: list[Any]) -> Ends:
    """The texts of boundaries, and their positions: boundaries lose more than the values between them."""
    present = domain.values.drop_nulls()
    first, last = present.to_physical()[0], present.to_physical()[-1]
    width = _distance(first, last) or 1
    position = np.clip([_distance(first, number) / width for number in ends], 0.0, 1.0)
    missing = domain.values.null_count()
    texts = [labels.MISSING] * missing + written(ends, present.dtype)
    return Ends(texts, np.concatenate([np.full(missing, -1.0), position]))


def _distance(first: Any, last: Any) -> Any:
    """The exact distance between integers, or half the distance between real numbers.

    The full distance between real numbers may be infinite.
    """
    return last - first if isinstance(first, int) else last / 2 - first / 2


def boundaries(present: pl.Series, type_: str, settings: Column) -> tuple[list[Any], list[Any]]:
    """The lower and the upper boundary of a range that begins or ends with each of these ascending values.

    Inner boundaries lie half-way between neighbouring values, and those of date-times at a round time before it. The
    outermost boundaries are rounded outwards, but not beyond the top and bottom of the column, which the plan states.
    """
    numbers = present.to_physical().to_list()
    outermost = pl.Series(_rounded_outwards(numbers[0], numbers[-1], type_), dtype=present.to_physical().dtype)
    low, high = bounded(outermost.cast(present.dtype), type_, settings, present.name).to_physical().to_list()
    if type_ == "real":
        exact = [Decimal(repr(number)) for number in numbers]  # decimal, so that 11.8 and 11.9 meet at 11.85
        middles = [float((a + b) / 2) for a, b in pairwise(exact)]
        return [low, *middles], [*middles, high]
    if type_ == "datetime":
        middles = [_round_between(a, b) for a, b in pairwise(numbers)]
        return [low, *middles], [*middles, high]
    middles = [(a + b) // 2 for a, b in pairwise(numbers)]
    return [low, *(middle + 1 for middle in middles)], [*middles, high]


def _round_between(low: int, high: int) -> int:
    """The middle between two date-times, rounded down as far as it stays between them."""
    middle = (low + high) // 2
    return next((middle - middle % time for time in _ROUND_TIMES if middle - middle % time > low), middle)


def written(ends: list[Any], dtype: pl.DataType) -> list[str]:
    """The texts of boundaries of values of this type."""
    texts: list[str] = text_of(pl.Series(ends, dtype=pl.Series(dtype=dtype).to_physical().dtype).cast(dtype)).to_list()
    return texts


def _rounded_outwards(low: Any, high: Any, type_: str) -> tuple[Any, Any]:
    """The next round numbers outside, which hide the extremes and do not reveal them by how they are rounded.

    They lie a hundredth to a tenth of the range away, and at least a few units for integers. Zero stays, because it
    identifies no individual.
    """
    if high == low:
        return low, high
    if type_ == "datetime":
        round_time = next((time for time in _ROUND_TIMES if 10 * time <= high - low), _SECOND)
        down, up = low - 1 - (low - 1) % round_time, high + round_time - high % round_time
        return max(down, _FIRST_TICK), min(up, _LAST_TICK)
    if type_ == "date":
        return max(low - 1 - (low - 1) % 30, _FIRST_DAY), min(high + 30 - high % 30, _LAST_DAY)
    step = Fraction(10) ** ((Decimal(high) - Decimal(low)).adjusted() - 1)
    if type_ == "integer":
        step = max(step, Fraction(5 if high - low >= 20 else 2))
    least, most = _BOUNDS[type_]
    down = low if low == 0 else max((math.ceil(Fraction(repr(low)) / step) - 1) * step, least)
    up = high if high == 0 else min((math.floor(Fraction(repr(high)) / step) + 1) * step, most)
    return (int(down), int(up)) if type_ == "integer" else (float(down), float(up))
