"""Cells of text: values, sets, nodes and their places in levels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.estimating.texts import LabelCells, Tree, ValueCells, disjoint
from shoal.hierarchies import File, Prefix
from shoal.statistics.base import Level


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Two kinds of jobs, of two and of one."""
    path = tmp_path / "job.csv"
    path.write_text("nurse;health;*\nsurgeon;health;*\npilot;transport;*\n")
    return Tree(File(str(path)))


def test_values_are_in_the_level_of_a_node_above_them(tree: Tree) -> None:
    cells = ValueCells(np.ones(3, np.int64), pl.Series(["nurse", "pilot", None]), tree)
    members = cells.members([Level("", ("health",)), Level("", ("pilot",)), Level("", ("",))])
    assert members.sure.tolist() == [[True, False, False], [False, True, False], [False, False, True]]
    assert members.absent.tolist() == [False, False, True]
    assert cells.candidates() == [("nurse", 1), ("pilot", 1)]


def test_a_node_counts_by_its_leaves(tree: Tree) -> None:
    labels = ["nurse", "health", "transport", "*", "", "{nurse, pilot}"]
    kinds = ["value", "node", "node", "any", "missing", "set"]
    cells = LabelCells(np.arange(1, 7), labels, kinds, tree)
    members = cells.members([Level("", ("nurse",)), Level("", ("health",))])
    np.testing.assert_array_equal(members.share, [[1, 0.5, 0, np.nan, 0, 0.5], [1, 1, 0, np.nan, 0, 0.5]])
    assert members.possible.tolist() == [[True, True, False, True, False, True]] * 2
    assert members.sure[1].tolist() == [True, True, False, False, False, False]
    assert members.maybe_absent.tolist() == [False, False, False, True, True, False], "missing is a branch of its own"
    assert cells.candidates() == [("nurse", 7), ("health", 2), ("transport", 3), ("pilot", 6)]


def test_a_node_hides_a_missing_value_where_the_file_has_it_as_a_leaf(tmp_path: Path) -> None:
    path = tmp_path / "job.csv"
    path.write_text("nurse;health;any job\nsurgeon;health;any job\n;unknown;any job\nother;unknown;any job\n")
    cells = LabelCells(np.ones(3, np.int64), ["health", "unknown", "any job"], ["node"] * 3, Tree(File(str(path))))
    assert cells.members([Level("", ("nurse",))]).maybe_absent.tolist() == [False, True, True]


def test_prefixes_hide_no_missing_value() -> None:
    cells = LabelCells(np.ones(3, np.int64), ["12*", "", "*"], ["node", "missing", "any"], Tree(Prefix()))
    assert cells.members([Level("", ("123",))]).maybe_absent.tolist() == [False, True, True]


def test_prefixes_do_not_tell_the_share_of_a_value() -> None:
    cells = LabelCells(np.ones(3, np.int64), ["12*", "123", "13*"], ["node", "value", "node"], Tree(Prefix()))
    members = cells.members([Level("", ("123",)), Level("", ("12*",))])
    np.testing.assert_array_equal(members.share, [[np.nan, 1, 0], [1, 1, 0]])


def test_an_unknown_node_may_be_anything() -> None:
    cells = LabelCells(np.ones(2, np.int64), ["group 1 of 3", "a"], ["node", "value"], Tree(None))
    members = cells.members([Level("", ("a",))])
    assert np.isnan(members.share[0][0]) and members.possible[0].tolist() == [True, True]
    assert cells.candidates() == [("a", 1)]


def test_labels_above_or_below_an_earlier_one_are_left_out(tree: Tree) -> None:
    assert disjoint(["nurse", "health", "transport", "pilot"], tree) == ["nurse", "transport"]
    assert disjoint(["a", "b"], Tree(None)) == ["a", "b"]


def test_text_has_no_numbers() -> None:
    with pytest.raises(TypeError):
        ValueCells(np.ones(1, np.int64), pl.Series(["a"])).numbers()
    with pytest.raises(TypeError):
        LabelCells(np.ones(1, np.int64), ["a"], ["value"], Tree(None)).numbers()
