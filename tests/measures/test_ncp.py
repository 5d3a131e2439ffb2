from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.hierarchies import Intervals
from shoal.measures.ncp import Ncp
from tests.measures.outcomes import HAND, NOTHING


def test_by_hand_with_a_row_left_out() -> None:
    found = Ncp().of(HAND)
    assert found["ncp_by_column"] == pytest.approx({"a": (2 * 0.5 + 3 * 1 + 1) / 6, "b": (3 * 0.2 + 1) / 6})
    assert found["ncp"] == pytest.approx((5 / 6 + 1.6 / 6) / 2)


def test_where_nothing_is_released_everything_is_lost() -> None:
    assert Ncp().of(NOTHING) == {"ncp": 1.0, "ncp_by_column": {"a": 1.0}}


@pytest.mark.parametrize(
    ("categories", "hierarchy", "expected"),
    [("hierarchy", None, 3 / 9), ("hierarchy", Intervals(widths=(4,)), 1), ("sets", Intervals(widths=(4,)), 1)],
    ids=["range", "tree", "tree beside sets"],
)
def test_ranges_are_measured_by_the_released_labels(
    categories: str, hierarchy: Intervals | None, expected: float
) -> None:
    """0, 3 | 6, 9: a third of the range by numbers; by a hierarchy that does not list its leaves, all that is named."""
    frame = pl.DataFrame({"age": ["0", "3", "6", "9"], "d": ["x", "y"] * 2})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(hierarchy), "d": shoal.sensitive()},
        models=[shoal.KAnonymity(k=2)],
        release=shoal.ReleaseSettings(categories=categories),
    )
    found = shoal.anonymize(frame, plan)
    # [4, 7] and [8, 11] have one leaf each, so 6 and 9 meet in *; [0, 3] then covers all numbers that the labels name.
    assert found.tables["release"]["age"].n_unique() == 2
    assert found.measures["ncp"] == pytest.approx(expected)
