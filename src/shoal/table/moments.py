"""Dates and date-times: the ways in which they are written, and how native columns of them are read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, time
from typing import Literal

import polars as pl

from shoal.errors import TableError

DayOrder = Literal["day-first", "month-first"]

MOMENT = pl.Datetime("us")
"""The type of all date-times: without a time zone, in whole microseconds."""

YEARS = (1, 9999)
_EPOCH = date(1970, 1, 1)
_CALENDAR = ((date.min - _EPOCH).days, (date.max - _EPOCH).days)
_TICKS_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}

ISO = "%Y-%m-%d"
_MONTH_FIRST, _DAY_FIRST = "%m/%d/%Y", "%d/%m/%Y"
_FORMS = {
    ISO: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "%Y/%m/%d": r"^[0-9]{4}/[0-9]{2}/[0-9]{2}$",
    "%d.%m.%Y": r"^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}$",
    _MONTH_FIRST: r"^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$",
    _DAY_FIRST: r"^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$",
}
_CONTRADICTED = {"day-first": _MONTH_FIRST, "month-first": _DAY_FIRST}

_PARTS = r"^([0-9./-]+)(?:[ T]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6}))?)?Z?)?$"
_MIDNIGHT = r"[ T]0?0:00(?::00(?:\.0{1,6})?)?Z?$"
_WRITTEN = "%Y-%m-%d %H:%M:%S%.f"


# -- native columns -------------------------------------------------------------------------------------------------


def written(moments: pl.Series) -> pl.Series:
    """The canonical text of date-times: seconds always, parts of a second only where there are any.

    >>> from datetime import datetime
    >>> written(pl.Series([datetime(2021, 3, 4, 10, 15), datetime(2021, 3, 4, 10, 15, 0, 500_000)])).to_list()
    ['2021-03-04 10:15:00', '2021-03-04 10:15:00.500']
    """
    return moments.dt.strftime(_WRITTEN)


def plain_moments(column: pl.Series, dtype: pl.Datetime) -> pl.Series:
    """A native column of date-times: as Date if all times are midnight, else as MOMENT, in UTC if it has a time zone.

    It is text if it is finer than a microsecond.
    """
    _check_calendar(column.name, column.to_physical() // _TICKS_A_DAY[dtype.time_unit])
    if (column.dt.time() == time(0)).all():
        return column.dt.date()
    if dtype.time_zone is not None:
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    fine = dtype.time_unit == "ns" and bool((column.to_physical() % 1_000 != 0).any())
    return written(column) if fine else column.cast(MOMENT)


def plain_days(column: pl.Series) -> pl.Series:
    """A native column of dates; raises for dates outside the calendar."""
    _check_calendar(column.name, column.to_physical())
    return column


def _check_calendar(name: str, days: pl.Series) -> None:
    """Raises for dates outside the calendar, such as a database's infinity, which polars cannot convert."""
    outside = (~days.is_between(*_CALENDAR)).sum()
    if outside:
        raise TableError(
            f"Column '{name}' contains {outside} dates outside the calendar.",
            allowed=f"Years run from {YEARS[0]} to {YEARS[1]}.",
        )


# -- text -----------------------------------------------------------------------------------------------------------


def guessed(text: pl.Series, distinct: pl.Series, order: DayOrder | None) -> tuple[str, pl.Series] | None:
    """Texts as dates or date-times, if exactly one way of writing fits all `distinct` ones; None otherwise.

    Date-times whose times are all midnight are dates.
    """
    timed = distinct.str.contains(":", literal=True)
    form = _only(days, distinct.str.replace(_MIDNIGHT, "") if timed.any() else distinct, order)
    if form is not None:
        return "date", days(text.str.replace(_MIDNIGHT, "") if timed.any() else text, form)
    form = _only(moments, distinct, order) if timed.all() else None
    return None if form is None else ("datetime", moments(text, form))


def are_ambiguous(distinct: pl.Series) -> bool:
    """Whether all texts are dates or date-times in which days and months could be swapped."""
    return not distinct.is_empty() and all(
        moments(texts, form).null_count() == 0
        for texts in (distinct.head(1).str.strip_chars(), distinct.str.strip_chars())  # most texts end with the first
        for form in (_MONTH_FIRST, _DAY_FIRST)
    )


def shown_order(distinct: pl.Series) -> DayOrder | None:
    """The order of days and months that dates with slashes show; None if they show none, or are no such dates."""
    if not distinct.head(1).str.contains("/", literal=True).all():  # most texts end with the first
        return None
    orders: dict[DayOrder, str] = {"day-first": _DAY_FIRST, "month-first": _MONTH_FIRST}
    fitting = [order for order, form in orders.items() if moments(distinct, form).null_count() == 0]
    return fitting[0] if len(fitting) == 1 else None


def declared_days(text: pl.Series, distinct: pl.Series, order: DayOrder | None) -> pl.Series:
    """The dates in the way of writing of most values; null for all others."""
    text, distinct = (texts.str.replace(_MIDNIGHT, "") for texts in (text, distinct))
    return days(text, _best(days, distinct, order, text.name, "date"))


def declared_moments(text: pl.Series, distinct: pl.Series, order: DayOrder | None) -> pl.Series:
    """The date-times in the way of writing of most values; null for all others. A date is its midnight."""
    return moments(text, _best(moments, distinct, order, text.name, "datetime"))


_Reader = Callable[[pl.Series, str], pl.Series]


def days(text: pl.Series, form: str) -> pl.Series:
    """The dates of texts in this form; null for any other text."""
    values = text.str.to_date(form, strict=False)
    fits = text.str.contains(_FORMS[form]) & values.dt.year().is_between(*YEARS)
    return values.set(~fits, None)


def moments(text: pl.Series, form: str) -> pl.Series:
    """The date-times of texts with dates in this form; null for any other text.

    If some end in Z, which stands for UTC, those that do not are no date-times: they may be in another time zone.
    """
    parts = text.str.extract_groups(_PARTS).struct.unnest()
    day, hour, minute, second, fraction = (parts.to_series(place) for place in range(5))
    hours, minutes, seconds = (each.fill_null("0").cast(pl.Int64) for each in (hour, minute, second))
    micros = fraction.fill_null("0").str.pad_end(6, "0").cast(pl.Int64)
    ticks = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros
    values = (days(day, form).cast(MOMENT).to_physical() + ticks).cast(MOMENT).alias(text.name)
    fits = (hours < 24) & (minutes < 60) & (seconds < 60)
    in_utc = text.str.ends_with("Z")
    return values.set(~(fits & in_utc if in_utc.any() else fits), None)


def _only(read: _Reader, distinct: pl.Series, order: DayOrder | None) -> str | None:
    """The form that fits all texts, if there is only one."""
    fitting = [form for form in _allowed(order) if read(distinct, form).null_count() == 0]
    return fitting[0] if len(fitting) == 1 else None


def _best(read: _Reader, distinct: pl.Series, order: DayOrder | None, name: str, type: str) -> str:
    """The form that fits most texts; raises if days and months could be swapped."""
    fits = {form: len(distinct) - read(distinct, form).null_count() for form in _allowed(order)}
    best = max(fits, key=lambda form: fits[form])
    if best == _MONTH_FIRST and fits[_MONTH_FIRST] == fits.get(_DAY_FIRST, 0) > 0:
        raise TableError(
            f"Column '{name}' is declared {type}, but its days and months could be swapped.",
            allowed=FITS[type],
            hint='set dates = "day-first" or "month-first" under [data], or write them as YYYY-MM-DD.',
        )
    return best


def _allowed(order: DayOrder | None) -> list[str]:
    return [form for form in _FORMS if order is None or form != _CONTRADICTED[order]]


_WRITINGS = "YYYY-MM-DD, YYYY/MM/DD, DD.MM.YYYY, or with slashes if days and months cannot be swapped"
FITS = {
    "date": f"Dates are written {_WRITINGS}; years run from {YEARS[0]} to {YEARS[1]}.",
    "datetime": f"Date-times are a date and a time, hh:mm, hh:mm:ss or hh:mm:ss.ffffff. Dates are written {_WRITINGS}. "
    "Either all or none end in Z, for UTC.",
}
