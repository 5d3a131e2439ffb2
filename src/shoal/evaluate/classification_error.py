"""Classification error: how much a release affects the prediction of its target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal import table
from shoal.errors import PlanError, TableError
from shoal.estimating import classifiers
from shoal.estimating.classifiers import Error
from shoal.pipeline import anonymize
from shoal.plan import Plan
from shoal.release import Release
from shoal.table import typed


@dataclass(frozen=True)
class ClassificationError:
    """The shares of rows whose target is wrongly predicted.

    `raw`: from the original table (BE in the paper). `released`: from the released table (CE). `removed`: without the
    quasi-identifiers (UE). `honest`: from the released table, with a recoding that does not depend on the test rows.
    """

    raw: Error
    released: Error
    removed: Error
    honest: Error | None = None


def classification_error(
    original: Any, plan: Plan, *, learner: str = "tree", seeds: int = 5, honest: bool = False
) -> ClassificationError:
    """The classification error of a plan's target before and after the release, over several random splits.

    A classifier is trained on two thirds of the rows and tested on the others. `learner` is "tree" or "boosting". As in
    the paper, the recoding uses all rows. `honest` adds the error with a recoding of the training rows alone, which
    requires a recoding that is the same in every row. Suppressed rows are not used.
    """
    frame, _ = table.to_polars(original)
    plan = plan.for_table(frame.columns)
    target = target_of(plan)
    release = anonymize(frame, plan)
    raw, released = _before_and_after(frame, release)
    columns = [name for name in released.columns if name != target]
    kept = [name for name in columns if name not in plan.quasi_identifiers]

    def error(rows: pl.DataFrame, known: list[str]) -> Error:
        return classifiers.error(rows.select(known), rows[target], seeds=seeds, learner=learner)

    return ClassificationError(
        raw=error(raw, columns),
        released=error(released, columns),
        removed=error(raw, kept),
        honest=honest_error(frame, plan, learner=learner, seeds=seeds) if honest else None,
    )


def target_of(plan: Plan) -> str:
    """The one column to be predicted; raises if the plan has none, several, or does not publish a generalized table."""
    targets = plan.targets
    if len(targets) != 1 or plan.release.form != "generalized":
        raise PlanError(
            f"Classification error needs one target and a generalized release; the plan has {len(targets)} targets "
            f"and form = '{plan.release.form}'."
        )
    return targets[0]


def _before_and_after(frame: pl.DataFrame, release: Release) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The original and the released values of the released rows."""
    released, _ = table.to_polars(release.frame)
    return frame[release.private.witness.row].select(released.columns), released


def honest_error(frame: pl.DataFrame, plan: Plan, *, learner: str = "tree", seeds: int = 5) -> Error:
    """The error on test rows that the recoding does not depend on: it uses the training rows alone."""
    target, errors = target_of(plan), []
    for seed in range(seeds):
        train, test = (frame[rows] for rows in classifiers.split(frame.height, seed))
        release = anonymize(train, plan)
        released, _ = table.to_polars(release.frame)
        columns = [name for name in released.columns if name != target]
        recoded = pl.DataFrame([_recoded(test[name], release) for name in columns])
        sides = (released.select(columns), released[target], recoded, test[target])
        errors.append(classifiers.held_out_error(*sides, learner=learner, seed=seed))
    return Error.over(errors)


def _recoded(column: pl.Series, release: Release) -> pl.Series:
    """Other rows of a column, recoded like those of a release; columns that are released unchanged stay so.

    A number or a date gets the label of the nearest released value; a text that was not released becomes missing.
    """
    plan, name = release.plan, column.name
    if name not in plan.quasi_identifiers:
        return column.cast(pl.String)
    if name not in release.private.rule:
        raise TableError(
            f"The recoding of column '{name}' differs between rows, so it cannot be applied to other rows.",
            hint="use 'pais', or 'optimal' without `local`.",
        )
    known, settings = release.private.rule[name].drop_nulls("value").sort("value"), plan.columns[name]
    type_ = settings.type or ("text" if known["value"].dtype == pl.String else None)
    values = typed(column, type=type_, missing=plan.data.absent, notation=plan.data.notation).values
    rows = values.alias("value").to_frame().with_row_index("at")
    if known["value"].dtype == pl.String:
        return rows.join(known, on="value", how="left", maintain_order="left")["label"].alias(name)
    rows = rows.with_columns(pl.col("value").cast(known["value"].dtype))
    return rows.sort("value").join_asof(known, on="value", strategy="nearest").sort("at")["label"].alias(name)
