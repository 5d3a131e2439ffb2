from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError
from shoal.hierarchies import Hierarchy, Level, text_of

JOBS = [("nurse", "care", "*"), ("smith", "craft", "*"), ("doctor", "care", "*"), ("baker", "craft", "*")]


@st.composite
def paths(draw: st.DrawFn) -> list[tuple[str, ...]]:
    """Paths of a random tree, its leaves in random order: a node's name at a level is the prefix of its address."""
    height = draw(st.integers(1, 3))
    addresses = draw(st.lists(st.text("abc", min_size=height, max_size=height), min_size=1, max_size=25))
    leaves = draw(st.permutations(range(len(addresses))))
    return [
        (f"leaf{leaf}", *(f"L{size}{addresses[leaf][:size]}" for size in range(height, 0, -1)), "*") for leaf in leaves
    ]


def all_paths(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    return [hierarchy.path(leaf) for leaf in range(len(hierarchy.leaves))]


@given(paths())
def test_paths_go_in_and_come_out(rows: list[tuple[str, ...]]) -> None:
    assert all_paths(Hierarchy.from_paths(rows)) == rows


@given(paths(), st.randoms())
def test_reordering_keeps_every_path(rows: list[tuple[str, ...]], random) -> None:
    order = random.sample(range(len(rows)), random.randint(1, len(rows)))
    reordered = Hierarchy.from_paths(rows).reordered(np.array(order))
    assert all_paths(reordered) == [rows[leaf] for leaf in order]
    assert all((level.leaves_under > 0).all() for level in reordered.levels)


def test_reordering_drops_labels_that_no_leaf_has() -> None:
    reordered = Hierarchy.from_paths(JOBS).reordered(np.array([3, 1]))
    assert reordered.levels[1].labels == ("craft",)
    assert reordered.levels[1].of_leaf.dtype == np.int32


def test_reordering_refuses_a_leaf_twice() -> None:
    with pytest.raises(HierarchyError, match="1 leaves occur more than once"):
        Hierarchy.from_paths(JOBS).reordered(np.array([0, 0]))


@given(paths())
def test_a_missing_leaf_comes_first_and_joins_the_others_at_the_top_only(rows: list[tuple[str, ...]]) -> None:
    extended = Hierarchy.from_paths(rows).with_missing()
    height = len(rows[0]) - 1
    assert all_paths(extended) == [(*[""] * height, "*"), *rows]


def test_a_tree_that_knows_missing_values_keeps_what_it_says_of_them() -> None:
    extended = Hierarchy.from_paths([("a", "known", "*"), ("", "unknown", "*")]).with_missing()
    assert all_paths(extended) == [("", "unknown", "*"), ("a", "known", "*")]


def test_a_column_without_values_can_still_be_missing() -> None:
    empty = Hierarchy.topped([Level.leaves(pl.Series([], dtype=pl.String))])
    assert empty.leaves == ()
    assert empty.depth_first().tolist() == []
    assert all_paths(empty.with_missing()) == [("", "*")]


@given(paths(), st.booleans(), st.randoms())
def test_depth_first_keeps_every_node_together(rows: list[tuple[str, ...]], counted: bool, random) -> None:
    hierarchy = Hierarchy.from_paths(rows)
    counts = np.array([random.randint(0, 3) for _ in rows]) if counted else None
    order = hierarchy.depth_first(counts)
    assert sorted(order.tolist()) == list(range(len(rows)))
    assert order.dtype == np.int64
    for level in hierarchy.levels:
        codes = level.of_leaf[order]
        runs = 1 + int((codes[1:] != codes[:-1]).sum())
        assert runs == len(level.labels)


@given(paths(), st.randoms())
def test_depth_first_puts_frequent_siblings_first_and_equal_ones_by_label(rows, random) -> None:
    counts = np.array([random.randint(0, 3) for _ in rows])
    order = Hierarchy.from_paths(rows).depth_first(counts)

    def key(row: tuple[str, ...]) -> list[tuple[int, str]]:
        totals = [
            sum(int(count) for other, count in zip(rows, counts, strict=True) if other[level] == label)
            for level, label in enumerate(row)
        ]
        return [(-total, label) for total, label in zip(totals, row, strict=True)][::-1]

    assert [rows[leaf] for leaf in order] == sorted(rows, key=key)


def test_depth_first_keeps_the_given_order_of_siblings_without_counts() -> None:
    hierarchy = Hierarchy.from_paths(JOBS)
    assert [JOBS[leaf][0] for leaf in hierarchy.depth_first()] == ["nurse", "doctor", "smith", "baker"]


def test_leaves_under_counts_the_leaves_of_each_label() -> None:
    assert Hierarchy.from_paths(JOBS).levels[1].leaves_under.tolist() == [2, 2]


def test_a_top_is_added_only_where_paths_do_not_end_in_one() -> None:
    assert Hierarchy.from_paths([("a", "x"), ("b", "y")]).path(0) == ("a", "x", "*")
    assert Hierarchy.from_paths([("a", "all"), ("b", "all")]).path(0) == ("a", "all")
    assert Hierarchy.from_paths([("a",)]).path(0) == ("a", "*")


def test_levels_can_be_made_by_functions() -> None:
    assert Hierarchy.from_levels(["ax", "ay", "bx"], [lambda leaf: leaf[0]]).path(1) == ("ay", "a", "*")


def test_levels_that_do_not_nest_are_counted_not_shown() -> None:
    with pytest.raises(HierarchyError, match="Levels 1 and 2 do not nest: 1 labels of level 1") as raised:
        Hierarchy.from_paths([("s1", "s2", "s3"), ("s4", "s2", "s5"), ("s6", "s7", "s3")])
    assert not any(f"s{number}" in str(raised.value) for number in range(1, 8))


def test_leaves_twice_are_counted_not_shown() -> None:
    with pytest.raises(HierarchyError, match="2 leaves occur more than once") as raised:
        Hierarchy.from_paths([("secret", "x"), ("secret", "x"), ("secret", "y")])
    assert "secret" not in str(raised.value)


def test_ragged_and_empty_paths_are_refused() -> None:
    with pytest.raises(HierarchyError, match="1 of 3 leaves differs"):
        Hierarchy.from_paths([("a", "x", "*"), ("b", "*"), ("c", "x", "*")])
    with pytest.raises(HierarchyError, match="at least one leaf"):
        Hierarchy.from_paths([])


def test_the_top_must_be_one_value() -> None:
    level = Level.of(pl.Series(["a", "b"]))
    with pytest.raises(HierarchyError, match="single label"):
        Hierarchy((level, level))


def test_canonical_text() -> None:
    assert text_of(pl.Series([1, -20])).to_list() == ["1", "-20"]
    assert text_of(pl.Series([1.0, 0.5, -0.0, 10.0])).to_list() == ["1", "0.5", "0", "10"]
    assert text_of(pl.Series([date(2024, 3, 9)])).to_list() == ["2024-03-09"]
    assert text_of(pl.Series([" 007 ", "1.0"])).to_list() == [" 007 ", "1.0"]
