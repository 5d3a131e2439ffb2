"""The types in which statistics read the columns of a table, the same before and after."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import polars as pl

from shoal import forms
from shoal.errors import PlanError, TableError
from shoal.estimating.numbers import as_numbers
from shoal.plan import Plan
from shoal.reading.typed_labels import LabelColumn, label_type
from shoal.roles.columns import Column
from shoal.table import AS_SHOWN, typed
from shoal.verification.labelled import hierarchy

TEXT = "text"


class ColumnType(NamedTuple):
    """How a column is read: the type of its cells in the input, and that of the figures, which may be text instead."""

    cells: str
    figures: str

    @property
    def is_number(self) -> bool:
        return self.figures != TEXT

    @property
    def dated(self) -> bool:
        return self.figures in ("date", "datetime")

    @property
    def whole(self) -> bool:
        """Whether values are whole numbers, or whole days."""
        return self.figures in ("integer", "date")


def settings_of(name: str, plan: Plan) -> Column:
    """The settings of a released column; one that the plan does not list is released unchanged."""
    return plan.columns.get(name, Column(role="insensitive"))


def read_cells(raw: pl.Series, name: str, plan: Plan, numeric: Collection[str] = ()) -> tuple[str, pl.Series]:
    """The type and the values of a column of the input; null is missing.

    Sensitive values without a type are text, unless the plan asks for a figure of numbers (`numeric`).
    """
    settings, data = settings_of(name, plan), plan.data
    type_ = settings.type or (TEXT if settings.role == "sensitive" and name not in numeric else None)
    try:
        return typed(raw, type=type_, missing=data.absent, notation=data.notation)
    except TableError:  # a column that no model reads need not have the type of its plan
        return typed(raw, type=TEXT, missing=data.absent)


def type_of(cells: str, name: str, plan: Plan, labels: tuple[str, ...] | None) -> ColumnType:
    """The type of a column whose input has cells of this type; `labels`: its released labels, if it is generalized."""
    if labels is None:
        return ColumnType(cells, cells)
    settings = plan.columns[name].model_copy(update={"type": cells})
    return ColumnType(cells, label_type(LabelColumn(name, labels, settings, hierarchy(plan, name))))


def generalized(name: str, plan: Plan) -> bool:
    """Whether the cells of a column are labels."""
    return name in plan.quasi_identifiers and forms.by_kind(plan.release.form).generalizes


def parsed_number(written: object, type_: str, name: str, plan: Plan) -> float:
    """A number or date of the plan as a figure; raises a PlanError if it is none of the column's type."""
    for notation in (AS_SHOWN, plan.data.notation):
        try:
            found = typed(pl.Series([str(written)]), type=_wide(type_), missing=(), notation=notation).values
        except TableError:
            continue
        return float(as_numbers(found)[0])
    raise PlanError(
        f"The plan names {str(written)!r} for column '{name}', which has type '{type_}'.",
        hint="write a number, or a date as 2024-03-09.",
    )


def _wide(type_: str) -> str:
    """The type in which a bound is read: bounds of whole numbers need not be whole."""
    return "real" if type_ == "integer" else type_
