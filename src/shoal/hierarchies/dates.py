"""Calendar hierarchies of dates: month, quarter, year, decade, century; or weeks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Float64
from shoal.errors import HierarchyError, PlanError, did_you_mean
from shoal.hierarchies.base import Hierarchy, Level, paths_of, text_of
from shoal.hierarchies.placing import Placed, empty, extents, of_extents
from shoal.labels import ANY, MISSING, read, span


class _Period(NamedTuple):
    """A calendar period: a function from dates to period numbers, and one from a number to its label."""

    number: Callable[[pl.Series], pl.Series]
    label: Callable[[int], str]


def _year(dates: pl.Series) -> pl.Series:
    return dates.dt.year().cast(pl.Int64)


def _years(first: int, length: int) -> str:
    return span(f"{first:04d}", f"{first + length - 1:04d}")


_PERIODS = {
    "week": _Period(
        lambda dates: dates.dt.iso_year().cast(pl.Int64) * 53 + dates.dt.week() - 1,
        lambda number: f"{number // 53:04d}-W{number % 53 + 1:02d}",
    ),
    "month": _Period(
        lambda dates: _year(dates) * 12 + dates.dt.month() - 1,
        lambda number: f"{number // 12:04d}-{number % 12 + 1:02d}",
    ),
    "quarter": _Period(
        lambda dates: _year(dates) * 4 + dates.dt.quarter() - 1,
        lambda number: f"{number // 4:04d}-Q{number % 4 + 1}",
    ),
    "year": _Period(_year, lambda number: f"{number:04d}"),
    "decade": _Period(lambda dates: _year(dates) // 10, lambda number: _years(number * 10, 10)),
    "century": _Period(lambda dates: _year(dates) // 100, lambda number: _years(number * 100, 100)),
}
_NESTING = tuple(name for name in _PERIODS if name != "week")


@dataclass(frozen=True)
class Dates:
    """Generalizes dates to calendar periods of increasing length, and finally to `*`.

    Labels: week `2024-W03` (ISO), month `2024-03`, quarter `2024-Q1`, year `2024`, decade `[2020, 2029]`, century
    `[2000, 2099]`. A week can span two months or two years, so "week" cannot be combined with other levels.

    >>> from datetime import date
    >>> Dates().build(pl.Series([date(2024, 3, 9)])).path(0)
    ('2024-03-09', '2024-03', '2024-Q1', '2024', '[2020, 2029]', '*')
    """

    levels: tuple[str, ...] = ("month", "quarter", "year", "decade")

    kind: ClassVar[str] = "date"

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        if not self.levels:
            raise PlanError("Dates levels must name at least one period; got none.", allowed=_allowed())
        for level in self.levels:
            if level not in _PERIODS:
                hint = did_you_mean(str(level), _PERIODS)
                raise PlanError(f"Dates levels contain the unknown period {level!r}.", allowed=_allowed(), hint=hint)
        _check_nesting(self.levels)

    def build(self, values: pl.Series, counts: pl.Series | None = None) -> Hierarchy:
        if values.dtype != pl.Date:
            raise HierarchyError(
                "A date hierarchy needs a column of dates.",
                hint='set the column\'s type = "date", or choose another kind of hierarchy.',
            )
        periods = (_PERIODS[name] for name in self.levels)
        return Hierarchy.topped(
            [
                Level.leaves(text_of(values)),
                *(Level.keyed(period.number(values).to_numpy(), period.label) for period in periods),
            ]
        )

    def placed(self, labels: Sequence[str], among: Sequence[str] | None = None) -> Placed:
        spans = [_days(label) for label in labels]
        lost = of_extents(_ends(labels), _ends(among or labels))
        placed = empty(len(self.levels) + 2, labels)
        for place, (period, *_) in enumerate(spans):
            if period == "day":
                placed.by_level[0, place] = 0.0
            elif period in self.levels:
                placed.by_level[self.levels.index(period) + 1, place] = lost[place]
            elif labels[place] not in (ANY, MISSING):
                placed.outside[place] = lost[place]
        return placed

    def paths(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        days = [_days(label)[1] for label in labels]
        distinct = sorted({int(day) for day in days if np.isfinite(day)})
        tree = self.build(pl.Series([date.fromordinal(day) for day in distinct], dtype=pl.Date))
        return paths_of(tree, labels, [distinct.index(int(day)) if np.isfinite(day) else -1 for day in days])


def first_and_last_day(label: str) -> tuple[float, float]:
    """The first and the last day of a label, counted from 0001-01-01; NaN if it is no date."""
    _, first, last = _days(label)
    return first, last


def _ends(labels: Sequence[str]) -> Float64:
    """float64 [labels, 2]: the first and the last day of each label."""
    return np.array([_days(label)[1:] for label in labels], np.float64).reshape(-1, 2)


def _days(label: str) -> tuple[str, float, float]:
    """The period of a label, "day" for a date, and its first and last day as numbers; NaN if it is no date."""
    for name, (pattern, days) in _SPANS.items():
        match = re.fullmatch(pattern, label)
        if match:
            try:
                first, after = days(*(int(part) for part in match.groups()))
            except ValueError:  # no such date
                break
            return name, float(first.toordinal()), float(after.toordinal() - 1)
    low, high = extents([read(label)])[0] if label != MISSING else (np.nan, np.nan)
    return "", float(low), float(high)


def _months(year: int, month: int, months: int) -> tuple[date, date]:
    """The first day of a period of months, and the first day after it; the calendar ends with the year 9999."""
    after = year * 12 + month - 1 + months
    last = date(after // 12, after % 12 + 1, 1) if after < 120_000 else date(9999, 12, 31)
    return date(year, month, 1), last


_SPANS: dict[str, tuple[str, Callable[..., tuple[date, date]]]] = {
    "day": (r"(\d{4})-(\d\d)-(\d\d)", lambda y, m, d: (date(y, m, d), date(y, m, d) + timedelta(1))),
    "week": (
        r"(\d{4})-W(\d\d)",
        lambda y, w: (date.fromisocalendar(y, w, 1), date.fromisocalendar(y, w, 1) + timedelta(7)),
    ),
    "month": (r"(\d{4})-(\d\d)", lambda y, m: _months(y, m, 1)),
    "quarter": (r"(\d{4})-Q([1-4])", lambda y, q: _months(y, 3 * q - 2, 3)),
    "year": (r"(\d{4})", lambda y: _months(y, 1, 12)),
    "decade": (r"\[(\d{3})0, (?:\1)9\]", lambda y: _months(max(y * 10, 1), 1, 120)),
    "century": (r"\[(\d\d)00, (?:\1)99\]", lambda y: _months(max(y * 100, 1), 1, 1200)),
}


def _allowed() -> str:
    return f"Allowed: {', '.join(_NESTING)}; or only week."


def _check_nesting(levels: tuple[str, ...]) -> None:
    if "week" in levels and len(levels) > 1:
        raise PlanError(
            "Dates levels do not nest: a week can span two months or two years.",
            allowed='"week" cannot be combined with other levels.',
            hint="remove week, or all other levels.",
        )
    upwards = tuple(name for name in _PERIODS if name in levels)
    if levels != upwards:
        raise PlanError(
            "Dates levels must go from the shortest period to the longest, without repetition.",
            hint="levels = [" + ", ".join(f'"{name}"' for name in upwards) + "]",
        )
