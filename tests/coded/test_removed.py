"""Items that were removed: by item and class size, and their cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from shoal.coded import Partition
from shoal.coded.coding import DistinctValues, code_items
from shoal.coded.counted import Coded, Counted
from shoal.coded.partition import Edit, Generalized
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
    assert removed_items(CODED, partition) == {"s": RemovedItems(0, 9, 9, 0, 0.0, WHOLE, {}, {})}


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


def test_generalized_items_lose_their_part_of_what_is_left() -> None:
    """a and b become x, which stands for 2 of 3 leaves, in two rows; c is removed from them. Others keep a as x."""
    labels = replace(DOMAIN, items=("c", "x"), offsets=np.array([0, 0, 1]), members=np.array([1], np.int32))
    to_labels = Generalized(np.array([1, 1, 0], np.int32), np.array([1 / 2, 1 / 2, 0]))
    partition = Partition.of_rows(np.array([0, 0, 1]), 2, CODED.counted.weight, Exact())
    sets = np.array([1, 1, 0], np.int32)
    found = removed_items(CODED, replace(partition, edits={"s": Edit(labels, sets, to_labels)}))["s"]
    assert (found.removed, found.by_item, found.rows) == (2, {"c": 2}, 2)
    assert (found.generalized, found.by_generalized) == (2 + 2 + 3, {"a": 5, "b": 2})
    assert found.cost == pytest.approx(2 * (1 / 3 + 1.5 * (1 / 2 + 1 / 2) / 2) + 3 * 1 / 2)


def test_suppressed_rows_lose_all_their_items() -> None:
    found = removed_items(CODED, Partition.of_rows(np.array([0, -1, 0]), 1, CODED.counted.weight, Exact()))["s"]
    assert (found.removed, found.of, found.by_item) == (0, 6, {})
    assert found.cost == pytest.approx(3)


def test_the_cost_is_exactly_0_if_nothing_is_removed() -> None:
    """In whichever order the rows are summed: a difference of two sums would leave a rest, even a negative one."""
    rng = np.random.default_rng(0)
    texts = ["|".join("abcdefgh"[: 1 + i % 8]) for i in range(200)]
    domain, codes = code_items(
        DistinctValues(pl.Series("s", texts), np.ones(200, np.int64)), Column(role="quasi-sensitive"), ("",)
    )
    coded = Coded(
        (), {}, Counted(np.zeros((0, 200), np.int32), np.ones(200, np.int64), items={"s": codes}), {"s": domain}
    )
    for _ in range(20):
        partition = Partition.of_rows(rng.integers(0, 9, 200), 9, coded.counted.weight, Exact())
        assert removed_items(coded, partition)["s"].cost == 0.0
