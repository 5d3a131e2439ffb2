"""The target as kernels need it: strata, whole numbers, and rows that count for nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.coded import Coded
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.search import target as searching


def coded_of(goal: list[Any], **options: Any) -> Coded:
    """One row for every value of the target, in this order, with an alternating sensitive value."""
    ill = ["flu" if row % 2 else "cold" for row in range(len(goal))]
    frame = pl.DataFrame({"age": range(len(goal)), "ill": ill, "goal": pl.Series(goal)})
    plan = shoal.Plan(
        columns={"age": shoal.quasi(), "ill": shoal.sensitive(), "goal": shoal.target(**options)},
        models=[shoal.LDiversity("ill", l=2)],
        algorithm=shoal.Mondrian(cut="target"),
    )
    return fit(LocalEngine(frame), plan).coded


def test_rows_that_agree_in_sensitive_columns_are_a_stratum_if_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    coded = coded_of(["a", "b", "a", "b"])
    assert searching.strata(coded).tolist() == [0, 0, 0, 0]
    monkeypatch.setattr(searching, "_ROWS_PER_STRATUM", 2)
    assert searching.strata(coded).tolist() == [0, 1, 0, 1]
    found = searching.target(coded)
    assert (found.strata, found.parts, len(found.number)) == (2, 4, 0)
    assert found.part.tolist() == [0, 3, 0, 3]
    monkeypatch.setattr(searching, "_MOST_PARTS", 3)
    assert searching.target(coded).part.tolist() == [0, 1, 0, 1]


def test_a_row_without_target_counts_for_nothing() -> None:
    assert searching.target(coded_of(["a", None, "?", "b"])).stratum.tolist() == [0, -1, -1, 0]


def test_few_numbers_are_categories_unless_the_plan_gives_a_type() -> None:
    few, many = list(range(10)), list(range(11))
    assert len(searching.target(coded_of(few)).number) == 0
    assert len(searching.target(coded_of(few, type="integer")).number) == 10
    assert len(searching.target(coded_of(many)).number) == 11
    assert len(searching.target(coded_of([str(n) for n in many])).number) == 11
    assert len(searching.target(coded_of(many, type="text")).number) == 0


def test_numbers_are_scaled_to_whole_numbers_around_their_middle() -> None:
    found = searching.target(coded_of([-2.5, 0.0, None, 7.5], type="real"))
    scale = 2.0 ** ((62 - 3) // 2)
    assert found.number.tolist() == [-scale, -scale / 2, 0, scale]
    assert found.stratum.tolist() == [0, 0, -1, 0]


def test_dates_and_extreme_numbers_are_numbers_as_well() -> None:
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 3), eager=True).to_list()
    assert np.sign(searching.target(coded_of(days, type="date")).number).tolist() == [-1, 0, 1]
    assert np.sign(searching.target(coded_of([-1.7e308, 0.0, 1.7e308], type="real")).number).tolist() == [-1, 0, 1]
    assert searching.target(coded_of([3.0, 3.0], type="real")).number.tolist() == [0, 0]
