"""A target groups its rows by what is published, in a generalized table and in an anatomy."""

from __future__ import annotations

import polars as pl

import shoal
from shoal.attacks.target import CLASS, Target, grouped
from shoal.table import Runs
from tests.attacks.conftest import ward


def test_groups_are_numbered_by_their_texts() -> None:
    groups = grouped(Runs.of(pl.DataFrame({"a": ["y", "x", "y", None], "b": [1, 1, 1, 2]})), ("a", "b"), ("?",))
    assert groups.labels["a"].to_list() == ["", "x", "y"]
    assert (groups.of_run.tolist(), groups.sizes.tolist()) == ([2, 1, 2, 0], [1, 1, 2])


def test_without_columns_all_rows_are_one_group() -> None:
    groups = grouped(Runs.of(pl.DataFrame({"a": [1, 2]})), (), ())
    assert (groups.of_run.tolist(), groups.sizes.tolist(), len(groups)) == ([0, 0], [2], 1)


def test_a_missing_text_is_one_group() -> None:
    groups = grouped(Runs.of(pl.DataFrame({"a": ["?", None, "", "x"]})), ("a",), ("?", ""))
    assert groups.of_run.tolist() == [0, 0, 0, 1]


def test_counts_of_an_anatomy_equal_those_of_its_classes() -> None:
    _, frame = ward()
    columns = {"age": shoal.quasi(), "sex": shoal.quasi(), "ill": shoal.sensitive()}
    plan = shoal.Plan(
        columns=columns, models=[shoal.LDiversity("ill", l=2)], release=shoal.ReleaseSettings(form="anatomy")
    )
    target = Target(shoal.anonymize(frame, plan).tables, plan)
    assert target.is_anatomy and target.sensitive == ("ill",) and len(target.labelled) == 12
    sizes = target.counts("ill").group_by(CLASS).agg(pl.col("count").sum()).sort(CLASS)
    assert sizes["count"].to_list() == target.classes.sizes.tolist()
    assert target.whole("ill")["total"].sum() == 12


def test_roles_by_pattern_are_found_in_the_table() -> None:
    roles = {"quasi-identifier": ("q*",), "sensitive": ("ill",)}
    plan = shoal.Plan(roles=roles, models=[shoal.KAnonymity(k=2)])
    target = Target({"release": pl.DataFrame({"q1": ["a", "a"], "q2": ["b", "b"], "ill": ["x", "y"]})}, plan)
    assert (target.quasi_identifiers, target.sensitive) == (("q1", "q2"), ("ill",))
