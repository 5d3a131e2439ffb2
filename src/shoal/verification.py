"""Verification: regroups the released rows by their labels and re-checks every promise, trusting nothing else.

It never imports kernels or algorithms, and it asks each model for its second statement, `holds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal import spec
from shoal.errors import PlanError
from shoal.models.base import CLASS, PERSON, Achieved, Evidence, SensitiveFacts
from shoal.plan import Plan
from shoal.roles import Column

_KEY_ROOM = 2**62


@dataclass(frozen=True)
class Verdict:
    """One model's promise on one release."""

    kind: str
    parameters: Mapping[str, Any]
    holds: bool
    achieved: Achieved
    failing: int

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            **self.parameters,
            "achieved": dict(self.achieved),
            "holds": self.holds,
            "failing_classes": self.failing,
        }


@dataclass(frozen=True)
class Verification:
    """What re-checking a release found. `sizes` are the rows of its classes; `problems` are promises or files amiss."""

    verdicts: tuple[Verdict, ...]
    rows: int
    sizes: pl.Series
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> int:
        return len(self.sizes)

    @property
    def holds(self) -> bool:
        return not self.problems and all(verdict.holds for verdict in self.verdicts)


def nothing_verified() -> Verification:
    """What is known of a release before verification: nothing, so nothing holds."""
    return Verification((), 0, pl.Series(dtype=pl.UInt32), ("The release has not been verified.",))


def verify(
    frame: pl.DataFrame,
    plan: Plan,
    *,
    persons: pl.Series | None = None,
    input_counts: Mapping[str, pl.DataFrame] | None = None,
) -> Verification:
    """Whether a generalized table keeps every promise of the plan.

    `persons` (one per row) and `input_counts` are known only where the release is made. Without them persons cannot be
    told apart, and a distance to the input cannot be checked: the verification then says so.
    """
    problems = column_problems(frame.columns, plan)
    if problems:
        return Verification((), frame.height, pl.Series(dtype=pl.UInt32), tuple(problems))
    classes = regrouped(frame, plan.quasi_identifiers)
    evidence = Evidence(_evidence_frame(frame, plan, classes, persons), _facts(frame, plan), input_counts or {})
    verdicts = tuple(_verdict(model, evidence) for model in plan.enforced)
    notes = []
    if plan.data.person is not None and persons is None:
        notes.append(
            "The plan counts persons, whom the released table no longer tells apart: rows were counted. "
            "Persons were counted when the release was made."
        )
    return Verification(verdicts, frame.height, classes.value_counts()["count"], (), tuple(notes))


def column_problems(columns: Sequence[str], plan: Plan) -> list[str]:
    """Columns that must not be there, or are not there."""
    problems = []
    for name in columns:
        column = plan.columns.get(name)
        if name == plan.data.person or (column is not None and column.role == "identifier"):
            problems.append(f"The identifier '{name}' is in the released table.")
        elif column is None and plan.data.unlisted != "insensitive":
            problems.append(f"Column '{name}' of the released table has no role in the plan.")
    wanted = (*plan.quasi_identifiers, *plan.sensitive)
    problems += [f"Column '{name}' is missing from the released table." for name in wanted if name not in columns]
    return problems


def regrouped(frame: pl.DataFrame, quasi_identifiers: Sequence[str]) -> pl.Series:
    """The class of every row: a number that is equal exactly where all released labels are equal."""
    key, room = pl.zeros(frame.height, dtype=pl.UInt64, eager=True), 1
    for name in quasi_identifiers:
        codes, size = _label_codes(frame[name])
        if room * size >= _KEY_ROOM:
            key = key.rank("dense").cast(pl.UInt64) - 1
            room = key.n_unique()
        key, room = key * size + codes, room * size
    return key.alias(CLASS)


def _label_codes(labels: pl.Series) -> tuple[pl.Series, int]:
    """A number for every label, and one more than the largest; a missing label and an empty one are the same."""
    text = labels.cast(pl.String).fill_null("")
    codes = text.cast(pl.Categorical(pl.Categories.random())).to_physical().cast(pl.UInt64)
    largest = codes.max()
    return codes, (int(largest) if isinstance(largest, int) else 0) + 1


def _evidence_frame(frame: pl.DataFrame, plan: Plan, classes: pl.Series, persons: pl.Series | None) -> pl.DataFrame:
    columns = [classes]
    for name in plan.reads:
        text = frame[name].cast(pl.String)
        columns.append(text.set(text == "", None))
    if persons is not None:
        columns.append(persons.alias(PERSON))
    return pl.DataFrame(columns)


def _facts(frame: pl.DataFrame, plan: Plan) -> dict[str, SensitiveFacts]:
    return {name: facts(plan.columns[name], frame[name]) for name in plan.reads}


def facts(column: Column, released: pl.Series) -> SensitiveFacts:
    """What the plan says of a sensitive column, with the tree paths of the values that were released."""
    paths: dict[str, tuple[str, ...]] = {}
    if column.hierarchy is not None:
        values = released.cast(pl.String).unique().drop_nulls().sort()
        tree = column.hierarchy.build(values.filter(values != ""))
        released_texts = set(values)
        paths = {
            tree.leaves[leaf]: tree.path(int(leaf))
            for leaf in tree.depth_first()
            if tree.leaves[leaf] in released_texts
        }
    by_type = {"integer": "number", "real": "number", "date": "date"}
    order = "tree" if paths else by_type.get(column.type or "text", "text")
    return SensitiveFacts(column.missing_counts, order, paths, column.protected)


def _verdict(model: Any, evidence: Evidence) -> Verdict:
    parameters = {name: value for name, value in spec.to_table(model).items() if name != "kind"}
    if evidence.frame.height == 0:
        raise PlanError("The released table has no rows: there is nothing to verify.")
    finding = model.holds(evidence)
    return Verdict(model.kind, parameters, finding.holds, finding.achieved, finding.failing)
