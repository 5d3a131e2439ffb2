"""Numbers that are the time between two dates are warned of; other numbers are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.plan import Plan


def frame(rows: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    admitted = pl.Series(rng.integers(18_000, 19_000, rows)).cast(pl.Int32).cast(pl.Date)
    table = pl.DataFrame(
        {
            "admitted": admitted,
            "stay": rng.integers(1, 30, rows),
            "lab": rng.integers(1, 30, rows),
            "ill": rng.choice(["flu", "burn", "angina"], rows),
        }
    )
    return table.with_columns(discharged=pl.col("admitted") + pl.duration(days="stay"), stay=pl.col("stay").cast(str))


def plan(**columns: shoal.Column) -> Plan:
    given: dict[str, Any] = {"admitted": shoal.quasi(), "discharged": shoal.quasi(), "stay": shoal.insensitive()}
    given |= {"lab": shoal.insensitive(), "ill": shoal.sensitive(), **columns}
    return Plan(columns=given, models=[shoal.KAnonymity(k=5), shoal.LDiversity("ill", l=2)])


@pytest.mark.parametrize("role", [shoal.sensitive(), shoal.insensitive()])
def test_a_stay_between_two_dates_is_warned_of(role: shoal.Column) -> None:
    (warning,) = [each for each in shoal.anonymize(frame(), plan(stay=role)).warnings if "number of days" in each]
    assert "'stay'" in warning and "from 'admitted' to 'discharged'" in warning


def test_a_stay_that_is_generalized_too_is_not() -> None:
    warnings = shoal.anonymize(frame(), plan(stay=shoal.quasi())).warnings
    assert not [each for each in warnings if "number of" in each]


def test_years_and_missing_values() -> None:
    table = frame().with_columns(admitted=pl.col("admitted") - pl.duration(days=pl.int_range(pl.len()) * 60))
    years = ((table["discharged"] - table["admitted"]).dt.total_days() / 365.25).floor().cast(pl.Int64).cast(pl.String)
    stay = pl.when(pl.int_range(pl.len()) % 9 == 0).then(pl.lit("NA")).otherwise(years)
    warnings = shoal.anonymize(table.with_columns(stay=stay), plan()).warnings
    assert any("number of years" in each for each in warnings)


def test_text_and_constant_columns_are_left_alone() -> None:
    table = frame().with_columns(stay=pl.lit("x"), lab=pl.lit(3))
    assert not [each for each in shoal.anonymize(table, plan()).warnings if "number of" in each]
