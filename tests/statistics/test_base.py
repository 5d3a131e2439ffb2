"""Members of levels and rounded figures."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import PlanError
from shoal.statistics.base import Members, few, figure, names


def _members(share: list[list[float]], absent: list[bool]) -> Members:
    found = np.array(share, np.float64)
    missing = np.array(absent)
    return Members.told(found, found == 1, ~(found == 0), missing, missing)


def test_others_are_what_no_level_has() -> None:
    members = _members([[1, 0.5, 0, np.nan, 0]], [False, False, False, False, True])
    others = members.with_others()
    assert others.share[1].tolist()[:3] == [0, 0.5, 1] and np.isnan(others.share[1][3]) and others.share[1][4] == 0
    assert others.sure[1].tolist() == [False, False, True, False, False]
    assert others.possible[1].tolist() == [False, True, True, True, False]
    assert members.with_others(with_missing=True).sure[1].tolist() == [False, False, True, False, True]


def test_cells_of_one_level_each_are_grouped() -> None:
    groups, members = _members([[1, 0, 0, 0], [0, 1, 0, 0]], [False, False, False, True]).grouped()
    assert groups.tolist() == [0, 1, 2, 3]
    assert members.share[:, groups].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0]]
    assert members.absent[groups].tolist() == [False, False, False, True]
    uncertain = _members([[0.5, 1]], [False, False])
    assert uncertain.grouped()[1] is uncertain


def test_figures_have_ten_digits_and_no_infinite_ends() -> None:
    found = figure("mean", 1 / 3, 2 / 3, (float("-inf"), float("nan")))
    assert (found.before, found.after, found.difference) == (0.3333333333, 0.6666666667, 0.3333333334)
    assert (found.low, found.high) == (None, None)
    day = figure("median", 0.5, 366.0, (0.0, 400.0), "date")
    assert (day.before, day.after, day.low, day.difference) == ("1970-01-01", "1971-01-02", "1970-01-01", 365.5)


def test_few_rows_are_more_than_none() -> None:
    assert [few(rows, 5) for rows in (0, 4, 5)] == [False, True, False]


@pytest.mark.parametrize("wrong", ["age", ["age", "age"], [1], [""]])
def test_names_are_a_list_of_distinct_texts(wrong: object) -> None:
    with pytest.raises(PlanError, match="must be a list of distinct column names"):
        names(object(), "by", wrong)
