from __future__ import annotations

import numpy as np
import pytest

from shoal.coded.coding import coded_sets
from shoal.coded.partition import Partition
from shoal.coded.recoding import Exact
from shoal.items.removal import Removal
from shoal.search.edits import edited


def removal(*parts: tuple[int, tuple[int, ...], int]) -> Removal:
    """Of each origin, so many rows keep these items."""
    return Removal(
        origin=np.array([part[0] for part in parts]),
        offsets=np.cumsum([0, *(len(part[1]) for part in parts)]),
        members=np.array([item for part in parts for item in part[1]], np.int32),
        weights=np.array([part[2] for part in parts]),
        found=True,
        cost=1.0,
        whole=1.0,
        lower_bound=1.0,
        proven=True,
        nodes=1,
    )


def published(partition: Partition, column: str = "s") -> list[tuple[int, int, tuple[str, ...]]]:
    """Row, weight and items of every entry."""
    edit = partition.edits[column]
    codes = edit.codes.tolist()
    return [
        (row, weight, edit.domain.of_set(code))
        for row, weight, code in zip(partition.row.tolist(), partition.weight.tolist(), codes, strict=True)
    ]


CODED = coded_sets({"s": ["a|b", "a|b", "c", "a"]})
"""Items a, b and c; in the order of their codes, the sets are a, a|b and c."""
PARTITION = Partition.of_rows(np.array([0, 0, 0, 1]), 2, np.array([3, 1, 1, 2]), Exact())


def test_equal_sets_of_a_class_are_divided_in_the_order_of_their_entries() -> None:
    found = edited(CODED, PARTITION, "s", {0: removal((0, (0,), 2), (0, (1,), 2), (1, (), 1))})
    assert published(found) == [(0, 2, ("a",)), (0, 1, ("b",)), (1, 1, ("b",)), (2, 1, ()), (3, 2, ("a",))]
    assert found.offsets.tolist() == [0, 4, 5]
    assert found.rows.tolist() == PARTITION.rows.tolist()


def test_other_classes_keep_their_sets() -> None:
    found = edited(CODED, PARTITION, "s", {1: removal((0, (), 2))})
    assert published(found) == [(0, 3, ("a", "b")), (1, 1, ("a", "b")), (2, 1, ("c",)), (3, 2, ())]


def test_edits_of_other_columns_follow_their_entries() -> None:
    coded = coded_sets({"s": ["a|b", "c"], "r": ["x|y", "z"]})
    partition = Partition.of_rows(np.array([0, 0]), 1, np.array([2, 1]), Exact())
    first = edited(coded, partition, "r", {0: removal((0, (0,), 2), (1, (), 1))})
    both = edited(coded, first, "s", {0: removal((0, (0,), 1), (0, (1,), 1), (1, (2,), 1))})
    assert published(both, "s") == [(0, 1, ("a",)), (0, 1, ("b",)), (1, 1, ("c",))]
    assert published(both, "r") == [(0, 1, ("x",)), (0, 1, ("x",)), (1, 1, ())]


@pytest.mark.parametrize("kept", [(), (0,), (1,)])
def test_equal_sets_get_one_code(kept: tuple[int, ...]) -> None:
    found = edited(CODED, PARTITION, "s", {0: removal((0, kept, 4), (1, (), 1)), 1: removal((0, (), 2))})
    assert found.edits["s"].domain.size == CODED.items["s"].size + len({kept, ()})
