"""A minute of fuzzing, and that the fuzzer finds what is wrong."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable

import polars as pl
import pytest

import shoal
from shoal.table import Runs
from tests.fuzz import making
from tests.fuzz.judging import Case, problems, saved_problems
from tests.fuzz.running import Coverage, Run, made_of, run, run_for

SECONDS = float(os.environ.get("SHOAL_FUZZ_SECONDS", "20"))
"""How long each part of the seeds is tried; `make fuzz` tries as many as asked for."""


@pytest.mark.slow
@pytest.mark.parametrize("first", [10_000_000, 20_000_000, 30_000_000])
def test_random_releases_are_sound(first: int) -> None:
    coverage = run_for(SECONDS, first)
    assert not coverage.wrong, "\n".join(
        f"python -m tests.fuzz --only {each.seed}: {each.problem}" for each in coverage.wrong
    )
    assert coverage.number("released") > coverage.runs / 10 - 3, "almost nothing was released, so nothing was judged"


def test_a_seed_repeats_a_run() -> None:
    seed = next(seed for seed in range(100) if run(seed).state == "released")
    (one, plan, _), (other, same, _) = made_of(seed), made_of(seed)
    assert (one.rows, plan) == (other.rows, same)
    assert run(seed) == run(seed)


def test_coverage_counts_every_combination() -> None:
    coverage = Coverage.empty()
    coverage.add(Run(0, ("k-anonymity", "mondrian", "generalized"), "released"))
    coverage.add(Run(1, ("k-anonymity", "mondrian", "generalized"), "wrong", "why"))
    lines = list(coverage.lines())
    assert len(lines) == len(making.combinations()) + 2
    assert lines[1].split() == ["k-anonymity", "mondrian", "generalized", "2", "1", "0", "0", "1"]
    assert [each.problem for each in coverage.wrong] == ["why"]


# -- what the judge must find -----------------------------------------------------------------------------------------


@pytest.fixture
def case() -> Case:
    """A sound release of twelve patients with two quasi-identifiers."""
    settings = {"age": {}, "zip": {"type": "text"}}
    quasi = tuple(making.Quasi(name, (), kind, settings[name]) for name, kind in (("age", "integer"), ("zip", "text")))
    rows = tuple(
        {
            "age": str(20 + n),
            "zip": "021" if n < 6 else "100",
            "disease": ("flu", "HIV", "rash")[n % 3],
            "months": "9",
            "who": str(n),
            "note": f"{n}",
            "goal": "yes",
        }
        for n in range(12)
    )
    made = making.Made(rows, quasi, person=False, drops=False, missing_counts=frozenset(), extra=False, kind="text")
    columns = {each.name: shoal.quasi(**each.settings) for each in quasi}
    others = {"disease": shoal.sensitive(), "months": shoal.sensitive(), "who": shoal.identifier()}
    unchanged = {"note": shoal.insensitive(), "goal": shoal.target()}
    plan = shoal.Plan(
        columns={**columns, **others, **unchanged}, models=[shoal.KAnonymity(k=3), shoal.LDiversity("disease", l=3)]
    )
    return Case(made, plan, shoal.anonymize(made.frame, plan))


def test_a_sound_release_has_no_problem(case: Case) -> None:
    assert problems(case) == saved_problems(case) == []


def with_table(case: Case, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Case:
    tables = {name: Runs.of(change(table)) for name, table in case.release.tables.items()}
    release = dataclasses.replace(case.release, draft=dataclasses.replace(case.release.draft, tables=tables))
    return Case(case.made, case.plan, release)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda table: table.head(11), "rows: lost"),
        (lambda table: table.with_columns(age=pl.lit("[0, 1]")), "column age: 12 labels"),
        (
            lambda table: table.with_columns(age=pl.col("age").cast(pl.String).str.replace(", .*", ", 21]")),
            "column age",
        ),
        (
            lambda table: table.with_columns(disease=pl.col("disease").cast(pl.String).shift(1, fill_value="flu")),
            "disease",
        ),
        (lambda table: table.with_columns(note=pl.lit("x")), "column note: changed"),
        (lambda table: table.drop("goal"), "columns: not those"),
        (lambda table: table.reverse(), "rows: not sorted"),
        (lambda table: table.with_columns(age=pl.lit("*"), zip=pl.lit("*")), "figures"),
    ],
)
def test_what_is_wrong_is_found(case: Case, change: Callable[[pl.DataFrame], pl.DataFrame], found: str) -> None:
    assert any(found in problem for problem in problems(with_table(case, change)))


def test_a_broken_promise_is_found(case: Case) -> None:
    stricter = case.plan.changed(models=[shoal.KAnonymity(k=7)])
    assert problems(Case(case.made, stricter, case.release)) == ["promise: k-anonymity does not hold"]


def test_a_row_beyond_the_limit_is_found(case: Case) -> None:
    with_more = dataclasses.replace(case.made, rows=(*case.made.rows, case.made.rows[0]))
    assert "rows: more were suppressed than the plan allows" in problems(Case(with_more, case.plan, case.release))
