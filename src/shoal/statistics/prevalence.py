"""Prevalence: the share of the rows that have some values, in each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from itertools import pairwise, product
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.arrays import Flags, Float64, Int32, Int64
from shoal.counts import counted
from shoal.errors import PlanError
from shoal.labels import MISSING, exact
from shoal.roles.parameters import values
from shoal.statistics.axes import Axis, Bound, axis_of
from shoal.statistics.base import NEGLIGIBLE, NO_ROW, Compared, Level, Members, Side, Sides, figure, names, occurs

_MOST_GROUPS = 1_000


@dataclass(frozen=True)
class Prevalence:
    """The share of the rows that have some values of a column, in each group of other columns.

    The values are listed, or are those from `least` to below `below`. Rows without a value in one of the columns are
    left out. After the release, a label counts in every group and value that it may stand for, with the share that is
    expected there. The bounds of a group put every row that may be in it, or may have the values, where the share
    becomes smallest and largest.

    >>> Prevalence("diagnosis", values=("E11.9",), by=("sex", "age"), bands={"age": (18, 65)}).columns
    ('diagnosis', 'sex', 'age')
    """

    of: str
    """The column. Allowed: the name of a column."""
    values: tuple[str | int | float, ...] = ()
    """The values, or nodes of the hierarchy, whose rows are counted. Allowed: a list of texts or numbers."""
    least: Bound | None = None
    """The smallest value that is counted. Allowed: a number or a date."""
    below: Bound | None = None
    """The smallest value that is not counted any more. Allowed: a number or a date above `least`."""
    by: tuple[str, ...] = ()
    """The columns that form groups. By default, all rows are one. Allowed: a list of columns."""
    bands: Mapping[str, Sequence[Bound]] = field(default_factory=dict)
    """Column of numbers → the first value of each group but the lowest. About five groups by default.
    Allowed: a table with ascending lists of numbers or dates."""

    kind: ClassVar[str] = "prevalence"

    def __post_init__(self) -> None:
        if not isinstance(self.of, str) or not self.of:
            raise PlanError(f"Prevalence of must be the name of a column; got {self.of!r}.")
        object.__setattr__(self, "by", names(self, "by", self.by))
        if self.values:
            object.__setattr__(self, "values", values(self, "values", self.values))
        if bool(self.values) == (self.least is not None or self.below is not None):
            raise PlanError(
                f"Prevalence of '{self.of}' needs either values, or least or below.",
                hint='write values = ["E11.9"], or for a number least = 65.',
            )
        if self.least is not None and self.below is not None and not self.least < self.below:  # type: ignore[operator]
            raise PlanError("Prevalence least must be smaller than below.", hint="swap them, or omit one.")
        if self.of in self.by:
            raise PlanError(f"Prevalence of '{self.of}' cannot be by '{self.of}' itself.", hint="omit it from by.")
        object.__setattr__(self, "bands", {name: tuple(cuts) for name, cuts in self.bands.items()})
        for name, cuts in self.bands.items():
            if name not in self.by:
                raise PlanError(f"Prevalence has bands of '{name}', which is not in by.", hint=f"add '{name}' to by.")
            if not cuts or any(not low < high for low, high in pairwise(cuts)):  # type: ignore[operator]
                raise PlanError(f"Prevalence bands of '{name}' must be ascending.", hint=f"{name} = [18, 45, 65]")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.of, *self.by

    @property
    def numeric(self) -> tuple[str, ...]:
        return (*(() if self.values else (self.of,)), *self.bands)

    def compared(self, sides: Sides) -> Compared:
        axes = [axis_of(name, sides, self.bands.get(name, ())) for name in self.by]
        groups = [*product(*(range(len(axis.names)) for axis in axes))]
        if len(groups) > _MOST_GROUPS:
            raise PlanError(
                f"Prevalence of '{self.of}' has {len(groups):,} groups.",
                allowed=f"It may have {_MOST_GROUPS:,}.",
                hint="name fewer columns in by, or fewer bands.",
            )
        case = self._case(sides)
        was, now = (_counted(side, self.of, case, axes, groups) for side in (sides.before, sides.after))
        shown = [
            place
            for place, (one, other) in enumerate(zip(was, now, strict=True))
            if min(one.rows, other.rows) >= sides.fewest
        ]
        named = [_name(group, axes) for group in groups]
        figures = [
            figure(named[place], was[place].share, now[place].share, now[place].bounds, "share") for place in shown
        ]
        there = [one.rows > NEGLIGIBLE or other.rows > NEGLIGIBLE for one, other in zip(was, now, strict=True)]
        hidden = sum(there) - sum(there[place] for place in shown)
        notes = [] if occurs(case, sides.before.alone(self.of)) else [NO_ROW]
        notes += [f"{counted(hidden, 'group', 'groups')} with fewer than {sides.fewest:,} rows."] if hidden else []
        return Compared(
            self.kind,
            self.columns,
            self._title,
            tuple(figures),
            round(sum(each.rows for each in was)),
            round(sum(each.rows for each in now)),
            notes=tuple(notes),
        )

    @property
    def _title(self) -> str:
        ends = (("from ", self.least), ("before " if isinstance(self.below, date) else "below ", self.below))
        what = ", ".join(str(value) for value in self.values) or " ".join(f"{a}{b}" for a, b in ends if b is not None)
        return f"Prevalence of '{self.of}' {what}" + (f" by {', '.join(self.by)}" if self.by else "")

    def _case(self, sides: Sides) -> Level:
        """The values that are counted."""
        ends = (None if each is None else sides.number(self.of, each) for each in (self.least, self.below))
        return Level("", tuple(exact(str(value)) for value in self.values), *ends)


class _Group(NamedTuple):
    """The expected rows of a group, the share of them that are cases, and its bounds."""

    rows: float
    share: float | None
    bounds: tuple[float, float] | None


def _name(group: Sequence[int], axes: Sequence[Axis]) -> str:
    """The levels of a group in words."""
    parts = [f"{axis.column} {axis.names[place]}" for place, axis in zip(group, axes, strict=True)]
    return ", ".join(parts) or "all rows"


def _counted(side: Side, of: str, case: Level, axes: Sequence[Axis], groups: Sequence[Sequence[int]]) -> list[_Group]:
    """The rows and cases of every group."""
    by_class = side.counts_by_class(of) and not any(side.counts_by_class(axis.column) for axis in axes)
    cases = side.within(of).members((case, Level("", (MISSING,))) if by_class else (case,))
    # a class is known by its number of rows, so that classes must not be counted as one
    alike, cases = (np.arange(len(cases.absent), dtype=np.int32), cases) if by_class else cases.grouped()
    members = [axis.members(side.within(axis.column)).grouped() for axis in axes]
    places = {axis.column: each for axis, (each, _) in zip(axes, members, strict=True)}
    codes, weight = side.joint({of: alike} | places)
    rows = [each.taken(of_column) for (_, each), of_column in zip(members, codes[1:], strict=True)]
    count = partial(_by_class, codes[0], cases) if by_class else partial(_by_row, cases.taken(codes[0]))
    return [count(_inside(rows, group, len(weight)), weight) for group in groups]


class _Inside(NamedTuple):
    """The counted rows of a group: the expected share of each, and whether it is surely and possibly in the group."""

    share: Float64
    sure: Flags
    possible: Flags


def _inside(rows: Sequence[Members], group: Sequence[int], size: int) -> _Inside:
    """A row is in a group if it is in its level of every column."""
    share, sure, possible = np.ones(size), np.ones(size, np.bool_), np.ones(size, np.bool_)
    for each, level in zip(rows, group, strict=True):
        share, sure, possible = share * each.likely[level], sure & each.sure[level], possible & each.possible[level]
    return _Inside(share, sure, possible)


def _by_row(cases: Members, inside: _Inside, weight: Int64) -> _Group:
    """Every row that may be a case or not is put where the share becomes smallest, and where it becomes largest."""
    sure, possible = cases.sure[0] & ~cases.absent, cases.possible[0] & ~cases.absent
    rows, present = inside.share * weight, 1 - cases.absence
    total, found = float((rows * present).sum()), float((rows * np.minimum(cases.likely[0], present)).sum())
    certain = weight[inside.sure & sure].sum(), weight[inside.possible & ~sure & ~cases.absent].sum()
    likely = weight[inside.possible & possible].sum(), weight[inside.sure & ~possible & ~cases.maybe_absent].sum()
    return _Group(total, found / total if total else None, _bounds(*map(float, (*certain, *likely))))


def _by_class(codes: Int32, cases: Members, inside: _Inside, weight: Int64) -> _Group:
    """Of n rows of a class, c are cases and a have no value; m of the n are in the group, but it is not known which.

    At least m + c − n and at most c of the m are cases. If labels leave m open, its least and its largest value count.
    `codes` int32 [d]: the class of each counted row.
    """
    size = len(cases.absent)
    n, m, least, largest = (
        np.bincount(codes, weight * part, size) for part in (1.0, inside.share, inside.sure, inside.possible)
    )
    c, a = np.rint(cases.share[0] * n), np.rint(cases.share[1] * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        rows, found = (np.nan_to_num(each).sum() for each in (m * (n - a) / n, m * c / n))
    fewest, most = np.maximum(least + c - n, 0), np.minimum(largest, c)
    ends = fewest, np.minimum(largest - fewest, n - c - a), most, np.maximum(least - c - a, 0)
    return _Group(float(rows), float(found / rows) if rows else None, _bounds(*(float(each.sum()) for each in ends)))


def _bounds(fewest: float, others: float, most: float, fewest_others: float) -> tuple[float, float] | None:
    """The smallest and the largest share of cases, given their numbers and those of the other rows."""
    if fewest + others == 0 and most == 0:  # no row can be in the group
        return None
    return fewest / (fewest + others) if fewest else 0.0, most / (most + fewest_others) if most else 0.0
