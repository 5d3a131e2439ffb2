"""Whether a released label is true of a raw value. It shares no code with the search and the forms.

A value must be the label itself, lie in its range, be a member of its set, begin with its prefix, or have it above
itself in a hierarchy with listed leaves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np
import polars as pl

from shoal import table
from shoal.arrays import Flags, Float64, Int64
from shoal.hierarchies.base import FixedTree, Hierarchy, HierarchySpec, text_of
from shoal.hierarchies.dates import Dates, covers
from shoal.hierarchies.learned import Learned
from shoal.hierarchies.placing import MICROSECONDS_A_DAY, extents, meanings, number_of
from shoal.hierarchies.prefix import Prefix
from shoal.labels import ANY, MISSING, Meaning, OneOf, Range, exact
from shoal.roles.columns import Column

_EPOCH = 719_163
"""The number of 1970-01-01, counted from 0001-01-01, which is day 1."""
_EXACT = 2.0**53
"""Doubles hold whole numbers below this exactly."""


class Values:
    """The distinct raw values of a quasi-identifier, typed and within `top` and `bottom`, and the rows of each."""

    def __init__(
        self,
        raw: pl.Series,
        counts: Int64,
        settings: Column,
        missing: Sequence[str],
        notation: table.Notation = table.AS_SHOWN,
    ) -> None:
        kind, values = table.typed(raw, type=settings.type, missing=missing, notation=notation)
        self.typed, self.counts = _within(values, kind, settings), counts
        self.texts: list[str] = text_of(self.typed).fill_null(MISSING).to_list()
        self.missing: Flags = self.typed.is_null().to_numpy()
        # Measured from one of them, neighbours beyond 2^53 stay distinct.
        self.base = _base(self.typed)
        self.numbers = _numbers(self.typed, self.base)

    def false_labels(self, labels: Sequence[str], value: Int64, label: Int64, spec: HierarchySpec) -> int:
        """How many of the pairs, positions of values and labels, are a label that is not true of its value."""
        shown = np.array([exact(text) for text in self.texts], dtype=object)
        named = np.array(labels, dtype=object)
        every = meanings(labels)
        ends = extents(every, self.base)
        ok = (named[label] == ANY) | (named[label] == shown[value])
        if self.numbers is not None:
            with np.errstate(invalid="ignore"):
                within = (ends[label, 0] <= self.numbers[value]) & (self.numbers[value] <= ends[label, 1])
            ok |= within & ~self._is_large[value]
        rest = np.flatnonzero(~ok)
        if not len(rest):
            return 0
        above = self._test(labels, every, spec)
        return sum(not above(v, n) for v, n in zip(value[rest].tolist(), label[rest].tolist(), strict=True))

    def _test(self, labels: Sequence[str], every: Sequence[Meaning], spec: HierarchySpec) -> Callable[[int, int], bool]:
        """A test of a value and a label by their positions, for labels that are neither the value nor a range."""
        sets = {place: set(each.values) for place, each in enumerate(every) if isinstance(each, OneOf)}
        paths = self._paths(spec)

        def is_above(value: int, label: int) -> bool:
            if label in sets:
                return self.texts[value] in sets[label]
            if self.missing[value]:
                return labels[label] in paths.get(MISSING, ())
            if self._is_large[value] and _has(every[label], number_of(self.texts[value])):
                return True
            if isinstance(spec, Prefix) and labels[label].endswith(ANY):
                return self.texts[value].startswith(labels[label][:-1])
            if isinstance(spec, Dates) and self.numbers is not None:
                moment = number_of(self.texts[value])
                return not isinstance(moment, float) and covers(labels[label], moment, timed=self._timed)
            return labels[label] in paths.get(self.texts[value], ())

        return is_above

    @cached_property
    def _is_large(self) -> Flags:
        """bool [values]: numbers and date-times whose distance from the smallest one a double does not hold exactly."""
        if self.numbers is None or not (self.typed.dtype.is_integer() or self._timed):
            return np.zeros(len(self.typed), np.bool_)
        return np.abs(self.numbers) >= (_EXACT / MICROSECONDS_A_DAY if self._timed else _EXACT)

    @property
    def _timed(self) -> bool:
        return self.typed.dtype == pl.Datetime

    def _paths(self, spec: HierarchySpec) -> Mapping[str, tuple[str, ...]]:
        """Value → the labels above it, for hierarchies with listed leaves and for groups that were learned."""
        present = pl.DataFrame({"value": self.typed, "count": self.counts}).drop_nulls().group_by("value").sum()
        present = present.sort("value")
        tree: Hierarchy
        if isinstance(spec, FixedTree):
            tree = spec.tree(present["value"])
        elif isinstance(spec, Learned) and present.height:
            tree = spec.build(present["value"], present["count"])
        else:
            return {}
        wanted = {*self.texts, MISSING}
        return {leaf: tree.path(place)[1:] for place, leaf in enumerate(tree.leaves) if leaf in wanted}


def _base(values: pl.Series) -> int:
    """The smallest whole number, or the day of the earliest date-time; 0 for other types."""
    least = values.min()
    if isinstance(least, datetime):
        return least.toordinal()
    return least if isinstance(least, int) and values.dtype.is_integer() else 0


def _has(meaning: Meaning, number: float | Fraction) -> bool:
    """Whether a number or a date-time is in a range, compared exactly."""
    return isinstance(meaning, Range) and _exactly(meaning.low) <= number <= _exactly(meaning.high)


def _exactly(end: str) -> float | Fraction:
    """The end of a range as an exact number; NaN, in which no number is, if it is none."""
    try:
        return Fraction(end)
    except ValueError:
        return number_of(end)


def _within(values: pl.Series, kind: str, settings: Column) -> pl.Series:
    """The values with those above `top` and below `bottom` moved to it."""
    low, high = settings.bottom, settings.top
    if kind == "integer":
        low = None if low is None or cast(float, low) <= -(2**63) else math.ceil(cast(float, low))
        high = None if high is None or cast(float, high) >= 2**63 else math.floor(cast(float, high))
    if kind == "datetime":
        low, high = (None if bound is None else _midnight(bound) for bound in (low, high))
    if low is not None:
        values = values.set(values < low, low)
    return values.set(values > high, high) if high is not None else values


def _midnight(bound: object) -> datetime:
    """A bound of date-times; a date is its midnight."""
    return bound if isinstance(bound, datetime) else datetime.fromisoformat(str(bound))


def _numbers(values: pl.Series, base: int) -> Float64 | None:
    """Numbers less `base`, dates as days, and date-times as days less `base`; None for text."""
    if values.dtype == pl.Datetime:
        ticks = values.cast(pl.Int64) - (base - _EPOCH) * MICROSECONDS_A_DAY
        # numpy rounds the quotient as the ends of ranges are rounded; polars multiplies by a rounded reciprocal
        return np.asarray(ticks.cast(pl.Float64).fill_null(np.nan).to_numpy() / MICROSECONDS_A_DAY)
    if values.dtype == pl.Date:
        days = values.cast(pl.Int32).cast(pl.Float64) + _EPOCH
        return days.fill_null(np.nan).to_numpy()
    if values.dtype == pl.String:
        return None
    if values.dtype.is_integer():  # unsigned differences from the smallest value wrap around, and so are exact
        distances = values.fill_null(base).to_numpy().astype(np.int64).view(np.uint64) - np.uint64(base % 2**64)
        return np.where(values.is_null().to_numpy(), np.nan, distances.astype(np.float64))
    return values.cast(pl.Float64).fill_null(np.nan).to_numpy()
