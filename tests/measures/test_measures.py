"""Measures on releases small enough to work out by hand."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.hierarchies import Intervals
from shoal.measures import ALL, Outcome, measure


def outcome(class_rows: list[int], rows_in: int, loss: list[list[float]], level: list[list[float]]) -> Outcome:
    q = len(loss[0])
    return Outcome(
        columns=tuple("abc"[:q]),
        rows_in=rows_in,
        class_rows=np.array(class_rows),
        rows=np.array(class_rows),
        loss=np.array(loss),
        level=np.array(level),
    )


HAND = outcome([2, 3], 6, loss=[[0.5, 0.0], [1.0, 0.2]], level=[[0.5, np.nan], [1.0, np.nan]])


def test_by_hand_with_a_row_left_out() -> None:
    found = measure(HAND)
    assert found["ncp_by_column"] == pytest.approx({"a": (2 * 0.5 + 3 * 1 + 1) / 6, "b": (3 * 0.2 + 1) / 6})
    assert found["ncp"] == pytest.approx((5 / 6 + 1.6 / 6) / 2)
    assert found["discernibility"] == 4 + 9 + 1 * 6
    assert found["discernibility_ratio"] == pytest.approx(19 / 36)
    assert found["discernability"] == pytest.approx(13 / 5)
    assert found["average_class_size"] == pytest.approx(2.5)
    assert found["precision_by_column"] == {"a": pytest.approx(1 - (1 + 3 + 1) / 6), "b": None}
    assert found["precision"] == pytest.approx(1 / 6)
    assert (found["suppressed_rows"], found["suppressed_share"]) == (1, pytest.approx(1 / 6))


def test_no_column_with_levels_has_no_precision() -> None:
    assert measure(outcome([5], 5, [[0.5]], [[np.nan]]))["precision"] is None


def test_figures_are_json() -> None:
    json.dumps(measure(HAND), allow_nan=False)


def test_sums_of_squares_beyond_64_bits_are_exact() -> None:
    rows = 2**32
    assert measure(outcome([rows, rows], 2 * rows, [[0.0]] * 2, [[np.nan]] * 2))["discernibility"] == 2 * rows**2


def test_every_measure_says_what_it_is() -> None:
    names = [cls.name for cls in ALL]
    assert len(set(names)) == len(names)
    for cls in ALL:
        assert cls.goal in ("lower", "higher") and cls.about and (cls.__doc__ or "").strip()


def test_an_untouched_release_loses_nothing() -> None:
    frame = pl.DataFrame({"age": ["1", "1", "9", "9"], "sex": ["f"] * 4, "d": ["x", "y"] * 2})
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "d": shoal.sensitive()}
    found = shoal.anonymize(frame, shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)])).measures
    assert found["ncp"] == 0 and found["precision"] == 1
    assert found["discernability"] == found["average_class_size"] == 2


@pytest.mark.parametrize(
    ("categories", "hierarchy", "expected"),
    [("hierarchy", None, 3 / 9), ("hierarchy", Intervals(widths=(4,)), 1 / 3), ("sets", Intervals(widths=(4,)), 1 / 3)],
    ids=["range", "tree", "range over a tree"],
)
def test_a_range_and_a_node_of_as_many_leaves_lose_as_much(
    categories: str, hierarchy: Intervals | None, expected: float
) -> None:
    """0, 3 | 6, 9: half of the range as numbers, one of the other three leaves as a tree."""
    frame = pl.DataFrame({"age": ["0", "3", "6", "9"], "d": ["x", "y"] * 2})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(hierarchy), "d": shoal.sensitive()},
        models=[shoal.KAnonymity(k=2)],
        release=shoal.ReleaseSettings(categories=categories),
    )
    found = shoal.anonymize(frame, plan)
    if hierarchy is not None and categories == "hierarchy":  # [4, 7] and [8, 11] have one leaf each: 6 and 9 meet in *
        assert found.tables["release"]["age"].n_unique() == 2
        assert found.measures["ncp"] == pytest.approx((2 * 1 / 3 + 2 * 1) / 4)
    else:
        assert found.measures["ncp"] == pytest.approx(expected)
