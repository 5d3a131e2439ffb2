"""Preparing a table: columns against roles, rows with missing values, and what will be published of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.coded.encode import dictionary
from shoal.errors import CannotBeMet, PlanError, TableError, did_you_mean
from shoal.hierarchies.base import text_of
from shoal.plan.plan import Plan
from shoal.roles.columns import Column
from shoal.table import require_rows, typed


@dataclass(frozen=True)
class Prepared:
    """A table that fits its plan: `frame` with every column that is needed, `published` without the identifiers.

    Sensitive columns of `published` are canonical text with null for missing; unchanged columns are as they came.
    """

    frame: pl.DataFrame
    published: pl.DataFrame
    rows_in: int

    @property
    def dropped(self) -> int:
        """Rows left out because a value is missing."""
        return self.rows_in - self.frame.height


def prepare(frame: pl.DataFrame, plan: Plan) -> Prepared:
    """The table with rows and columns left out as the plan says; a column without a role never slips through."""
    require_columns(frame, plan)
    require_rows(frame)
    rows_in = frame.height
    if plan.data.missing_rows == "drop":
        frame = _without_missing_rows(frame, plan)
    _require_persons(frame, plan)
    sensitive = set(plan.sensitive)
    published = frame.select(
        _sensitive_text(frame[name], plan.columns[name], plan.data.absent) if name in sensitive else frame[name]
        for name in frame.columns
        if _is_published(name, plan)
    )
    return Prepared(frame, published, rows_in)


def require_columns(frame: pl.DataFrame, plan: Plan) -> None:
    """Every column of the plan is in the table and, unless the plan says otherwise, the other way round."""
    wanted = [*plan.columns, *([plan.data.person] if plan.data.person else [])]
    present = set(frame.columns)
    for name in wanted:
        if name not in present:
            raise PlanError(f"Column '{name}' is not in the table.", hint=did_you_mean(name, frame.columns))
    unlisted = sorted(present - set(wanted))
    if unlisted and plan.data.unlisted == "error":
        more = f" and {len(unlisted) - 1} more" if len(unlisted) > 1 else ""
        raise PlanError(
            f"Column '{unlisted[0]}'{more} of the table has no role in the plan.",
            allowed="Every column needs one.",
            hint='give it a role, or set unlisted = "drop" under [data].',
        )


def input_counts(prepared: Prepared, plan: Plan) -> dict[str, pl.DataFrame]:
    """How often every sensitive value that a model reads occurs in the input: `value` (null for missing), `count`."""
    person = plan.data.person
    size = pl.len() if person is None else pl.col("person").n_unique()
    found = {}
    for name in plan.reads:
        columns = {"value": prepared.published[name]}
        if person is not None:
            columns["person"] = prepared.frame[person]
        found[name] = pl.DataFrame(columns).group_by("value").agg(size.cast(pl.Int64).alias("count")).sort("value")
    return found


def _present(column: pl.Series, plan: Plan) -> NDArray[np.bool_]:
    """bool [rows]: where a value is not missing."""
    coded = dictionary(column)
    present = typed(coded.distinct, type="text", missing=plan.data.absent).values.is_not_null().to_numpy()
    found: NDArray[np.bool_] = present[coded.codes]
    return found


def _require_persons(frame: pl.DataFrame, plan: Plan) -> None:
    """Every row is somebody's: unknown persons may be one or many, and no count of them would be sure."""
    person = plan.data.person
    unknown = 0 if person is None else int((~_present(frame[person], plan)).sum())
    if unknown:
        raise TableError(
            f"Column '{person}', which tells persons apart, is missing in {unknown} of {frame.height} rows.",
            allowed="Every row needs a person.",
            hint='fill them in, or set missing_rows = "drop" under [data].',
        )


def _is_published(name: str, plan: Plan) -> bool:
    if name == plan.data.person:
        return False
    column = plan.columns.get(name)
    return plan.data.unlisted == "insensitive" if column is None else column.role != "identifier"


def _sensitive_text(column: pl.Series, settings: Column, missing: tuple[str, ...]) -> pl.Series:
    """The column's canonical text: equal values get equal text, so that verification counts what the search counted."""
    coded = dictionary(column)
    text = text_of(typed(coded.distinct, type=settings.type or "text", missing=missing).values)
    if column.dtype == pl.String and text.equals(coded.distinct):
        return column
    return text.gather(coded.codes).alias(column.name)


def _without_missing_rows(frame: pl.DataFrame, plan: Plan) -> pl.DataFrame:
    """The rows in which no quasi-identifier, no sensitive value and no person is missing."""
    keep = np.ones(frame.height, np.bool_)
    for name in (*plan.quasi_identifiers, *plan.sensitive, *([plan.data.person] if plan.data.person else [])):
        keep &= _present(frame[name], plan)
    if not keep.any():
        raise CannotBeMet(
            "Every row has a missing value, and the plan leaves such rows out.", hint='set missing_rows = "keep".'
        )
    return frame.filter(pl.Series(keep))
