"""Distances by hand; that they agree with verification and with the oracle is tested with t-closeness."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.coded.stats import ValueCounts
from shoal.errors import PlanError
from shoal.models.earth_movers import SEARCHED
from tests.models.hand import table
from tests.models.tables import stats


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        ("equal", [1 / 2, 1 / 2]),
        ("ordered", [1 / 2, 1 / 2]),  # flu and asthma are neighbours, and no value lies between them
        ("hierarchical", [1 / 6, 1 / 6]),  # half of the earth moves one of three levels
    ],
)
def test_two_values_of_one_branch(distance: str, expected: list[float]) -> None:
    found = stats(table(["flu", "flu"], ["asthma", "asthma"]))
    counts, reference = found.counts("disease"), found.reference("disease")
    over, unit = SEARCHED[distance](counts, reference, found.domain("disease"))
    assert (over / (counts.totals * reference.sum() * unit)).tolist() == pytest.approx(expected)


def test_one_value_overall_is_no_ordered_distance() -> None:
    found = stats(table(["flu"], ["flu", "flu"]))
    over, _ = SEARCHED["ordered"](found.counts("disease"), found.reference("disease"), found.domain("disease"))
    assert over.tolist() == [0, 0]


def test_without_a_hierarchy_nothing_is_hierarchical() -> None:
    from shoal.coded import coded_values

    domain = coded_values({"disease": ["flu"]}).sensitive["disease"]
    counts = ValueCounts(np.array([0, 1]), np.array([0], np.int32), np.array([1]))
    with pytest.raises(PlanError, match="needs a hierarchy of column 'disease'"):
        SEARCHED["hierarchical"](counts, np.array([1]), domain)
