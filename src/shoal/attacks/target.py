"""The target of an attack: published tables, their plan, and what the intruder and the steward have besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal.arrays import Int32, Int64
from shoal.coded.keys import distinct_rows
from shoal.engines.dictionary import dictionary
from shoal.engines.fitting import published_columns
from shoal.forms.anatomy import CLASS_ID, COUNT, QUASI_IDENTIFIERS, VALUE, sensitive_table
from shoal.forms.generalized import RELEASE
from shoal.labels import MISSING
from shoal.plan import Plan
from shoal.table import Runs, with_set_texts
from shoal.verification.regrouping import canonical

CLASS = "\x00class"
"""The number of a class; no column of a table can have this name."""


@dataclass(frozen=True)
class Groups:
    """Rows grouped by equal texts in some columns; equal adjacent rows may be one run.

    `labels`: the texts of each group, with missing ones empty. `of_run` int64 [runs]: the group of each run. `times`
    int64 [runs]: the number of its rows. `sizes` int64 [groups]: the number of the group's rows.
    """

    labels: pl.DataFrame
    of_run: Int64
    times: Int64
    sizes: Int64

    @property
    def rows(self) -> int:
        return int(self.times.sum())

    def of_rows(self, rows: Int64) -> Int64:
        """int64: the group of each of some rows, which are given by their numbers."""
        return self.of_run[np.searchsorted(np.cumsum(self.times), rows, "right")]

    def __len__(self) -> int:
        return len(self.sizes)


@dataclass(frozen=True)
class Target:
    """What is attacked, and what the intruder and the steward have.

    `tables`: as published, all rows or their runs; a raw table is given as {"release": frame}. `counted`: whether the
    rows were counted, so that their order is not known. `raw`: the steward's input, with which success
    is checked. `reference`: the intruder's table of individuals. `earlier`: the tables of an earlier release of the
    same people. Samples are drawn with `seed`.
    """

    tables: Mapping[str, pl.DataFrame | Runs]
    plan: Plan
    raw: pl.DataFrame | None = None
    reference: pl.DataFrame | None = None
    earlier: Mapping[str, pl.DataFrame | Runs] | None = None
    seed: int = 0
    counted: bool = False

    def __post_init__(self) -> None:
        if not self.is_anatomy:  # roles by pattern are those of the columns at hand
            object.__setattr__(self, "plan", self.plan.for_table(self.main.columns, complete=False))
        if separators := self.plan.separators:  # sets may be lists, in which no attack looks
            texts = {name: each.with_rows(with_set_texts(each.rows, separators)) for name, each in self._runs.items()}
            object.__setattr__(self, "_runs", texts)
            for name in ("raw", "reference"):
                given: pl.DataFrame | None = getattr(self, name)
                object.__setattr__(self, name, None if given is None else with_set_texts(given, separators))

    @property
    def is_anatomy(self) -> bool:
        return RELEASE not in self.tables

    @cached_property
    def _runs(self) -> dict[str, Runs]:
        """The tables as runs."""
        return {name: each if isinstance(each, Runs) else Runs.of(each) for name, each in self.tables.items()}

    @property
    def main(self) -> Runs:
        """The table with a row for each individual."""
        return self._runs[QUASI_IDENTIFIERS if self.is_anatomy else RELEASE]

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

    def missing(self, column: str) -> pl.Series:
        """For every run of the main table, whether it shows no value in a column."""
        known: dict[str, pl.Series] = self.__dict__.setdefault("_missing", {})
        if column not in known:
            known[column] = as_labels(self.main[column], self.plan.data.absent) == MISSING
        return known[column]

    def values(self, column: str) -> pl.Series:
        """The canonical text of a sensitive column in every run of a generalized table, null if missing."""
        return canonical(self.main[column], self.plan.columns[column], self.plan.data.absent)

    def valued(self, column: str) -> pl.DataFrame:
        """CLASS, `value` (null if missing) and `rows`: the number of rows of every run of a generalized table."""
        return pl.DataFrame({CLASS: self.classes.of_run, "value": self.values(column), "rows": self.main.times})

    def counts(self, column: str) -> pl.DataFrame:
        """CLASS, `value` (null if missing) and `count`: the rows of each sensitive value in each class."""
        known: dict[str, pl.DataFrame] = self.__dict__.setdefault("_counts", {})
        if column not in known:
            known[column] = self._counted(column)
        return known[column]

    def _counted(self, column: str) -> pl.DataFrame:
        if not self.is_anatomy:
            coded = self.valued(column).with_columns(pl.col("value").cast(pl.Categorical(pl.Categories.random())))
            counts = coded.group_by(CLASS, "value").agg(pl.col("rows").sum().alias("count"))
            return counts.with_columns(pl.col("value").cast(pl.String))
        numbers = self.classes.labels.with_row_index(CLASS).with_columns(pl.col(CLASS).cast(pl.Int64))
        counts = self._runs[sensitive_table(column)].expanded().with_columns(pl.col(CLASS_ID).cast(pl.String))
        texts = canonical(counts[VALUE], self.plan.columns[column], self.plan.data.absent)
        counts = counts.with_columns(texts.alias("value"), pl.col(COUNT).cast(pl.String).cast(pl.Int64).alias("count"))
        return counts.join(numbers, on=CLASS_ID).select(CLASS, "value", "count")

    def whole(self, column: str) -> pl.DataFrame:
        """`value` and `total`: the rows of each sensitive value in the whole table."""
        return self.counts(column).group_by("value").agg(pl.col("count").sum().alias("total"))


def grouped(rows: Runs, columns: Sequence[str], absent: Sequence[str]) -> Groups:
    """Rows grouped by equal texts; every text of `absent` is a missing value.

    Groups are numbered in the order of their texts, so that samples do not depend on the order of the rows.
    """
    if not columns:
        return Groups(pl.DataFrame(height=1), np.zeros(len(rows.times), np.int64), rows.times, np.array([rows.height]))
    texts = [as_labels(rows[name], absent) for name in columns]
    found = distinct_rows([_ranks(each) for each in texts])
    sizes = np.zeros(len(found.firsts), np.int64)
    np.add.at(sizes, found.ids, rows.times)
    labels = pl.DataFrame([each.gather(found.firsts) for each in texts])
    return Groups(labels, found.ids.astype(np.int64), rows.times, sizes)


def _ranks(texts: pl.Series) -> Int32:
    """int32 [texts]: the place of each text among the different ones in their order."""
    coded = dictionary(texts)
    ranks = np.empty(len(coded.distinct), np.int32)
    ranks[coded.distinct.arg_sort().to_numpy()] = np.arange(len(ranks), dtype=np.int32)
    return ranks[coded.codes]


def as_labels(column: pl.Series, absent: Sequence[str]) -> pl.Series:
    """The texts of a column, with missing ones empty."""
    texts = (column.dt.to_string("iso") if column.dtype == pl.Duration else column).cast(pl.String)
    texts = texts.fill_null(MISSING)
    return texts.set(texts.is_in(list(absent)), MISSING) if absent else texts
