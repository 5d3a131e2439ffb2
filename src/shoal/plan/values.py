"""The values that a model names, written as their column writes them."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from shoal.errors import PlanError, TableError
from shoal.hierarchies.base import text_of
from shoal.models.base import ClassModel
from shoal.roles.columns import Column, Data
from shoal.table import typed


def as_compared(model: ClassModel, columns: Mapping[str, Column], data: Data) -> ClassModel:
    """The model with the values that it names in the form in which they are compared with the column.

    Numbers and dates match by value: 1.0 names the 1 of an integer column. Texts match literally.
    """
    for name in model.reads if model.names_values else ():
        if name in columns:
            model = model.naming(tuple(dict.fromkeys(_texts(model, name, columns[name].type or "text", data))))
    return model


def _texts(model: ClassModel, column: str, type_: str, data: Data) -> list[str]:
    named = model.names_values
    texts = text_of(_typed(model, column, type_, data)).to_list()
    for value, text in zip(named, texts, strict=True):
        if text is None:
            raise PlanError(
                f"Model '{model.kind}' names {value!r} of column '{column}', which represents a missing value.",
                hint="omit it; with missing_counts = true on the column, missing values count.",
            )
    return texts


def _typed(model: ClassModel, column: str, type_: str, data: Data) -> pl.Series:
    """The named values in the type of the column, written as in the table or as Shoal writes them."""
    named = pl.Series(model.names_values, dtype=pl.String)
    try:
        return typed(named, type=type_, missing=data.absent, notation=data.notation).values
    except TableError:
        pass
    try:
        return typed(named, type=type_, missing=data.absent).values
    except TableError:
        raise PlanError(
            f"Model '{model.kind}' names values that column '{column}' of type '{type_}' cannot have.",
            hint="write them as in the table, or omit the type.",
        ) from None
