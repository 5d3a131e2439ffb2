"""Protected labels: which are nodes, whatever the data; misspelled ones and labels of several nodes are refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.errors import HierarchyError
from shoal.hierarchies import File, Flat, Icd10Cm
from shoal.hierarchies.base import Hierarchy
from shoal.hierarchies.protected import ambiguous, require_nodes


@pytest.mark.parametrize("label", ["C00-D49", "C50", "C50.911", "c50.911", "C50911"])
def test_nodes_of_a_code_tree_are_accepted_and_codes_in_any_spelling(label: str) -> None:
    require_nodes("dx", [label], Icd10Cm())


@pytest.mark.parametrize(
    ("label", "hint"), [("c50", "did you mean 'C50'?"), ("C50 ", "did you mean 'C50'?"), ("", "nodes"), ("C5O", "C5")]
)
def test_what_would_protect_nothing_is_refused(label: str, hint: str) -> None:
    for full in (None, Icd10Cm().build(pl.Series(["c50", "C34.90"]))):
        with pytest.raises(HierarchyError, match="is no node of its hierarchy") as caught:
            require_nodes("dx", ["C00-D49", label], Icd10Cm(), full)
        assert hint in str(caught.value)


def test_the_empty_text_is_never_a_node() -> None:
    with pytest.raises(HierarchyError, match="is no node"):
        require_nodes("dx", ["a", ""], Flat())


def test_a_leaf_of_a_file_may_differ_from_a_node_by_case(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("x;X;*\ny;X;*\n")
    require_nodes("dx", ["x"], File(str(tmp_path / "t.csv")))
    with pytest.raises(HierarchyError, match="did you mean 'X'"):
        require_nodes("dx", ["x "], File(str(tmp_path / "t.csv")))


def test_a_label_of_two_separate_nodes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("C50.911;I10;a\nC34.90;c;a\nI10;q;b\nE11.9;e;b\n")
    with pytest.raises(HierarchyError, match="'I10', which names several nodes"):
        require_nodes("dx", ["I10"], File(str(tmp_path / "t.csv")))


def test_only_labels_of_nodes_within_each_other_are_unambiguous() -> None:
    def tree(rows: str) -> Hierarchy:
        return Hierarchy.from_columns(
            [pl.Series(column) for column in zip(*map(str.split, rows.split(";")), strict=True)]
        )

    assert ambiguous(tree("X X T;a X T;b Z U")) == set()
    assert ambiguous(tree("a1 b1 c;a2 b1 c;a3 x d;b1 y c")) == {"b1"}
    assert ambiguous(tree("a x T;b y x")) == {"x"}
    assert ambiguous(Icd10Cm().build(pl.Series(["C50"]))) == set()
