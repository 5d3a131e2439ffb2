"""The public manifest sees tables, plan and counts, and says nothing else. Twins in the contract compare all bytes."""

from __future__ import annotations

import ast
import inspect

import polars as pl
import pytest

import shoal
from shoal.release import public
from shoal.release.public import Counts, attacked, public_manifest, public_plan
from shoal.verification.anatomy import verify_tables
from shoal.verification.labelled import labelled

COLUMNS = {"who": shoal.identifier(), "age": shoal.quasi(weight=3.0), "ill": shoal.sensitive()}
PLAN = shoal.Plan(
    columns=COLUMNS,
    models=[shoal.KAnonymity(k=2)],
    data=shoal.Data(source="patients.csv", unlisted="insensitive", separator=";"),
    seed=7,
)
TABLE = pl.DataFrame({"age": ["", "", "[20, 29]", "[20, 29]", "[20, 29]"], "ill": ["a"] * 5, "note": ["x"] * 5})


def test_the_public_plan_has_no_source_seed_and_weights_and_lists_every_column() -> None:
    plan = public_plan(PLAN, {"release": TABLE})
    assert (plan.data.source, plan.data.separator, plan.seed, plan.columns["age"].weight) == (None, None, 0, 1.0)
    assert set(plan.columns) == {*COLUMNS, "note"} and plan.columns["note"].role == "insensitive"
    assert public_plan(plan, {"release": TABLE}) == plan


def test_the_manifest_follows_from_tables_plan_and_counts() -> None:
    tables, plan = {"release": TABLE}, public_plan(PLAN, {"release": TABLE})
    found = public_manifest(tables, plan, Counts(8, 2), labelled(tables, plan), verify_tables(tables, plan))
    assert (found.rows_in, found.rows_released, found.rows_suppressed, found.rows_dropped) == (8, 5, 3, 2)
    assert found.measures["ncp"] == pytest.approx((3 * 1 + 3) / 8)
    assert found.missing is not None and found.missing.columns == ("age",)
    assert (found.missing.share_of_rows, found.missing.smallest_class_showing_missing) == (0.4, 2)
    assert found.missing.smallest_other_class == 3
    assert found.holds and not found.timings and found.search.cost is None
    assert attacked(tables, plan) == {}


def test_nothing_that_knows_the_input_is_imported() -> None:
    imported = {
        node.module or "" for node in ast.walk(ast.parse(inspect.getsource(public))) if isinstance(node, ast.ImportFrom)
    }
    private = ("shoal.coded", "shoal.engines", "shoal.search", "shoal.algorithms", "shoal.release.draft")
    assert not [name for name in imported if name.startswith(private)]
