"""Comparing the statistics of the input with those of the release: of every column, and those of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from shoal.engines.base import Engine
from shoal.engines.fitting import published_columns
from shoal.errors import PlanError, did_you_mean
from shoal.estimating.given import GivenSide
from shoal.estimating.released import ReleasedSide
from shoal.estimating.texts import LabelCells, ValueCells, disjoint
from shoal.estimating.types import generalized, parsed_number, type_of
from shoal.plan import Plan
from shoal.statistics.base import Compared, Level
from shoal.statistics.correlation import MOST_JOINED, Correlation
from shoal.statistics.describing import described
from shoal.table import Runs

FEWEST = 5
"""Nothing is said of fewer rows, whatever the models allow."""
_MOST_LEVELS = 10
"""Categories that are named; all others are one."""
_MOST_CORRELATED = 12
"""Columns of numbers of which correlations are computed without being asked for."""


def compared_statistics(given: Engine, tables: Mapping[str, Runs], plan: Plan) -> tuple[Compared, ...]:
    """The statistics of the plan, then those of every released column, and the correlations of columns of numbers.

    `given`: the whole input. Set-valued columns have figures of their own.
    """
    sides = _Both(given, tables, plan)
    requested = [replace(each.compared(sides), requested=True) for each in plan.statistics]
    found = [described(name, sides) for name in sides.columns]
    numbers = [name for name in sides.columns if sides.is_number(name)][:_MOST_CORRELATED]
    asked = {frozenset(each.columns) for each in plan.statistics if each.kind == Correlation.kind}
    if len(numbers) > 1 and frozenset(numbers) not in asked and given.rows <= MOST_JOINED:
        found.append(Correlation(tuple(numbers)).compared(sides))
    return (*requested, *found)


def require_computable(given: Engine, plan: Plan) -> None:
    """Raises if a statistic of the plan needs a released column that the table lacks, or numbers where it has text."""
    released = published_columns(given.columns, plan)
    side = GivenSide(given, plan, _numeric(plan))
    for statistic in plan.statistics:
        for name in statistic.columns:
            if name not in released:
                raise PlanError(
                    f"The statistic '{statistic.kind}' names column '{name}', which is not released.",
                    hint=did_you_mean(name, released) or "name a column that the release has.",
                )
        for name in statistic.numeric:
            if not type_of(side.type_of(name), name, plan, () if generalized(name, plan) else None).is_number:
                raise PlanError(
                    f"The statistic '{statistic.kind}' needs numbers or dates, and column '{name}' is text.",
                    hint="name another column; numbers whose hierarchy is neither intervals nor dates are text.",
                )


def _numeric(plan: Plan) -> tuple[str, ...]:
    """The columns that some statistic of the plan needs as numbers."""
    return tuple(name for statistic in plan.statistics for name in statistic.numeric)


class _Both:
    """The input and the release, in the same types."""

    def __init__(self, given: Engine, tables: Mapping[str, Runs], plan: Plan) -> None:
        self._plan = plan
        self.before, self.after = GivenSide(given, plan, _numeric(plan)), ReleasedSide(tables, plan)
        self.columns = tuple(name for name in self.after.columns if name not in plan.quasi_sensitive)
        self._types = {
            name: type_of(self.before.type_of(name), name, plan, self.after.labels(name)) for name in self.columns
        }
        self.before.typed_as(self._types)
        self.after.typed_as(self._types)
        self._levels: dict[str, tuple[Level, ...]] = {}

    @cached_property
    def fewest(self) -> int:
        """The largest class that a model demands, and at least five rows."""
        return max((FEWEST, *(model.floor for model in self._plan.enforced)))

    def is_number(self, column: str) -> bool:
        return self._types[column].is_number

    def number(self, column: str, written: object) -> float:
        return parsed_number(written, self._types[column].figures, column, self._plan)

    def levels(self, column: str) -> tuple[Level, ...]:
        if column not in self._levels:
            self._levels[column] = self._most_frequent(column)
        return self._levels[column]

    def _most_frequent(self, column: str) -> tuple[Level, ...]:
        """The most frequent released categories that have enough rows in the input and in the release."""
        cells = self.after.alone(column)
        assert isinstance(cells, LabelCells | ValueCells)
        enough = [(label, rows) for label, rows in cells.candidates() if rows >= self.fewest]
        ordered = sorted(enough, key=lambda each: (-each[1], each[0]))[: 2 * _MOST_LEVELS]
        levels = [Level(label, (label,)) for label in disjoint([label for label, _ in ordered], cells.tree)]
        before = self.before.alone(column)
        members, rows = before.members(levels), before.rows
        known = [level for level, inside in zip(levels, members.sure, strict=True) if rows[inside].sum() >= self.fewest]
        return tuple(known[:_MOST_LEVELS])
