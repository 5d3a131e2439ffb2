"""The registry is what it says: seeded, shaped as the paper describes its own, skewed and dependent."""

from __future__ import annotations

import polars as pl

from shoal.datasets import registry
from shoal.datasets.registry import SENSITIVE


def test_the_same_seed_gives_the_same_table() -> None:
    assert registry(500, 1).equals(registry(500, 1))
    assert not registry(500, 1).equals(registry(500, 2))


def test_columns_are_those_of_the_paper() -> None:
    frame = registry(5000, 0)
    assert frame.columns == ["birth_date", "gender", "race", "zip", *SENSITIVE]
    assert frame.height == 5000 and not any(frame.null_count().row(0))
    assert registry(20_000, 0)["recurrence_status"].n_unique() == 31


def test_ages_and_dates_agree() -> None:
    frame = registry(5000, 3)
    days = (frame["diagnosis_date"] - frame["birth_date"]).dt.total_days()
    assert ((days / 365.25).floor().cast(pl.Int64) - frame["age_at_diagnosis"]).abs().max() <= 1


def test_columns_are_skewed_and_depend_on_each_other() -> None:
    frame = registry(20_000, 0)
    for name in ("topography", "histology", "survival_years", "tumour_site"):
        shares = frame[name].value_counts(sort=True)["count"] / frame.height
        assert shares[0] > 3 / len(shares)
    by_site = frame.group_by("tumour_site").agg(pl.col("survival_years").mean(), pl.col("gender").eq("female").mean())
    found = {site: (years, women) for site, years, women in by_site.iter_rows()}
    assert found["Pancreas"][0] < 2 < 6 < found["Breast"][0]
    assert found["Prostate"][1] == 0 and found["Ovary"][1] == 1
