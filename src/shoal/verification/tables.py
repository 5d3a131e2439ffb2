"""Verification: regroups the released rows by their labels and re-checks every promise, trusting nothing else.

It never imports kernels or algorithms, and it asks each model for its second statement, `holds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal import table
from shoal.errors import PlanError
from shoal.hierarchies.base import text_of
from shoal.labels import ANY, MISSING
from shoal.models.base import CLASS, PERSON, Achieved, ClassModel, Evidence, SensitiveFacts
from shoal.plan.plan import Plan
from shoal.roles import spec
from shoal.roles.columns import Column

_KEY_ROOM = 2**62


@dataclass(frozen=True)
class Verdict:
    """One model's promise on one release."""

    kind: str
    parameters: Mapping[str, Any]
    holds: bool
    achieved: Achieved
    failing: int
    checked: str = ""
    """Where it was not checked from the files alone: how it was."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            **self.parameters,
            "achieved": dict(self.achieved),
            "holds": self.holds,
            "failing_classes": self.failing,
            **({"checked": self.checked} if self.checked else {}),
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
    frame: Any,
    plan: Plan,
    *,
    persons: pl.Series | None = None,
    input_counts: Mapping[str, pl.DataFrame] | None = None,
) -> Verification:
    """Whether a generalized table (pandas, polars or pyarrow) keeps every promise of the plan.

    `persons` (one per row) and `input_counts` are known only where the release is made. Without them persons cannot be
    told apart, and a distance to the input cannot be checked: the verification then says so.
    """
    released, _ = table.to_polars(frame)
    problems = column_problems(released.columns, plan)
    if problems:
        return Verification((), released.height, pl.Series(dtype=pl.UInt32), tuple(problems))
    seen = _evidence_frame(released, plan, persons)
    known = any(model.judges == "knowledge" for model in plan.enforced)
    # In the table's order: which of equally telling columns are named does not depend on the plan's.
    labels = released.select(name for name in released.columns if name in plan.quasi_identifiers) if known else None
    return judged(seen, plan, input_counts or {}, labels=labels)


def judged(
    seen: pl.DataFrame,
    plan: Plan,
    counts: Mapping[str, pl.DataFrame],
    *,
    labels: pl.DataFrame | None = None,
    linked: bool = True,
) -> Verification:
    """What every model says of rows with their CLASS, PERSON where known, and the columns that models read."""
    known = {
        name: facts(plan.columns[name], *_values(name, seen, counts), tree=name in plan.reads_trees)
        for name in plan.reads
    }
    evidence = Evidence(seen, known, counts, labels, linked)
    countable = plan.data.person is None or PERSON in seen.columns
    verdicts = tuple(
        _verdict(model, evidence) if countable or model.fails_in_persons else _unchecked(model, evidence)
        for model in plan.enforced
    )
    notes = () if countable else _person_notes(verdicts)
    return Verification(verdicts, seen.height, seen[CLASS].value_counts()["count"], (), notes)


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


def _evidence_frame(released: pl.DataFrame, plan: Plan, persons: pl.Series | None) -> pl.DataFrame:
    """What models see of every released row; a row that repeats the one before is looked at once."""
    used = released.select(released[name] for name in dict.fromkeys((*plan.quasi_identifiers, *plan.reads)))
    changed = _changed(used)
    rows = used if changed is None else used.filter(changed)
    columns = [canonical(rows[name], plan.columns[name], plan.data.absent) for name in plan.reads]
    seen = pl.DataFrame([regrouped(rows, plan.quasi_identifiers), *columns])
    if changed is not None:
        seen = seen[changed.cum_sum() - 1]
    return seen if persons is None else seen.with_columns(persons.alias(PERSON))


def _changed(rows: pl.DataFrame) -> pl.Series | None:
    """Which rows differ from the one before; None where text is as slow to compare as to number."""
    dictionaries = sum(isinstance(dtype, pl.Categorical | pl.Enum) for dtype in rows.dtypes)
    if 2 * dictionaries < rows.width or not rows.height:
        return None
    differs = pl.any_horizontal(pl.all().ne_missing(pl.all().shift(1)))
    first = pl.int_range(pl.len()) == 0
    return rows.select((differs | first).alias("changed")).to_series()


def canonical(released: pl.Series, column: Column, missing: Sequence[str]) -> pl.Series:
    """The column as canonical text, null where missing: equal values count as one, however they are written."""
    distinct = released.unique()
    text = text_of(table.typed(distinct, type=column.type or "text", missing=missing).values)
    if released.dtype == pl.String and text.equals(distinct):
        return released
    known = pl.DataFrame({"written": distinct, "text": text})
    rows = released.to_frame("written").join(known, on="written", how="left", nulls_equal=True, maintain_order="left")
    return rows["text"].alias(released.name)


def _values(name: str, released: pl.DataFrame, input_counts: Mapping[str, pl.DataFrame]) -> list[pl.Series]:
    """The values of a column wherever they can be seen: those left out of the release still shape a distance to it."""
    return [released[name], *([input_counts[name]["value"]] if name in input_counts else [])]


def facts(column: Column, *values: pl.Series, tree: bool = True) -> SensitiveFacts:
    """What the plan says of a sensitive column, with the tree paths of these values (text, null where missing).

    Without `tree` its hierarchy is left alone: no promise is about it, and its file need not be at hand.
    """
    built = tree and column.hierarchy is not None
    paths = _paths(column, pl.concat([each.cast(pl.String) for each in values])) if built else {}
    by_type = {"integer": "number", "real": "number", "date": "date"}
    order = "tree" if paths else by_type.get(column.type or "text", "text")
    return SensitiveFacts(column.missing_counts, order, paths, column.protected)


def _paths(column: Column, values: pl.Series) -> dict[str, tuple[str, ...]]:
    """Value → its labels up to the top, depth-first; a column of missing values alone has a top all the same."""
    distinct = values.unique().drop_nulls()
    known = table.typed(distinct, type=column.type or "text", missing=(MISSING,)).values.drop_nulls().unique().sort()
    if known.is_empty():
        return {MISSING: (MISSING, ANY)}
    tree = column.hierarchy.build(known)
    present = set(text_of(known))
    return {tree.leaves[leaf]: tree.path(leaf) for leaf in tree.depth_first().tolist() if tree.leaves[leaf] in present}


def _verdict(model: ClassModel, evidence: Evidence) -> Verdict:
    if evidence.frame.height == 0:
        raise PlanError("The released table has no rows: there is nothing to verify.")
    finding = model.holds(evidence)
    return Verdict(model.kind, _parameters(model), finding.holds, finding.achieved, finding.failing)


def _unchecked(model: ClassModel, evidence: Evidence) -> Verdict:
    """The verdict on a model that speaks of shares of persons, where only rows can be seen: those shares may differ."""
    rest = model.without_shares
    failing = 0 if rest is None else rest.holds(evidence).failing
    return Verdict(model.kind, _parameters(model), failing == 0, {"persons": "not checked"}, failing)


def _parameters(model: ClassModel) -> dict[str, Any]:
    return {name: value for name, value in spec.to_table(model).items() if name != "kind"}


def _person_notes(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """What could not be checked where the plan counts persons and the released table does not tell them apart."""
    unchecked = [f"'{verdict.kind}'" for verdict in verdicts if verdict.achieved.get("persons") == "not checked"]
    note = "The plan counts persons, whom the released table does not tell apart: rows were counted, so that k and l "
    note += "could be less in persons. Persons were counted when the release was made."
    shares = f"The promise of {', '.join(unchecked)} is about shares of persons and was not checked again."
    return (note, shares) if unchecked else (note,)
