"""Intervals of fixed widths for numbers, exact also for negative numbers and fractions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Array, Int64
from shoal.errors import HierarchyError, PlanError
from shoal.exact import fraction
from shoal.hierarchies.base import Hierarchy, Level, paths_of, text_of
from shoal.hierarchies.placing import Placed, empty, extents, meanings, spread
from shoal.labels import ANY, MISSING, Exactly, Meaning, Range, span
from shoal.table import notation_hint

DECIMALS = 12
"""The largest number of decimals of a width or an origin."""
LARGEST = 10**14
"""The largest value, in units of the last decimal, that is assigned exactly: a double preserves 15 digits."""


_EXACT = 2.0**46
"""Below this, labels are looked up exactly by their lower ends as doubles."""


@dataclass(frozen=True)
class Intervals:
    """Generalizes numbers to intervals of increasing width, and finally to `*`.

    Interval i of a width starts at origin + i · width. Bounds of integers are inclusive: `[20, 24]` for width 5. For
    real numbers, `[20, 25]` contains 20 but not 25, which starts the next interval. Every width must be a multiple of
    the one before it, so that intervals nest. Numbers are used as written: 0.3 starts the fourth interval of width 0.1,
    although the nearest double is smaller.

    >>> Intervals((5, 10)).build(pl.Series([-1, 23])).levels[1].labels
    ('[-5, -1]', '[20, 24]')
    >>> Intervals((0.1,)).build(pl.Series([0.3])).path(0)
    ('0.3', '[0.3, 0.4]', '*')
    """

    widths: tuple[float | int, ...]
    """The width of the intervals at each level. Allowed: a list of numbers above 0 with at most 12 decimals, each a
    larger multiple of the one before."""
    origin: float | int = 0
    """Where an interval starts; the others follow at multiples of the width. Allowed: numbers with at most 12 decimals.
    """

    kind: ClassVar[str] = "intervals"
    sample: ClassVar[Mapping[str, Any]] = {"widths": (5, 10, 20)}

    def __post_init__(self) -> None:
        object.__setattr__(self, "widths", tuple(self.widths))
        if not self.widths:
            raise PlanError("Intervals widths must contain at least one width; got none.", hint="widths = [5, 10, 20]")
        for width in self.widths:
            if not _is_number(width) or width <= 0:
                raise PlanError(f"Intervals widths must be finite numbers above 0; got {_shown(width)}.")
        if not _is_number(self.origin):
            raise PlanError(f"Intervals origin must be a finite number; got {_shown(self.origin)}.")
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
                hint=notation_hint(values)
                or 'use kind = "date" for dates; for numbers written as text, set the column\'s type.',
            )
        narrowest = fraction(self.widths[0])
        levels = [Level.leaves(text_of(values))]
        for width in self.widths:
            times = int(fraction(width) / narrowest)  # an integer, because the widths are multiples
            levels.append(_level(bins // times, self, fraction(width), scale, whole=values.dtype.is_integer()))
        return Hierarchy.topped(levels)

    def placed(self, labels: Sequence[str], among: Sequence[str] | None = None) -> Placed:
        read_labels = meanings(labels)
        lost = spread(read_labels, meanings(among or labels))
        placed = empty(len(self.widths) + 2, labels)
        for place, (label, meaning) in enumerate(zip(labels, read_labels, strict=True)):
            if label in (ANY, MISSING) or not np.isfinite(lost[place]):
                continue
            levels = [0] if isinstance(meaning, Exactly) else []
            levels += [number for number, width in enumerate(self.widths, 1) if self._is_interval(meaning, width)]
            placed.by_level[levels, place] = lost[place]
            if not levels:
                placed.outside[place] = lost[place]
        return placed

    def paths(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        """The labels may be of whole or of real numbers: those paths are taken that lead from more of them."""
        every = meanings(labels)
        lows = extents(every)[:, 0]
        known = np.isfinite(lows) & (np.abs(lows) < _EXACT)
        values = pl.Series(np.unique(lows[known]))
        leaves = np.full(len(labels), -1)
        leaves[known] = np.searchsorted(values.to_numpy(), lows[known])
        whole = bool((values == values.floor()).all()) and not _decimals(self)
        kinds = [values, *([values.cast(pl.Int64)] if whole else [])]
        options = [paths_of(self.build(each), labels, leaves.tolist()) for each in kinds]
        return max(options, key=lambda paths: sum(map(len, paths)))

    def _is_interval(self, meaning: Meaning, width: float | int) -> bool:
        """Whether a label is an interval of this width, of whole or of real numbers."""
        try:
            first, last = (Fraction(end) for end in _ends(meaning))
        except ValueError:  # no number, or no finite one
            return False
        step = fraction(width)
        starts = (first - fraction(self.origin)) % step == 0
        whole = first.denominator == last.denominator == 1 and last - first + 1 == step
        return starts and (whole or last - first == step)


def _ends(meaning: Meaning) -> tuple[str, ...]:
    """The two ends of a range or of a single value; none for anything else."""
    if isinstance(meaning, Range):
        return meaning.low, meaning.high
    return (meaning.value, meaning.value) if isinstance(meaning, Exactly) else ()


def _level(bins: Array, spec: Intervals, width: Fraction, scale: int, *, whole: bool) -> Level:
    last = 1 if whole else 0  # an interval of integers ends one before the next begins

    def label(number: int) -> str:
        low = fraction(spec.origin) + number * width
        return span(_text(low, scale), _text(low + width - last, scale))

    return Level.keyed(bins, label)


def _whole_bins(spec: Intervals, values: pl.Series) -> Array:
    """The number of each value's narrowest interval, as Python integers if 64 bits may be insufficient."""
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
    """The number of each value's narrowest interval, by comparison with bounds as correctly rounded doubles.

    A bound of at most 15 digits is the only such number that rounds to its double, and rounding preserves order. So a
    value is below a bound if and only if its double is below that of the bound.
    """
    numbers, power = values.to_numpy(), 10 ** _decimals(spec)
    origin, width = int(fraction(spec.origin) * power), int(fraction(spec.widths[0]) * power)
    if max(abs(origin), width) > LARGEST:
        raise HierarchyError(
            f"Intervals origin and first width must be at most {LARGEST // power} with these decimals."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = numbers * float(power)
        beyond = int((~(np.abs(scaled) <= LARGEST)).sum())  # negated, so that NaN is included
    if beyond:
        raise HierarchyError(
            f"{beyond} of {len(values)} distinct values are infinite, not a number, or too large for these decimals.",
            allowed=f"Values up to {LARGEST // power} are assigned exactly.",
            hint="set top and bottom of the column, or use widths with fewer decimals.",
        )
    nearest = np.rint((scaled - origin) / width).astype(np.int64)
    bound = (origin + nearest * width) / power
    return np.asarray(nearest - (numbers < bound), np.int64)


def _is_number(value: object) -> bool:
    """Whether the value is a number, neither infinite nor too large for a double."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _shown(value: object) -> str:
    return "a number that is too large" if isinstance(value, int) and not _is_number(value) else repr(value)


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
    """The smallest number of decimals that all widths and the origin need."""
    decimals = 0
    for number in (*spec.widths, spec.origin):
        while decimals <= DECIMALS and (fraction(number) * 10**decimals).denominator != 1:
            decimals += 1
    return decimals


def _text(number: Fraction, decimals: int) -> str:
    """The number with at most `decimals` decimals, without trailing zeros."""
    scaled = int(number * 10**decimals)
    whole, part = divmod(abs(scaled), 10**decimals)
    digits = f"{part:0{decimals}d}".rstrip("0") if part else ""
    return ("-" if scaled < 0 else "") + str(whole) + ("." + digits if digits else "")
