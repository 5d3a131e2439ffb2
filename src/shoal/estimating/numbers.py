"""Cells of a column of numbers or dates, as values or as ranges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int64
from shoal.estimating.spreading import members_of, spread
from shoal.labels import MISSING, Exactly, read
from shoal.statistics.base import Level, Members, Numbers

_MICROSECONDS_A_DAY = 86_400_000_000


@dataclass(frozen=True)
class NumberCells:
    """Distinct cells of numbers. `parsed` reads a number that the plan names, as text."""

    rows: Int64
    values: Numbers
    parsed: Callable[[str], float]

    def numbers(self) -> Numbers:
        return self.values

    def members(self, levels: Sequence[Level]) -> Members:
        """A range is in a level with the part of it that lies there, as if its values were evenly spread.

        A range with an unknown end is spread over the levels that it reaches as the other rows are.
        """
        numbers, absent = self.values, np.isnan(self.values.low)
        maybe_absent = absent | (np.isinf(numbers.low) & np.isinf(numbers.high))
        size = (len(levels), len(self.rows))
        share, sure, possible = np.zeros(size), np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        for place, level in enumerate(levels):
            if MISSING in level.values:
                sure[place], possible[place] = absent, absent
            for low, high in self._spans(level):
                share[place] += _part(numbers, low, high)
                inside = (numbers.low >= low) & ((numbers.high < high) | np.isposinf(high))
                sure[place] |= inside & ~maybe_absent
                possible[place] |= (numbers.low < high) & (numbers.high >= low)
        share = np.where(sure, 1.0, np.where(possible, np.minimum(share, 1.0), 0.0))
        share = np.where(possible & ~sure, np.minimum(share, np.nextafter(1.0, 0.0)), share)
        return self._spread(share, possible, absent, maybe_absent, others=not _covers(levels))

    def _spread(self, share: Float64, possible: Flags, absent: Flags, maybe_absent: Flags, *, others: bool) -> Members:
        known = ~np.isnan(share).any(axis=0) & ~maybe_absent
        told, missing = float(self.rows[known].sum()), float(self.rows[absent].sum())
        absence = np.where(maybe_absent, missing / max(told + missing, 1.0), 0.0)
        in_levels = (share[:, known] * self.rows[known]).sum(axis=1)
        rows = np.append(in_levels, max(told - in_levels.sum(), 0.0))
        likely = spread(share, possible, absence, rows, others=others)
        return members_of(share, possible, absent, maybe_absent, likely, absence)

    def _spans(self, level: Level) -> list[tuple[float, float]]:
        """The numbers of a level, each from a first one to below a second one."""
        if not level.values:
            low, high = level.least, level.below
            return [(-np.inf if low is None else low, np.inf if high is None else high)]
        named = [meaning.value for value in level.values if isinstance(meaning := read(value), Exactly)]
        numbers = [self.parsed(value) for value in named if value != MISSING]
        return [(number, np.nextafter(number, np.inf)) for number in numbers]


def _covers(levels: Sequence[Level]) -> bool:
    """Whether bands reach from the lowest numbers to the highest; bands without gaps are assumed."""
    bands = [level for level in levels if not level.values]
    return any(each.least is None for each in bands) and any(each.below is None for each in bands)


def _part(numbers: Numbers, low: float, high: float) -> Float64:
    """float64 [cells]: the share of the range of each cell from `low` to below `high`; NaN if an end is unknown."""
    step = 1.0 if numbers.whole else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        if numbers.whole:
            low, high = np.ceil(low), np.ceil(high)
        overlap = np.minimum(numbers.high + step, high) - np.maximum(numbers.low, low)
        found = np.maximum(overlap, 0.0) / (numbers.high + step - numbers.low)
    return np.where(numbers.known, np.nan_to_num(found), np.where(np.isnan(numbers.low), 0.0, np.nan))


def as_numbers(values: pl.Series) -> Float64:
    """float64 [n]: numbers, or days since 1970-01-01; NaN for null.

    >>> as_numbers(pl.Series(["1970-01-03"]).str.to_date()).tolist()
    [2.0]
    """
    if isinstance(values.dtype, pl.Datetime):
        moments = values.cast(pl.Datetime("us")).cast(pl.Int64).cast(pl.Float64)
        return moments.fill_null(np.nan).to_numpy() / _MICROSECONDS_A_DAY
    plain = values.cast(pl.Int32) if values.dtype == pl.Date else values
    return plain.cast(pl.Float64).fill_null(np.nan).to_numpy()
