"""Axes: the levels of a column that forms groups, categories of text or bands of numbers."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.arrays import Float64
from shoal.statistics.base import Cells, Level, Members, Numbers, Sides
from shoal.statistics.describing import OTHERS

Bound = int | float | datetime.date
_EPOCH = 1970
"""The year from which numpy counts."""
_BANDS = 5
"""About so many bands are formed if the plan gives none."""


@dataclass(frozen=True)
class Axis:
    """The levels of a column. `others`: whether all other values are a level, the last one."""

    column: str
    levels: tuple[Level, ...]
    others: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the levels, among them that of all other values."""
        return (*(level.name for level in self.levels), *((OTHERS,) if self.others else ()))

    def members(self, cells: Cells) -> Members:
        """Which cells of the column are in which level."""
        members = cells.members(self.levels)
        return members.with_others() if self.others else members


def axis_of(column: str, sides: Sides, bands: Sequence[Bound] = ()) -> Axis:
    """The categories of a column of text, or the bands of a column of numbers; by default about five of them.

    The bands are those of the input, so that they are the same for every release of it.
    """
    if not sides.is_number(column):
        return Axis(column, sides.levels(column), others=True)
    numbers = sides.before.alone(column).numbers()
    cuts = [sides.number(column, each) for each in bands] or cuts_of(numbers)
    words = [str(each) for each in bands] or [_written(cut, numbers) for cut in cuts]
    return Axis(column, _between(words, cuts, dated=numbers.dated), others=False)


def _between(words: Sequence[str], cuts: Sequence[float], *, dated: bool) -> tuple[Level, ...]:
    """The bands that some numbers or dates separate, which are given in words as well.

    >>> [level.name for level in _between(["1940-01-01", "1990-01-01"], [-10957.0, 7305.0], dated=True)]
    ['before 1940-01-01', '1940-01-01 to before 1990-01-01', 'from 1990-01-01 on']
    """
    pairs = pairwise(zip(words, cuts, strict=True))
    below, last = ("before", f"from {words[-1]} on") if dated else ("below", f"{words[-1]} and above")
    inner = [Level(f"{a} to {below} {b}", (), low, high) for (a, low), (b, high) in pairs]
    return Level(f"{below} {words[0]}", (), None, cuts[0]), *inner, Level(last, (), cuts[-1])


def cuts_of(numbers: Numbers) -> list[float]:
    """Round numbers that divide the known ranges into about five bands.

    >>> ages = np.array([0.0, 35.0, 94.0])
    >>> cuts_of(Numbers(ages, ages, ages, whole=True))
    [20.0, 40.0, 60.0, 80.0]
    """
    ends = np.concatenate([numbers.low, numbers.high])
    ends = ends[np.isfinite(ends)]
    low, high = (float(ends.min()), float(ends.max())) if len(ends) else (0.0, 1.0)
    if numbers.dated:
        years = np.array([low, high]).astype("datetime64[D]").astype("datetime64[Y]").astype(np.float64) + _EPOCH
        cuts = (np.array(_round_cuts(*years, whole=True)) - _EPOCH).astype(np.int64).astype("datetime64[Y]")
        return [float(cut) for cut in cuts.astype("datetime64[D]").astype(np.int64)]
    return _round_cuts(low, high, whole=numbers.whole)


def _round_cuts(low: float, high: float, *, whole: bool) -> list[float]:
    """Multiples of a round number between two numbers, as near to four as there can be.

    >>> _round_cuts(1923, 2027, whole=True)
    [1940.0, 1960.0, 1980.0, 2000.0, 2020.0]
    """
    width = max((high - low) / _BANDS, 1.0 if whole else 1e-9)
    size = 10.0 ** np.floor(np.log10(width))
    steps = [each * size for each in (1, 2, 5, 10)]
    candidates = [_multiples(low, high, step) for step in steps]
    cuts = min(candidates, key=lambda each: abs(len(each) + 1 - _BANDS))
    return [float(f"{cut:.12g}") for cut in (cuts if len(cuts) else [(np.floor(low / steps[0]) + 1) * steps[0]])]


def _multiples(low: float, high: float, step: float) -> Float64:
    """float64: the multiples of a step above one number, up to another."""
    return np.arange((np.floor(low / step) + 1) * step, high + step * 1e-9, step, dtype=np.float64)


def _written(cut: float, numbers: Numbers) -> str:
    return str(np.datetime64(int(cut), "D")) if numbers.dated else f"{cut:.12g}"
