"""Axes of groups."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.statistics.axes import axis_of, cuts_of
from shoal.statistics.base import Numbers
from tests.statistics.sides import sides


@pytest.mark.parametrize(
    ("low", "high", "cuts"),
    [(0, 94, [20, 40, 60, 80]), (18, 65, [20, 30, 40, 50, 60]), (3, 3, [4]), (0.0, 0.1, [0.02, 0.04, 0.06, 0.08, 0.1])],
)
def test_bands_begin_at_round_numbers(low: float, high: float, cuts: list[float]) -> None:
    ends = np.array([low, high], np.float64)
    assert cuts_of(Numbers(ends, ends, ends, whole=high > 1)) == cuts


def test_bands_of_dates_begin_with_a_year() -> None:
    ends = np.array(["1941-05-06", "2019-07-08"], "datetime64[D]").astype(np.float64)
    cuts = cuts_of(Numbers(ends, ends, ends, whole=True, dated=True))
    assert [str(np.datetime64(int(cut), "D")) for cut in cuts] == ["1960-01-01", "1980-01-01", "2000-01-01"]


def test_bands_of_the_plan_cover_all_numbers() -> None:
    both = sides({"age": [1.0]}, {"age": [1.0]})
    axis = axis_of("age", both, (18, 65))
    assert axis.names == ("below 18", "18 to below 65", "65 and above")
    members = axis.members(both.before.alone("age"))
    assert members.sure[:, 0].tolist() == [True, False, False]


def test_categories_have_a_level_for_all_others() -> None:
    both = sides({"sex": ["F", "X", None]}, {"sex": ["F"]}, sex=["F", "M"])
    axis = axis_of("sex", both)
    assert axis.names == ("F", "M", "all other values")
    assert axis.members(both.before.alone("sex")).share.T.tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
