"""Sensitive values by class: how far the share of a value within a class is from its share in the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.arrays import Float64, Int64
from shoal.attacks.target import CLASS, Target
from shoal.figures.folding import MOST_NAMED, fewest_rows, nameable

MOST_COLUMNS = 30
_QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class ValueByClass:
    """The share of a sensitive value: in the released `table`, and in the classes, each counted by its rows.

    For 5 % of the rows, the share in their class is at most `low`, for half of them at most `middle`, and for 95 % at
    most `high`. `least` and `most` are the extremes over all classes.
    """

    value: str
    rows: int
    table: float
    least: float
    low: float
    middle: float
    high: float
    most: float


@dataclass(frozen=True)
class SensitiveColumn:
    """A sensitive column with its most frequent values, the number of its other values, and the rows of these.

    `most`: the highest share of any value in any class, whether or not the value is among `values`.
    """

    name: str
    values: tuple[ValueByClass, ...]
    others: int
    other_rows: int
    most: float = 0.0


def sensitive_columns(target: Target) -> tuple[SensitiveColumn, ...]:
    """The distribution of every released sensitive column by class, from the published tables alone."""
    fewest = fewest_rows(target.plan)
    return tuple(_column(target, name, fewest) for name in target.sensitive[:MOST_COLUMNS])


def _column(target: Target, name: str, fewest: int) -> SensitiveColumn:
    counts = target.counts(name)
    totals = counts.group_by("value").agg(pl.col("count").sum()).sort(["count", "value"], descending=[True, False])
    known = totals.filter(pl.col("value").is_not_null())
    named = known.filter(pl.col("count") >= fewest).head(MOST_NAMED)
    named = named.head(nameable(named["count"].to_numpy(), int(totals["count"].sum()), fewest))
    sizes = target.classes.sizes
    by_value = counts.filter(pl.col("value").is_in(named["value"].implode())).partition_by("value", as_dict=True)
    values = tuple(_value(value, rows, by_value[value,], sizes) for value, rows in named.iter_rows())
    rest = int(totals["count"].sum()) - int(named["count"].sum())
    shares = counts.filter(pl.col("value").is_not_null())
    most = (shares["count"].to_numpy() / sizes[shares[CLASS].to_numpy()]).max(initial=0.0)
    return SensitiveColumn(name, values, known.height - named.height, rest, float(most))


def _value(value: str, rows: int, counts: pl.DataFrame, sizes: Int64) -> ValueByClass:
    """The figures of one value; `counts` has CLASS and count, and classes without the value are absent from it."""
    own = sizes[counts[CLASS].to_numpy()]
    shares = counts["count"].to_numpy() / own
    total = int(sizes.sum())
    if len(own) < len(sizes):
        shares, own = np.append(shares, 0.0), np.append(own, total - own.sum())
    low, middle, high = weighted_quantiles(shares, own)
    return ValueByClass(value, rows, rows / total, float(shares.min()), low, middle, high, float(shares.max()))


def weighted_quantiles(values: Float64, weights: Int64) -> tuple[float, ...]:
    """The smallest value that 5 %, 50 % and 95 % of the weight do not exceed.

    >>> weighted_quantiles(np.array([0.0, 0.5, 1.0]), np.array([6, 88, 6]))
    (0.0, 0.5, 1.0)
    """
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, [quantile * reached[-1] for quantile in _QUANTILES])
    return tuple(float(each) for each in values[order][places])
