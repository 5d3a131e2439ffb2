"""Regression: a linear regression of a number, or a logistic one of whether a row has some values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.arrays import Flags, Float64, Int32, Int64
from shoal.errors import PlanError
from shoal.labels import exact
from shoal.roles.parameters import values
from shoal.statistics.axes import Axis, axis_of
from shoal.statistics.base import NO_ROW, Compared, Level, Members, Numbers, Side, Sides, figure, names, occurs
from shoal.statistics.correlation import MERGED, MOST_JOINED
from shoal.statistics.weighted import grouped, mean

_PART = 1 << 17
"""Rows that are looked at at once."""
_MOST_STEPS = 50
_CONVERGED = 1e-10
_MOST_CONDITION = 1e12
_MOST_LOGIT = 30.0
_Parts = Callable[[], Iterator[tuple[Float64, Float64, Int64]]]
"""Parts of the rows: float64 [terms, n] with a row of ones first, float64 [n] the outcome, int64 [n] the weights."""
NO_BOUNDS = "Middles of ranges and parts of sets stand for the values, so the coefficients have no bounds."


@dataclass(frozen=True)
class Regression:
    """The coefficients of a linear regression of a number, or of a logistic one of whether a row has some values.

    Columns of text are compared with their most frequent category. Rows in which a value is missing or unknown are left
    out. After the release, the middle of a range stands for its value, and a set counts with the share that is expected
    of each member. Coefficients have bounds only if the rows show values alone, because labels can move them any way.
    Dates are days since 1970-01-01.

    >>> Regression("cost", on=("age", "sex")).columns
    ('cost', 'age', 'sex')
    """

    outcome: str
    """The column that is explained. Allowed: the name of a column; without `values` one of numbers or dates."""
    on: tuple[str, ...]
    """The columns that explain it. Allowed: a non-empty list of columns."""
    values: tuple[str | int | float, ...] = ()
    """With these, the regression is logistic: the outcome is whether the column has one of them, and coefficients are
    logarithms of odds ratios. Allowed: a list of texts or numbers."""

    kind: ClassVar[str] = "regression"

    def __post_init__(self) -> None:
        if not isinstance(self.outcome, str) or not self.outcome:
            raise PlanError(f"Regression outcome must be the name of a column; got {self.outcome!r}.")
        object.__setattr__(self, "on", names(self, "on", self.on))
        if not self.on:
            raise PlanError("Regression on must name at least one column.", hint='on = ["age"]')
        if self.outcome in self.on:
            raise PlanError(f"Regression cannot explain '{self.outcome}' by itself.", hint="omit it from on.")
        if self.values:
            object.__setattr__(self, "values", values(self, "values", self.values))

    @property
    def columns(self) -> tuple[str, ...]:
        return self.outcome, *self.on

    @property
    def numeric(self) -> tuple[str, ...]:
        return () if self.values else (self.outcome,)

    def compared(self, sides: Sides) -> Compared:
        case = Level("", tuple(exact(str(value)) for value in self.values)) if self.values else None
        axes = {name: axis_of(name, sides) for name in self.on if not sides.is_number(name)}
        was, now = (_Rows.of(side, self.outcome, case, self.on, axes) for side in (sides.before, sides.after))
        terms = [term for term in was.terms if min(was.rows_of(term), now.rows_of(term)) >= sides.fewest]
        rare = {term.column for term in was.terms if term not in terms and was.rows_of(term) + now.rows_of(term) > 0}
        title = f"{'Logistic' if case else 'Linear'} regression of '{self.outcome}' on {', '.join(self.on)}"
        rows = round(was.total), round(now.total)
        if case is not None and not occurs(case, sides.before.alone(self.outcome)):
            return Compared(self.kind, self.columns, title, (), *rows, notes=(NO_ROW,))
        if min(rows) < max(sides.fewest, len(terms) + 2):
            note = "Too few rows have known values in all of the columns."
            return Compared(self.kind, self.columns, title, (), *rows, notes=(note,))
        before, after = (_fitted(each, terms, logistic=case is not None) for each in (was, now))
        if before is None or after is None:
            note = "The coefficients are not determined: a column follows from others, or cases can be told exactly."
            return Compared(self.kind, self.columns, title, (), *rows, notes=(note,))
        figures = [
            figure(name, one, other, (other, other) if now.exact else None)
            for name, one, other in zip(_names(terms, axes, rare, was), before, after, strict=True)
        ]
        notes = [*([] if now.exact else [NO_BOUNDS]), *([MERGED] if was.merged or now.merged else [])]
        return Compared(self.kind, self.columns, title, tuple(figures), *rows, now.unknown, tuple(notes))


class _Term(NamedTuple):
    """A column of the regression: a column of numbers, or a level of one of text."""

    column: str
    level: int | None = None


def _names(terms: Sequence[_Term], axes: dict[str, Axis], rare: set[str], rows: _Rows) -> list[str]:
    """The names of the coefficients; the categories that are too `rare` for one count as the most frequent one."""
    return ["intercept", *(_name(term, axes, rare, rows) for term in terms)]


def _name(term: _Term, axes: dict[str, Axis], rare: set[str], rows: _Rows) -> str:
    if term.level is None:
        numbers, _ = rows.parts[term.column]
        return f"{term.column}, per day" if isinstance(numbers, Numbers) and numbers.dated else term.column
    names = axes[term.column].names
    reference = f"{names[0]} and rare ones" if term.column in rare else names[0]
    return f"{term.column} {names[term.level]} (compared with {reference})"


@dataclass(frozen=True)
class _Rows:
    """The counted rows of one side that have known values in all columns.

    `parts`: column → its numbers or members by group, and int32 [d] the group of each counted row.
    """

    parts: dict[str, tuple[Numbers | Members, Int32]]
    outcome: tuple[Numbers | Members, Int32]
    weight: Int64
    unknown: int
    exact: bool
    merged: bool

    @staticmethod
    def of(side: Side, outcome: str, case: Level | None, on: Sequence[str], axes: dict[str, Axis]) -> _Rows:
        """The rows of a side; neighbouring numbers are counted as one if there are too many rows."""
        numeric = [name for name in (*(() if case else (outcome,)), *on) if name not in axes]
        most = int(MOST_JOINED ** (1 / (len(numeric) + 1)))
        content: dict[str, tuple[Int32, Numbers | Members]] = {}
        merged = False
        for name in (outcome, *on):
            cells = side.within(name)
            if name in axes:
                content[name] = axes[name].members(cells).grouped()
            elif name == outcome and case is not None:
                content[name] = cells.members((case,)).grouped()
            else:
                numbers, many = cells.numbers(), int(cells.rows.sum()) > MOST_JOINED
                merged |= many and len(cells.rows) > most
                content[name] = grouped(numbers, cells.rows, most if many else len(cells.rows))
        codes, weight = side.joint({name: groups for name, (groups, _) in content.items()})
        known, told = np.ones(len(weight), np.bool_), np.ones(len(weight), np.bool_)
        for (_, each), of_row in zip(content.values(), codes, strict=True):
            known &= each.known[of_row]
            told &= (each.known | _says_nothing(each))[of_row]
        kept = codes[:, known]
        parts = {name: (each, of_row) for (name, (_, each)), of_row in zip(content.items(), kept, strict=True)}
        exact = all(_is_exact(each, of_row) for each, of_row in parts.values())
        unknown = int(weight[told & ~known].sum())
        return _Rows({name: parts[name] for name in on}, parts[outcome], weight[known], unknown, exact, merged)

    @property
    def total(self) -> float:
        return float(self.weight.sum())

    @property
    def terms(self) -> list[_Term]:
        """Every column of numbers, and every level of one of text but the first."""
        return [
            _Term(name, level)
            for name, (each, _) in self.parts.items()
            for level in ([None] if isinstance(each, Numbers) else range(1, len(each.share)))
        ]

    def rows_of(self, term: _Term) -> float:
        """The expected rows of a level; all rows for a column of numbers."""
        return self.total if term.level is None else float((self.values(term) * self.weight).sum())

    def values(self, term: _Term, part: slice = slice(None)) -> Float64:
        """float64 [rows of the part]: the values of a term."""
        each, of_row = self.parts[term.column]
        return _content(each, term.level)[of_row[part]]

    def explained(self, part: slice) -> Float64:
        """float64 [rows of the part]: the outcome."""
        each, of_row = self.outcome
        return _content(each, 0)[of_row[part]]


def _content(each: Numbers | Members, level: int | None) -> Float64:
    return each.middle if isinstance(each, Numbers) else each.likely[level or 0]


def _says_nothing(each: Numbers | Members) -> Flags:
    """bool [cells]: the cells that have a value, which the label does not tell."""
    return each.unknown if isinstance(each, Numbers) else ~each.known & ~each.absent


def _is_exact(each: Numbers | Members, of_row: Int32) -> bool:
    wide = each.reach > 0 if isinstance(each, Numbers) else (each.sure != each.possible).any(axis=0)
    return not wide.any() or not wide[of_row].any()


# -- fitting --------------------------------------------------------------------------------------------------------


def _fitted(rows: _Rows, terms: Sequence[_Term], *, logistic: bool) -> list[float] | None:
    """The intercept and the coefficients; None if they are not determined."""
    centre = np.array([mean(rows.values(term), rows.weight) for term in terms])
    scale = np.array([_scale(rows.values(term), rows.weight, at) for term, at in zip(terms, centre, strict=True)])
    if (scale == 0).any():
        return None

    def parts() -> Iterator[tuple[Float64, Float64, Int64]]:
        for begin in range(0, len(rows.weight), _PART):
            part = slice(begin, begin + _PART)
            x = [(rows.values(term, part) - at) / by for term, at, by in zip(terms, centre, scale, strict=True)]
            yield np.vstack([np.ones(len(rows.weight[part])), *x]), rows.explained(part), rows.weight[part]

    found = _logistic(parts, len(terms) + 1) if logistic else _linear(parts, len(terms) + 1)
    if found is None:
        return None
    slopes = found[1:] / scale
    return [float(found[0] - (slopes * centre).sum()), *map(float, slopes)]


def _scale(values: Float64, weight: Int64, centre: float) -> float:
    return float(np.sqrt(mean((values - centre) ** 2, weight)))


def _linear(parts: _Parts, size: int) -> Float64 | None:
    """The solution of the weighted normal equations."""
    square, side = np.zeros((size, size)), np.zeros(size)
    for x, y, weight in parts():
        square += (x * weight) @ x.T
        side += (x * weight) @ y
    return _solved(square, side)


def _logistic(parts: _Parts, size: int) -> Float64 | None:
    """The most likely coefficients, by Newton's steps; None if they grow without limit."""
    found = np.zeros(size)
    for _ in range(_MOST_STEPS):
        square, side = np.zeros((size, size)), np.zeros(size)
        for x, y, weight in parts():
            chance = 1 / (1 + np.exp(-np.clip(found @ x, -_MOST_LOGIT, _MOST_LOGIT)))
            square += (x * (weight * chance * (1 - chance))) @ x.T
            side += (x * weight) @ (y - chance)
        step = _solved(square, side)
        if step is None or np.abs(found).max() > _MOST_LOGIT:
            return None
        found = found + step
        if np.abs(step).max() <= _CONVERGED * max(1.0, float(np.abs(found).max())):
            return found
    return None


def _solved(square: Float64, side: Float64) -> Float64 | None:
    """The solution of the equations; None if they do not determine it."""
    if not np.isfinite(square).all() or np.linalg.cond(square) > _MOST_CONDITION:
        return None
    return np.linalg.solve(square, side).astype(np.float64)
