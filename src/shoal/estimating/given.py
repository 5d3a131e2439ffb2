"""The input as statistics see it: distinct values and counted rows, which every engine delivers alike."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import polars as pl

from shoal.arrays import Int32
from shoal.engines.base import Engine
from shoal.estimating.numbers import NumberCells, as_numbers
from shoal.estimating.texts import Tree, ValueCells
from shoal.estimating.types import ColumnType, parsed_number, read_cells
from shoal.hierarchies.base import text_of
from shoal.plan import Plan
from shoal.statistics.base import Cells, Joint, Numbers


class GivenSide:
    """The rows of the input. Cells are in the order of their values, so that sums do not depend on the engine."""

    def __init__(self, engine: Engine, plan: Plan, numeric: tuple[str, ...]) -> None:
        self._engine, self._plan, self._numeric = engine, plan, numeric
        self._read: dict[str, tuple[str, pl.Series]] = {}
        self._types: Mapping[str, ColumnType] = {}
        self._cells: dict[str, tuple[Cells, Int32]] = {}

    def type_of(self, column: str) -> str:
        """The type of the cells of a column."""
        return self._values(column)[0]

    def typed_as(self, types: Mapping[str, ColumnType]) -> None:
        """Reads columns in these types."""
        self._types = types

    def alone(self, column: str) -> Cells:
        return self._coded(column)[0]

    def within(self, column: str) -> Cells:
        return self._coded(column)[0]

    def counts_by_class(self, column: str) -> bool:
        return False

    def joint(self, groups: Mapping[str, Int32]) -> Joint:
        codes = {name: of_cell[self._coded(name)[1]].astype(np.int32) for name, of_cell in groups.items()}
        return Joint(*self._engine.joint(codes))

    def _values(self, column: str) -> tuple[str, pl.Series]:
        if column not in self._read:
            self._read[column] = read_cells(self._engine.distinct(column).values, column, self._plan, self._numeric)
        return self._read[column]

    def _coded(self, column: str) -> tuple[Cells, Int32]:
        """The cells of a column, and int32, the cell of each of its distinct raw values."""
        if column not in self._cells:
            self._cells[column] = self._sorted(column)
        return self._cells[column]

    def _sorted(self, column: str) -> tuple[Cells, Int32]:
        (_, values), rows = self._values(column), self._engine.distinct(column).counts
        kind = self._types[column]
        if kind.is_number:
            numbers = as_numbers(values)
            order = np.argsort(numbers)  # equal numbers may be in any order
            found = numbers[order]
            exact = Numbers(found, found, found, kind.whole, kind.dated)
            cells: Cells = NumberCells(
                rows[order], exact, partial(parsed_number, type_=kind.figures, name=column, plan=self._plan)
            )
        else:
            texts = text_of(values)
            order = texts.arg_sort(nulls_last=True).to_numpy()
            settings = self._plan.columns.get(column)
            tree = Tree(None if settings is None else settings.hierarchy)
            cells = ValueCells(rows[order], texts.gather(order), tree)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return cells, place
