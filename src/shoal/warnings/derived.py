"""Unchanged numbers that equal the time between two dates: an intruder who knows the dates knows the number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64
from shoal.table import typed
from shoal.warnings.base import GENERALIZE, Case, Warning

_MOST_DATES = 6
_MOST_ROWS = 20_000
_NEARLY_ALL = 0.9
_FEWEST_VALUES = 3
_LOOKED_AT = 1_000
_MICROSECONDS = 86_400_000_000
_UNITS = {"days": 1.0, "years": 365.25}


def time_between_dates(case: Case) -> Iterator[Warning]:
    """Warns of unchanged numbers that equal the days or years between two quasi-identifiers, such as a stay."""
    days = _days_of_dates(case)
    if len(days) < 2:
        return
    rows = np.arange(len(case.coded.counted)) < _MOST_ROWS
    for name in case.unchanged:
        pair = _pair(case, name, days, rows) if _has_numbers(case, name) else None
        if pair is not None:
            first, last, unit = pair
            yield Warning(
                f"{case.called(name)} and is the number of {unit} from '{first}' to '{last}' in nearly all rows: "
                "an intruder who knows both dates of an individual also knows this value, which may identify the row. "
                f"{GENERALIZE}",
                serious=True,
                about=name,
                rank=1,
                remedy=GENERALIZE,
            )


def _days_of_dates(case: Case) -> dict[str, Float64]:
    """Quasi-identifier → the days of each of its dates, NaN if missing; only the first few columns."""
    dates = [domain for domain in case.coded.quasi if domain.values.dtype in (pl.Date, pl.Datetime)][:_MOST_DATES]
    moments = {domain.name: domain.values.cast(pl.Datetime("us")).to_physical() for domain in dates}
    return {name: values.cast(pl.Float64).to_numpy() / _MICROSECONDS for name, values in moments.items()}


def _has_numbers(case: Case, name: str) -> bool:
    values = case.engine.distinct(name).values
    first = typed(values.head(_LOOKED_AT), type=None, missing=case.plan.data.absent, notation=case.plan.data.notation)
    return first.type in ("integer", "real") and len(values) >= _FEWEST_VALUES


def _pair(case: Case, name: str, days: Mapping[str, Float64], rows: Flags) -> tuple[str, str, str] | None:
    """Two dates whose distance is the number, and the unit; None if there are none."""
    data, tally = case.plan.data, case.engine.tally(name, rows)
    numbers = typed(case.engine.distinct(name).values, type=None, missing=data.absent, notation=data.notation).values
    if not numbers.dtype.is_numeric():
        return None
    value = numbers.cast(pl.Float64).to_numpy()[tally.value]
    quasi = dict(zip(case.coded.names, case.coded.counted.quasi, strict=True))
    for first, last in permutations(days, 2):
        between: Float64 = days[last][quasi[last][tally.row]] - days[first][quasi[first][tally.row]]
        known = ~np.isnan(value) & ~np.isnan(between)
        for unit, length in _UNITS.items():
            alike = known & (np.abs(value - between / length) <= 1.0)
            if known.any() and tally.times[alike].sum() >= _NEARLY_ALL * tally.times[known].sum():
                return first, last, unit
    return None
