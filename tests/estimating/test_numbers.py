"""Cells of numbers and their places in levels."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

from shoal.estimating.numbers import NumberCells, as_numbers
from shoal.statistics.base import Level, Numbers

_INF = float("inf")


def _cells(*ranges: tuple[float, float], whole: bool = True) -> NumberCells:
    low, high = (np.array([each[i] for each in ranges], np.float64) for i in (0, 1))
    with np.errstate(invalid="ignore"):
        middle = (low + high) / 2
    middle[~np.isfinite(middle)] = np.nan
    return NumberCells(np.ones(len(low), np.int64), Numbers(low, high, middle, whole), float)


def test_whole_numbers_of_a_range_are_counted() -> None:
    """[10, 19] has ten numbers, two of which are 18 and above."""
    members = _cells((10, 19), (18, 18), (20, 29), (-_INF, _INF), (np.nan, np.nan)).members([Level("", (), 18, 20)])
    assert members.share[0][:3].tolist() == [0.2, 1, 0] and np.isnan(members.share[0][3])
    assert members.sure[0].tolist() == [False, True, False, False, False]
    assert members.possible[0].tolist() == [True, True, False, True, False]
    assert members.absent.tolist() == [False, False, False, False, True]
    assert members.maybe_absent.tolist() == [False, False, False, True, True]


def test_real_numbers_are_measured() -> None:
    members = _cells((0, 10), (5, 5), whole=False).members([Level("", (), None, 2.5), Level("", (), 2.5)])
    assert members.share.tolist() == [[0.25, 0], [0.75, 1]]


def test_an_open_end_is_in_a_band_without_end() -> None:
    """With top = 80, the label 80 means at least 80: that is surely 65 and above. `*` may be a missing value."""
    cells = _cells((20, 20), (80, _INF), (-_INF, 10), (-_INF, _INF), (np.nan, np.nan))
    from_65, from_85, below_30 = Level("", (), 65), Level("", (), 85), Level("", (), None, 30)
    members = cells.members([from_65, from_85, below_30])
    assert members.sure.tolist() == [[False, True] + [False] * 3, [False] * 5, [True, False, True, False, False]]
    assert members.possible[1].tolist() == [False, True, False, True, False]
    assert members.likely[0][:3].tolist() == [0, 1, 0] and members.likely[2][:3].tolist() == [1, 0, 1]


def test_listed_numbers_and_missing_values() -> None:
    members = _cells((1, 4), (3, 3), (np.nan, np.nan)).members([Level("", ("3", "4")), Level("", ("",))])
    assert members.share.tolist() == [[0.5, 1, 0], [0, 0, 1]]
    assert members.possible[0].tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("values", "numbers"),
    [([1, None], [1, np.nan]), ([date(1970, 1, 2)], [1]), ([datetime(1970, 1, 1, 12)], [0.5]), ([2.5], [2.5])],
)
def test_values_as_numbers(values: list[object], numbers: list[float]) -> None:
    np.testing.assert_array_equal(as_numbers(pl.Series(values)), numbers)
