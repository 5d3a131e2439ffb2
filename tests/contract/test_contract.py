"""Every model × algorithm × form keeps its promise on random tables: slow, plain definitions judge the saved files."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import shoal
from shoal import algorithms, forms, labels, models
from shoal.errors import CannotBeMet, PlanError
from tests import oracle
from tests.contract.kinds import ALGORITHMS, FORMS, Shape, read
from tests.contract.tables import Made, Reading, Row, tables
from tests.models.declared import undeclared
from tests.models.strategies import MODELS
from tests.models.tables import COLUMNS, ITEM_PATHS, ITEMS, KNOWLEDGE

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
    oracles = [(model.kind, "TABLE_ORACLE" if model.judges_table else "ORACLE") for model in models.ALL]
    lacking = undeclared("models", [*((model.kind, "STRATEGY") for model in models.ALL), *oracles])
    lacking += undeclared("algorithms", [(algorithm.kind, "STRATEGY") for algorithm in algorithms.ALL])
    assert not lacking, "\n".join(lacking)
    taking_part = {kind for param in COMBINATIONS for kind in param.values}
    assert taking_part == {member.kind for member in (*models.ALL, *algorithms.ALL, *forms.ALL)}
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
    def shape(self) -> Shape:
        return FORMS[self.plan.release.form]

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the main table, as anyone can read them."""
        return read(self.folder / self.shape.file)

    @cached_property
    def came_from(self) -> list[Row]:
        """The input row behind each of them, which nobody else knows."""
        return [self.made.rows[i] for i in self.release.private.witness.row.tolist()]

    @property
    def pairs(self) -> list[tuple[Row, Row]]:
        return list(zip(self.rows, self.came_from, strict=True))

    def key(self, row: Row) -> tuple[str | None, ...]:
        """What tells classes apart in the main table."""
        return tuple(row[name] for name in self.shape.class_columns([q.name for q in self.made.quasi]))


def frame_of(made: Made) -> pl.DataFrame:
    return pl.DataFrame(made.rows, schema=dict.fromkeys(made.rows[0], pl.String))


def draw_plan(data: st.DataObject, made: Made, trees: Path, kind: str, algorithm: str, form: str) -> shoal.Plan | None:
    """A plan with one model of the kind and, now and then, k-anonymity beside it; None where it is refused."""
    beside = [] if kind == "k-anonymity" else data.draw(st.sampled_from([[], [], [shoal.KAnonymity(k=2)]]))
    removes = models.by_kind(kind).removes_items
    tree = None if looks_up(kind) else data.draw(st.sampled_from([None, shoal.tree(str(trees / f"{ITEMS}.csv"))]))
    known = {"knowledge": str(trees / "knowledge.csv"), "publish_knowledge": data.draw(st.booleans())}
    sets = shoal.quasi_sensitive(tree, **(known if looks_up(kind) else {}))  # type: ignore[arg-type]
    try:
        return shoal.Plan(
            data=shoal.Data(person="who" if made.person else None),
            columns=made.columns(trees, sets if removes else None),
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
        return None


def looks_up(kind: str) -> bool:
    """Whether models of a kind need a knowledge table."""
    return getattr(models.by_kind(kind), "looks_up", False)


def released(made: Made, plan: shoal.Plan | None) -> shoal.Release | None:
    """A release, or nothing where the plan is refused or cannot be met on this table."""
    try:
        return None if plan is None else shoal.anonymize(frame_of(made), plan)
    except (CannotBeMet, PlanError):
        return None


@pytest.mark.parametrize(("kind", "algorithm", "form"), COMBINATIONS)
@given(data=st.data())
@quick
def test_a_release_is_what_it_says(kind: str, algorithm: str, form: str, trees: Path, data: st.DataObject) -> None:
    made = data.draw(tables())
    plan = draw_plan(data, made, trees, kind, algorithm, form)
    release = released(made, plan)
    if plan is None or release is None:
        return
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "out"
        release.save(folder)
        case = Case(made, plan, release, folder)
        check_rows(case)
        check_labels(case)
        check_promises(case)
        check_exact(case)
        check_measures(case)
        found = shoal.verify_folder(folder, plan=plan)
        assert found.holds, found.problems
        published = not plan.looked_up or plan.columns[ITEMS].publish_knowledge
        assert shoal.verify_folder(folder, knowledge=() if published else [str(trees / "knowledge.csv")]).holds


@pytest.mark.parametrize("kind", sorted({kind for param in COMBINATIONS for kind in param.values}))
def test_every_kind_takes_part_in_a_release(kind: str, trees: Path) -> None:
    """Without this, a kind that always refuses would pass the test above."""
    those = [param.values for param in COMBINATIONS if kind in param.values]

    def is_released(data: st.DataObject) -> bool:
        made = data.draw(tables())
        return released(made, draw_plan(data, made, trees, *data.draw(st.sampled_from(those)))) is not None

    find(
        st.data(),
        is_released,
        settings=settings(quick, max_examples=200, phases=[Phase.generate], derandomize=True),
    )


def check_rows(case: Case) -> None:
    """Every input row is released exactly once or suppressed, and nothing but quasi-identifiers changed."""
    given_rows, kept, rows = case.made.rows, case.release.private.witness.row.tolist(), case.rows
    assert len(set(kept)) == len(kept) == len(rows)
    assert case.manifest["rows_in"] == len(given_rows) == len(rows) + case.manifest["rows_suppressed"]
    apart = set(COLUMNS) if case.shape.apart else set()
    shown = [name for name in given_rows[0] if name != "who" and name not in apart]
    assert list(rows[0]) == shown + (["class_id"] if case.shape.apart else [])
    removes = ITEMS in case.plan.quasi_sensitive
    unchanged = [name for name in (*COLUMNS, "note", "goal", ITEMS) if name not in apart]
    unchanged = [name for name in unchanged if name != ITEMS or not removes]
    for row, origin in case.pairs:
        assert not removes or shown_truly(case.plan, row[ITEMS], origin[ITEMS])
        assert [row[name] for name in unchanged] == [origin[name] for name in unchanged]
    in_order = [[(row[name] is not None, (row[name] or "").encode()) for name in shown] for row in rows]
    assert in_order == sorted(in_order)
    for name in apart:
        check_counts(case, name)


def shown_truly(plan: shoal.Plan, cell: str | None, origin: str | None) -> bool:
    """Whether every item of a released cell is one of its input row, or a label above one."""
    items = set((origin or "").split("|")) - {""}
    generalized = plan.columns[ITEMS].hierarchy is not None
    allowed = {label for item in items for label in ITEM_PATHS[item]} if generalized else items
    return set((cell or "").split("|")) - {""} <= allowed


def check_counts(case: Case, name: str) -> None:
    """A table of sensitive values counts exactly what the rows of each class hold."""
    counted = {
        (row["class_id"], row["value"]): int(row["count"] or 0) for row in read(case.folder / f"sensitive_{name}.csv")
    }
    assert counted == Counter((row["class_id"], origin[name]) for row, origin in case.pairs)


def readings(case: Case) -> dict[str, Reading]:
    how = {"by_level": case.plan.algorithm.recodes_by_level, "categories": case.plan.release.categories}
    return {q.name: Reading(q, [row[q.name] for row in case.made.rows], **how) for q in case.made.quasi}


def check_labels(case: Case) -> None:
    """Every label is true of the value it stands for."""
    for name, reading in readings(case).items():
        for row, origin in case.pairs:
            value = origin[name]
            coded = None if value is None else reading.quasi.coded(value)
            if case.shape.labelled:
                assert reading.covers(row[name] or "", coded), (name, row[name], coded)
            else:
                assert row[name] == coded, (name, row[name], coded)


def check_promises(case: Case) -> None:
    """The oracle finds every model met, in every class, against every table that shares are compared with."""
    made = case.made
    setting = oracle.Setting(
        person="who" if made.person else None,
        missing_counts=made.missing_counts,
        order={name: list(column.paths) for name, column in COLUMNS.items()},
        paths={name: column.paths for name, column in COLUMNS.items()},
        protected={name: column.protected for name, column in COLUMNS.items()},
        knowledge={ITEMS: KNOWLEDGE},
    )
    classes: dict[tuple[str | None, ...], list[Row]] = defaultdict(list)
    for row, origin in case.pairs:  # sensitive values are the same, and a person only the input tells
        if is_covered(case.plan, row):
            classes[case.key(row)].append({**origin, ITEMS: row[ITEMS]})
    for model in case.plan.enforced:
        parameters = dataclasses.asdict(model)  # type: ignore[call-overload]
        if model.judges_table:
            quasi = [each.name for each in made.quasi]
            seen = [{**origin, **{name: row[name] for name in quasi}} for row, origin in case.pairs]
            assert oracle.allows(model.kind, parameters, seen, quasi, setting), model
            continue
        released = [[{**origin, ITEMS: row[ITEMS]} for row, origin in case.pairs]]
        given_rows = [made.rows]
        wholes = {"input": given_rows, "released": released}.get(parameters.get("reference", ""), released + given_rows)
        for whole in wholes if "reference" in parameters or model.reads_input else released:
            assert oracle.check(model.kind, parameters, list(classes.values()), whole, setting), model


def is_covered(plan: shoal.Plan, row: Row) -> bool:
    """Whether the promises cover a released row: under `scba`, if its value is high or missing."""
    if not isinstance(plan.algorithm, shoal.Scba):
        return True
    value, high = row[plan.algorithm.column], plan.algorithm.high
    is_number = plan.algorithm.column == "months"
    return value is None or (float(value) in map(float, high) if is_number else value in high)


def check_exact(case: Case) -> None:
    """Rows that no promise covers are published as they are, unless the plan hides some of them among others."""
    if not isinstance(case.plan.algorithm, shoal.Scba) or case.plan.algorithm.cover:
        return
    for row, origin in case.pairs:
        for quasi in case.made.quasi if not is_covered(case.plan, row) else ():
            value = origin[quasi.name]
            assert row[quasi.name] == (None if value is None else labels.exact(quasi.coded(value)))


def check_measures(case: Case) -> None:
    """The manifest's figures follow from the plan, the released file and the number of input rows."""
    measures, n, rows = case.manifest["measures"], len(case.made.rows), case.rows
    sizes = Counter(case.key(row) for row in rows).values()
    gone = n - len(rows)
    assert case.manifest["classes"] == len(sizes)
    assert measures["average_class_size"] == pytest.approx(len(rows) / len(sizes))
    assert measures["discernibility"] == sum(size**2 for size in sizes) + gone * n
    by_column = measures["ncp_by_column"]
    assert measures["ncp"] == pytest.approx(sum(by_column.values()) / len(by_column))
    for name, reading in readings(case).items():
        if case.shape.labelled:
            released = {row[name] or "" for row in rows}
            lost = sum((reading.loss(row[name] or "", released) for row in rows), Fraction(gone)) / n
            assert by_column[name] == pytest.approx(float(lost), abs=1e-9), name
            check_precision(case, reading, measures["precision_by_column"][name])
        else:
            assert by_column[name] == pytest.approx(gone / n)


def check_precision(case: Case, reading: Reading, precision: float | None) -> None:
    """Values and `*` alone have an obvious level; a range or set that is no node has none."""
    name, n, rows = reading.quasi.name, len(case.made.rows), case.rows
    released = Counter(row[name] or "" for row in rows)
    if reading.as_tree and not reading.paths and set(released) <= {"*", *map(labels.exact, reading.present)}:
        assert precision == pytest.approx(1 - (released["*"] + n - len(rows)) / n), name
    if not reading.as_tree and any(isinstance(labels.read(label), labels.Range | labels.OneOf) for label in released):
        assert precision is None


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
@given(data=st.data())
@settings(quick, max_examples=2 * EXAMPLES)
def test_bytes_follow_from_content_alone(algorithm: str, trees: Path, data: st.DataObject) -> None:
    made = data.draw(tables())
    form = next(cls for cls in algorithms.ALL if cls.kind == algorithm).forms[0]
    plan = draw_plan(data, made, trees, data.draw(st.sampled_from(sorted(MODELS))), algorithm, form)
    if plan is None:
        return
    names = data.draw(st.permutations(list(plan.columns)))
    reordered = plan.changed(columns={name: plan.columns[name] for name in names}, models=plan.enforced)
    shuffled = dataclasses.replace(made, rows=tuple(data.draw(st.permutations(made.rows))))
    once = written(released(made, plan))
    assert written(released(made, plan)) == once
    assert written(released(shuffled, plan)) == once
    assert written(released(made, reordered)) == once


def written(release: shoal.Release | None) -> dict[str, str] | None:
    """The released tables as text."""
    return None if release is None else {name: table.write_csv() for name, table in release.tables.items()}
