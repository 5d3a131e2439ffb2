"""Regrouping: counts the released rows, and forms classes from their labels alone."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from shoal import table
from shoal.hierarchies.base import text_of
from shoal.models.evidence import CLASS, COUNT
from shoal.roles.columns import Column

_RUN = "\x00run"


def counted_rows(released: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The distinct rows of some columns as text, with COUNT, the number of released rows of each.

    `merged_counts` merges the counts of the parts of a table into those of the table.
    """
    if not columns:
        return pl.DataFrame({COUNT: pl.Series([released.height], dtype=pl.Int64)}).filter(pl.col(COUNT) > 0)
    used = released.select(columns)
    texts = _run_lengths(used).with_columns(pl.col(columns).cast(pl.String))
    return merged_counts([texts], columns)


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


def _run_lengths(rows: pl.DataFrame) -> pl.DataFrame:
    """The first row of every run of equal rows, with COUNT, the length of the run.

    A released table is sorted, so equal rows are adjacent. If most columns are text, which is as slow to compare as to
    count, every row is a run of its own.
    """
    dictionaries = sum(isinstance(dtype, pl.Categorical | pl.Enum) for dtype in rows.dtypes)
    if 2 * dictionaries < rows.width or not rows.height:
        return rows.with_columns(pl.lit(1, dtype=pl.Int64).alias(COUNT))
    differs = pl.any_horizontal(pl.all().ne_missing(pl.all().shift(1)))
    starts = rows.select((differs | (pl.int_range(pl.len()) == 0)).arg_true().alias(COUNT))[COUNT].cast(pl.Int64)
    lengths = starts.shift(-1, fill_value=rows.height) - starts
    return rows[starts].with_columns(lengths.alias(COUNT))
