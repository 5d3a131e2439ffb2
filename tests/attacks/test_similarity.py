"""Similarity finds classes whose different values belong to one group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.attacks import Similarity, Target
from shoal.hierarchies import File

TREE = "gastritis;stomach;*\nulcer;stomach;*\nflu;lung;*\nasthma;lung;*\n"


@pytest.fixture
def plan(tmp_path: Path) -> shoal.Plan:
    (tmp_path / "tree.csv").write_text(TREE)
    ill = shoal.sensitive(File(str(tmp_path / "tree.csv")))
    return shoal.Plan(columns={"age": shoal.quasi(), "ill": ill}, models=[shoal.LDiversity("ill", l=2)])


def test_two_diseases_of_the_stomach_disclose_the_stomach(plan: shoal.Plan) -> None:
    ill = ["gastritis", "ulcer", "flu", "ulcer", "flu", "flu", "flu", None]
    frame = pl.DataFrame({"age": ["1", "1", "2", "2", "3", "3", "4", "4"], "ill": ill})
    (outcome,) = Similarity().attack(Target({"release": frame}, plan))
    assert outcome.success == 4 / 8  # ages 1 and 3; age 4 misses a value
    assert (outcome.baseline, outcome.bound, outcome.column) == (0.0, None, "ill")


def test_a_table_of_one_group_is_similar_anyway(plan: shoal.Plan) -> None:
    frame = pl.DataFrame({"age": ["1", "2"], "ill": ["flu", "asthma"]})
    (outcome,) = Similarity().attack(Target({"release": frame}, plan))
    assert (outcome.success, outcome.baseline) == (1.0, 1.0)


def test_it_needs_a_hierarchy(plan: shoal.Plan) -> None:
    bare = plan.changed(columns={"age": shoal.quasi(), "ill": shoal.sensitive()})
    frame = pl.DataFrame({"age": ["1", "2"], "ill": ["flu", "asthma"]})
    assert "has a hierarchy" in Similarity().applies(Target({"release": frame}, bare))
    assert Similarity().applies(Target({"release": frame}, plan)) == ""


class TestProtectedNodes:
    FRAME = pl.DataFrame({"age": ["1", "1", "2", "2"], "ill": ["gastritis", "ulcer", "flu", "asthma"]})

    def protecting(self, plan: shoal.Plan, *nodes: str, **changes: Any) -> shoal.Plan:
        ill = shoal.sensitive(plan.columns["ill"].hierarchy, protected=nodes)
        return plan.changed(columns={"age": shoal.quasi(), "ill": ill}, **changes)

    def test_only_protected_nodes_are_groups(self, plan: shoal.Plan) -> None:
        (outcome,) = Similarity().attack(Target({"release": self.FRAME}, self.protecting(plan, "stomach")))
        assert (outcome.success, outcome.bound) == (0.5, None)
        assert "one protected node" in outcome.measured

    def test_the_extended_model_promises_that_there_are_none(self, plan: shoal.Plan) -> None:
        models = [shoal.ExtendedPSensitive(p=2, k=2)]
        protecting = self.protecting(plan, "stomach", "lung", models=models)
        mixed = self.FRAME.with_columns(age=pl.Series(["1", "2", "1", "2"]))
        (outcome,) = Similarity().attack(Target({"release": mixed}, protecting))
        assert (outcome.success, outcome.bound, outcome.holds) == (0.0, 0.0, True)
        (broken,) = Similarity().attack(Target({"release": self.FRAME}, protecting))
        assert (broken.success, broken.bound, broken.holds) == (1.0, 0.0, False)

    def test_without_protected_nodes_nothing_is_promised_of_inner_nodes(self, plan: shoal.Plan) -> None:
        unprotected = self.protecting(plan, models=[shoal.ExtendedPSensitive(p=2, k=2)])
        (outcome,) = Similarity().attack(Target({"release": self.FRAME}, unprotected))
        assert (outcome.success, outcome.bound) == (1.0, None)
