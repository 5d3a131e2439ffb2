"""Trees that are edited stay trees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import HierarchyError
from shoal.studio.trees import MOST_LEVELS, Tree

NAMES = ["cat", "dog", "oak", "fir", "cod"]


def pets() -> Tree:
    return Tree.of(NAMES).grouped(["cat", "dog", "cod"], 1, "animal").grouped(["oak", "fir"], 1, "plant")


def test_values_are_put_under_groups() -> None:
    assert pets().nodes(1) == {"animal": 3, "plant": 2}
    assert pets().hierarchy().path(0) == ("cat", "animal", "*")


def test_groups_are_put_under_larger_groups_with_all_their_values() -> None:
    tree = pets().taller().grouped(["animal", "plant"], 2, "living")
    assert set(tree.paths.values()) == {("animal", "living"), ("plant", "living")}
    moved = tree.grouped(["cod"], 1, "plant")
    assert moved.paths["cod"] == ("plant", "living")


def test_a_group_is_renamed_where_it_stands_for_itself_too() -> None:
    tree = pets().taller().renamed(1, "animal", "beast")
    assert tree.paths["cat"] == ("beast", "beast") and tree.paths["oak"] == ("plant", "plant")


def test_levels_are_added_and_removed() -> None:
    assert pets().taller().lower() == pets()
    assert pets().lower() == pets()
    tree = pets()
    for _ in range(MOST_LEVELS - 1):
        tree = tree.taller()
    with pytest.raises(HierarchyError, match="at most"):
        tree.taller()


@pytest.mark.parametrize("label", ["", "  ", "*"])
def test_a_group_needs_a_name(label: str) -> None:
    with pytest.raises(HierarchyError, match="needs a name"):
        pets().grouped(["cat"], 1, label)


def test_a_hierarchy_becomes_the_same_tree_and_new_values_stand_alone() -> None:
    tree = Tree.from_hierarchy(pets().hierarchy(), [*NAMES, "bee"])
    assert {name: tree.paths[name] for name in NAMES} == dict(pets().paths)
    assert tree.paths["bee"] == ("bee",)


def test_branches_have_the_largest_group_first_and_unique_keys() -> None:
    rows = {"cat": 5, "dog": 1, "oak": 10, "fir": 2, "cod": 0}
    first, second = pets().branches(rows)
    assert first["label"].startswith("plant") and first["count"] == 12
    assert [child["count"] for child in second["children"]] == [5, 1, 0]


@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from(NAMES), min_size=1), st.integers(1, 2), st.sampled_from(["a", "b", "cat"])),
        max_size=6,
    )
)
def test_no_edit_loses_a_value_or_breaks_the_nesting(edits: list[tuple[set[str], int, str]]) -> None:
    tree = pets().taller()
    for members, level, label in edits:
        nodes = members if level == 1 else {tree.paths[name][0] for name in members}
        try:
            changed = tree.grouped(nodes, level, label)
            built = changed.hierarchy()
        except HierarchyError:
            continue
        tree = changed
        assert sorted(built.leaves) == sorted(NAMES)
    assert tree.hierarchy().height == 3
