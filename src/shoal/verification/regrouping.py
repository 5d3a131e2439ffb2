"""Regrouping: from released rows to counted rows, and from these to classes, by their labels and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from shoal import table
from shoal.hierarchies.base import text_of
from shoal.models.evidence import CLASS, COUNT
from shoal.roles.columns import Column

_RUN = "\x00run"


def counted_rows(released: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The distinct rows of some columns as text, and COUNT, how many released rows have each.

    Counts of the parts of a table, put together by `merged_counts`, are the counts of the table.
    """
    used = released.select(columns)
    texts = _run_lengths(used).with_columns(pl.col(columns).cast(pl.String))
    return merged_counts([texts], columns)


def merged_counts(parts: Sequence[pl.DataFrame], columns: Sequence[str]) -> pl.DataFrame:
    """The counted rows of all parts together."""
    return pl.concat(parts).group_by(columns).agg(pl.col(COUNT).sum())


def with_classes(counted: pl.DataFrame, quasi_identifiers: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Counted rows with their CLASS instead of the quasi-identifiers; and CLASS with the labels of each.

    A class is all rows whose labels are equal. A missing label and an empty one are the same.
    """
    rows = counted.with_columns(pl.col(quasi_identifiers).fill_null(""))
    others = [name for name in counted.columns if name not in quasi_identifiers]
    classes = rows.group_by(quasi_identifiers).agg(others).with_row_index(CLASS)
    return classes.select(CLASS, *others).explode(others), classes.select(CLASS, *quasi_identifiers)


def class_numbers(released: pl.DataFrame, quasi_identifiers: Sequence[str]) -> pl.Series:
    """CLASS of every released row: equal numbers exactly where all labels are equal."""
    labels = released.select(pl.col(quasi_identifiers).cast(pl.String).fill_null(""))
    classes = labels.with_row_index(_RUN).group_by(quasi_identifiers).agg(_RUN).with_row_index(CLASS)
    return classes.select(CLASS, _RUN).explode(_RUN).sort(_RUN)[CLASS]


def canonical(released: pl.Series, column: Column, missing: Sequence[str]) -> pl.Series:
    """The column as canonical text, null where missing: equal values count as one, however they are written."""
    distinct = released.unique()
    text = text_of(table.typed(distinct, type=column.type or "text", missing=missing).values)
    if released.dtype == pl.String and text.equals(distinct):
        return released
    known = pl.DataFrame({"written": distinct, "text": text})
    rows = released.to_frame("written").join(known, on="written", how="left", nulls_equal=True, maintain_order="left")
    return rows["text"].alias(released.name)


def _run_lengths(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that differ from the one before, and COUNT, how many follow that are like each.

    A released table is sorted, so equal rows stand together. Where most columns are text, which is as slow to compare
    as to count, every row counts as one.
    """
    dictionaries = sum(isinstance(dtype, pl.Categorical | pl.Enum) for dtype in rows.dtypes)
    if 2 * dictionaries < rows.width or not rows.height:
        return rows.with_columns(pl.lit(1, dtype=pl.Int64).alias(COUNT))
    differs = pl.any_horizontal(pl.all().ne_missing(pl.all().shift(1)))
    starts = rows.select((differs | (pl.int_range(pl.len()) == 0)).arg_true().alias(COUNT))[COUNT].cast(pl.Int64)
    lengths = starts.shift(-1, fill_value=rows.height) - starts
    return rows[starts].with_columns(lengths.alias(COUNT))
