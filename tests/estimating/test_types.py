"""Types of columns, before and after."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.errors import PlanError
from shoal.estimating.types import generalized, parsed_number, read_cells, type_of

_PLAN = shoal.Plan(
    columns={
        "age": shoal.quasi(),
        "zip": shoal.quasi(shoal.prefixes()),
        "cost": shoal.sensitive(),
        "day": shoal.insensitive(),
    },
    models=[shoal.KAnonymity(k=2)],
    data=shoal.Data(decimal=","),
)


def test_sensitive_values_are_text_unless_numbers_are_asked_for() -> None:
    cost = pl.Series(["1,5", "2,5", ""])
    assert read_cells(cost, "cost", _PLAN)[0] == "text"
    kind, values = read_cells(cost, "cost", _PLAN, numeric=("cost",))
    assert (kind, values.to_list()) == ("real", [1.5, 2.5, None])


def test_figures_of_a_tree_are_text() -> None:
    assert type_of("integer", "age", _PLAN, ("[1, 2]", "*")).is_number
    assert not type_of("integer", "zip", _PLAN, ("12*",)).is_number
    assert type_of("date", "day", _PLAN, None) == ("date", "date")
    assert type_of("date", "day", _PLAN, None).dated and type_of("date", "day", _PLAN, None).whole


def test_labels_are_those_of_generalized_quasi_identifiers() -> None:
    assert generalized("age", _PLAN) and not generalized("cost", _PLAN)


def test_numbers_of_the_plan_are_parsed() -> None:
    assert parsed_number(17.5, "integer", "age", _PLAN) == 17.5
    assert parsed_number("1970-01-03", "date", "day", _PLAN) == 2
    with pytest.raises(PlanError, match="names 'old' for column 'age'"):
        parsed_number("old", "integer", "age", _PLAN)
