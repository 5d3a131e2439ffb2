"""PAIS on Adult, as in the paper: what it costs a classifier, and that the default costs no more."""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl
import pytest

import shoal
from benchmarks.papers.lkc_tables import DATA, adult, adult_plan
from shoal.estimating import classifiers

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not (DATA / "adult").exists(), reason="needs the Adult data beside the project"),
]
SEEDS = 3


def error(table: pl.DataFrame, *without: str) -> float:
    """In percent, of rows that took no part in learning."""
    return 100 * classifiers.error(table.drop("income", *without), table["income"], seeds=SEEDS).mean


@cache
def base() -> float:
    return error(adult())


@cache
def released(l: int, k: int, score: str) -> tuple[float, float]:
    """By how much the error on a release is above that on the raw table, and its discernibility ratio."""
    release = shoal.anonymize(adult(), adult_plan(l, k, 0.2, goal="classification", score=score))
    measures: Any = release.measures
    return error(release.frame) - base(), measures["discernibility_ratio"]


def test_the_raw_table_and_one_without_quasi_identifiers_are_predicted_as_in_the_paper() -> None:
    assert base() == pytest.approx(14.8, abs=0.4)
    assert error(adult().select("marital-status", "income")) == pytest.approx(24.6, abs=0.4)


@pytest.mark.parametrize(("l", "k", "most"), [(2, 20, 1.0), (2, 100, 1.0), (4, 20, 1.6), (4, 60, 1.6)])
def test_what_the_papers_score_costs(l: int, k: int, most: float) -> None:
    assert released(l, k, "paper")[0] < most


@pytest.mark.parametrize(("l", "k"), [(2, 20), (2, 100), (4, 20), (4, 60)])
def test_the_default_costs_no_more_and_tells_more_rows_apart(l: int, k: int) -> None:
    (cost, ratio), (own_cost, own_ratio) = released(l, k, "paper"), released(l, k, "sparing")
    assert own_cost < cost + 0.3 and own_ratio < 0.75 * ratio


def test_the_default_does_not_get_stuck_where_the_papers_does() -> None:
    assert released(4, 40, "paper")[0] > 3 > 1.6 > released(4, 40, "sparing")[0]


@pytest.mark.parametrize("k", [20, 40, 100])
def test_with_a_taxonomy_of_age_the_papers_does_not_get_stuck(k: int) -> None:
    tree = shoal.quasi(shoal.intervals(5, 10, 20))
    plan = adult_plan(4, k, 0.2, goal="classification", score="paper")
    release = shoal.anonymize(adult(), plan.changed(columns={**plan.columns, "age": tree}))
    assert error(release.frame) - base() < 1.6
