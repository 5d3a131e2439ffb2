"""Verification of an anatomy: its tables say how often a value occurs in a class, but not which values share a row.

Promises about one sensitive column at a time can be re-checked from the files in full. Of a promise about several
together the files show bounds only: it is checked exactly when the release is made, where rows are still linked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from shoal.forms.anatomy import CLASS_ID, COUNT, QUASI_IDENTIFIERS, VALUE, sensitive_table
from shoal.models import evidence
from shoal.models.evidence import CLASS, PERSON, Verdict
from shoal.plan import Plan
from shoal.verification.regrouping import canonical
from shoal.verification.tables import column_problems, judged, verify
from shoal.verification.verdicts import Verification, found_wrong

AT_RELEASE_TIME = "at release time; from the files its bounds"


def verify_tables(
    tables: Mapping[str, pl.DataFrame],
    plan: Plan,
    *,
    persons: pl.Series | None = None,
    input_counts: Mapping[str, pl.DataFrame] | None = None,
    linked: pl.DataFrame | None = None,
) -> Verification:
    """Whether published tables, by name, keep every promise of the plan.

    `persons` and `input_counts` are as in `verify`. `linked` has class_id and the sensitive columns of every row of an
    anatomy, in the order of its main table: known only where the release is made, and needed for a full check.
    """
    if plan.release.form != "anatomy":
        return verify(tables["release"], plan, persons=persons, input_counts=input_counts)
    problems = _problems(tables, plan)
    if problems:
        return found_wrong(*problems)
    shown = judged(_unlinked(tables, plan), plan, input_counts or {}, linked=False)
    if linked is None:
        return _noted(shown, plan)
    if any(not _same_counts(tables[sensitive_table(name)], _counted(linked, name)) for name in plan.sensitive):
        return replace(shown, problems=("The tables of sensitive values do not count what the rows hold.",))
    rows = linked.select(pl.col(CLASS_ID).alias(CLASS), *plan.reads)
    if persons is not None:
        rows = rows.with_columns(persons.alias(PERSON))
    counted = rows.group_by(rows.columns).agg(pl.len().cast(pl.Int64).alias(evidence.COUNT))
    return _noted(_merged(shown, judged(counted, plan, input_counts or {})), plan)


def _counted(linked: pl.DataFrame, column: str) -> pl.DataFrame:
    """class_id, value, count: how often each value of a column occurs in each class."""
    return linked.group_by(CLASS_ID, pl.col(column).alias(VALUE)).agg(pl.len().cast(pl.Int64).alias(COUNT))


def _noted(found: Verification, plan: Plan) -> Verification:
    """The same, with what the files cannot show said."""
    kinds = [f"'{model.kind}'" for model in plan.enforced if model.reads_jointly]
    note = "An anatomy leaves quasi-identifiers as they are: it bounds what can be learned of a person's sensitive "
    note += "values, not who is in the table nor which row is whose. k is the least size of a class."
    bounds = (
        f"The tables do not tell which sensitive values share a row. {' and '.join(kinds)} was checked exactly when "
    )
    bounds += "the release was made; the files show that it can hold, and for some classes that it must."
    verdicts = tuple(
        replace(verdict, checked=AT_RELEASE_TIME) if model.reads_jointly else verdict
        for verdict, model in zip(found.verdicts, plan.enforced, strict=True)
    )
    return replace(found, verdicts=verdicts, notes=(*found.notes, note, *([bounds] if kinds else [])))


def _merged(shown: Verification, full: Verification) -> Verification:
    """What the files show, and what is known beyond them: a promise holds where both say so."""
    verdicts = tuple(_both(*pair) for pair in zip(shown.verdicts, full.verdicts, strict=True))
    return replace(full, verdicts=verdicts, sizes=shown.sizes, rows=shown.rows)


def _both(shown: Verdict, full: Verdict) -> Verdict:
    return replace(
        full,
        holds=shown.holds and full.holds,
        failing=max(shown.failing, full.failing),
        achieved={**(shown.achieved if "persons" not in shown.achieved else {}), **full.achieved},
    )


def _problems(tables: Mapping[str, pl.DataFrame], plan: Plan) -> list[str]:
    """What is wrong with the tables themselves, promises aside."""
    main = tables[QUASI_IDENTIFIERS]
    listed = [name for name in main.columns if name != CLASS_ID]
    sensitive = [
        f"The sensitive column '{name}' stands beside quasi-identifiers." for name in plan.sensitive if name in listed
    ]
    problems = [*sensitive, *column_problems([*listed, *plan.sensitive], plan)]
    if CLASS_ID not in main.columns or _numbers(main[CLASS_ID]).null_count():
        return [*problems, f"The table '{QUASI_IDENTIFIERS}' lacks the '{CLASS_ID}' of some rows."]
    sizes = main.select(_numbers(main[CLASS_ID])).group_by(CLASS_ID).agg(pl.len().cast(pl.Int64).alias("rows"))
    for name in plan.sensitive:
        problems += _counting_problems(sensitive_table(name), tables[sensitive_table(name)], sizes)
    return problems


def _counting_problems(name: str, table: pl.DataFrame, sizes: pl.DataFrame) -> list[str]:
    if table.columns != [CLASS_ID, VALUE, COUNT]:
        return [f"The table '{name}' must have the columns {CLASS_ID}, {VALUE} and {COUNT}."]
    read = table.select(_numbers(table[CLASS_ID]), VALUE, _numbers(table[COUNT]))
    if read[CLASS_ID].null_count() or read[COUNT].null_count() or (read[COUNT] < 1).any():
        return [f"The table '{name}' has a class or a count that is no number of at least 1."]
    if read.select(CLASS_ID, VALUE).is_duplicated().any():
        return [f"The table '{name}' counts a value of a class twice."]
    summed = read.group_by(CLASS_ID).agg(pl.col(COUNT).sum())
    both = sizes.join(summed, on=CLASS_ID, how="full", coalesce=True)
    if not both["rows"].eq_missing(both[COUNT]).all():
        return [f"The counts of '{name}' do not add up to the rows of the classes."]
    return []


def _numbers(column: pl.Series) -> pl.Series:
    return column.cast(pl.Int64, strict=False)


def _unlinked(tables: Mapping[str, pl.DataFrame], plan: Plan) -> pl.DataFrame:
    """A row for every released one, by class, with right values of every column but not of one person."""
    classes = _numbers(tables[QUASI_IDENTIFIERS][CLASS_ID]).sort()
    columns = [classes.alias(CLASS)]
    for name in plan.reads:
        table = tables[sensitive_table(name)].sort(_numbers(tables[sensitive_table(name)][CLASS_ID]))
        values = table.select(pl.col(VALUE).repeat_by(_numbers(table[COUNT])).explode(empty_as_null=False)).to_series()
        columns.append(canonical(values.alias(name), plan.columns[name], plan.data.absent))
    rows = pl.DataFrame(columns)
    return rows.group_by(rows.columns).agg(pl.len().cast(pl.Int64).alias(evidence.COUNT))


def _same_counts(published: pl.DataFrame, counts: pl.DataFrame) -> bool:
    """Whether a table as written counts the same; a missing value may have been written as an empty text."""
    value = pl.col(VALUE).cast(pl.String).replace("", None)
    columns = [pl.col(CLASS_ID).cast(pl.Int64), value, pl.col(COUNT).cast(pl.Int64)]
    written, known = (table.select(columns).sort(CLASS_ID, VALUE) for table in (published, counts))
    return written.equals(known)
