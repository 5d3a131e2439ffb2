"""A release that is not true to its input is stopped, whatever part of it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.engines.base import Witness
from shoal.engines.fitting import fit
from shoal.engines.local import LocalEngine
from shoal.errors import PromiseBroken
from shoal.hierarchies import Intervals
from shoal.release.draft import Private
from shoal.table import Runs
from shoal.verification.faithful import faithful_problems, same_content

N = 60
FRAME = pl.DataFrame(
    {
        "age": [str(20 + i % 30) for i in range(N)],
        "sex": ["f", "m", None] * 20,
        "ill": [f"d{i % 4}" for i in range(N)],
        "cost": [f"{i}.50" for i in range(N)],
    }
)
COLUMNS = {
    "age": shoal.quasi(Intervals((5, 10))),
    "sex": shoal.quasi(),
    "ill": shoal.sensitive(),
    "cost": shoal.insensitive(),
}


def plan_of(**settings: Any) -> shoal.Plan:
    return shoal.Plan(**{"columns": COLUMNS, "models": [shoal.KAnonymity(k=3)], **settings})


def problems(
    plan: shoal.Plan,
    change: Callable[[pl.DataFrame], pl.DataFrame] = lambda table: table,
    rows: Callable[[Any], Any] = lambda rows: rows,
    private: Callable[[Private], Private] = lambda private: private,
) -> str:
    """What is found after the released table, or the record of its rows, was changed."""
    release = shoal.anonymize(FRAME, plan)
    given = LocalEngine(FRAME)
    origin = fit(given, plan).engine
    tables: Mapping[str, Runs] = {
        name: Runs.of(change(table.with_columns(pl.all().cast(pl.String)))) for name, table in release.tables.items()
    }
    known = private(release.private)
    witness = known.witness
    linked = None if witness.linked is None else Runs.of(witness.linked.expanded())
    run = run_of(witness, rows(witness.row))
    return " ".join(faithful_problems(given, origin, tables, plan, run, linked, witness.persons, known.input_counts))


def run_of(witness: Witness, rows: Any) -> Any:
    """The released row of every input row that was not dropped, -1 if there is none; `rows`: the other way round."""
    place = np.full(N, -1, np.int32)
    place[rows] = np.arange(len(rows))
    return place if witness.input_rows is None else place[witness.input_rows]


@pytest.mark.parametrize("drop", [False, True])
def test_a_release_is_true_to_its_input(drop: bool) -> None:
    assert problems(plan_of(data=shoal.Data(missing_rows="drop" if drop else "keep"))) == ""


def test_an_anatomy_is_true_to_its_input() -> None:
    plan = plan_of(models=[shoal.LDiversity("ill", l=2)], release=shoal.ReleaseSettings(form="anatomy"))
    assert problems(plan) == ""


def replaced(column: str, value: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda table: table.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (replaced("age", "[90, 94]"), "'age' has 1 labels that are not true"),
        (replaced("sex", "x"), "'sex' has 1 labels that are not true"),
        (replaced("ill", "d9"), "'ill' has 1 cells that differ"),
        (replaced("cost", "0.5"), "'cost' has 1 cells that differ"),
        (lambda table: table.with_columns(pl.col("age").reverse()), "'age' has"),
        (lambda table: table.head(50), "released, of 60 rows"),
    ],
)
def test_a_cell_that_is_not_true_is_found(change: Callable[[pl.DataFrame], pl.DataFrame], says: str) -> None:
    assert says in problems(plan_of(), change)


def test_a_row_that_is_released_twice_or_lost_is_found() -> None:
    def twice(rows: Any) -> Any:
        return np.append(rows[1:], rows[1])

    assert "1 row was released without an input row of their own" in problems(plan_of(), rows=twice)
    assert "suppressed; the plan allows 0" in problems(
        plan_of(), lambda table: table.head(50), rows=lambda rows: rows[:50]
    )


def test_a_column_that_is_lost_or_moved_is_found() -> None:
    assert "'cost' is not in the released tables" in problems(plan_of(), lambda table: table.drop("cost"))
    assert "in another order" in problems(plan_of(), lambda table: table.select("sex", "age", "ill", "cost"))


def test_rows_that_are_not_sorted_are_found() -> None:
    assert "not sorted" in problems(plan_of(), lambda table: table.reverse(), rows=lambda rows: rows[::-1])


def test_persons_other_than_those_of_the_input_are_found() -> None:
    plan = plan_of(
        columns={**COLUMNS, "cost": shoal.identifier()},
        data=shoal.Data(person="cost"),
        models=[shoal.LDiversity("ill", l=2)],
    )
    assert problems(plan) == ""

    def others(private: Private) -> Private:
        persons = pl.Series([str(n) for n in range(N)])
        return replace(private, witness=replace(private.witness, persons=persons))

    assert "persons of the released rows" in problems(plan, private=others)


@pytest.mark.parametrize("person", [None, "cost"])
def test_an_input_distribution_other_than_that_of_the_input_is_found(person: str | None) -> None:
    columns = {**COLUMNS, "cost": shoal.insensitive() if person is None else shoal.identifier()}
    plan = plan_of(columns=columns, data=shoal.Data(person=person), models=[shoal.TCloseness("ill", t=0.9)])
    assert problems(plan) == ""

    def changed(private: Private) -> Private:
        more = {name: table.with_columns(pl.col("count") + 1) for name, table in private.input_counts.items()}
        return replace(private, input_counts=more)

    assert "distribution of column 'ill'" in problems(plan, private=changed)


def test_rows_may_be_dropped_only_for_missing_values() -> None:
    plan = plan_of(data=shoal.Data(missing_rows="drop"))
    given = LocalEngine(FRAME)
    fewer = LocalEngine(FRAME.head(30), np.arange(30))
    release = shoal.anonymize(FRAME, plan)
    found = faithful_problems(given, fewer, release.draft.tables, plan, release.private.witness.run)
    assert any("instead of 20" in problem for problem in found)


def test_what_is_not_true_is_not_published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.pipeline.faithful_problems", lambda *_: ["Column 'age' is wrong."])
    with pytest.raises(PromiseBroken, match="not true to its input"):
        shoal.anonymize(FRAME, plan_of())


def test_a_table_is_the_same_however_it_is_stored() -> None:
    table = pl.DataFrame({"a": ["x", None, "x"], "b": [1.0, 2.5, None], "c": [1, 2, 3], "d": [True, False, None]})
    text = pl.DataFrame({"a": ["x", "", "x"], "b": ["1", "2.5", ""], "c": ["1", "2", "3"], "d": ["true", "false", ""]})
    coded = text.with_columns(pl.col("a").cast(pl.Categorical))
    enum = table.with_columns(pl.col("a").cast(pl.Enum(["y", "x"])))
    for one in (table, enum):
        for other in (text, coded, table, enum):
            assert same_content(one, other)
    for wrong in (
        text.head(2),
        text.select("b", "a", "c", "d"),
        text.reverse(),
        coded.with_columns(a=pl.Series(["x", "", "y"], dtype=pl.Categorical)),
        text.with_columns(b=pl.Series(["1", "2.50", ""])),
    ):
        assert not same_content(enum, wrong)


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_typed_tables_are_written_as_they_were_released(tmp_path: Path, format: str, form: str) -> None:
    n = 40
    frame = pl.DataFrame(
        {
            "age": [20 + i % 5 for i in range(n)],
            "size": [1.0 * (i % 3) for i in range(n)],
            "cost": [float(i) * 1e20 if i % 2 else None for i in range(n)],
            "day": [date(2020, 1, 1 + i % 20) for i in range(n)],
            "time": [datetime(2020, 1, 1, 3, i) for i in range(n)],
            "dead": [i % 2 == 0 for i in range(n)],
            "ill": ["a", "b"] * 20,
        }
    )
    plan = shoal.Plan(
        columns={
            "age": shoal.quasi(),
            "size": shoal.quasi(),
            **{name: shoal.insensitive() for name in ("cost", "day", "time", "dead")},
            "ill": shoal.sensitive(),
        },
        models=[shoal.LDiversity("ill", l=2)],
        release=shoal.ReleaseSettings(format=format, form=form),
    )
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    assert shoal.verify_folder(tmp_path / "out").problems == ()
