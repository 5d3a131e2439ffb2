"""Public figures follow from the published tables and the published plan."""

from __future__ import annotations

import ast
import inspect

import polars as pl

import shoal
from shoal.figures import public
from tests.figures.releases import plan, released, table


def test_they_cannot_see_the_input() -> None:
    assert [*inspect.signature(public.public_figures).parameters] == ["tables", "plan", "columns", "verification"]
    imported = {
        node.module for node in ast.walk(ast.parse(inspect.getsource(public))) if isinstance(node, ast.ImportFrom)
    }
    assert not {"shoal.coded", "shoal.engines", "shoal.figures.before", "shoal.figures.private"} & imported


def test_inputs_with_the_same_release_have_the_same_figures() -> None:
    """Ages inside a published range may differ."""
    ages = pl.Series("age", [20, 21, 21, 21, 24, 60, 60, 60, 60, 64] * 2)
    one, other = released(), shoal.anonymize(table().with_columns(ages), plan())
    assert one.tables["release"].equals(other.tables["release"])
    assert one.figures.public == other.figures.public and one.figures.private != other.figures.private


def test_the_origin_is_public_and_the_approval_is_not() -> None:
    settings = shoal.ReleaseSettings(title="Ages", steward="Office", approval={"number": "7"})
    figures = released(release=settings).figures
    assert figures.public.provenance == {"title": "Ages", "steward": "Office"}
    assert figures.private.approval == {"number": "7"}
