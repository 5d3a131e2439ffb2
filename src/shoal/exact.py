"""Comparisons that decide privacy, in integers: whether a class at a threshold passes never depends on rounding."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from shoal.arrays import Array, Flags, Int64

_SAFE = 2**62


def fraction(value: float | int | Fraction) -> Fraction:
    """The number as the steward wrote it: 0.2 is one fifth, not the nearest double.

    >>> fraction(0.2)
    Fraction(1, 5)
    """
    return value if isinstance(value, Fraction) else Fraction(str(value))


@lru_cache(maxsize=1024)
def highest_below(value: Fraction, largest: int) -> Fraction:
    """The largest fraction of at most `value` whose denominator is at most `largest`.

    A share of at most `largest` rows is at most `value` if and only if it is at most this fraction, which fits in
    machine integers.

    >>> highest_below(fraction(0.3333333333333333), 100), highest_below(fraction(0.2), 100)
    (Fraction(33, 100), Fraction(1, 5))
    """
    low, high = Fraction(math.floor(value)), Fraction(math.floor(value) + 1)
    while low < value and low.denominator + high.denominator <= largest:
        # Only mediants lie between neighbours. Several steps to the same side are taken at once.
        up, down = value - low, high - value
        steps = math.floor(up * low.denominator / (down * high.denominator))
        steps = min(steps, (largest - low.denominator) // high.denominator)
        low = Fraction(low.numerator + steps * high.numerator, low.denominator + steps * high.denominator)
        if low == value or low.denominator + high.denominator > largest:
            break
        up = value - low
        steps = max(math.ceil(down * high.denominator / (up * low.denominator)) - 1, 0)
        steps = min(steps, (largest - high.denominator) // low.denominator)
        high = Fraction(high.numerator + steps * low.numerator, high.denominator + steps * low.denominator)
    return low


def at_most(left: Int64, times: int, right: Int64, by: int, *, strict: bool = False) -> Flags:
    """left · times <= right · by (or <), elementwise and exactly.

    Python integers are used where 64 bits do not suffice.

    >>> at_most(np.array([1, 2]), 5, np.array([5, 9]), 1)
    array([ True, False])
    """
    a, b = product(left, times), product(right, by)
    return np.asarray(a < b if strict else a <= b, dtype=np.bool_)


def product(values: Array, factor: int) -> Array:
    """values · factor, exactly."""
    largest = max(int(np.abs(values).max(initial=0)), 1) * abs(factor)
    if largest < _SAFE:
        return values * np.int64(factor)
    return values.astype(object) * factor
