"""The release as its recipient sees it: labels with ends and members, and the counts of an anatomy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from shoal.arrays import Float64, Int32, Int64
from shoal.engines.dictionary import dictionary
from shoal.estimating.numbers import NumberCells, as_numbers
from shoal.estimating.texts import LabelCells, Tree, ValueCells
from shoal.estimating.types import ColumnType, generalized, parsed_number, settings_of
from shoal.forms.anatomy import CLASS_ID, COUNT, VALUE, sensitive_table
from shoal.hierarchies.base import text_of
from shoal.labels import MISSING
from shoal.plan import Plan
from shoal.reading.typed_labels import HIGH, KIND, LOW, MIDPOINT, LabelColumn, coded_at, typed_labels
from shoal.roles.columns import Column
from shoal.statistics.base import Cells, Joint, Level, Members, Numbers
from shoal.table import AS_SHOWN, Runs, typed
from shoal.verification.labelled import coded_cells, hierarchy, is_coded


class ReleasedSide:
    """The released rows."""

    def __init__(self, tables: Mapping[str, Runs], plan: Plan) -> None:
        self._tables, self._plan = tables, plan
        self._main = next(iter(tables.values()))
        self._types: Mapping[str, ColumnType] = {}
        self._distinct: dict[str, tuple[pl.Series, Int32]] = {}
        self._found: dict[tuple[str, bool], Cells] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """The released columns, those of an anatomy that have a table of their own last."""
        apart = [name for name in self._plan.sensitive if self.counts_by_class(name)]
        return (*(name for name in self._main.columns if name != CLASS_ID or not apart), *apart)

    def labels(self, column: str) -> tuple[str, ...] | None:
        """The labels of a generalized column; None if its cells are values."""
        if not generalized(column, self._plan):
            return None
        return tuple(self._cells(column)[0].cast(pl.String).fill_null(MISSING).to_list())

    def typed_as(self, types: Mapping[str, ColumnType]) -> None:
        """Reads columns in these types."""
        self._types = types

    def counts_by_class(self, column: str) -> bool:
        return column not in self._main.columns and sensitive_table(column) in self._tables

    def alone(self, column: str) -> Cells:
        return self._kept(column, within=False)

    def within(self, column: str) -> Cells:
        return self._kept(column, within=self.counts_by_class(column))

    def joint(self, groups: Mapping[str, Int32]) -> Joint:
        """The combinations of the groups; where these are many, those of each run, of which some may be equal."""
        of_runs = [of_cell[self._runs(name)] for name, of_cell in groups.items()]
        sizes = [int(each.max(initial=0)) + 1 for each in of_runs]
        times = self._main.times
        if not of_runs or np.prod(np.array(sizes, np.float64)) > max(len(times) // 4, 1 << 10):
            return Joint(np.array(of_runs, np.int32).reshape(len(of_runs), -1), times)
        rows = np.bincount(np.ravel_multi_index(of_runs, sizes), times, int(np.prod(sizes)))
        used = np.flatnonzero(rows)
        return Joint(np.array(np.unravel_index(used, sizes), np.int32), rows[used].astype(np.int64))

    def _kept(self, column: str, *, within: bool) -> Cells:
        key = column, within
        if key not in self._found:
            if not self.counts_by_class(column):
                self._found[key] = self._of_main(column)
            else:
                self._found[key] = self._by_class(column) if within else self._counted(column)
        return self._found[key]

    def _runs(self, column: str) -> Int32:
        """int32 [runs]: the cell of each run."""
        return self._classes if self.counts_by_class(column) else self._cells(column)[1]

    # -- the main table -----------------------------------------------------------------------------------------------

    def _cells(self, column: str) -> tuple[pl.Series, Int32]:
        """The distinct cells of a column, and int32 [runs] the cell of each run."""
        if column not in self._distinct:
            self._distinct[column] = _distinct(self._main[column])
        return self._distinct[column]

    def _of_main(self, column: str) -> Cells:
        distinct, codes = self._cells(column)
        rows = np.bincount(codes, self._main.times, len(distinct)).astype(np.int64)
        if not generalized(column, self._plan):
            return self._values(column, distinct, rows)
        labels = distinct.cast(pl.String).fill_null(MISSING).to_list()
        spec, kind = hierarchy(self._plan, column), self._types[column]
        placed = spec.placed(labels)
        book = {"labels": labels, "levels": _whole(placed.levels), "shares": placed.losses.tolist()}
        said = typed_labels(LabelColumn(column, labels, self._plan.columns[column], spec, book), kind.figures)
        if not kind.is_number:
            return LabelCells(rows, labels, said[KIND].to_list(), Tree(spec))
        return NumberCells(rows, _ranges(labels, said, kind), self._parsed(column))

    def _values(self, column: str, distinct: pl.Series, rows: Int64) -> Cells:
        """The cells of a column that was released unchanged."""
        settings, data, kind = settings_of(column, self._plan), self._plan.data, self._types[column]
        unchanged = settings.role not in ("quasi-identifier", "sensitive")  # others are written by Shoal
        notation = data.notation if unchanged else AS_SHOWN
        values = typed(_plain(distinct), type=kind.figures, missing=data.absent, notation=notation).values
        if not kind.is_number:
            return ValueCells(rows, text_of(values), Tree(settings.hierarchy))
        low, high, middle = _open_ends(as_numbers(values), settings, kind.figures)
        return NumberCells(rows, Numbers(low, high, middle, kind.whole, kind.dated), self._parsed(column))

    def _parsed(self, column: str) -> Callable[[str], float]:
        return partial(parsed_number, type_=self._types[column].figures, name=column, plan=self._plan)

    # -- the tables of an anatomy -------------------------------------------------------------------------------------

    @property
    def _classes(self) -> Int32:
        """int32 [runs]: the place of the class of each run among all classes."""
        ids = self._main[CLASS_ID].cast(pl.Int64)
        return ids.unique().sort().search_sorted(ids).cast(pl.Int32).to_numpy()

    def _counted(self, column: str) -> Cells:
        counts, _ = self._own_table(column)
        return self._values(column, *counts)

    def _own_table(self, column: str) -> tuple[tuple[pl.Series, Int64], tuple[Int32, Int32, Int64]]:
        """The distinct values with their rows; and class, value and rows of each entry of the table of a column."""
        table = self._tables[sensitive_table(column)].expanded()
        values, codes = _distinct(table[VALUE])
        rows = table[COUNT].cast(pl.Int64).to_numpy()
        known = self._main[CLASS_ID].cast(pl.Int64).unique().sort()
        places = known.search_sorted(table[CLASS_ID].cast(pl.Int64)).cast(pl.Int32).to_numpy()
        return (values, np.bincount(codes, rows, len(values)).astype(np.int64)), (places, codes, rows)

    def _by_class(self, column: str) -> Cells:
        counts, (classes, codes, rows) = self._own_table(column)
        return ClassCells(self._values(column, *counts), classes, codes, rows)


@dataclass(frozen=True)
class ClassCells:
    """The classes of an anatomy as cells: of each, the numbers of rows with each value are known, but not which rows.

    `entries` int32: class and value of each entry, and `times` int64 its rows.
    """

    values: Cells
    classes: Int32
    entries: Int32
    times: Int64

    @property
    def rows(self) -> Int64:
        return self._summed(np.ones(len(self.times))).astype(np.int64)

    def numbers(self) -> Numbers:
        """The mean of the class, its smallest and its largest value; unknown if a value of the class is missing."""
        values = self.values.numbers()
        of_entry = values.middle[self.entries]
        size = len(self.rows)
        low, high = np.full(size, np.inf), np.full(size, -np.inf)
        np.minimum.at(low, self.classes, np.nan_to_num(of_entry, nan=-np.inf))
        np.maximum.at(high, self.classes, np.nan_to_num(of_entry, nan=np.inf))
        middle = np.where(np.isfinite(low), self._summed(np.nan_to_num(of_entry)) / self.rows, np.nan)
        return Numbers(low, np.where(np.isfinite(low), high, np.inf), middle, values.whole, values.dated)

    def members(self, levels: Sequence[Level]) -> Members:
        inside = self.values.members(levels)
        rows = self.rows
        counts = [self._summed(each[self.entries].astype(np.float64)) for each in inside.sure]
        found = np.array(counts).reshape(len(levels), len(rows))
        absent = self._summed(inside.absent[self.entries].astype(np.float64))
        sure, possible, share = found == rows, found > 0, found / rows
        return Members(share, sure, possible, absent == rows, absent > 0, share, absent / rows)

    def _summed(self, values: Float64) -> Float64:
        """float64 [classes]: the sum over the rows of each class."""
        return np.bincount(self.classes, values * self.times).astype(np.float64)


def _ranges(labels: Sequence[str], said: pl.DataFrame, kind: ColumnType) -> Numbers:
    """The ends and the middle of labels; an unknown end is infinite, and those of a missing value are NaN."""
    low, high, middle = (as_numbers(said[name]) for name in (LOW, HIGH, MIDPOINT))
    absent = np.array([label == MISSING for label in labels], np.bool_)
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    return Numbers(np.where(absent, np.nan, low), np.where(absent, np.nan, high), middle, kind.whole, kind.dated)


def _open_ends(found: Float64, settings: Column, type_: str) -> tuple[Float64, Float64, Float64]:
    """The ends and the middle of values; a value at which coding put all values beyond it has an open end."""
    low, high = found, found
    if (bottom := coded_at(settings.bottom, type_, math.ceil)) is not None:
        low = np.where(found <= as_numbers(pl.Series([bottom]))[0], -np.inf, found)
    if (top := coded_at(settings.top, type_, math.floor)) is not None:
        high = np.where(found >= as_numbers(pl.Series([top]))[0], np.inf, found)
    return low, high, np.where(low == high, found, np.nan)


def _distinct(cells: pl.Series) -> tuple[pl.Series, Int32]:
    """The distinct cells of a column, and int32 [n] the place of each cell among them."""
    if _are_numbers(cells):
        values = cells.unique().sort()  # quicker than a dictionary of texts
        return values, values.search_sorted(cells).cast(pl.Int32).to_numpy()
    if is_coded(cells):
        codes, texts = coded_cells(cells)
    else:
        codes, texts = dictionary(cells)
    used = np.bincount(codes, minlength=len(texts)) > 0
    places = (np.cumsum(used) - 1).astype(np.int32)
    return texts.filter(pl.Series(used)), places[codes]


def _are_numbers(cells: pl.Series) -> bool:
    """Whether all cells are numbers or dates, which have an order."""
    if cells.has_nulls() or (cells.dtype.is_float() and cells.is_nan().any()):
        return False
    return cells.dtype.is_numeric() or cells.dtype.is_temporal()


def _plain(cells: pl.Series) -> pl.Series:
    return cells.cast(pl.String) if is_coded(cells) else cells


def _whole(levels: Float64) -> list[int | None]:
    return [None if np.isnan(level) else int(level) for level in levels]
