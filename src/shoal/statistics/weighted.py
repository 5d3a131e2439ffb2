"""Figures of weighted numbers, and rigorous bounds of them where each number lies between two ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from shoal.arrays import Float64, Int32, Int64
from shoal.statistics.base import Numbers

Bounds = tuple[float, float]
_ROUNDING = 1e-12
"""A variance below this share of the mean square is a rounding error."""
_PART = 1 << 17
"""Rows that are looked at at once."""


def mean(values: Float64, weight: Int64) -> float:
    """The weighted mean; NaN without rows."""
    total = float(weight.sum())
    return float((values * weight).sum()) / total if total else math.nan


def deviation(values: Float64, weight: Int64) -> float:
    """The standard deviation, in which the number of rows is the divisor; NaN without rows."""
    distance = values - mean(values, weight)
    return math.sqrt(mean(distance * distance, weight)) if len(values) else math.nan


def quantiles(values: Float64, weight: Int64, shares: Sequence[float]) -> list[float]:
    """For each share, the smallest value with at least this share of the rows up to it.

    It is averaged with the next value if the rows up to it are exactly this share.

    >>> quantiles(np.array([3.0, 1.0, 2.0, 5.0]), np.array([1, 1, 1, 1]), [0.25, 0.5, 0.6])
    [1.5, 2.5, 3.0]
    """
    if not weight.sum():
        return [math.nan for _ in shares]
    order = slice(None) if (values[1:] >= values[:-1]).all() else np.argsort(values)
    ordered, ends = values[order], np.cumsum(weight[order])
    found = []
    for share in shares:  # those in use are multiples of a quarter, so that the products are exact
        wanted = share * int(ends[-1])
        first, last = (int(np.searchsorted(ends, wanted, side)) for side in ("left", "right"))
        low, high = float(ordered[first]), float(ordered[min(last, len(ordered) - 1)])
        found.append(low if low == high else low / 2 + high / 2)
    return found


def mean_bounds(numbers: Numbers, weight: Int64) -> Bounds:
    """All values at their low end, and all at their high end."""
    return mean(numbers.low, weight), mean(numbers.high, weight)


def quantile_bounds(numbers: Numbers, weight: Int64, shares: Sequence[float]) -> list[Bounds]:
    """A quantile never falls if a value rises, so all low ends, and all high ends, bound it."""
    low, high = (quantiles(end, weight, shares) for end in (numbers.low, numbers.high))
    return list(zip(low, high, strict=True))


def deviation_bounds(numbers: Numbers, weight: Int64) -> Bounds:
    """The deviation is a norm of the centred values, so it differs from that of the middles by at most their reach.

    |s(x) − s(m)| ≤ s(x − m) ≤ √(mean of (x − m)²) ≤ √(mean of reach²).
    """
    middle, reach = deviation(numbers.middle, weight), _root_mean_square(numbers.reach, weight)
    return max(middle - reach, 0.0), middle + reach


@dataclass(frozen=True)
class Moments:
    """The moments of every pair of some columns, each float64 [columns, columns], in the rows in which both are known.

    `rows`: their number. Of the first column of a pair, `sums` and `squares` are the sums of the centred values and of
    their squares, and `reaches` that of the squared reaches. `products`: the sums of the products of both.
    """

    rows: Float64
    sums: Float64
    squares: Float64
    products: Float64
    reaches: Float64

    def plus(self, other: Moments) -> Moments:
        """The moments of both sets of rows."""
        return Moments(*(getattr(self, item.name) + getattr(other, item.name) for item in fields(self)))

    @property
    def deviations(self) -> Float64:
        """float64 [columns, columns]: the standard deviation of the first column of each pair."""
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = self.squares / self.rows - (self.sums / self.rows) ** 2
        return np.sqrt(np.where(variance > _ROUNDING * self.squares / np.maximum(self.rows, 1), variance, 0.0))

    @property
    def correlations(self) -> Float64:
        """float64 [columns, columns]: Pearson's correlation; NaN if a column of the pair has one value only."""
        length = self.deviations
        with np.errstate(invalid="ignore", divide="ignore"):
            together = self.products / self.rows - (self.sums / self.rows) * (self.sums.T / self.rows)
            found = together / (length * length.T)
        return np.where(np.isfinite(found), np.clip(found, -1.0, 1.0), np.nan)

    @property
    def bounds(self) -> tuple[Float64, Float64]:
        """The lowest and the highest correlation of each pair that values within reach can have.

        The correlation is the cosine of the angle between the centred columns. Centring brings no two vectors further
        apart. So a centred column lies within r = √(mean of reach²) of its centred middles, whose length is their
        deviation s, and turns by at most arcsin(r / s), or by any angle if r ≥ s. Angles add up at most.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.sqrt(self.reaches / self.rows) / self.deviations
        turn = np.where(share < 1, np.arcsin(np.minimum(np.nan_to_num(share, nan=1.0), 1.0)), np.pi)
        angle = np.arccos(np.nan_to_num(self.correlations))
        turns = turn + turn.T
        low, high = np.cos(np.minimum(angle + turns, np.pi)), np.cos(np.maximum(angle - turns, 0.0))
        return np.fmin(low, self.correlations), np.fmax(high, self.correlations)  # cosines of arccosines are rounded


def moments(columns: Sequence[Numbers], codes: Int32, weight: Int64) -> Moments:
    """The moments of some columns; `codes` int32 [columns, d] are the cells of the counted rows."""
    middles, reaches = [each.middle - _centre(each) for each in columns], [each.reach for each in columns]
    size = (len(columns), len(columns))
    found = Moments(*(np.zeros(size) for _ in fields(Moments)))
    for begin in range(0, len(weight), _PART):
        part = slice(begin, begin + _PART)
        values = np.stack([middle[of] for middle, of in zip(middles, codes[:, part], strict=True)])
        reach = np.stack([each[of] for each, of in zip(reaches, codes[:, part], strict=True)])
        found = found.plus(_moments(values, reach, weight[part]))
    return found


def _centre(numbers: Numbers) -> float:
    """A number near all others, so that squares keep their digits."""
    known = numbers.middle[numbers.known]
    return float(known.mean()) if len(known) else 0.0


def _moments(values: Float64, reach: Float64, weight: Int64) -> Moments:
    known = np.isfinite(values)
    if known.all() and not reach.any():  # columns of values, which are most
        weighted = values * weight
        products, ones = values @ weighted.T, np.ones(len(values))
        squares = np.outer(np.diag(products), ones)
        total = np.full_like(products, float(weight.sum()))
        return Moments(total, np.outer(weighted.sum(axis=1), ones), squares, products, np.zeros_like(products))
    values, reach, present = np.where(known, values, 0.0), np.where(known, reach, 0.0), known.astype(np.float64)
    weighted = (present * weight).T
    return Moments(
        rows=present @ weighted,
        sums=values @ weighted,
        squares=(values * values) @ weighted,
        products=values @ (values * weight).T,
        reaches=(reach * reach) @ weighted,
    )


def _root_mean_square(values: Float64, weight: Int64) -> float:
    return math.sqrt(mean(values * values, weight)) if len(values) else math.nan


def grouped(numbers: Numbers, rows: Int64, most: int) -> tuple[Int32, Numbers]:
    """Neighbouring cells in about `most` groups: int32 [cells] the group of each, and the numbers of the groups.

    The middle of a group is the mean of its rows, and its ends are those of all its cells. Cells without a middle form
    groups of their own.
    """
    groups = np.arange(len(rows), dtype=np.int32)
    if len(rows) <= most:
        return groups, numbers
    order = np.argsort(numbers.middle, kind="stable")  # those without a middle are last
    known = int(numbers.known.sum())
    groups[order[:known]] = np.arange(known, dtype=np.int64) * most // max(known, 1)
    kinds = np.where(np.isnan(numbers.low), most, most + 1)
    groups[order[known:]] = kinds[order[known:]]
    size = most + 2
    weight = np.bincount(groups, rows, size)
    low, high = np.full(size, np.nan), np.full(size, np.nan)
    np.fmin.at(low, groups, numbers.low)
    np.fmax.at(high, groups, numbers.high)
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = np.bincount(groups, np.nan_to_num(numbers.middle) * rows, size) / weight
    middle[most:] = np.nan
    return groups, Numbers(low, high, middle, numbers.whole, numbers.dated)
