"""Verification of an anatomy, whose tables count values by class but do not link the values of a row.

Promises about a single sensitive column can be re-checked completely from the files. For a promise about several
columns together, the files show only bounds. It is checked exactly when the release is made and rows are still linked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from shoal.forms.anatomy import CLASS_ID, COUNT, QUASI_IDENTIFIERS, VALUE, sensitive_table
from shoal.models import evidence
from shoal.models.evidence import CLASS, Verdict
from shoal.plan import Plan
from shoal.roles.knowledge import Knowledge
from shoal.table import Runs
from shoal.verification.labelled import is_coded
from shoal.verification.regrouping import canonical, merged_counts
from shoal.verification.tables import column_problems, judged, verify_runs, with_persons
from shoal.verification.verdicts import Verification, found_wrong

AT_RELEASE_TIME = "at release time; the files show bounds only"


def verify_tables(
    tables: Mapping[str, Runs],
    plan: Plan,
    *,
    persons: pl.Series | None = None,
    input_counts: Mapping[str, pl.DataFrame] | None = None,
    linked: Runs | None = None,
    knowledge: Mapping[str, Knowledge] | None = None,
) -> Verification:
    """Checks every promise of the plan on the published tables, given by name.

    `persons`, `input_counts` and `knowledge` are as in `verify`. `linked` has the class_id and the sensitive columns of
    every row of an anatomy, in the order of its main table. It is known only when the release is made, and is required
    for an exact check.
    """
    if plan.release.form != "anatomy":
        known = input_counts or {}
        return verify_runs(tables["release"], plan, persons=persons, input_counts=known, knowledge=knowledge)
    problems = _problems(tables, plan)
    if problems:
        return found_wrong(*problems)
    shown = judged(_unlinked(tables, plan), plan, input_counts or {}, linked=False)
    if linked is None:
        return _noted(shown, plan)
    if any(not _same_counts(tables[sensitive_table(name)], _counted(linked, name)) for name in plan.sensitive):
        return replace(shown, problems=("The counts in the tables of sensitive values do not match the rows.",))
    rows = linked.with_rows(linked.rows.select(pl.col(CLASS_ID).alias(CLASS), *plan.reads))
    if persons is not None:
        rows = with_persons(rows, persons)
    counted = merged_counts([rows.rows.with_columns(pl.Series(evidence.COUNT, rows.times))], rows.columns)
    return _noted(_merged(shown, judged(counted, plan, input_counts or {})), plan)


def _counted(linked: Runs, column: str) -> pl.DataFrame:
    """class_id, value, count: the count of each value of a column in each class."""
    values = linked.rows.select(pl.col(CLASS_ID), pl.col(column).alias(VALUE), pl.Series(COUNT, linked.times))
    return values.group_by(CLASS_ID, VALUE).agg(pl.col(COUNT).sum())


def _noted(verification: Verification, plan: Plan) -> Verification:
    """Adds notes about what the files cannot show."""
    kinds = [f"'{model.kind}'" for model in plan.enforced if model.reads_jointly]
    note = "An anatomy does not generalize quasi-identifiers. It bounds what can be learned about an individual's "
    note += "sensitive values. It hides neither who is in the table nor which row belongs to whom. "
    note += "k is the smallest class size."
    bounds = (
        f"The tables do not show which sensitive values share a row. {' and '.join(kinds)} was checked exactly when "
    )
    bounds += "the release was made. The files show that it can hold, and for some classes that it must hold."
    verdicts = tuple(
        replace(verdict, checked=AT_RELEASE_TIME) if model.reads_jointly else verdict
        for verdict, model in zip(verification.verdicts, plan.enforced, strict=True)
    )
    return replace(verification, verdicts=verdicts, notes=(*verification.notes, note, *([bounds] if kinds else [])))


def _merged(shown: Verification, full: Verification) -> Verification:
    """Merges what the files show with the exact check; a promise holds only if it holds in both."""
    verdicts = tuple(_both(*pair) for pair in zip(shown.verdicts, full.verdicts, strict=True))
    return replace(full, verdicts=verdicts, sizes=shown.sizes, rows=shown.rows, counted=shown.counted)


def _both(shown: Verdict, full: Verdict) -> Verdict:
    return replace(
        full,
        holds=shown.holds and full.holds,
        failing=max(shown.failing, full.failing),
        achieved={**(shown.achieved if "persons" not in shown.achieved else {}), **full.achieved},
    )


def _problems(tables: Mapping[str, Runs], plan: Plan) -> list[str]:
    """Problems of the tables themselves, apart from the promises."""
    main = tables[QUASI_IDENTIFIERS]
    listed = [name for name in main.columns if name != CLASS_ID]
    sensitive = [
        f"The sensitive column '{name}' is in the table of quasi-identifiers."
        for name in plan.sensitive
        if name in listed
    ]
    problems = [*sensitive, *column_problems([*listed, *plan.sensitive], plan)]
    if CLASS_ID not in main.columns or _numbers(main[CLASS_ID]).null_count():
        return [*problems, f"The table '{QUASI_IDENTIFIERS}' lacks the '{CLASS_ID}' of some rows."]
    sizes = main.with_rows(_numbers(main[CLASS_ID]).to_frame()).counted(CLASS_ID)
    for name in plan.sensitive:
        problems += _counting_problems(sensitive_table(name), tables[sensitive_table(name)].expanded(), sizes)
    return problems


def _counting_problems(name: str, table: pl.DataFrame, sizes: pl.DataFrame) -> list[str]:
    if table.columns != [CLASS_ID, VALUE, COUNT]:
        return [f"The table '{name}' must have the columns {CLASS_ID}, {VALUE} and {COUNT}."]
    read = table.select(_numbers(table[CLASS_ID]), VALUE, _numbers(table[COUNT]))
    if read[CLASS_ID].null_count() or read[COUNT].null_count() or (read[COUNT] < 1).any():
        return [f"The table '{name}' has a class that is not a number, or a count that is not a positive number."]
    if read.select(CLASS_ID, VALUE).is_duplicated().any():
        return [f"The table '{name}' lists a value of a class twice."]
    summed = read.group_by(CLASS_ID).agg(pl.col(COUNT).sum())
    both = sizes.join(summed, on=CLASS_ID, how="full", coalesce=True)
    if not both["rows"].eq_missing(both[COUNT]).all():
        return [f"The counts of '{name}' do not add up to the class sizes."]
    return []


def _numbers(column: pl.Series) -> pl.Series:
    """A column of numbers or their texts; the codes of a dictionary are not its numbers."""
    return (column.cast(pl.String) if is_coded(column) else column).cast(pl.Int64, strict=False)


def _unlinked(tables: Mapping[str, Runs], plan: Plan) -> pl.DataFrame:
    """Counted rows by class: the values of each column are correct, but their combination in a row is arbitrary.

    Every column lists its values class by class, each as often as it was counted. A row begins wherever a value or the
    class changes.
    """
    main = tables[QUASI_IDENTIFIERS]
    classes = main.with_rows(_numbers(main[CLASS_ID]).alias(CLASS).to_frame()).counted(CLASS).sort(CLASS)
    columns = {CLASS: Runs(classes.select(CLASS), classes["rows"].to_numpy())}
    for name in plan.reads:
        table = tables[sensitive_table(name)].expanded()
        table = table.sort(_numbers(table[CLASS_ID]), maintain_order=True)
        values = canonical(table[VALUE].alias(name), plan.columns[name], plan.data.absent)
        columns[name] = Runs(values.to_frame(), _numbers(table[COUNT]).to_numpy())
    ends = {name: np.cumsum(column.times) for name, column in columns.items()}
    bounds = np.unique(np.concatenate([*ends.values()]))
    cells = [column.rows[np.searchsorted(ends[name], bounds)] for name, column in columns.items()]
    rows = pl.concat(cells, how="horizontal").with_columns(pl.Series(evidence.COUNT, np.diff(bounds, prepend=0)))
    return merged_counts([rows], [*columns])


def _same_counts(published: Runs, counts: pl.DataFrame) -> bool:
    """Whether a published table has these counts; a missing value may have been written as empty text."""
    value = pl.col(VALUE).cast(pl.String).replace("", None)
    numbers = [pl.col(name).cast(pl.String).cast(pl.Int64) for name in (CLASS_ID, COUNT)]  # they may be coded
    columns = [numbers[0], value, numbers[1]]
    written, known = (table.select(columns).sort(CLASS_ID, VALUE) for table in (published.expanded(), counts))
    return written.equals(known)
