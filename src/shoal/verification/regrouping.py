"""Regrouping: counts the released rows, and forms classes from their labels alone."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from shoal import table
from shoal.hierarchies.base import text_of
from shoal.models.evidence import CLASS, COUNT
from shoal.roles.columns import Column

_RUN = "\x00run"


def counted_rows(released: table.Runs, columns: Sequence[str]) -> pl.DataFrame:
    """The distinct rows of some columns as text, with COUNT, the number of released rows of each.

    `merged_counts` merges the counts of the parts of a table into those of the table.
    """
    if not columns:
        return pl.DataFrame({COUNT: pl.Series([released.height], dtype=pl.Int64)}).filter(pl.col(COUNT) > 0)
    coded = (pl.Categorical, pl.Enum)
    used = released.rows.select(pl.col(columns), pl.Series(COUNT, released.times))
    texts = used.with_columns(
        pl.col(name).cast(pl.String) for name in columns if not isinstance(used.schema[name], coded)
    )
    # Codes of dictionaries are grouped faster than their texts, and take less memory.
    return merged_counts([texts], columns).with_columns(pl.col(columns).cast(pl.String))


def merged_counts(parts: Sequence[pl.DataFrame], columns: Sequence[str]) -> pl.DataFrame:
    """The counted rows of all parts together."""
    return pl.concat(parts).group_by(columns).agg(pl.col(COUNT).sum())


def with_classes(counted: pl.DataFrame, quasi_identifiers: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The counted rows with CLASS in place of the quasi-identifiers, and the labels of each CLASS.

    A class consists of all rows with equal labels. A missing label equals an empty one. Without quasi-identifiers, all
    rows are one class.
    """
    if not quasi_identifiers:
        one = pl.DataFrame({CLASS: pl.Series([0] * min(counted.height, 1), dtype=pl.UInt32)})
        return counted.with_columns(pl.lit(0, dtype=pl.UInt32).alias(CLASS)), one
    rows = counted.with_columns(pl.col(quasi_identifiers).fill_null(""))
    others = [name for name in counted.columns if name not in quasi_identifiers]
    classes = rows.group_by(quasi_identifiers).agg(others).with_row_index(CLASS)
    return classes.select(CLASS, *others).explode(others), classes.select(CLASS, *quasi_identifiers)


def class_numbers(released: pl.DataFrame, quasi_identifiers: Sequence[str]) -> pl.Series:
    """The CLASS of every released row: numbers are equal if and only if all labels are equal."""
    labels = released.select(pl.col(quasi_identifiers).cast(pl.String).fill_null(""))
    classes = labels.with_row_index(_RUN).group_by(quasi_identifiers).agg(_RUN).with_row_index(CLASS)
    return classes.select(CLASS, _RUN).explode(_RUN).sort(_RUN)[CLASS]


def canonical(
    released: pl.Series, column: Column, missing: Sequence[str], notation: table.Notation = table.AS_SHOWN
) -> pl.Series:
    """The column as canonical text, null if missing: equal values are equal text, however they are written.

    `notation`: that of the input. Released values need none, because they are canonical already.
    """
    distinct = released.unique()
    text = text_of(table.typed(distinct, type=column.type or "text", missing=missing, notation=notation).values)
    if released.dtype == pl.String and text.equals(distinct):
        return released
    known = pl.DataFrame({"written": distinct, "text": text})
    rows = released.to_frame("written").join(known, on="written", how="left", nulls_equal=True, maintain_order="left")
    return rows["text"].alias(released.name)
