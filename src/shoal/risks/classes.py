"""Counted classes of any table, raw or released: rows whose quasi-identifiers are equal."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int32, Int64
from shoal.coded.keys import Distinct, distinct_rows
from shoal.counts import some_of
from shoal.errors import PlanError, TableError, did_you_mean
from shoal.hierarchies.base import text_of
from shoal.labels import MISSING
from shoal.plan import Plan
from shoal.roles.columns import Column, Data
from shoal.table import Runs, as_text, require_rows, typed
from shoal.verification.labelled import coded_cells


@dataclass(frozen=True)
class Classes:
    """The distinct combinations of quasi-identifiers of a table, in lexicographic order of their codes.

    `labels`: the text of each code, for every column. `codes` int32 [q, classes]. `sizes` int64 [classes]: the rows of
    each class, or its distinct individuals if the table and the plan name them (`individuals`). `weights` float64
    [classes]: the sum of the sampling weights, if the plan names them. `rows`: the number of rows of the table.
    `of_run` int32 [runs]: the class of each run of equal rows, if it was counted from rows.
    """

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    codes: Int32
    sizes: Int64
    rows: int
    individuals: bool = False
    weights: Float64 | None = None
    of_run: Int32 | None = None

    def on(self, columns: Sequence[str]) -> Classes:
        """The classes by some of the columns, in this order."""
        places = [self.columns.index(name) for name in columns]
        distinct, sizes = summed([self.codes[place] for place in places], self.sizes)
        codes = np.stack([self.codes[place][distinct.firsts] for place in places])
        labels = tuple(self.labels[place] for place in places)
        return Classes(tuple(columns), labels, codes, sizes, self.rows, self.individuals)


def summed(columns: Sequence[Int32], sizes: Int64) -> tuple[Distinct, Int64]:
    """The distinct rows of some columns of codes, and int64: the sum of the sizes of each of them."""
    distinct = distinct_rows(columns)
    return distinct, np.bincount(distinct.ids, sizes, len(distinct.firsts)).astype(np.int64)


def counted_classes(frame: pl.DataFrame, plan: Plan) -> Classes:
    """The classes of a table of rows; see `classes_of`."""
    return classes_of(Runs.of(frame), plan)


def classes_of(table: Runs, plan: Plan) -> Classes:
    """The classes of a table by the quasi-identifiers of the plan.

    Values are equal if their typed values are; a missing value equals only another one. Labels of a release are
    compared as text.
    """
    require_rows(table.rows)
    _require_columns(table.columns, plan)
    names = plan.quasi_identifiers
    if not names:
        of_run = np.zeros(len(table.times), np.int32)
        return Classes((), (), np.zeros((0, 1), np.int32), np.array([table.height]), table.height, of_run=of_run)
    with ThreadPoolExecutor() as threads:
        coded = list(threads.map(lambda name: coded_column(table[name], plan.columns[name], plan.data), names))
    distinct = distinct_rows([each.codes for each in coded])
    person = plan.data.person if plan.data.person in table.columns else None
    kept, times = np.arange(len(table.times)), table.times
    if person is not None:
        kept = distinct_rows([distinct.ids, _person_codes(table[person])]).firsts
        times = np.ones(len(kept), np.int64)  # a person counts once in a class
    weights = None if plan.risk.weight is None else _weights(table[plan.risk.weight])[kept] * times
    counted, classes = distinct.ids[kept], len(distinct.firsts)
    sizes = np.zeros(classes, np.int64)
    np.add.at(sizes, counted, times)
    return Classes(
        names,
        tuple(each.labels for each in coded),
        np.stack([each.codes[distinct.firsts] for each in coded]),
        sizes,
        table.height,
        person is not None,
        None if weights is None else np.bincount(counted, weights, classes).astype(np.float64),
        distinct.ids,
    )


def with_persons(table: Runs, persons: pl.Series | None, plan: Plan) -> Runs:
    """A released table with the person of each of its rows, in the column that the plan names; as it is if unknown."""
    if persons is None or plan.data.person is None:
        return table
    return Runs.of(table.expanded().with_columns(persons.alias(plan.data.person)))


class CodedColumn(NamedTuple):
    """int32 [rows]: the codes of a column, and the text of each code, empty for the missing value."""

    codes: Int32
    labels: tuple[str, ...]


def coded_column(column: pl.Series, settings: Column, data: Data) -> CodedColumn:
    """A column in codes of equal values."""
    codes, texts = coded_cells(as_text(column).cast(pl.Categorical(pl.Categories.random())))
    labels = _canonical(texts, settings, data).fill_null(MISSING)
    distinct, place = np.unique(labels.to_numpy(), return_inverse=True)
    return CodedColumn(place.astype(np.int32)[codes], tuple(distinct.tolist()))


def _canonical(texts: pl.Series, settings: Column, data: Data) -> pl.Series:
    """Texts of raw values in the form in which they are compared; labels of a release as they are."""
    try:
        return text_of(typed(texts, type=settings.type, missing=data.absent, notation=data.notation).values)
    except TableError:  # the column has labels, which are no values of its type
        return texts


def _person_codes(column: pl.Series) -> Int32:
    return coded_cells(as_text(column).cast(pl.Categorical(pl.Categories.random())))[0].astype(np.int32)


def _weights(column: pl.Series) -> Float64:
    """float64 [rows]: the sampling weights."""
    numbers = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    bad: Flags = ~np.isfinite(numbers) | (numbers < 1)
    if bad.any():
        raise TableError(
            f"Column '{column.name}' has {int(bad.sum()):,} values that are no sampling weights.",
            allowed="A weight is a number of at least 1: the individuals for whom a row stands.",
        )
    return numbers


def _require_columns(columns: Sequence[str], plan: Plan) -> None:
    named = [*plan.quasi_identifiers, *([plan.risk.weight] if plan.risk.weight is not None else [])]
    absent = [name for name in named if name not in columns]
    if absent:
        raise PlanError(
            f"The table has no column {some_of(absent)}, which the plan names.",
            allowed="Every quasi-identifier of the plan must be in the table.",
            hint=did_you_mean(absent[0], columns) or "use the plan of this table.",
        )
