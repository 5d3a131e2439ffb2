"""Histograms of numbers and dates: released rows are spread evenly over the range that their label names.

Bins follow from the published labels alone, and end at round numbers, so that no bin shows an extreme value.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Float64, Int64
from shoal.errors import TableError
from shoal.plan import Plan
from shoal.reading.typed_labels import HIGH, LOW, LabelColumn, label_type, typed_labels
from shoal.roles.columns import Column, Data
from shoal.table import typed
from shoal.verification.labelled import Labelled, hierarchy

MOST_BINS = 30
MOST_TYPED = 200_000
"""The most different values of an unchanged column that are looked at."""
_EPOCH = date(1970, 1, 1)
_STEPS = {"integer": 1.0, "date": 1.0, "datetime": 0.0, "real": 0.0}
"""How far a value reaches: an age of 30 covers everything from 30 to below 31, a date its day."""
_MICROSECONDS = 86_400_000_000


@dataclass(frozen=True)
class Histogram:
    """Released rows by value.

    `ends`: n + 1 ends of n bins, of which each includes the lower end; those of dates are days since 1970.
    `rows`: the rows of each bin, parts of a row included, because a row whose label is a range counts in several bins.
    `unplaced`: the rows whose label names no range, such as `*`.
    """

    type: str
    ends: tuple[float, ...]
    rows: tuple[float, ...]
    unplaced: int = 0


def histogram(name: str, column: Labelled, plan: Plan) -> Histogram | None:
    """The histogram of a quasi-identifier with numbers or dates; None if its labels are text, or name one value."""
    labels = LabelColumn(name, column.labels, plan.columns[name], hierarchy(plan, name))
    type = label_type(labels)
    if type not in _STEPS:
        return None
    said = typed_labels(labels, type)
    low, high = numbers(said[LOW], type), numbers(said[HIGH], type)
    low, high = np.where(np.isnan(low), high, low), np.where(np.isnan(high), low, high)  # a coded end is open
    placed = np.isfinite(low) & np.isfinite(high)
    if not placed.any() or not _has_width(float(low[placed].min()), float(high[placed].max())):
        return None
    ends = round_ends(float(low[placed].min()), float(high[placed].max()) + _STEPS[type], type)
    weight = column.rows.astype(np.float64)
    rows = spread(low[placed], high[placed] + _STEPS[type], weight[placed], ends)
    return Histogram(type, tuple(ends.tolist()), tuple(np.round(rows, 2).tolist()), int(column.rows[~placed].sum()))


class Values(NamedTuple):
    """The type of a column, and its distinct values: numbers or dates, null if missing."""

    type: str
    values: pl.Series


def ordered(counts: pl.DataFrame) -> pl.DataFrame:
    """Counted texts, sorted by the first column; in any order if there are too many for `values_of` to look at.

    What is read must not depend on the order in which texts were counted, and sorting millions of texts is slow.
    """
    return counts if len(counts) > MOST_TYPED else counts.sort(counts.columns[0])


def values_of(texts: pl.Series, settings: Column | None, data: Data) -> Values | None:
    """The numbers or dates that the distinct texts of a column are; None if they are text, or too many to look at."""
    if len(texts) > MOST_TYPED:
        return None
    try:
        declared = None if settings is None else settings.type
        found = typed(texts, type=declared, missing=data.absent, notation=data.notation)
    except TableError:
        return None
    return Values(found.type, found.values) if found.type in _STEPS else None


def value_histogram(values: Values, rows: Int64, fewest: int) -> Histogram | None:
    """The histogram of a column that is released unchanged; neighbouring bins with few rows are one."""
    at = numbers(values.values, values.type)
    known = np.isfinite(at)
    if not known.any() or not _has_width(float(at[known].min()), float(at[known].max())):
        return None
    ends = round_ends(float(at[known].min()), float(at[known].max()) + _STEPS[values.type], values.type)
    counts = binned(at[known], rows[known], ends)
    starts = merged(counts, fewest)
    bins = tuple(np.add.reduceat(counts, starts).astype(np.float64).tolist())
    return Histogram(values.type, (*ends[starts].tolist(), float(ends[-1])), bins) if len(bins) > 1 else None


def is_dated(type: str) -> bool:
    """Whether values of a type are dates or moments."""
    return type in ("date", "datetime")


def _has_width(low: float, high: float) -> bool:
    """Whether a range can be divided into bins: neither one value, nor too narrow or too wide for such a number."""
    return sys.float_info.min <= (high - low) / MOST_BINS < math.inf


def numbers(values: pl.Series, type: str) -> Float64:
    """float64: numbers as they are, dates and date-times as days since 1970; NaN if null."""
    if type == "date":
        return values.cast(pl.Date).to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if type == "datetime":
        days = values.cast(pl.Datetime("us")).to_physical().cast(pl.Float64) / _MICROSECONDS
        return days.fill_null(float("nan")).to_numpy()
    return values.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def round_ends(low: float, high: float, type: str) -> Float64:
    """float64 [bins + 1]: equally wide bins from `low` or less to `high` or more, at round numbers or dates.

    >>> round_ends(17, 91, "integer")[[0, 1, -1]].tolist()
    [15.0, 20.0, 95.0]
    """
    if is_dated(type):
        return _round_dates(low, high)
    width = _round_width((high - low) / MOST_BINS)
    if type == "integer":
        width = max(width, 1.0)
    first = math.floor(low / width)
    last = max(math.ceil(high / width), first + 1)
    return np.array([each * width for each in range(first, last + 1)])


def _round_width(least: float) -> float:
    """The smallest of 1, 2, 5, 10, … and their tenths that is at least this large.

    Twice the least is wide enough for the bins at both ends not to be too many.
    """
    scale = 10.0 ** math.floor(math.log10(least))
    return next(step * scale for step in (1, 2, 5, 10, 20) if step * scale >= least * (1 + 1 / MOST_BINS))


def _round_dates(low: float, high: float) -> Float64:
    """Bins of whole years, or of months if there are few."""
    first, last = _day(low), _day(high)
    months = 12 * (last.year - first.year) + last.month - first.month + 2
    width = next((each for each in (1, 3, 6, 12, 24, 60, 120, 240, 600) if months / each <= MOST_BINS - 1), 1200)
    start = (12 * first.year + first.month - 1) // width * width
    ends = [start]
    while _first_day(ends[-1]) < high:
        ends.append(ends[-1] + width)
    return np.array([_first_day(each) for each in ends])


def _first_day(months: int) -> float:
    """The first day of a month, which is given by its number, in days since 1970; after the year 9999, its end."""
    if months // 12 > date.max.year:
        return float((date.max - _EPOCH).days + 1)
    return float((date(max(months // 12, 1), months % 12 + 1, 1) - _EPOCH).days)


def _day(days: float) -> date:
    """The date of a number of days since 1970; the last one of the calendar if it is later."""
    return _EPOCH + timedelta(days=min(math.floor(days), (date.max - _EPOCH).days))


def spread(low: Float64, high: Float64, rows: Float64, ends: Float64) -> Float64:
    """float64 [bins]: the rows of ranges, each spread evenly over its range; what is a point falls into one bin."""
    found = np.zeros(len(ends) - 1)
    point = high <= low
    places = np.clip(np.searchsorted(ends, low[point], "right") - 1, 0, len(found) - 1)
    np.add.at(found, places, rows[point])
    low, high, rows = low[~point], high[~point], rows[~point]
    for place in range(len(found)):
        inside = np.clip(np.minimum(high, ends[place + 1]) - np.maximum(low, ends[place]), 0, None)
        found[place] += float((rows * inside / (high - low)).sum())
    return found


def binned(values: Float64, rows: Int64, ends: Float64) -> Int64:
    """int64 [bins]: the rows of exact values; those beyond the ends count in the first and the last bin."""
    places = np.clip(np.searchsorted(ends, values, "right") - 1, 0, len(ends) - 2)
    found = np.zeros(len(ends) - 1, np.int64)
    np.add.at(found, places, rows)
    return found


def written_ends(type: str, ends: Sequence[float]) -> tuple[float | str, ...]:
    """The ends of bins as a report has them: numbers as they are, dates as ISO text.

    >>> written_ends("date", [0.0, 31.0])
    ('1970-01-01', '1970-02-01')
    """
    return tuple(_day(end).isoformat() for end in ends) if is_dated(type) else tuple(ends)


def merged(rows: Int64 | Float64, fewest: int) -> Int64:
    """int64: the first bin of each group of neighbouring bins that have no row or at least `fewest` together.

    >>> merged(np.array([9, 0, 2, 4, 7]), 5).tolist()
    [0, 1, 2, 4]
    """
    starts, held, open_ = [0], 0, False
    for place, count in enumerate(rows.tolist()):
        if place and not open_:
            starts.append(place)
            held = 0
        held += count
        open_ = 0 < held < fewest
    while open_ and len(starts) > 1:  # the last group is too small: it joins the one before
        starts.pop()
        open_ = 0 < sum(rows[starts[-1] :]) < fewest
    return np.array(starts, np.int64)
