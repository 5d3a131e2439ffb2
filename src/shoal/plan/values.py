"""The values that a model or a scope names, written as their column writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from shoal.errors import PlanError, TableError
from shoal.hierarchies.base import text_of
from shoal.models.base import ClassModel
from shoal.roles.columns import Column, Data
from shoal.roles.scope import Scope
from shoal.table import typed


def as_compared(model: ClassModel, columns: Mapping[str, Column], data: Data) -> ClassModel:
    """The model with the values that it names in the form in which they are compared with the column.

    Numbers and dates match by value: 1.0 names the 1 of an integer column. Texts match literally.
    """
    for name in model.reads if model.names_values else ():
        if name in columns:
            model = model.naming(_texts(f"Model '{model.kind}'", model.names_values, name, columns[name], data))
    return model


def scope_as_compared(scope: Scope, columns: Mapping[str, Column], data: Data) -> Scope:
    """The scope with its values in the form in which they are compared with the column."""
    if scope.column not in columns:
        return scope
    return replace(scope, values=_texts("The scope", scope.values, scope.column, columns[scope.column], data))


def _texts(who: str, named: Sequence[str], column: str, settings: Column, data: Data) -> tuple[str, ...]:
    texts = text_of(_typed(who, named, column, settings.type or "text", data)).to_list()
    for value, text in zip(named, texts, strict=True):
        if text is None:
            raise PlanError(
                f"{who} names {value!r} of column '{column}', which represents a missing value.",
                hint="omit it; with missing_counts = true on the column, missing values count.",
            )
    return tuple(dict.fromkeys(texts))


def _typed(who: str, named: Sequence[str], column: str, type_: str, data: Data) -> pl.Series:
    """The named values in the type of the column, written as in the table or as Shoal writes them."""
    values = pl.Series(named, dtype=pl.String)
    try:
        return typed(values, type=type_, missing=data.absent, notation=data.notation).values
    except TableError:
        pass
    try:
        return typed(values, type=type_, missing=data.absent).values
    except TableError:
        raise PlanError(
            f"{who} names values that column '{column}' of type '{type_}' cannot have.",
            hint="write them as in the table, or omit the type.",
        ) from None
