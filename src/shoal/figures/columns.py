"""The released columns: what each is published as, its most frequent labels, and a histogram of numbers and dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.figures.folding import MOST_NAMED, Categories, fewest_rows, folded
from shoal.figures.histograms import Histogram, histogram, ordered, value_histogram, values_of
from shoal.forms.anatomy import CLASS_ID, COUNT, VALUE, sensitive_table
from shoal.labels import MISSING
from shoal.plan import Plan
from shoal.table import Runs, as_text
from shoal.table.sets import read_sets
from shoal.verification.labelled import Labelled, is_coded

MOST_COLUMNS = 60
"""The most columns that a report describes one by one; a wide table may have thousands."""


@dataclass(frozen=True)
class ReleasedColumn:
    """A released column.

    `published_as`: what its labels are; `labels`: how many there are. `frequent`: the most frequent of them. `levels`:
    the level of the hierarchy → rows, if labels have levels. `rows`: all of them; `missing`: those without a value.
    The labels of a set-valued column are its items, and a row counts for each item of its set.
    """

    name: str
    role: str
    published_as: str
    labels: int
    frequent: Categories
    rows: int
    missing: int = 0
    levels: Mapping[str, int] | None = None
    histogram: Histogram | None = None


@dataclass(frozen=True)
class ReleasedColumns:
    """The released columns, the first of them one by one. `fewest`: the fewest rows of a label that is named."""

    columns: tuple[ReleasedColumn, ...]
    more: int
    fewest: int


def released_columns(tables: Mapping[str, Runs], plan: Plan, labels: Mapping[str, Labelled]) -> ReleasedColumns:
    """What the published tables have in each column; `plan` is the published plan."""
    main, fewest = next(iter(tables.values())), fewest_rows(plan)
    names = [name for name in main.columns if name != CLASS_ID]
    names += [name for name in plan.sensitive if name not in names and sensitive_table(name) in tables]
    described = tuple(_column(name, tables, plan, labels.get(name), fewest) for name in names[:MOST_COLUMNS])
    return ReleasedColumns(described, max(len(names) - MOST_COLUMNS, 0), fewest)


def _column(
    name: str, tables: Mapping[str, Runs], plan: Plan, labelled: Labelled | None, fewest: int
) -> ReleasedColumn:
    role = plan.columns[name].role if name in plan.columns else "insensitive"
    if labelled is None:
        counts = _counted(name, tables)
        texts, rows = counts[VALUE], counts["rows"].to_numpy()
        if name in plan.separators:
            items, rows_of_items = by_item(texts, rows, plan.separators[name])
            found = _described(name, role, "sets of items", items, rows_of_items, fewest)
            return replace(found, rows=int(rows.sum()))
        found = _described(name, role, "values", texts, rows, fewest)
        return replace(found, histogram=_of_values(name, counts, plan, fewest))
    texts = pl.Series(labelled.labels, dtype=pl.String)
    levels = {str(level): int(labelled.rows[places].sum()) for level, places in labelled.by_level.items()}
    return replace(
        _described(name, role, labelled.published_as, texts, labelled.rows, fewest),
        levels=levels or None,
        histogram=histogram(name, labelled, plan),
    )


def _of_values(name: str, counts: pl.DataFrame, plan: Plan, fewest: int) -> Histogram | None:
    """The histogram of an unchanged column with more numbers or dates than bars could show."""
    if len(counts) <= MOST_NAMED:
        return None
    values = values_of(counts[VALUE].alias(name), plan.columns.get(name), plan.data)
    return None if values is None else value_histogram(values, counts["rows"].to_numpy(), fewest)


def by_item(sets: pl.Series, rows: Int64, separator: str) -> tuple[pl.Series, Int64]:
    """The empty set, as a missing value, and every item, with the rows of each; `rows` int64 [sets]."""
    found = read_sets(sets, separator, ())
    empty = int(rows[np.diff(found.offsets) == 0].sum())
    items = pl.concat([pl.Series([MISSING], dtype=pl.String), found.items.rename("")])
    return items, np.append(np.int64(empty), found.rows_of_items(rows))


class LabelRows(NamedTuple):
    """Label → its released rows, of some labels; and the rows of all labels."""

    rows: dict[str, int]
    total: int


def label_rows(
    name: str, tables: Mapping[str, Runs], labelled: Labelled | None, wanted: Sequence[str], separator: str = ""
) -> LabelRows:
    """The released rows of the `wanted` labels of a column that is generalized (`labelled`) or released unchanged.

    With a `separator`, labels are items of sets.
    """
    counts = (
        _counted(name, tables)
        if labelled is None
        else pl.DataFrame({VALUE: pl.Series(labelled.labels, dtype=pl.String), "rows": labelled.rows})
    )
    if separator:
        items, rows = by_item(counts[VALUE], counts["rows"].to_numpy(), separator)
        counts = pl.DataFrame({VALUE: items, "rows": rows})
    found = counts.filter(pl.col(VALUE).is_in(pl.Series(wanted, dtype=pl.String).implode()))
    return LabelRows(dict(found.iter_rows()), int(counts["rows"].sum()))


def _described(name: str, role: str, published_as: str, texts: pl.Series, rows: Int64, fewest: int) -> ReleasedColumn:
    present = texts != MISSING
    frequent = folded(texts.filter(present), rows[present.to_numpy()], fewest)
    total = int(rows.sum())
    return ReleasedColumn(name, role, published_as, int(present.sum()), frequent, total, total - frequent.rows)


def cell_texts(cells: pl.Series) -> pl.Series:
    """The text of every cell of an unchanged column as a file of the release has it, empty if missing or NaN."""
    known = cells.fill_nan(None) if cells.dtype.is_float() else cells
    return (known.cast(pl.String) if is_coded(known) else as_text(known)).fill_null(MISSING)


def _counted(name: str, tables: Mapping[str, Runs]) -> pl.DataFrame:
    """The distinct cells of an unchanged column as text, VALUE, empty if missing, and the `rows` of each, int64."""
    main = next(iter(tables.values()))
    if name in main.columns:
        distinct = main.counted(name)
        cells = distinct.select(cell_texts(distinct[name]).alias(VALUE), "rows")
    else:
        values = tables[sensitive_table(name)].expanded()
        cells = values.select(
            pl.col(VALUE).cast(pl.String).fill_null(MISSING),
            pl.col(COUNT).cast(pl.String).cast(pl.Int64).alias("rows"),
        )
    return ordered(cells.group_by(VALUE).agg(pl.col("rows").sum().cast(pl.Int64)))
