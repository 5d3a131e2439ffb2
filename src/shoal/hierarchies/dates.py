"""Calendar hierarchies of dates and date-times: hour, day, month, quarter, year, decade, century; or weeks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Float64
from shoal.errors import HierarchyError, PlanError, did_you_mean
from shoal.hierarchies.base import Hierarchy, Level, paths_of, text_of
from shoal.hierarchies.placing import MICROSECONDS_A_DAY, Placed, empty, number_of, of_extents
from shoal.labels import ANY, MISSING, Exactly, Range, read, span
from shoal.table import notation_hint


class _Period(NamedTuple):
    """A calendar period: a function from dates to period numbers, and one from a number to its label."""

    number: Callable[[pl.Series], pl.Series]
    label: Callable[[int], str]


def _year(dates: pl.Series) -> pl.Series:
    return dates.dt.year().cast(pl.Int64)


def _years(first: int, length: int) -> str:
    return span(f"{first:04d}", f"{first + length - 1:04d}")


def _day(dates: pl.Series) -> pl.Series:
    return dates.dt.date().to_physical().cast(pl.Int64)


def _iso_day(number: int) -> str:
    return (date(1970, 1, 1) + timedelta(number)).isoformat()


_PERIODS = {
    "hour": _Period(
        lambda dates: _day(dates) * 24 + dates.dt.hour(),
        lambda number: f"{_iso_day(number // 24)} {number % 24:02d}h",
    ),
    "day": _Period(_day, _iso_day),
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
_WITHIN_A_DAY = ("hour", "day")
_OF_DAYS = tuple(name for name in _PERIODS if name not in (*_WITHIN_A_DAY, "week"))


@dataclass(frozen=True)
class Dates:
    """Generalizes dates to calendar periods of increasing length, and finally to `*`.

    Labels: week `2024-W03` (ISO), month `2024-03`, quarter `2024-Q1`, year `2024`, decade `[2020, 2029]`, century
    `[2000, 2099]`. Date-times also have hour `2024-03-09 14h` and day `2024-03-09`. A week can span two months or two
    years, so "week" can be combined with "hour" and "day" only.

    >>> from datetime import date
    >>> Dates().build(pl.Series([date(2024, 3, 9)])).path(0)
    ('2024-03-09', '2024-03', '2024-Q1', '2024', '[2020, 2029]', '*')
    """

    levels: tuple[str, ...] = ("month", "quarter", "year", "decade")
    """The periods, from short to long. Allowed: a list of `"hour"`, `"day"`, `"week"`, `"month"`, `"quarter"`,
    `"year"`, `"decade"`, `"century"`; `"hour"` and `"day"` for date-times only, and `"week"` with no longer period."""

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
        self._check_type(values)
        periods = (_PERIODS[name] for name in self.levels)
        return Hierarchy.topped(
            [
                Level.leaves(text_of(values)),
                *(Level.keyed(period.number(values).to_numpy(), period.label) for period in periods),
            ]
        )

    def placed(self, labels: Sequence[str], among: Sequence[str] | None = None) -> Placed:
        lost = of_extents(self._ends(labels), self._ends(among or labels))
        placed = empty(len(self.levels) + 2, labels)
        for place, label in enumerate(labels):
            period = _span(label).period
            if period in self.levels:
                placed.by_level[self.levels.index(period) + 1, place] = lost[place]
            elif period == "moment" or (period == "day" and not self._divides_days):
                placed.by_level[0, place] = 0.0
            elif label not in (ANY, MISSING):
                placed.outside[place] = lost[place]
        return placed

    def paths(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        spans = [_span(label) for label in labels]
        distinct = sorted({span.first for span in spans if span.first is not None})
        timed = self._divides_days or any(span.period == "moment" for span in spans)
        tree = self.build(pl.Series([_value(first, timed) for first in distinct], dtype=_dtype(timed)))
        place = {first: number for number, first in enumerate(distinct)}
        return paths_of(tree, labels, [-1 if span.first is None else place[span.first] for span in spans])

    @property
    def _divides_days(self) -> bool:
        return any(level in _WITHIN_A_DAY for level in self.levels)

    def _ends(self, labels: Sequence[str]) -> Float64:
        """float64 [labels, 2]: the first and the last day of each label, or if days are divided, exact times of day."""
        ends = np.full((len(labels), 2), np.nan)
        for place, label in enumerate(labels):
            _, first, last, after = _span(label)
            if first is not None:
                ends[place] = float(first), float(after if self._divides_days else last)  # type: ignore[arg-type]
        return ends

    def _check_type(self, values: pl.Series) -> None:
        dtype = values.dtype
        if dtype not in (pl.Date, pl.Datetime):
            raise HierarchyError(
                "A date hierarchy needs a column of dates.",
                hint=notation_hint(values)
                or 'set the column\'s type = "date" or "datetime", or choose another kind of hierarchy.',
            )
        if dtype == pl.Date and self._divides_days:
            raise HierarchyError(
                'The levels "hour" and "day" need a column of date-times; this column has dates without a time.',
                hint="remove these levels: a date is already a day.",
            )


class _Span(NamedTuple):
    """What a label covers: its period, "day" for a date, "moment" for a date-time and empty for a range or other text.

    `first`, `last` and `after` are in days from 0001-01-01, which is day 1: where it begins, its last day, and where
    what follows it begins. None if the label is no time.
    """

    period: str
    first: Fraction | int | None = None
    last: Fraction | int | None = None
    after: Fraction | int | None = None


def covers(label: str, moment: Fraction | int, *, timed: bool) -> bool:
    """Whether a date, or a date-time if `timed`, lies in the period or range of a label; see `number_of`."""
    _, first, last, after = _span(label)
    if first is None or last is None or after is None:
        return False
    return first <= moment < after if timed and after > last else first <= moment <= last


def period(label: str, *, timed: bool) -> tuple[Any, Any] | None:
    """The first and the last day of a period or range, or if `timed`, its first and last microsecond.

    None if the label is no date, date-time, period or range of these.

    >>> [str(day) for day in period("2024-Q1", timed=False)]
    ['2024-01-01', '2024-03-31']
    """
    _, first, last, after = _span(label)
    if first is None or last is None or after is None:
        return None
    end = after - Fraction(1, MICROSECONDS_A_DAY) if timed and after > last else last
    return _value(first, timed), _value(end, timed)


@lru_cache(maxsize=1 << 14)
def _span(label: str) -> _Span:
    for name, (pattern, days) in _SPANS.items():
        match = re.fullmatch(pattern, label)
        if match:
            try:
                first, after = days(*(int(part) for part in match.groups()))
            except ValueError:  # no such date
                break
            return _Span(name, first, after - 1, after)
    hour = re.fullmatch(r"(\d{4}-\d\d-\d\d) (\d\d)h", label)
    if hour and int(hour[2]) < 24 and isinstance(day := number_of(hour[1]), int):
        first_hour = day + Fraction(int(hour[2]), 24)
        return _Span("hour", first_hour, first_hour, first_hour + Fraction(1, 24))
    return _ends_of(label)


def _ends_of(label: str) -> _Span:
    """What a date-time or a range of dates or date-times covers."""
    meaning = read(label)
    if isinstance(meaning, Exactly) and isinstance(moment := number_of(meaning.value), Fraction):
        return _Span("moment", moment, moment, moment)
    if not isinstance(meaning, Range):
        return _Span("")
    low, high = (number_of(end) for end in (meaning.low, meaning.high))
    if isinstance(low, float) or isinstance(high, float):
        return _Span("")
    return _Span("", low, high, high)


def _value(first: Fraction | int, timed: bool) -> date | datetime:
    """The date or date-time at this number of days."""
    if not timed:
        return date.fromordinal(int(first))
    ticks = round((first - 1) * MICROSECONDS_A_DAY)
    return datetime.min + timedelta(microseconds=ticks)


def _dtype(timed: bool) -> pl.DataType:
    return pl.Datetime("us") if timed else pl.Date()


def _ordinals(first: date, days: int) -> tuple[int, int]:
    """The number of a day, and that of the day after a period that begins with it, which no calendar may have."""
    return first.toordinal(), first.toordinal() + days


def _months(year: int, month: int, months: int) -> tuple[int, int]:
    """The numbers of the first day of a period of months and of the day after it; the calendar ends with 9999."""
    after = year * 12 + month - 1 + months
    last = date(after // 12, after % 12 + 1, 1).toordinal() if after < 120_000 else date.max.toordinal() + 1
    return date(year, month, 1).toordinal(), last


_SPANS: dict[str, tuple[str, Callable[..., tuple[int, int]]]] = {
    "day": (r"(\d{4})-(\d\d)-(\d\d)", lambda y, m, d: _ordinals(date(y, m, d), 1)),
    "week": (r"(\d{4})-W(\d\d)", lambda y, w: _ordinals(date.fromisocalendar(y, w, 1), 7)),
    "month": (r"(\d{4})-(\d\d)", lambda y, m: _months(y, m, 1)),
    "quarter": (r"(\d{4})-Q([1-4])", lambda y, q: _months(y, 3 * q - 2, 3)),
    "year": (r"(\d{4})", lambda y: _months(y, 1, 12)),
    "decade": (r"\[(\d{3})0, (?:\1)9\]", lambda y: _months(max(y * 10, 1), 1, 120)),
    "century": (r"\[(\d\d)00, (?:\1)99\]", lambda y: _months(max(y * 100, 1), 1, 1200)),
}


def _allowed() -> str:
    return f"Allowed: {', '.join(_OF_DAYS)}, or only week; before them, {' and '.join(_WITHIN_A_DAY)} for date-times."


def _check_nesting(levels: tuple[str, ...]) -> None:
    if "week" in levels and any(level in _OF_DAYS for level in levels):
        raise PlanError(
            "Dates levels do not nest: a week can span two months or two years.",
            allowed='"week" can be combined with "hour" and "day" only.',
            hint="remove week, or all longer levels.",
        )
    upwards = tuple(name for name in _PERIODS if name in levels)
    if levels != upwards:
        raise PlanError(
            "Dates levels must go from the shortest period to the longest, without repetition.",
            hint="levels = [" + ", ".join(f'"{name}"' for name in upwards) + "]",
        )
