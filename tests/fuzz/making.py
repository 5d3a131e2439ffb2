"""Random tables and plans. Everything follows from one seed, so that every run can be repeated."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import polars as pl
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

import shoal
from shoal import algorithms, models
from shoal.algorithms import Algorithm
from shoal.hierarchies import File
from shoal.models import ClassModel
from shoal.roles.columns import Column
from tests.contract.kinds import ALGORITHMS
from tests.contract.tables import Row, Value, write_trees
from tests.fuzz.columns import ODD, Quasi, quasi
from tests.models.strategies import MODELS
from tests.models.tables import COLUMNS, ITEMS, SETS

T = TypeVar("T")
CELLS = (*SETS, *SETS, "fever | cough", "ache|ache", " rash", "|cough|", "?", "NA|fever", "zest|ache|fever")
"""Cells of a set-valued column, some of which are not written as the release writes sets."""
NAMES = ("age", "zip", "naïve, q", 'say "x"', "q\n4", "q5")
MISSING = (None, None, "", "?", "NA")
NUMBERS = ("-3.5", "1e6", *map(str, range(14)))
GOALS: tuple[tuple[Value, ...], ...] = (("yes", "no"), ("yes", "no", None, "NA"), NUMBERS, (*NUMBERS, None, "?"))
"""The values of targets: categories and numbers, with and without missing ones."""
KINDS = ("text", "text", "text", "typed", "categorical", "pandas", "pyarrow")


@dataclass(frozen=True)
class Made:
    """A random table.

    `rows`: the cells as given, with several ways to write that a value is missing. `person`: whether the plan counts
    persons. `drops`: whether it drops rows with missing values. `missing_counts`: the sensitive columns in which a
    missing value is a value. `extra`: whether there is a sensitive column that no model names. `kind`: what the table
    is given as.
    """

    rows: tuple[Row, ...]
    quasi: tuple[Quasi, ...]
    person: bool
    drops: bool
    missing_counts: frozenset[str]
    extra: bool
    kind: str

    def value(self, row: Row, name: str) -> Value:
        """A cell as a value of its column: None for every way to write that it is missing."""
        return None if is_missing(row[name]) else row[name]

    @property
    def sensitive(self) -> tuple[str, ...]:
        return (*COLUMNS, *(("extra",) if self.extra else ()))

    @property
    def frame(self) -> Any:
        """The table as a user would have it."""
        frame = pl.DataFrame(self.rows, schema=dict.fromkeys(self.rows[0], pl.String))
        if self.kind == "typed":
            frame = frame.with_columns(self._typed(each) for each in self.quasi)
        if self.kind == "categorical":
            names = [*(each.name for each in self.quasi if each.kind == "text"), "disease"]
            frame = frame.with_columns(pl.col(names).cast(pl.Categorical))
        if self.kind == "pandas":
            return frame.to_pandas()
        return frame.to_arrow() if self.kind == "pyarrow" else frame

    def _typed(self, each: Quasi) -> pl.Expr:
        column = pl.col(each.name)
        return _parsed(column.replace(["", "?", "NA"], None), each.kind)


def is_missing(cell: Value) -> bool:
    """Whether a cell means that a value is missing; blanks do, too."""
    return cell is None or cell.strip() in MISSING


def _parsed(column: pl.Expr, kind: str) -> pl.Expr:
    """A column of text as numbers or dates."""
    if kind == "date":
        return column.str.to_date("%Y-%m-%d")
    return column.cast({"integer": pl.Int64, "real": pl.Float64}.get(kind, pl.String))


def table(rng: Random, trees: Path) -> Made:
    """A table of a few rows over one to four quasi-identifiers. Its domains are small, so that rows agree often."""
    names = rng.sample(NAMES, rng.choice((1, 2, 2, 3, 3, 4)))
    found = tuple(quasi(rng, name, trees) for name in names)
    domains: dict[str, tuple[Value, ...]] = {each.name: each.values for each in found}
    extra = rng.random() < 0.3
    for name, column in COLUMNS.items():
        domains[name] = tuple(rng.sample(list(column.paths), rng.randint(1, len(column.paths))))
    if extra:
        domains["extra"] = tuple(rng.sample(ODD, 5))
    absent = rng.choice((0.0, 0.0, 0.1, 0.4))
    persons = rng.choice((3, 8, 100))
    goals = rng.choice(GOALS)
    rows = [_row(rng, domains, absent, persons, goals) for _ in range(rng.choice((3, 8, 15, 25, 40)))]
    order = rng.sample(list(rows[0]), len(rows[0]))
    counting = frozenset(name for name in COLUMNS if rng.random() < 0.5)
    return Made(
        tuple({name: row[name] for name in order} for row in rows),
        found,
        person=rng.random() < 0.3,
        drops=rng.random() < 0.3,
        missing_counts=counting,
        extra=extra,
        kind=rng.choice(KINDS),
    )


def _row(
    rng: Random, domains: Mapping[str, tuple[Value, ...]], absent: float, persons: int, goals: tuple[Value, ...]
) -> Row:
    row = {
        name: rng.choice(MISSING) if rng.random() < absent else rng.choice(values) for name, values in domains.items()
    }
    row["who"] = f"p{rng.randrange(persons)}"
    row["note"] = rng.choice(("007", " x ", "NA", None, "-0", "=1+1", "*"))
    row["goal"] = rng.choice(goals)
    row[ITEMS] = rng.choice(CELLS)
    return row


def plan(rng: Random, made: Made, trees: Path, kind: str, algorithm: str, form: str) -> shoal.Plan:
    """A random plan for the table, with one model of the kind first; raises PlanError where its parts do not fit."""
    chosen = [rng.choice(_pool("models", kind))]
    while rng.random() < 0.3:
        chosen.append(rng.choice(_pool("models", rng.choice(sorted(MODELS)))))
    return shoal.Plan(
        data=shoal.Data(
            person="who" if made.person else None,
            missing_rows="drop" if made.drops else "keep",
            unlisted=rng.choice(("error", "insensitive")),
        ),
        columns=_columns(made, trees, _sets(rng, trees, chosen)),
        models=chosen,
        algorithm=rng.choice(_pool("algorithms", algorithm)),
        seed=rng.randrange(3),
        release=shoal.ReleaseSettings(
            form=form,
            categories=rng.choice(("hierarchy", "sets")),
            ranges=rng.choice(("tight", "cut")),
            suppression=rng.choice((0.0, 0.0, 0.0, 0.1, 0.4, 1.0)),
            format=rng.choice(("csv", "csv", "parquet")),
            escape_formulas=rng.random() < 0.2,
        ),
    )


def _sets(rng: Random, trees: Path, chosen: list[ClassModel]) -> Column:
    """The settings of the set-valued column, which models may read."""
    if not any(model.reads_items for model in chosen):
        return Column(role="insensitive")
    if not any(getattr(model, "looks_up", False) for model in chosen):
        return shoal.quasi_sensitive(rng.choice((None, File(str(trees / f"{ITEMS}.csv")))))
    return shoal.quasi_sensitive(knowledge=str(trees / "knowledge.csv"), publish_knowledge=rng.random() < 0.5)


def _columns(made: Made, trees: Path, sets: Column) -> dict[str, Column]:
    found = {each.name: Column(role="quasi-identifier", **each.settings) for each in made.quasi}
    for name in COLUMNS:
        found[name] = Column(
            role="sensitive",
            hierarchy=File(str(trees / f"{name}.csv")),
            type="real" if name == "months" else None,
            missing_counts=name in made.missing_counts,
            protected=COLUMNS[name].protected,
        )
    if made.extra:
        found["extra"] = Column(role="sensitive", type="text")
    others = {
        ITEMS: sets,
        "who": Column(role="identifier"),
        "note": Column(role="insensitive"),
        "goal": Column(role="target"),
    }
    return found | others


@cache
def _pool(family: str, kind: str) -> tuple[Any, ...]:
    """Parameters of a kind, from the strategy that its test module declares: a new kind takes part by itself."""
    strategy: SearchStrategy[ClassModel | Algorithm] = {"models": MODELS, "algorithms": ALGORITHMS}[family][kind]
    found: list[Any] = []

    @given(strategy)
    @settings(
        max_examples=60,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=HealthCheck,
    )
    def collect(member: Any) -> None:
        found.append(member)

    collect()
    return tuple(found)


@cache
def trees() -> Path:
    """The folder of the hierarchy files; removed when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="fuzz-")
    _KEPT.append(folder)
    write_trees(Path(folder.name))
    return Path(folder.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def combinations() -> list[tuple[str, str, str]]:
    """Every model × algorithm × form that an algorithm supports."""
    return [
        (model.kind, algorithm.kind, form)
        for model in models.ALL
        for algorithm in algorithms.ALL
        for form in algorithm.forms
    ]


def twin(rng: Random, made: Made) -> Made:
    """The same table in another order of rows, with other identifiers."""
    rows = rng.sample(made.rows, len(made.rows))
    if made.person:
        return replace(made, rows=tuple({**row, "who": f"other {row['who']}"} for row in rows))
    return replace(made, rows=tuple({**row, "who": str(number)} for number, row in enumerate(rows)))
