"""What statistics see of a table and what they give: cells with bounds, counted rows, and compared figures.

The same statistic runs on the input and on the release. A cell of the input is one value. A released cell may be a
label, which stands for several, and a statistic knows of it the ends, the middle, and the share in each level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np

from shoal.arrays import Flags, Float64, Int32, Int64
from shoal.errors import PlanError

Value = float | str | None
"""A figure: a number, a date in ISO format, or None if it cannot be computed."""
Unit = Literal["number", "share", "date"]
NO_ROW = "No row of the input has one of the values."
NEGLIGIBLE = 1e-9
"""A share below this is a rounding error."""
_DIGITS = 10
"""Significant digits of a figure. The last ones of a sum depend on the order in which an engine has the rows."""


@dataclass(frozen=True)
class Figure:
    """One figure of the input and of the release, and the bounds that the released labels give.

    `low` and `high`: the smallest and the largest value that the figure can have in the rows from which `after` was
    computed, whatever values the labels stand for; None if no bounds are known. `difference`: `after` less `before`,
    in days for dates.
    """

    name: str
    before: Value
    after: Value
    low: Value = None
    high: Value = None
    difference: float | None = None
    unit: Unit = "number"


@dataclass(frozen=True)
class Compared:
    """A statistic before and after. `kind`: `numbers`, `frequencies`, or a kind of the plan.

    `rows_before` and `rows_after`: the rows from which the figures were computed. `rows_unknown`: the released rows
    whose labels say too little to be among them. `notes`: what a reader must know of these figures. `requested`:
    whether the plan asks for it.
    """

    kind: str
    columns: tuple[str, ...]
    title: str
    figures: tuple[Figure, ...]
    rows_before: int = 0
    rows_after: int = 0
    rows_unknown: int = 0
    notes: tuple[str, ...] = ()
    requested: bool = False


@dataclass(frozen=True)
class Level:
    """Some values of a column: those with the listed labels, or the numbers from `least` to below `below`.

    A label is that of a value, of a hierarchy node, or the empty one of missing values.

    >>> Level("adults", least=18.0).below is None
    True
    """

    name: str
    values: tuple[str, ...] = ()
    least: float | None = None
    below: float | None = None


@dataclass(frozen=True)
class Numbers:
    """The distinct cells of a column of numbers; dates are days.

    `low`, `high` float64 [cells]: the ends; infinite if they are unknown, NaN if the value is missing. `middle` float64
    [cells]: the value that stands for the cell; NaN if an end is unknown. `whole`: whether values are whole numbers.
    `dated`: whether they are days.
    """

    low: Float64
    high: Float64
    middle: Float64
    whole: bool = False
    dated: bool = False

    @property
    def known(self) -> Flags:
        """bool [cells]: the cells with a middle."""
        return np.isfinite(self.middle)

    @property
    def unknown(self) -> Flags:
        """bool [cells]: the cells that have a value, or may have one, but no middle."""
        return np.isnan(self.middle) & ~np.isnan(self.low)

    @property
    def reach(self) -> Float64:
        """float64 [cells]: the largest distance of a value from the middle; NaN if the cell has none."""
        if self.low is self.middle:  # values, not ranges
            return np.zeros(len(self.middle))
        return np.fmax(self.high - self.middle, self.middle - self.low)


@dataclass(frozen=True)
class Members:
    """Which distinct cells of a column are in which level.

    `share` float64 [levels, cells]: the part of the values of the label that is in the level; NaN if the label does not
    tell. `sure` and `possible` bool [levels, cells]. `absent` bool [cells]: the value is missing. `maybe_absent`: it
    may be. `likely` float64 [levels, cells]: the share of the rows of the cell that is expected in the level, which is
    1 where it is sure, 0 where it is not possible, and always known. `absence` float64 [cells]: the share of the rows
    that is expected to have no value.
    """

    share: Float64
    sure: Flags
    possible: Flags
    absent: Flags
    maybe_absent: Flags
    likely: Float64
    absence: Float64

    @staticmethod
    def told(share: Float64, sure: Flags, possible: Flags, absent: Flags, maybe_absent: Flags) -> Members:
        """Cells of which every share is known, and expected."""
        return Members(share, sure, possible, absent, maybe_absent, share, absent.astype(np.float64))

    @property
    def known(self) -> Flags:
        """bool [cells]: the cells with a value whose share in every level the label tells."""
        return ~np.isnan(self.share).any(axis=0) & ~self.absent

    def first(self, levels: int) -> Members:
        """The first levels alone."""
        return self._of(lambda each: each[:levels])

    def with_missing(self) -> Members:
        """The same with one more level: missing values."""
        share = np.where(self.maybe_absent & ~self.absent, np.nan, self.absent.astype(np.float64))
        return self._more(share, self.absent, self.maybe_absent, self.absence)

    def with_others(self, *, with_missing: bool = False) -> Members:
        """The same with one more level: all values that are in none of the levels, which must be disjoint.

        Missing values are among them if `with_missing`.
        """
        share = np.maximum(1 - self.share.sum(axis=0), 0.0)
        sure: Flags = np.logical_not(self.possible.any(axis=0))
        possible: Flags = ~self.sure.any(axis=0) & ~(share < NEGLIGIBLE)  # a set may lie in several levels only
        likely = 1 - self.likely.sum(axis=0)
        if not with_missing:
            share, likely = np.where(self.absent, 0.0, share), likely - self.absence
            sure, possible = sure & ~self.maybe_absent, possible & ~self.absent
        return self._more(share, sure, possible, np.where(sure, 1.0, np.where(possible, np.maximum(likely, 0.0), 0.0)))

    def grouped(self) -> tuple[Int32, Members]:
        """Cells that are alike in one group: int32 [cells] the group of each, and the members by group.

        If some label stands for several levels, every cell is a group.
        """
        levels, cells = self.share.shape
        told = np.array_equal(self.sure, self.possible) and np.array_equal(self.absent, self.maybe_absent)
        if not told or np.isnan(self.share).any():
            return np.arange(cells, dtype=np.int32), self
        groups = np.where(self.sure.any(axis=0), self.sure.argmax(axis=0) if levels else 0, levels)
        groups = np.where(self.absent, levels + 1, groups).astype(np.int32)
        one = np.eye(levels, levels + 2, dtype=np.bool_)
        absent = np.arange(levels + 2) == levels + 1
        return groups, Members.told(one.astype(np.float64), one, one, absent, absent)

    def taken(self, cells: Int32) -> Members:
        """The members of some cells, by their positions."""
        of_cells = self._of(lambda each: each[:, cells])
        absent, maybe_absent, absence = self.absent[cells], self.maybe_absent[cells], self.absence[cells]
        return replace(of_cells, absent=absent, maybe_absent=maybe_absent, absence=absence)

    def _of(self, part: Callable[[Any], Any]) -> Members:
        """Parts of what is known of levels."""
        found = (part(each) for each in (self.share, self.sure, self.possible, self.likely))
        return replace(self, **dict(zip(("share", "sure", "possible", "likely"), found, strict=True)))

    def _more(self, share: Float64, sure: Flags, possible: Flags, likely: Float64) -> Members:
        return replace(
            self,
            share=np.vstack([self.share, share]),
            sure=np.vstack([self.sure, sure]),
            possible=np.vstack([self.possible, possible]),
            likely=np.vstack([self.likely, likely]),
        )


class Cells(Protocol):
    """The distinct cells of a column."""

    @property
    def rows(self) -> Int64:
        """int64 [cells]: the number of rows of each."""
        ...

    def numbers(self) -> Numbers:
        """The cells as numbers."""
        ...

    def members(self, levels: Sequence[Level]) -> Members:
        """Which cells are in which of the levels."""
        ...


class Joint(NamedTuple):
    """The distinct combinations of groups of cells of some columns: int32 [columns, d], and int64 [d] their rows."""

    codes: Int32
    weight: Int64


class Side(Protocol):
    """The input, or the release as its recipient has it."""

    def alone(self, column: str) -> Cells:
        """The cells of a column that is looked at alone."""
        ...

    def within(self, column: str) -> Cells:
        """The cells of a column in its rows, to be looked at together with others."""
        ...

    def joint(self, groups: Mapping[str, Int32]) -> Joint:
        """The combinations of columns; `groups`: column → int32, the group of each cell of `within`."""
        ...

    def counts_by_class(self, column: str) -> bool:
        """Whether a cell of `within` is a class of rows, of which the numbers are known, but not which row has what."""
        ...


class Sides(Protocol):
    """Both sides, and what statistics agree on before they look at rows."""

    @property
    def before(self) -> Side: ...

    @property
    def after(self) -> Side: ...

    @property
    def fewest(self) -> int:
        """Categories and groups with fewer rows are not named."""
        ...

    def is_number(self, column: str) -> bool:
        """Whether a column has numbers or dates, before and after."""
        ...

    def levels(self, column: str) -> tuple[Level, ...]:
        """The most frequent categories of a column that may be named, disjoint; all others are not listed."""
        ...

    def number(self, column: str, written: object) -> float:
        """A number or date of the plan, as the column of numbers has it."""
        ...


class Statistic(Protocol):
    """A statistic that a plan can ask for: a frozen dataclass."""

    kind: ClassVar[str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        ...

    @property
    def numeric(self) -> tuple[str, ...]:
        """Those of them that must be numbers or dates."""
        ...

    def compared(self, sides: Sides) -> Compared:
        """The statistic before and after."""
        ...


def figure(name: str, before: float | None, after: float | None, bounds: Any = None, unit: Unit = "number") -> Figure:
    """A figure in ten significant digits; infinite and undefined values are None."""
    low, high = (None, None) if bounds is None else bounds
    was, now = _rounded(before), _rounded(after)
    difference = None if was is None or now is None else _rounded(now - was)
    if unit != "date":
        return Figure(name, was, now, _rounded(low), _rounded(high), difference, unit)
    return Figure(name, _day(was), _day(now), _day(_rounded(low)), _day(_rounded(high)), difference, unit)


def _rounded(value: float | None) -> float | None:
    if value is None or not np.isfinite(value):
        return None
    return float(f"{float(value):.{_DIGITS - 1}e}") + 0.0  # without a negative zero


def _day(days: float | None) -> str | None:
    """A day as a date, rounded down."""
    return None if days is None else str(np.datetime64(int(np.floor(days)), "D"))


def occurs(level: Level, cells: Cells) -> bool:
    """Whether some row of the input has one of the values of a level."""
    return bool((cells.members((level,)).possible[0] & (cells.rows > 0)).any())


def few(rows: int, fewest: int) -> bool:
    """Whether so few rows have something that nothing is said of it."""
    return 0 < rows < fewest


def names(statistic: object, key: str, value: object) -> tuple[str, ...]:
    """The value as a tuple of distinct column names; raises if it is none."""
    listed = isinstance(value, list | tuple) and all(isinstance(name, str) and name for name in value)
    if not listed or len(set(value)) < len(value):  # type: ignore[arg-type, call-overload]
        raise PlanError(
            f"{type(statistic).__name__} {key} must be a list of distinct column names; got {value!r}.",
            hint=f'{key} = ["age", "sex"]',
        )
    return tuple(value)  # type: ignore[arg-type]
