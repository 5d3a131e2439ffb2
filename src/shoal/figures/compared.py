"""Columns before and after: how often each value is in the input and in the release, for the steward only.

A value or a bin is shown if it has as many rows as a class needs; the others are counted together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal.figures.before import Before, InputColumn
from shoal.figures.columns import LabelRows, ReleasedColumn, ReleasedColumns, label_rows
from shoal.figures.folding import MOST_NAMED, nameable
from shoal.figures.histograms import Histogram, binned, is_dated, merged, numbers
from shoal.labels import MISSING
from shoal.table import Runs
from shoal.verification.labelled import Labelled


@dataclass(frozen=True)
class ComparedValue:
    """A value, its rows in the input, and the released rows that show exactly this value."""

    value: str
    before: int
    after: int


@dataclass(frozen=True)
class ComparedBin:
    """A bin of numbers or dates, with its rows in the input and, spread over their ranges, in the release."""

    low: float
    high: float
    before: int
    after: float


@dataclass(frozen=True)
class ComparedColumn:
    """A column in the input and in the release.

    `values` of text, or `bins` of numbers and dates. `others`: the other values of the input, with their rows in the
    input (`other_before`). `other_after`: the released rows that show something else, such as a range, a set, a node
    of the hierarchy, `*`, or a value that is not named. The values of a set-valued column are its items: a row counts
    for each of them, so that the others count items rather than rows.
    """

    name: str
    role: str
    type: str
    values_before: int
    labels_after: int
    missing_before: int
    missing_after: int
    values: tuple[ComparedValue, ...] = ()
    bins: tuple[ComparedBin, ...] = ()
    others: int = 0
    other_before: int = 0
    other_after: float = 0


def compared_columns(
    before: Before,
    released: ReleasedColumns,
    tables: Mapping[str, Runs],
    labels: Mapping[str, Labelled],
    separators: Mapping[str, str],
) -> tuple[ComparedColumn, ...]:
    """Every released column that was counted in the input; those with a separator by item."""
    found = []
    for column in released.columns:
        if column.name in before.columns:
            rows_of = partial(
                label_rows, column.name, tables, labels.get(column.name), separator=separators.get(column.name, "")
            )
            found.append(_compared(before.columns[column.name], column, rows_of, released.fewest))
    return tuple(found)


def _compared(
    given: InputColumn, released: ReleasedColumn, rows_of: Callable[[list[str]], LabelRows], fewest: int
) -> ComparedColumn:
    missing_place = given.labels.index(MISSING) if MISSING in given.labels else None
    missing = 0 if missing_place is None else int(given.rows[missing_place])
    counted = int(np.count_nonzero(given.rows)) - (missing > 0)
    shown = released.histogram
    known = (released.name, released.role, "text" if shown is None else shown.type)
    sizes = (counted, released.labels, missing, released.missing)
    if shown is not None and given.values is not None and given.values.dtype.is_temporal() == is_dated(shown.type):
        return ComparedColumn(*known, *sizes, bins=_bins(given, shown, fewest), other_after=shown.unplaced)
    large = [place for place in np.flatnonzero(given.rows >= fewest).tolist() if place != missing_place]
    after = rows_of([given.labels[place] for place in large])
    pairs = (
        ComparedValue(given.labels[place], int(given.rows[place]), after.rows.get(given.labels[place], 0))
        for place in large
    )
    named = sorted((pair for pair in pairs if _is_named(pair, fewest)), key=lambda pair: (-pair.before, pair.value))
    named = named[:MOST_NAMED]
    totals = np.array([int(given.rows.sum()) - missing, after.total - released.missing], np.int64)
    rows = np.array([(pair.before, pair.after) for pair in named], np.int64).reshape(-1, 2)
    shown_values = nameable(rows, totals, fewest)
    rest = (totals - rows[:shown_values].sum(axis=0)).tolist()
    return ComparedColumn(*known, *sizes, tuple(named[:shown_values]), (), counted - shown_values, *rest)


def _is_named(pair: ComparedValue, fewest: int) -> bool:
    """Whether a value has enough rows in the input and, if the release shows it, in the release."""
    return pair.before >= fewest and (pair.after == 0 or pair.after >= fewest)


def _bins(given: InputColumn, shown: Histogram, fewest: int) -> tuple[ComparedBin, ...]:
    assert given.values is not None
    values = numbers(given.values, shown.type)
    known = np.isfinite(values)
    ends, after = np.array(shown.ends), np.array(shown.rows)
    before = binned(values[known], given.rows[known], ends)
    starts = merged(before, fewest)
    lows, highs = ends[starts], np.append(ends[starts[1:]], ends[-1])
    rows, spread = np.add.reduceat(before, starts), np.add.reduceat(after, starts)
    if len(rows) == 1 and 0 < rows[0] < fewest:
        return ()
    return tuple(
        ComparedBin(float(low), float(high), int(one), round(float(other), 2))
        for low, high, one, other in zip(lows, highs, rows, spread, strict=True)
    )
