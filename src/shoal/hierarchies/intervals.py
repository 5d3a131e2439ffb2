"""Intervals of fixed widths for numbers, exact for negative numbers and fractions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Array, Int64
from shoal.errors import HierarchyError, PlanError
from shoal.exact import fraction
from shoal.hierarchies.base import Hierarchy, Level, text_of
from shoal.labels import span

DECIMALS = 12
"""The most decimals of a width or an origin."""
LARGEST = 10**14
"""Real values up to this many steps of the last decimal are placed exactly: 15 digits survive a double."""


@dataclass(frozen=True)
class Intervals:
    """A number is released as the interval it lies in, ever wider ones, and at last as `*`.

    Interval i of a width starts at origin + i · width. Whole numbers get inclusive bounds: `[20, 24]` for width 5. For
    real numbers `[20, 25]` holds 20 up to but not including 25, which starts the next. Every width must be a multiple
    of the one before it, or the intervals would not nest. Numbers count as they are written: 0.3 starts the fourth
    interval of width 0.1, whatever the nearest double is.

    >>> Intervals((5, 10)).build(pl.Series([-1, 23])).levels[1].labels
    ('[-5, -1]', '[20, 24]')
    >>> Intervals((0.1,)).build(pl.Series([0.3])).path(0)
    ('0.3', '[0.3, 0.4]', '*')
    """

    widths: tuple[float | int, ...]
    origin: float | int = 0

    kind: ClassVar[str] = "intervals"
    sample: ClassVar[Mapping[str, Any]] = {"widths": (5, 10, 20)}

    def __post_init__(self) -> None:
        object.__setattr__(self, "widths", tuple(self.widths))
        if not self.widths:
            raise PlanError("Intervals widths must hold at least one width; got none.", hint="widths = [5, 10, 20]")
        for width in self.widths:
            if not _is_number(width) or width <= 0:
                raise PlanError(f"Intervals widths must be numbers above 0; got {width!r}.")
        if not _is_number(self.origin):
            raise PlanError(f"Intervals origin must be a number; got {self.origin!r}.")
        _check_multiples(self.widths)
        if _decimals(self) > DECIMALS:
            raise PlanError(f"Intervals widths and origin may have at most {DECIMALS} decimals.")

    def build(self, values: pl.Series, counts: pl.Series | None = None) -> Hierarchy:
        if values.dtype.is_integer():
            scale, bins = 0, _whole_bins(self, values)
        elif values.dtype.is_float():
            scale, bins = _decimals(self), _real_bins(self, values)
        else:
            raise HierarchyError(
                "An intervals hierarchy needs a column of numbers.",
                hint='use kind = "date" for dates; for numbers written as text set the column\'s type.',
            )
        narrowest = fraction(self.widths[0])
        levels = [Level.leaves(text_of(values))]
        for width in self.widths:
            times = int(fraction(width) / narrowest)  # whole, as the widths are multiples: so the levels nest
            levels.append(_level(bins // times, self, fraction(width), scale, whole=values.dtype.is_integer()))
        return Hierarchy.topped(levels)


def _level(bins: Array, spec: Intervals, width: Fraction, scale: int, *, whole: bool) -> Level:
    last = 1 if whole else 0  # a whole interval ends one before the next begins

    def label(number: int) -> str:
        low = fraction(spec.origin) + number * width
        return span(_text(low, scale), _text(low + width - last, scale))

    return Level.keyed(bins, label)


def _whole_bins(spec: Intervals, values: pl.Series) -> Array:
    """The number of each value's narrowest interval; Python integers take over where 64 bits might not do."""
    if _decimals(spec):
        raise HierarchyError(
            "Intervals widths and origin must be whole numbers for a column of whole numbers.",
            hint='set the column\'s type = "real" to use fractions.',
        )
    origin, width = int(fraction(spec.origin)), int(fraction(spec.widths[0]))
    largest = max((abs(number) for number in (values.min(), values.max()) if isinstance(number, int)), default=0)
    if max(largest, abs(origin), int(fraction(spec.widths[-1]))) < 2**62:
        return np.asarray((values.to_numpy() - origin) // width)
    return np.array([(number - origin) // width for number in values.to_list()], dtype=object)


def _real_bins(spec: Intervals, values: pl.Series) -> Int64:
    """The number of each value's narrowest interval, by comparing with its bounds as correctly rounded doubles.

    A bound of at most 15 digits is the only such number that rounds to its double, and rounding keeps order: so a
    value is below a bound exactly where its double is below the bound's.
    """
    numbers, power = values.to_numpy(), 10 ** _decimals(spec)
    origin, width = int(fraction(spec.origin) * power), int(fraction(spec.widths[0]) * power)
    if max(abs(origin), width) > LARGEST:
        raise HierarchyError(f"Intervals origin and the first width may be at most {LARGEST // power} here.")
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = numbers * float(power)
        beyond = int((~(np.abs(scaled) <= LARGEST)).sum())  # not <= so that NaN counts
    if beyond:
        raise HierarchyError(
            f"{beyond} of {len(values)} distinct values are infinite, not a number, or too large for widths this fine.",
            allowed=f"Values up to {LARGEST // power} can be placed exactly.",
            hint="set top and bottom for the column, or use coarser widths.",
        )
    nearest = np.rint((scaled - origin) / width).astype(np.int64)
    bound = (origin + nearest * width) / power
    return np.asarray(nearest - (numbers < bound), np.int64)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _check_multiples(widths: tuple[float | int, ...]) -> None:
    for below, above in pairwise(widths):
        ratio = fraction(above) / fraction(below)
        if ratio.denominator != 1 or ratio < 2:
            raise PlanError(
                f"Intervals of width {above} do not nest over width {below}.",
                allowed="Every width must be a multiple of the one before it, at least twice as wide.",
                hint="widths = [5, 10, 20] nest.",
            )


def _decimals(spec: Intervals) -> int:
    """The fewest decimals with which all widths and the origin can be written."""
    decimals = 0
    for number in (*spec.widths, spec.origin):
        while decimals <= DECIMALS and (fraction(number) * 10**decimals).denominator != 1:
            decimals += 1
    return decimals


def _text(number: Fraction, decimals: int) -> str:
    """The number with as many decimals as it needs, of at most `decimals`."""
    scaled = int(number * 10**decimals)
    whole, part = divmod(abs(scaled), 10**decimals)
    digits = f"{part:0{decimals}d}".rstrip("0") if part else ""
    return ("-" if scaled < 0 else "") + str(whole) + ("." + digits if digits else "")
