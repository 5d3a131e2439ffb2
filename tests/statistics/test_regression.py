"""Linear and logistic regression against known coefficients."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import PlanError
from shoal.statistics import regression
from shoal.statistics.base import NO_ROW
from shoal.statistics.regression import Regression
from tests.statistics.sides import Cell, Rows, sides

_AGES = [20.0, 30.0, 40.0, 50.0, 60.0, 70.0]
_SEX = ["F", "M", "F", "M", "F", "M"]


def test_a_linear_relation_is_found_again() -> None:
    cost = [100 + 3 * age + (10 if sex == "M" else 0) for age, sex in zip(_AGES, _SEX, strict=True)]
    rows: Rows = {"cost": cost, "age": _AGES, "sex": _SEX}
    found = Regression("cost", on=("age", "sex")).compared(sides(rows, rows, sex=["F", "M"]))
    assert [each.name for each in found.figures] == ["intercept", "age", "sex M (compared with F)"]
    assert [each.after for each in found.figures] == pytest.approx([100, 3, 10])
    assert [each.low for each in found.figures] == [each.after for each in found.figures]  # values have no ranges


def test_rare_categories_are_named_in_what_others_are_compared_with() -> None:
    sex = ["F", "M", "F", "M", "F", "X"]
    rows: Rows = {"cost": [100 + 3 * age for age in _AGES], "sex": sex}
    found = Regression("cost", on=("sex",)).compared(sides(rows, rows, fewest=2, sex=["F", "M", "X"]))
    assert [each.name for each in found.figures] == ["intercept", "sex M (compared with F and rare ones)"]


def test_ranges_have_no_bounds_and_unknown_rows_are_counted() -> None:
    cost, inf = [3 * age for age in _AGES], float("inf")
    after: Rows = {"cost": cost, "age": [(15, 25), (25, 35), (35, 45), (45, 55), (55, 65), (-inf, inf)]}
    found = Regression("cost", on=("age",)).compared(sides({"cost": cost, "age": _AGES}, after))
    assert found.figures[1].after == pytest.approx(3) and found.figures[1].low is None
    assert (found.rows_before, found.rows_after, found.rows_unknown) == (6, 5, 1)
    assert found.notes == (regression.NO_BOUNDS,)


def test_the_logarithm_of_an_odds_ratio() -> None:
    """Of 8 exposed, 6 are ill; of 8 others, 2: the odds ratio is 9."""
    ill = ["yes"] * 6 + ["no"] * 2 + ["yes"] * 2 + ["no"] * 6
    rows: Rows = {"ill": ill, "dose": [1.0] * 8 + [0.0] * 8}
    found = Regression("ill", on=("dose",), values=("yes",)).compared(sides(rows, rows, ill=["yes", "no"]))
    assert [each.after for each in found.figures] == pytest.approx([np.log(1 / 3), np.log(9)])


@pytest.mark.parametrize("values", [(), ("yes",)])
def test_undetermined_coefficients_are_not_shown(values: tuple[str, ...]) -> None:
    outcome: list[Cell] = ["no", "no", "no", "yes", "yes", "yes"] if values else [*_AGES]
    rows: Rows = {"y": outcome, "a": _AGES, "b": [2 * age for age in _AGES]}
    found = Regression("y", on=("a",) if values else ("a", "b"), values=values).compared(sides(rows, rows))
    assert found.figures == () and "not determined" in found.notes[0]


def test_values_without_a_row_are_told() -> None:
    rows: Rows = {"ill": ["flu", "flu", "cold", "cold", "flu", "cold"], "age": _AGES}
    found = Regression("ill", on=("age",), values=("I11",)).compared(sides(rows, rows))
    assert found.figures == () and found.notes == (NO_ROW,)


def test_coefficients_of_dates_are_per_day() -> None:
    days = [date(1970, 1, 1) + timedelta(days=n) for n in range(20)]
    frame = pl.DataFrame({"born": days * 2, "cost": [100.0 + 3 * n for n in range(20)] * 2})
    plan = shoal.Plan(
        columns={"born": shoal.quasi(), "cost": shoal.sensitive()},
        models=[shoal.KAnonymity(k=2)],
        statistics=[Regression("cost", on=("born",))],
    )
    found = next(each for each in shoal.anonymize(frame, plan).steward.statistics if each.kind == "regression")
    assert [each.name for each in found.figures] == ["intercept", "born, per day"]
    assert [each.before for each in found.figures] == pytest.approx([100, 3])  # the intercept is that of 1970-01-01


def test_too_few_rows_are_not_explained() -> None:
    rows: Rows = {"y": [1.0, 2.0], "a": [1.0, 3.0]}
    assert "Too few rows" in Regression("y", on=("a",)).compared(sides(rows, rows)).notes[0]


def test_neighbours_of_many_rows_are_counted_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: Rows = {"y": [float(n) for n in range(64)], "a": [2.0 * n for n in range(64)]}
    monkeypatch.setattr(regression, "MOST_JOINED", 60)
    found = Regression("y", on=("a",)).compared(sides(rows, rows))
    assert [each.before for each in found.figures] == pytest.approx([0, 0.5], abs=1e-6)
    assert regression.MERGED in found.notes


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"outcome": "", "on": ("a",)}, "must be the name of a column"),
        ({"outcome": "y", "on": ()}, "at least one column"),
        ({"outcome": "y", "on": ("y",)}, "cannot explain"),
        ({"outcome": "y", "on": ("a",), "values": ("x", "x")}, "distinct"),
    ],
)
def test_wrong_requests_are_refused(request_: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        Regression(**request_)
