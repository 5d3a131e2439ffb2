from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from shoal.plan import ReleaseSettings
from shoal.roles.columns import insensitive, quasi, sensitive
from shoal.warnings.base import Warning
from shoal.warnings.formulas import formula_cells
from tests.warnings.cases import case

FRAME = pl.DataFrame(
    {
        "job": ["=a", "b", "=a", "b"] * 5,
        "note": ["=1+1", "-5", None, "x"] * 5,
        "ill": ["@x", "y"] * 10,
        "n": [-1, 2] * 10,
    }
)
COLUMNS = {"job": quasi(), "note": insensitive(), "ill": sensitive(), "n": insensitive()}


def formulas(classes: list[int], **settings: Any) -> list[Warning]:
    given = case(FRAME, COLUMNS, classes)
    return list(formula_cells(replace(given, plan=given.plan.changed(release=ReleaseSettings(**settings)))))


def test_cells_are_counted_by_column() -> None:
    (only,) = formulas([0, 1] * 10)
    assert "'note' (5), 'ill' (10), 'job' (10)." in only.text and only.public and not only.serious
    (mixed,) = formulas([0] * 20)  # the label of the quasi-identifier is *
    assert "'note' (5), 'ill' (10)." in mixed.text
    assert not formulas([-1, 0] * 10)  # the rows with formulas are suppressed


@pytest.mark.parametrize("settings", [{"escape_formulas": True}, {"format": "parquet"}])
def test_where_nothing_would_run_nothing_is_said(settings: dict[str, Any]) -> None:
    assert not formulas([0, 1] * 10, **settings)


def test_before_a_search_exact_values_are_counted() -> None:
    (only,) = formula_cells(replace(case(FRAME, COLUMNS, [0] * 20), partition=None))
    assert "'job' (10)" in only.text and not only.public
