"""Verification of tables: regroups released rows by their labels and re-checks every promise.

It trusts nothing but the released rows, and it uses neither kernels nor search code. It calls `holds` of each model,
the second statement of its promise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from shoal import table
from shoal.counts import counted, each_once
from shoal.errors import PlanError, TableError
from shoal.hierarchies.base import text_of
from shoal.labels import ANY, MISSING
from shoal.models.base import ClassModel
from shoal.models.evidence import CLASS, COUNT, PERSON, Evidence, SensitiveFacts, Verdict
from shoal.plan import Plan
from shoal.roles import spec
from shoal.roles.columns import Column
from shoal.roles.knowledge import Knowledge, load_knowledge, other_table
from shoal.roles.scope import Scope
from shoal.verification.regrouping import canonical, counted_rows, with_classes
from shoal.verification.sets import released_sets, set_problems
from shoal.verification.verdicts import Verification, found_wrong

IN_PERSONS = "in persons at release time; the files show rows"


def verify(
    frame: Any,
    plan: Plan,
    *,
    persons: pl.Series | None = None,
    input_counts: Mapping[str, pl.DataFrame] | None = None,
    knowledge: Mapping[str, Knowledge] | None = None,
) -> Verification:
    """Checks every promise of the plan on a generalized table (pandas, polars or pyarrow).

    `persons` (one per row) and `input_counts` are known only when the release is made. Without them, persons cannot be
    distinguished, and a distance to the input cannot be checked. The verification then notes this. `knowledge`:
    quasi-sensitive column → its knowledge table, if it is not the file that the plan names.
    """
    released, _ = table.to_polars(frame)
    return verify_runs(
        table.Runs.of(released), plan, persons=persons, input_counts=input_counts or {}, knowledge=knowledge
    )


def verify_runs(
    released: table.Runs,
    plan: Plan,
    *,
    persons: pl.Series | None,
    input_counts: Mapping[str, pl.DataFrame],
    knowledge: Mapping[str, Knowledge] | None,
) -> Verification:
    """Checks every promise of the plan on a generalized table, as `verify` does."""
    plan = plan.for_table(released.columns, complete=False)
    problems = column_problems(released.columns, plan) or set_problems(released, plan)
    if problems:
        return found_wrong(*problems, rows=released.height)
    rows, labels = regrouped(released, plan, persons)
    return judged(rows, plan, input_counts, labels=labels, knowledge=knowledge)


def regrouped(released: table.Runs, plan: Plan, persons: pl.Series | None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The counted rows of a released table with their classes, as in the evidence, and the labels of each class.

    Quasi-identifiers are in the order of the table, so that the choice between equally identifying columns in a finding
    does not depend on their order in the plan.
    """
    identifying = set(plan.quasi_identifiers)
    quasi = [name for name in released.columns if name in identifying]
    sets = [released_sets(released[name], separator) for name, separator in plan.separators.items()]
    columns = list(dict.fromkeys((*quasi, *plan.reads, *plan.separators)))
    released = released.with_rows(released.rows.with_columns(sets).select(columns))
    if persons is not None:
        released, columns = with_persons(released, persons), [*columns, PERSON]
    rows, labels = with_classes(counted_rows(released, columns), quasi)
    texts = [canonical(rows[name], plan.columns[name], plan.data.absent) for name in plan.reads]
    return rows.with_columns(texts), labels


def with_persons(released: table.Runs, persons: pl.Series) -> table.Runs:
    """The released rows with their persons, one for every row."""
    return table.Runs.of(pl.DataFrame([*released.expanded().get_columns(), persons.alias(PERSON)]))


def judged(
    rows: pl.DataFrame,
    plan: Plan,
    counts: Mapping[str, pl.DataFrame],
    *,
    labels: pl.DataFrame | None = None,
    linked: bool = True,
    knowledge: Mapping[str, Knowledge] | None = None,
) -> Verification:
    """The verdict of every model on counted rows, which have CLASS, PERSON if known, and the columns of the models."""
    known = {
        name: facts(plan.columns[name], *_values(name, rows, counts), tree=name in plan.reads_trees)
        for name in plan.reads
    }
    known |= {name: _item_facts(name, plan, knowledge or {}) for name in plan.quasi_sensitive}
    scope = plan.scope
    covered = rows if scope is None else rows.filter(_covered(rows, scope, plan))
    evidence = Evidence(covered, known, counts, labels, linked)
    countable = plan.data.person is None or evidence.counts_persons
    verdicts = tuple(
        _verdict(model, evidence) if countable or model.fails_in_persons else _unchecked(model, evidence)
        for model in plan.enforced
    )
    if not countable:
        verdicts = tuple(replace(verdict, checked=IN_PERSONS) for verdict in verdicts)
    notes = () if countable else _person_notes(verdicts)
    if scope is not None:
        verdicts = tuple(replace(verdict, scope=scope) for verdict in verdicts)
        notes = (*notes, _scope_note(scope, evidence.released_rows, int(rows[COUNT].sum())))
    sizes = rows.group_by(CLASS).agg(pl.col(COUNT).sum())[COUNT]
    return Verification(verdicts, int(rows[COUNT].sum()), sizes, (), notes, rows if linked else None)


def column_problems(columns: Sequence[str], plan: Plan) -> list[str]:
    """Problems of the released columns: forbidden, unlisted or absent ones."""
    problems = []
    for name in columns:
        column = plan.columns.get(name)
        if name == plan.data.person or (column is not None and column.removed):
            problems.append(f"The identifier '{name}' is in the released table.")
        elif column is None and plan.data.unlisted != "insensitive":
            problems.append(f"Column '{name}' of the released table has no role in the plan.")
    required = (*plan.quasi_identifiers, *plan.sensitive, *plan.quasi_sensitive)
    problems += [f"Column '{name}' is missing from the released table." for name in required if name not in columns]
    return problems


def _values(name: str, rows: pl.DataFrame, input_counts: Mapping[str, pl.DataFrame]) -> list[pl.Series]:
    """The values of a column in the release and, if known, in the input, where suppressed values affect distances."""
    return [rows[name], *([input_counts[name]["value"]] if name in input_counts else [])]


def facts(column: Column, *values: pl.Series, tree: bool = True) -> SensitiveFacts:
    """The settings of a sensitive column, with the tree paths of these values (text, null if missing).

    Without `tree`, its hierarchy is not built: no promise uses it, and its file need not exist.
    """
    built = tree and column.hierarchy is not None
    return SensitiveFacts(column, _paths(column, pl.concat([each.cast(pl.String) for each in values])) if built else {})


def _item_facts(name: str, plan: Plan, given: Mapping[str, Knowledge]) -> SensitiveFacts:
    """The settings of a quasi-sensitive column, with its knowledge table: the one given, or the plan's file."""
    column = plan.columns[name]
    if name not in plan.looked_up:
        return SensitiveFacts(column)
    knowledge = given[name] if name in given else load_knowledge(name, column, plan.data.absent)
    if knowledge is not None and column.knowledge_sha256 not in (None, knowledge.sha256):
        raise other_table(name)
    return SensitiveFacts(column, knowledge=knowledge)


def _paths(column: Column, values: pl.Series) -> dict[str, tuple[str, ...]]:
    """Value → its labels up to the top, depth-first; a column without any value still has a top."""
    distinct = values.unique().drop_nulls()
    known = table.typed(distinct, type=column.type or "text", missing=(MISSING,)).values.drop_nulls().unique().sort()
    if known.is_empty():
        return {MISSING: (MISSING, ANY)}
    tree = column.hierarchy.build(known)
    present = set(text_of(known))
    return {tree.leaves[leaf]: tree.path(leaf) for leaf in tree.depth_first().tolist() if tree.leaves[leaf] in present}


def _verdict(model: ClassModel, evidence: Evidence) -> Verdict:
    if evidence.rows.height == 0:
        raise PlanError("The released table has no rows that the models cover, so nothing can be verified.")
    finding = model.holds(evidence)
    return Verdict(model.kind, _parameters(model), finding.holds, finding.achieved, finding.failing)


def _unchecked(model: ClassModel, evidence: Evidence) -> Verdict:
    """The verdict on a model about shares of persons if only rows are visible: their shares may differ."""
    rest = model.without_shares
    failing = 0 if rest is None else rest.holds(evidence).failing
    return Verdict(model.kind, _parameters(model), failing == 0, {"persons": "not checked"}, failing)


def _parameters(model: ClassModel) -> dict[str, Any]:
    return {name: value for name, value in spec.to_table(model).items() if name != "kind"}


def _covered(rows: pl.DataFrame, scope: Scope, plan: Plan) -> pl.Series:
    """Whether the promises cover each row: also if it has a value that the plan lists, however it is written there.

    The listed values are read again, as released values are, so that a mistake in reading them is noticed.
    """
    listed = pl.Series(plan.algorithm.scope.values, dtype=pl.String)
    try:
        texts = canonical(listed, plan.columns[scope.column], plan.data.absent)
    except TableError:  # they are written as in the input, which only the plan can read
        texts = listed
    both = Scope(scope.column, (*scope.values, *texts.drop_nulls().to_list()))
    return both.covers(rows[scope.column])


def _scope_note(scope: Scope, covered: int, rows: int) -> str:
    """The note about the rows to which no promise applies."""
    return (
        f"The promises cover {scope.words} ({covered:,} of {counted(rows, 'row', 'rows')}). The table as a whole "
        "satisfies none of them: all other rows may be published exactly, and may be unique."
    )


def _person_notes(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Notes about what could not be checked because the released table does not distinguish persons."""
    unchecked = [f"'{verdict.kind}'" for verdict in verdicts if verdict.achieved.get("persons") == "not checked"]
    note = "The plan counts persons, but the released table does not distinguish them. Rows were counted instead; "
    note += "k and l may be smaller in persons. Persons were counted when the release was made."
    shares = f"The promise of {each_once(unchecked)} is about shares of persons and was not re-checked."
    return (note, shares) if unchecked else (note,)
