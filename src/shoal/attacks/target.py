"""The target of an attack: published tables, their plan, and what the intruder and the steward have besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.engines.fitting import published_columns
from shoal.forms.anatomy import CLASS_ID, COUNT, QUASI_IDENTIFIERS, VALUE, sensitive_table
from shoal.forms.generalized import RELEASE
from shoal.labels import MISSING
from shoal.plan import Plan
from shoal.table import with_set_texts
from shoal.verification.regrouping import canonical

CLASS = "\x00class"
"""The number of a class; no column of a table can have this name."""
_ROW = "\x00row"


@dataclass(frozen=True)
class Groups:
    """Rows grouped by equal texts in some columns.

    `labels`: the texts of each group, with missing ones empty. `of_row` int64 [rows]: the group of each row. `sizes`
    int64 [groups]: the number of its rows.
    """

    labels: pl.DataFrame
    of_row: Int64
    sizes: Int64

    def __len__(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True)
class Target:
    """What is attacked, and what the intruder and the steward have.

    `tables`: as published; a raw table is given as {"release": frame}. `raw`: the steward's input, with which success
    is checked. `reference`: the intruder's table of individuals. `earlier`: the tables of an earlier release of the
    same people. Samples are drawn with `seed`.
    """

    tables: Mapping[str, pl.DataFrame]
    plan: Plan
    raw: pl.DataFrame | None = None
    reference: pl.DataFrame | None = None
    earlier: Mapping[str, pl.DataFrame] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.is_anatomy:  # roles by pattern are those of the columns at hand
            object.__setattr__(self, "plan", self.plan.for_table(self.main.columns, complete=False))
        if separators := self.plan.separators:  # sets may be lists, in which no attack looks
            tables = {name: with_set_texts(frame, separators) for name, frame in self.tables.items()}
            object.__setattr__(self, "tables", tables)
            for name in ("raw", "reference"):
                given: pl.DataFrame | None = getattr(self, name)
                object.__setattr__(self, name, None if given is None else with_set_texts(given, separators))

    @property
    def is_anatomy(self) -> bool:
        return RELEASE not in self.tables

    @property
    def main(self) -> pl.DataFrame:
        """The table with a row for each individual."""
        return self.tables[QUASI_IDENTIFIERS if self.is_anatomy else RELEASE]

    @property
    def rows(self) -> int:
        return self.main.height

    @property
    def published(self) -> tuple[str, ...]:
        """The columns of the main table that a release has; a raw table may have others."""
        return tuple(name for name in published_columns(self.main.columns, self.plan) if name != CLASS_ID)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers in the order of the table."""
        wanted = set(self.plan.quasi_identifiers)
        return tuple(name for name in self.main.columns if name in wanted)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns that are published."""
        if self.is_anatomy:
            return tuple(name for name in self.plan.sensitive if sensitive_table(name) in self.tables)
        return tuple(name for name in self.plan.sensitive if name in self.main.columns)

    @property
    def promises_rows(self) -> bool:
        """Whether the models promise something of every published row.

        Not if they count persons, whom the rows do not distinguish, or if they cover some rows only.
        """
        return self.plan.data.person is None and self.plan.scope is None

    @cached_property
    def labelled(self) -> Groups:
        """The rows grouped by their released quasi-identifiers."""
        return grouped(self.main, self.quasi_identifiers, self.plan.data.absent)

    @cached_property
    def classes(self) -> Groups:
        """The rows grouped by the classes whose sensitive values are published together."""
        return grouped(self.main, (CLASS_ID,), ()) if self.is_anatomy else self.labelled

    def values(self, column: str) -> pl.Series:
        """The canonical text of a sensitive column in every row of a generalized table, null if missing."""
        return canonical(self.main[column], self.plan.columns[column], self.plan.data.absent)

    def counts(self, column: str) -> pl.DataFrame:
        """CLASS, `value` (null if missing) and `count`: the rows of each sensitive value in each class."""
        known: dict[str, pl.DataFrame] = self.__dict__.setdefault("_counts", {})
        if column not in known:
            known[column] = self._counted(column)
        return known[column]

    def _counted(self, column: str) -> pl.DataFrame:
        if not self.is_anatomy:
            rows = pl.DataFrame({CLASS: self.classes.of_row, "value": self.values(column)})
            return rows.group_by(CLASS, "value").agg(pl.len().cast(pl.Int64).alias("count"))
        numbers = self.classes.labels.with_row_index(CLASS).with_columns(pl.col(CLASS).cast(pl.Int64))
        counts = self.tables[sensitive_table(column)].with_columns(pl.col(CLASS_ID).cast(pl.String))
        texts = canonical(counts[VALUE], self.plan.columns[column], self.plan.data.absent)
        counts = counts.with_columns(texts.alias("value"), pl.col(COUNT).cast(pl.String).cast(pl.Int64).alias("count"))
        return counts.join(numbers, on=CLASS_ID).select(CLASS, "value", "count")

    def whole(self, column: str) -> pl.DataFrame:
        """`value` and `total`: the rows of each sensitive value in the whole table."""
        return self.counts(column).group_by("value").agg(pl.col("count").sum().alias("total"))


def grouped(frame: pl.DataFrame, columns: Sequence[str], absent: Sequence[str]) -> Groups:
    """The rows of a frame grouped by equal texts; every text of `absent` is a missing value.

    Groups are numbered in the order of their texts, so that samples do not depend on the order of the rows.
    """
    if not columns:
        return Groups(pl.DataFrame(height=1), np.zeros(frame.height, np.int64), np.array([frame.height]))
    texts = frame.select(as_labels(frame[name], absent).alias(name) for name in columns)
    groups = texts.with_row_index(_ROW).group_by(columns).agg(_ROW).sort(columns)
    sizes = groups[_ROW].list.len().cast(pl.Int64).to_numpy()
    of_row = np.empty(frame.height, np.int64)
    of_row[groups[_ROW].explode(empty_as_null=False).to_numpy()] = np.repeat(np.arange(len(sizes)), sizes)
    return Groups(groups.select(columns), of_row, sizes)


def as_labels(column: pl.Series, absent: Sequence[str]) -> pl.Series:
    """The texts of a column, with missing ones empty."""
    texts = column.cast(pl.String).fill_null(MISSING)
    return texts.set(texts.is_in(list(absent)), MISSING) if absent else texts
