"""Items that were removed: by item and class size, and their cost."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.coded import Partition
from shoal.coded.coding import DistinctValues, code_items
from shoal.coded.counted import Coded, Counted
from shoal.coded.partition import Edit
from shoal.coded.recoding import Exact
from shoal.coded.removed import RemovedItems, removed_items
from shoal.roles.columns import Column
from tests.itemsets import domain_of

VALUES = pl.Series("s", ["a|b|c", "a", None])
DOMAIN, CODES = code_items(DistinctValues(VALUES, np.ones(3, np.int64)), Column(role="quasi-sensitive"), ("",))
CODED = Coded((), {}, Counted(np.zeros((0, 3), np.int32), np.array([2, 3, 1]), items={"s": CODES}), items={"s": DOMAIN})
WHOLE = 2 * (1 + 1 / 2 + 1 / 3) + 3


def test_nothing_is_removed_without_an_edit() -> None:
    partition = Partition.of_rows(np.array([0, 0, 1]), 2, CODED.counted.weight, Exact())
    assert removed_items(CODED, partition) == {"s": RemovedItems(0, 9, 0, 0.0, WHOLE, {}, {})}


def test_removed_items_are_counted_by_item_and_class_size() -> None:
    sets = [(), ("a",), ("a", "b")]
    edit = Edit(domain_of(DOMAIN, sets), np.array([2, 1, 0, 0], np.int32))
    entries = (np.array([0, 0, 1, 2]), np.array([0, 2, 4]), np.array([1, 1, 3, 1]))
    found = removed_items(CODED, Partition(*entries, Exact(), edits={"s": edit}))["s"]
    assert (found.removed, found.of, found.rows) == (1 + 2 + 3, 9, 1 + 1 + 3)
    assert found.by_item == {"a": 3, "b": 1, "c": 2}
    assert found.by_class_size == {"2": 3, "4": 3}
    assert found.cost == pytest.approx(1 / 3 + (1 / 3 + 1 / 2) + 3)
    assert found.whole == pytest.approx(WHOLE)


def test_suppressed_rows_lose_all_their_items() -> None:
    found = removed_items(CODED, Partition.of_rows(np.array([0, -1, 0]), 1, CODED.counted.weight, Exact()))["s"]
    assert (found.removed, found.of, found.by_item) == (0, 6, {})
    assert found.cost == pytest.approx(3)


def test_without_removal_the_cost_is_exactly_zero() -> None:
    """The order in which a partition lists its rows must not leave a rest of rounding, which may be negative."""
    weight = np.array([1, 1, 5])
    sets = pl.Series("s", ["a|b|c", "a", "a|b|c|d|e|f"])
    domain, codes = code_items(DistinctValues(sets, weight), Column(role="quasi-sensitive"), ("",))
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, 100)
    counted = Counted(np.zeros((0, 100), np.int32), weight[rows], items={"s": codes[rows]})
    coded = Coded((), {}, counted, items={"s": domain})
    for seed in range(20):
        class_of = np.random.default_rng(seed).integers(0, 9, 100)
        partition = Partition.of_rows(class_of, 9, counted.weight, Exact())
        assert removed_items(coded, partition)["s"].cost == 0.0
