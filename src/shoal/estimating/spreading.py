"""Spreading rows whose labels do not tell the level over the levels that are possible."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Flags, Float64
from shoal.statistics.base import Members


def members_of(
    share: Float64, possible: Flags, absent: Flags, maybe_absent: Flags, likely: Float64, absence: Float64
) -> Members:
    """The members of levels, with what is expected kept within what is sure and possible.

    A cell is surely in a level if all of its values are, which is a share of exactly 1.
    """
    sure = share == 1.0
    expected = np.where(sure, 1.0, np.where(possible, np.clip(likely, 0.0, 1.0), 0.0))
    missing = np.where(absent, 1.0, np.where(maybe_absent, absence, 0.0))
    return Members(share, sure, possible, absent, maybe_absent, expected, missing)


def spread(likely: Float64, possible: Flags, absence: Float64, rows: Float64, *, others: bool) -> Float64:
    """float64 [levels, cells]: the expected shares, with those that are NaN in proportion to expected rows of levels.

    `rows` float64 [levels + 1]: the rows that are known to be in each level, and in none of them. Without any, a cell
    is spread evenly. `others`: whether a value may be in no level.

    >>> one = np.ones((2, 1), np.bool_)
    >>> spread(np.full((2, 1), np.nan), one, np.zeros(1), np.array([3.0, 1.0, 0.0]), others=True).tolist()
    [[0.75], [0.25]]
    """
    unknown = np.isnan(likely).any(axis=0)
    if not unknown.any():
        return likely
    may = np.vstack([possible, np.full((1, possible.shape[1]), others)])[:, unknown]
    weight = may * rows[:, None]
    weight = np.where(weight.sum(axis=0) > 0, weight, may)
    found = likely.copy()
    found[:, unknown] = (weight / np.maximum(weight.sum(axis=0), 1e-300) * (1 - absence[unknown]))[:-1]
    return found
