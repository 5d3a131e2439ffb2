"""The notation of a table is what its columns agree on; another table takes it where it shows none itself."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.engines.local import LocalEngine
from shoal.engines.notation import settled_notation, with_notation
from shoal.table import Notation

DAYS, MONTHS, EITHER, ISO = (
    ["13/02/2020", "01/02/2020"],
    ["02/13/2020", "02/01/2020"],
    ["01/02/2020"] * 2,
    ["2020-02-01"] * 2,
)


def plan(data: shoal.Data | None = None, **columns: shoal.Column) -> shoal.Plan:
    columns = columns or {"a": shoal.quasi(), "b": shoal.quasi()}
    return shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=2)], data=data or shoal.Data())


def engine(a: list[str], b: list[str]) -> LocalEngine:
    return LocalEngine(pl.DataFrame({"a": a, "b": b}))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (DAYS, EITHER, Notation(None, "day-first")),
        (MONTHS, ISO, Notation(None, "month-first")),
        (DAYS, MONTHS, Notation()),
        (EITHER, ISO, Notation()),
        (["1,5", "2"], DAYS, Notation(",", "day-first")),
        (["1,5", "2"], ["1.5", "2"], Notation()),
        (["1.5", "2"], ["3", "4"], Notation(".")),
        (["1,234", "2"], ["3", "4"], Notation()),
        (["x/y", "2"], ["", "?"], Notation()),
    ],
)
def test_what_columns_agree_on(a: list[str], b: list[str], expected: Notation) -> None:
    assert settled_notation(engine(a, b), plan()) == expected


def test_the_plan_says_it_first() -> None:
    data = shoal.Data(dates="month-first", decimal=".")
    assert settled_notation(engine(DAYS, ["1,5", "2"]), plan(data)) == Notation(".", "month-first")


def test_only_columns_that_are_read_as_numbers_or_dates_count() -> None:
    given = plan(a=shoal.sensitive(), b=shoal.quasi(type="text"))
    assert settled_notation(engine(DAYS, MONTHS), given) == Notation()
    given = plan(a=shoal.sensitive(type="date"), b=shoal.identifier())
    assert settled_notation(engine(DAYS, MONTHS), given) == Notation(None, "day-first")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (EITHER, ISO, Notation(",", "day-first")),
        (DAYS, EITHER, Notation(",", "day-first")),
        (MONTHS, EITHER, Notation(",", None)),
        (["1.5", "2"], EITHER, Notation(None, "day-first")),
    ],
)
def test_what_another_table_settled(a: list[str], b: list[str], expected: Notation) -> None:
    usual = Notation(",", "day-first")
    assert with_notation(engine(a, b), plan(), usual).data.notation == expected
    stated = shoal.Data(dates="month-first", decimal=".")
    assert with_notation(engine(a, b), plan(stated), usual).data == stated
    assert with_notation(engine(a, b), plan(), Notation()) == plan()
