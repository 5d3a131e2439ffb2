"""Every model × algorithm × form keeps its promise on random tables: slow, plain definitions judge the saved files."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal import algorithms, forms, models
from shoal.errors import CannotBeMet, PlanError
from tests import oracle
from tests.contract.kinds import ALGORITHMS, FORMS
from tests.contract.tables import Made, Reading, Row, tables
from tests.models.strategies import MODELS
from tests.models.tables import COLUMNS

EXAMPLES = int(os.environ.get("SHOAL_CONTRACT_EXAMPLES", "6"))
"""Tables tried per combination; a long night can try thousands."""
quick = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)
COMBINATIONS = [
    pytest.param(model.kind, algorithm.kind, form.kind, id=f"{model.kind}-{algorithm.kind}-{form.kind}")
    for model in models.ALL
    for algorithm in algorithms.ALL
    for form in forms.ALL
    if form.kind in algorithm.forms and model.kind in MODELS and algorithm.kind in ALGORITHMS
]
CATEGORIES, RANGES = st.sampled_from(["hierarchy", "sets"]), st.sampled_from(["tight", "cut"])


def test_every_model_algorithm_and_form_is_in_the_contract() -> None:
    assert sorted(MODELS) == sorted(model.kind for model in models.ALL)
    assert sorted(ALGORITHMS) == sorted(algorithm.kind for algorithm in algorithms.ALL)
    assert sorted(FORMS) == sorted(form.kind for form in forms.ALL)
    assert {form for algorithm in algorithms.ALL for form in algorithm.forms} <= set(FORMS)


@dataclasses.dataclass(frozen=True)
class Case:
    """A table, its plan and the release in a folder of its own."""

    made: Made
    plan: shoal.Plan
    release: shoal.Release
    folder: Path

    @property
    def rows(self) -> list[Row]:
        return FORMS[self.plan.release.form](self.folder)

    @property
    def manifest(self) -> dict[str, Any]:
        return json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def frame_of(made: Made) -> pl.DataFrame:
    return pl.DataFrame(made.rows, schema=dict.fromkeys(made.rows[0], pl.String))


def draw_plan(data: st.DataObject, made: Made, trees: Path, kind: str, algorithm: str, form: str) -> shoal.Plan:
    """A plan with one model of the kind and, now and then, k-anonymity beside it."""
    beside = [] if kind == "k-anonymity" else data.draw(st.sampled_from([[], [shoal.KAnonymity(k=2)]]))
    try:
        return shoal.Plan(
            data=shoal.Data(person="who" if made.person else None),
            columns=made.columns(trees),
            models=(data.draw(MODELS[kind]), *beside),
            algorithm=data.draw(ALGORITHMS[algorithm]),
            release=shoal.ReleaseSettings(
                form=form,
                categories=data.draw(CATEGORIES),
                ranges=data.draw(RANGES),
                suppression=data.draw(st.sampled_from([0.0, 0.0, 0.4])),
            ),
        )
    except PlanError:
        assume(False)
        raise


@contextmanager
def released(made: Made, plan: shoal.Plan) -> Iterator[Case]:
    """The case, or none at all where the plan cannot be met on this table."""
    try:
        release = shoal.anonymize(frame_of(made), plan)
    except (CannotBeMet, PlanError):
        assume(False)
        raise
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "out"
        release.save(folder)
        yield Case(made, plan, release, folder)


@pytest.mark.parametrize(("kind", "algorithm", "form"), COMBINATIONS)
@given(data=st.data())
@quick
def test_a_release_is_what_it_says(kind: str, algorithm: str, form: str, trees: Path, data: st.DataObject) -> None:
    made = data.draw(tables())
    plan = draw_plan(data, made, trees, kind, algorithm, form)
    with released(made, plan) as case:
        rows = case.rows
        came_from = [made.rows[i] for i in case.release.released.row.tolist()]
        check_rows(case, rows, came_from)
        check_labels(case, rows, came_from)
        check_promises(case, rows, came_from)
        check_measures(case, rows)
        found = shoal.verify_folder(case.folder, plan=plan)
        assert found.holds, found.problems
        assert shoal.verify_folder(case.folder).holds


def check_rows(case: Case, rows: list[Row], came_from: list[Row]) -> None:
    """Every input row is released exactly once or suppressed, and nothing but quasi-identifiers changed."""
    given_rows, kept = case.made.rows, case.release.released.row.tolist()
    assert len(set(kept)) == len(kept) == len(rows)
    assert case.manifest["rows_in"] == len(given_rows) == len(rows) + case.manifest["rows_suppressed"]
    assert list(rows[0]) == [name for name in given_rows[0] if name != "who"]
    for name in (*COLUMNS, "note", "goal"):
        assert [row[name] for row in rows] == [row[name] for row in came_from], name
    if case.manifest["rows_suppressed"] == 0:
        unchanged = (*COLUMNS, "note", "goal")
        assert Counter(tuple(row[name] for name in unchanged) for row in rows) == Counter(
            tuple(row[name] for name in unchanged) for row in given_rows
        )
    in_order = [tuple((value is not None, (value or "").encode()) for value in row.values()) for row in rows]
    assert in_order == sorted(in_order)


def readings(case: Case) -> dict[str, Reading]:
    how = {"by_level": case.plan.algorithm.recodes_by_level, "categories": case.plan.release.categories}
    return {q.name: Reading(q, [row[q.name] for row in case.made.rows], **how) for q in case.made.quasi}


def check_labels(case: Case, rows: list[Row], came_from: list[Row]) -> None:
    """Every label is true of the value it stands for."""
    for name, reading in readings(case).items():
        for row, origin in zip(rows, came_from, strict=True):
            value = origin[name]
            coded = None if value is None else reading.quasi.coded(value)
            assert reading.covers(row[name] or "", coded), (name, row[name], coded)


def classes_of(case: Case, rows: list[Row], came_from: list[Row]) -> list[list[Row]]:
    """Released rows that agree in every released label, each with the person who is behind it."""
    found: dict[tuple[str | None, ...], list[Row]] = defaultdict(list)
    for row, origin in zip(rows, came_from, strict=True):
        found[tuple(row[q.name] for q in case.made.quasi)].append(row | {"who": origin["who"]})
    return list(found.values())


def check_promises(case: Case, rows: list[Row], came_from: list[Row]) -> None:
    """The oracle finds every model met, in every class, against every table that shares are compared with."""
    made = case.made
    setting = oracle.Setting(
        person="who" if made.person else None,
        missing_counts=made.missing_counts,
        order={name: list(column.paths) for name, column in COLUMNS.items()},
        paths={name: column.paths for name, column in COLUMNS.items()},
    )
    classes = classes_of(case, rows, came_from)
    for model in case.plan.enforced:
        parameters = dataclasses.asdict(model)  # type: ignore[call-overload]
        wholes = {"input": [made.rows], "released": [came_from]}.get(
            parameters.get("reference", "both"), [came_from, made.rows]
        )
        for whole in wholes:
            assert oracle.check(model.kind, parameters, classes, whole, setting), model


def check_measures(case: Case, rows: list[Row]) -> None:
    """The manifest's figures follow from the input, the plan and the released file."""
    measures, n = case.manifest["measures"], len(case.made.rows)
    sizes = Counter(tuple(row[q.name] for q in case.made.quasi) for row in rows).values()
    gone = n - len(rows)
    assert case.manifest["classes"] == len(sizes)
    assert measures["average_class_size"] == pytest.approx(len(rows) / len(sizes))
    assert measures["discernibility"] == sum(size**2 for size in sizes) + gone * n
    for name, reading in readings(case).items():
        lost = sum((reading.loss(row[name] or "") for row in rows), Fraction(gone)) / n
        assert measures["ncp_by_column"][name] == pytest.approx(float(lost), abs=1e-9), name
        check_precision(case, rows, reading, measures["precision_by_column"][name])
    by_column = measures["ncp_by_column"].values()
    assert measures["ncp"] == pytest.approx(sum(by_column) / len(by_column))


def check_precision(case: Case, rows: list[Row], reading: Reading, precision: float | None) -> None:
    name, n, gone = reading.quasi.name, len(case.made.rows), len(case.made.rows) - len(rows)
    if not reading.as_tree:
        assert precision is None
    elif case.plan.algorithm.recodes_by_level:  # a cell may be raised and look the same: then the manifest tells
        level = case.manifest.get("levels", {}).get(name)
        if level is not None:
            assert precision == pytest.approx(1 - (level / reading.height * len(rows) + gone) / n), name
    else:
        raised = sum((reading.climbed(row[name] or "") for row in rows), Fraction(gone)) / n
        assert precision == pytest.approx(1 - float(raised)), name


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
@given(data=st.data())
@settings(quick, max_examples=2 * EXAMPLES)
def test_bytes_follow_from_content_alone(algorithm: str, trees: Path, data: st.DataObject) -> None:
    made = data.draw(tables())
    form = next(cls for cls in algorithms.ALL if cls.kind == algorithm).forms[0]
    kind = data.draw(st.sampled_from(sorted(MODELS)))
    plan = draw_plan(data, made, trees, kind, algorithm, form)
    names = data.draw(st.permutations(list(plan.columns)))
    reordered = plan.changed(columns={name: plan.columns[name] for name in names}, models=plan.enforced)
    shuffled = dataclasses.replace(made, rows=tuple(data.draw(st.permutations(made.rows))))
    once = written(made, plan)
    assert written(made, plan) == once
    assert written(shuffled, plan) == once
    assert written(made, reordered) == once


def written(made: Made, plan: shoal.Plan) -> dict[str, str]:
    """The released tables as text."""
    try:
        release = shoal.anonymize(frame_of(made), plan)
    except (CannotBeMet, PlanError):
        assume(False)
        raise
    return {name: table.write_csv() for name, table in release.tables.items()}
