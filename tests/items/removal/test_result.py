from __future__ import annotations

from math import inf

import numpy as np
import pytest

from shoal.items.removal.classes import Rows
from shoal.items.removal.result import Removal
from shoal.roles.knowledge import Knowledge
from tests.items.removal.brute import class_of

ROWS = Rows.of(class_of(["ab", "c"], [3, 1], Knowledge.of({"x": "abc"})))


def test_rows_of_one_set_that_keep_the_same_items_are_one_set() -> None:
    found = Removal.of(ROWS, np.array([True, False, True, True, True, False, False]), 0.5, 7)
    assert found.origin.tolist() == [0, 0, 1]
    assert found.weights.tolist() == [2, 1, 1]
    assert found.offsets.tolist() == [0, 1, 3, 3]
    assert found.members.tolist() == [0, 0, 1]
    assert (found.cost, found.whole, found.nodes) == (pytest.approx(2.0), pytest.approx(5.5), 7)
    assert found.share == pytest.approx(2 / 5.5)
    assert (found.found, found.proven, found.lower_bound) == (True, False, 0.5)


def test_a_cost_at_its_lower_bound_is_proven_and_none_below_it() -> None:
    everything = np.ones(7, np.bool_)
    found = Removal.of(ROWS, everything, 3.0, 0)
    assert (found.proven, found.lower_bound, found.cost) == (True, 0.0, 0.0)


@pytest.mark.parametrize(("bound", "proven"), [(inf, True), (0.5, False)])
def test_nothing_is_removed_if_nothing_was_found(bound: float, proven: bool) -> None:
    found = Removal.of(ROWS, None, bound, 0)
    assert (found.found, found.proven, found.cost) == (False, proven, 0)
    assert found.weights.tolist() == [3, 1]


def test_a_class_without_items_loses_nothing() -> None:
    rows = Rows.of(class_of([""], [2], Knowledge.of({"x": "abc"})))
    assert Removal.of(rows, np.zeros(0, np.bool_), 0.0, 0).share == 0
