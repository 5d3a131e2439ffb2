"""Unchanged columns that narrow a quasi-identifier inside its class.

A value u of an unchanged column and a value x of a quasi-identifier exclude each other if independent columns would
have many rows with both, but the table has hardly any. A row is narrowed if its u excludes an x that other rows of its
class have: a reader of the row then knows that its quasi-identifier is not x. Both columns are binned, because single
dates or amounts are too rare for this comparison.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int64, UInt8, UInt64
from shoal.coded.coding import DistinctValues
from shoal.coded.domains import QuasiDomain
from shoal.coded.partition import Partition
from shoal.engines.base import Tally
from shoal.table import typed
from shoal.warnings.base import NOTEWORTHY, Case

_ROWS_SAMPLED = 100_000
_CLASSES_SAMPLED = 1_000
_BINS = 64  # so that the values of a class fit into one mask
_FEW = 8  # values that are always binned by frequency, without an order
_ROWS_A_CELL = 25
_HARDLY = 0.01
_FALSE_ALARM = 0.001


class _Sample(NamedTuple):
    """The rows of every n-th class, a sample that does not depend on the order of the rows.

    For every distinct row: `picked` bool [d], whether it is in the sample; `class_of` int64 [d] from 0, valid only for
    rows in the sample; `quasi` uint8 [d, q], the bins of its quasi-identifiers.
    """

    picked: Flags
    class_of: Int64
    quasi: UInt8
    classes: int


class Narrowed(NamedTuple):
    """A pair of columns and the share of rows in which the first narrows the second."""

    share: float
    unchanged: str
    quasi: str


def narrowed(case: Case, partition: Partition) -> list[Narrowed]:
    """The pairs in which an unchanged column rules out values of a quasi-identifier; the largest share first."""
    if not case.unchanged or not partition.classes:
        return []
    sample = _sample(case, partition)
    places = len(case.unchanged) * len(case.coded.quasi) * _BINS**2
    least = math.log(places / _FALSE_ALARM)  # P(0 | e expected) <= exp(-e); over all pairs of bins: _FALSE_ALARM
    pairs = [pair for name in case.unchanged for pair in _narrowed_by(case, sample, name, least)]
    return sorted(pairs, key=lambda pair: (-pair.share, pair.unchanged, pair.quasi))


def _sample(case: Case, partition: Partition) -> _Sample:
    counted = case.coded.counted
    every = max(min(-(-counted.rows // _ROWS_SAMPLED), partition.classes // _CLASSES_SAMPLED), 1)
    class_of = case.classes()
    picked = (class_of >= 0) & (class_of % every == 0)
    weight = np.where(picked, counted.weight, 0)
    bins = np.empty((len(weight), len(case.coded.quasi)), np.uint8)
    for a, domain in enumerate(case.coded.quasi):
        counts = np.bincount(counted.quasi[a], weight, minlength=domain.size).astype(np.int64)
        bins[:, a] = _quasi_bins(domain, counts, int(weight.sum()))[counted.quasi[a]]
    return _Sample(picked, class_of // every, bins, -(-partition.classes // every))


def _narrowed_by(case: Case, sample: _Sample, name: str, least: float) -> Iterator[Narrowed]:
    """The quasi-identifiers that an unchanged column narrows in a noteworthy share of rows."""
    tally, distinct = case.engine.tally(name, sample.picked), case.engine.distinct(name)
    rows = int(tally.times.sum())
    own = _unchanged_bins(distinct, tally, case.plan.data.missing, _bins_for(rows))
    for a, excluded in enumerate(_excluded(own, tally, sample, least)):
        if not excluded.any():
            continue
        class_of = sample.class_of[tally.row]
        shown = np.zeros((sample.classes, _BINS), np.bool_)
        shown[class_of, sample.quasi[tally.row, a]] = True
        narrowed = (_as_masks(shown)[class_of] & _as_masks(excluded)[own]) != 0
        share = float(tally.times[narrowed].sum()) / rows
        if share >= NOTEWORTHY:
            yield Narrowed(share, name, case.coded.names[a])


def _excluded(own: UInt8, tally: Tally, sample: _Sample, least: float) -> Flags:
    """bool [q, own bins, bins]: which bins of each quasi-identifier (last axis) a bin of the column excludes.

    Only bins that occur are counted: in wide tables with few values, the others would take most of the time.
    """
    from shoal.kernels.counting import meetings

    met = meetings(own, tally.row, tally.times, sample.quasi, int(own.max()) + 1, int(sample.quasi.max()) + 1)
    expected = met.sum(axis=2)[:, :, None] * (met.sum(axis=1)[:, None, :] / int(tally.times.sum()))
    return np.asarray((expected >= least) & (met <= _HARDLY * expected))


def _as_masks(flags: Flags) -> UInt64:
    """uint64 [n]: bool [n, up to 64] as bit masks."""
    padded = np.zeros((len(flags), _BINS), np.bool_)
    padded[:, : flags.shape[1]] = flags
    return np.packbits(padded, axis=1).view(np.uint64)[:, 0]


def _quasi_bins(domain: QuasiDomain, counts: Int64, rows: int) -> UInt8:
    """The bin of every code; codes of a hierarchy are in depth-first order, so neighbours may share a bin."""
    if domain.type == "text" and (domain.hierarchy is None or domain.size <= _BINS):
        return _frequency_bins(counts)
    return _quantile_bins(counts, domain.values.is_null().to_numpy(), _bins_for(rows))


def _unchanged_bins(distinct: DistinctValues, tally: Tally, missing: Sequence[str], bins: int) -> UInt8:
    """The bin of every tallied value of an unchanged column."""
    used, value = np.unique(tally.value, return_inverse=True)
    counts = np.bincount(value, tally.times).astype(np.int64)
    values = _ordered(distinct.values.gather(used), missing) if len(counts) > max(bins, _FEW) else None
    if values is None:
        return _frequency_bins(counts)[value]
    order = values.arg_sort().to_numpy()
    of_value = np.empty(len(order), np.uint8)
    of_value[order] = _quantile_bins(counts[order], values.is_null().to_numpy()[order], bins)
    return of_value[value]


def _ordered(values: pl.Series, missing: Sequence[str]) -> pl.Series | None:
    """The values as numbers or dates, null if missing; None if they are text."""
    if values.dtype.is_numeric() or values.dtype.is_temporal():
        return values
    inferred = typed(values, type=None, missing=missing)
    return None if inferred.type == "text" else inferred.values


def _quantile_bins(counts: Int64, missing: Flags, bins: int) -> UInt8:
    """Bins with about equally many rows over ordered values; missing values have a separate bin."""
    present = np.where(missing, 0, counts)
    middles = np.cumsum(present) - present / 2
    places = np.floor(middles * (bins / max(int(present.sum()), 1))).astype(np.uint8)
    places[missing] = bins
    return places


def _frequency_bins(counts: Int64) -> UInt8:
    """A bin for each of the most frequent values, and one bin for all others."""
    places = np.empty(len(counts), np.uint8)
    places[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(counts)), _BINS - 1)
    return places


def _bins_for(rows: int) -> int:
    """The number of bins of ordered values at which two bins still share enough rows."""
    return min(max(math.isqrt(rows // _ROWS_A_CELL), 2), _BINS - 1)
