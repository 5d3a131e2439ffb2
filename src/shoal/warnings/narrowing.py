"""Unchanged columns that narrow a quasi-identifier.

A value u of an unchanged column and a value x of a quasi-identifier exclude each other when they should meet in many
rows if the columns were independent, and hardly ever do. A row is narrowed when its u excludes an x that others of
its class have: whoever reads the row knows that it is not one of those. Both columns are binned, since single dates
or amounts are too rare to tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.coded.encode import QuasiColumn, dictionary
from shoal.coded.partition import Int32, Int64
from shoal.table import typed
from shoal.warnings.base import NOTEWORTHY, Case, percent

Bins = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Masks = NDArray[np.uint64]

_ROWS_LOOKED_AT = 100_000
_CLASSES_LOOKED_AT = 1_000
_BINS = 64  # so that the values of a class fit one mask
_FEW = 8  # values that need no order to be told apart
_ROWS_A_CELL = 25
_HARDLY = 0.01
_FALSE_ALARM = 0.001
_SHOWN = 5


class _Sample(NamedTuple):
    """Rows of every so many-th class: a sample that does not depend on the order of the rows.

    `rows` int64: places in the table, `kind` int32 the distinct row of each. Of every distinct row `class_of` int64
    from 0 (only of those in the sample it means anything), `quasi` uint8 [d, q]: bins of quasi-identifiers.
    """

    rows: Int64
    kind: Int32
    class_of: Int64
    quasi: Bins
    classes: int


class _Narrowed(NamedTuple):
    """A pair of columns and the share of rows in which the first narrows the second."""

    share: float
    unchanged: str
    quasi: str


def narrowed_quasi_identifiers(case: Case) -> Iterator[str]:
    """Unchanged columns that rule out quasi-identifier values inside classes: education-num beside education."""
    unchanged = [name for name in case.prepared.published.columns if name not in case.encoded.names]
    if not unchanged or not case.partition.classes:
        return
    sample = _sample(case)
    cells = len(unchanged) * len(case.encoded.quasi) * _BINS**2
    least = math.log(cells / _FALSE_ALARM)  # P(0 | e expected) <= exp(-e), so all cells together: _FALSE_ALARM
    found = [each for name in unchanged for each in _narrowed_by(case, sample, name, least)]
    found.sort(key=lambda each: (-each.share, each.unchanged, each.quasi))
    yield from (_narrowing(case, each) for each in found[:_SHOWN])
    if len(found) > _SHOWN:
        yield f"And {len(found) - _SHOWN} more pairs of an unchanged column and a quasi-identifier that it narrows."


def _narrowing(case: Case, found: _Narrowed) -> str:
    sensitive = found.unchanged in case.plan.sensitive
    what = "Sensitive column" if sensitive else "Column"
    advice = "" if sensitive else " Make it a quasi-identifier, or leave it out."
    return (
        f"{what} '{found.unchanged}' is released unchanged and narrows quasi-identifier '{found.quasi}': in "
        f"{percent(found.share)} of the rows it rules out what others of the same class have.{advice}"
    )


def _sample(case: Case) -> _Sample:
    encoded, partition = case.encoded, case.partition
    every = max(min(-(-len(encoded.row_of) // _ROWS_LOOKED_AT), partition.classes // _CLASSES_LOOKED_AT), 1)
    picked = (partition.class_of >= 0) & (partition.class_of % every == 0)
    rows = np.flatnonzero(picked[encoded.row_of])
    weight = np.where(picked, encoded.rows.weight, 0)
    bins = np.empty((len(weight), len(encoded.quasi)), np.uint8)
    for a, column in enumerate(encoded.quasi):
        counts = np.bincount(encoded.columns[a], weight, minlength=column.size).astype(np.int64)
        bins[:, a] = _quasi_bins(column, counts, len(rows))[encoded.columns[a]]
    classes = -(-partition.classes // every)
    return _Sample(rows, encoded.row_of[rows], partition.class_of // every, bins, classes)


def _narrowed_by(case: Case, sample: _Sample, name: str, least: float) -> Iterator[_Narrowed]:
    """The quasi-identifiers that one unchanged column narrows in enough rows."""
    column = case.prepared.published[name]
    if len(sample.rows) < len(column):
        column = column.gather(sample.rows)
    own = _unchanged_bins(column, case.plan.data.missing, _bins_for(len(column)))
    for a, excluded in enumerate(_excluded(own, sample, least)):
        if not excluded.any():
            continue
        class_of = sample.class_of[sample.kind]
        shown = np.zeros((sample.classes, _BINS), np.bool_)
        shown[class_of, sample.quasi[sample.kind, a]] = True
        narrowed = _as_masks(shown)[class_of] & _as_masks(excluded)[own]
        share = float(np.count_nonzero(narrowed)) / len(narrowed)
        if share >= NOTEWORTHY:
            yield _Narrowed(share, name, case.encoded.names[a])


def _excluded(own: Bins, sample: _Sample, least: float) -> Flags:
    """bool [q, own bins, bins]: which bin of each quasi-identifier (last) a bin of the column excludes.

    Only bins that occur are counted: on wide tables of few values the rest would be nearly all of the work.
    """
    from shoal.kernels.counting import meetings

    met = meetings(own, sample.kind, sample.quasi, int(own.max()) + 1, int(sample.quasi.max()) + 1)
    expected = met.sum(axis=2)[:, :, None] * (met.sum(axis=1)[:, None, :] / len(own))
    return np.asarray((expected >= least) & (met <= _HARDLY * expected))


def _as_masks(flags: Flags) -> Masks:
    """uint64 [n] of bool [n, up to 64]."""
    whole = np.zeros((len(flags), _BINS), np.bool_)
    whole[:, : flags.shape[1]] = flags
    return np.packbits(whole, axis=1).view(np.uint64)[:, 0]


def _quasi_bins(column: QuasiColumn, counts: Int64, rows: int) -> Bins:
    """The bin of every code. Codes of a tree stand depth-first, so neighbours are alike and may share a bin."""
    if column.type == "text" and (column.hierarchy is None or column.size <= _BINS):
        return _frequency_bins(counts)
    return _quantile_bins(counts, column.values.is_null().to_numpy(), _bins_for(rows))


def _unchanged_bins(column: pl.Series, missing: Sequence[str], bins: int) -> Bins:
    """The bin of every row of a column that is released as it is."""
    coded = dictionary(column)
    counts = np.bincount(coded.codes, minlength=len(coded.distinct))
    values = _ordered(coded.distinct, missing) if len(counts) > max(bins, _FEW) else None
    if values is None:
        return _frequency_bins(counts)[coded.codes]
    order = values.arg_sort().to_numpy()
    of_value = np.empty(len(order), np.uint8)
    of_value[order] = _quantile_bins(counts[order], values.is_null().to_numpy()[order], bins)
    return of_value[coded.codes]


def _ordered(values: pl.Series, missing: Sequence[str]) -> pl.Series | None:
    """The values as numbers or dates, null where missing; None where they are neither."""
    if values.dtype.is_numeric() or values.dtype.is_temporal():
        return values
    found = typed(values, type=None, missing=missing)
    return None if found.type == "text" else found.values


def _quantile_bins(counts: Int64, missing: Flags, bins: int) -> Bins:
    """Bins of about equally many rows over ordered values; missing ones have a bin of their own."""
    present = np.where(missing, 0, counts)
    middles = np.cumsum(present) - present / 2
    places = np.floor(middles * (bins / max(int(present.sum()), 1))).astype(np.uint8)
    places[missing] = bins
    return places


def _frequency_bins(counts: Int64) -> Bins:
    """A bin for each of the most frequent values, and one for all the others."""
    places = np.empty(len(counts), np.uint8)
    places[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(counts)), _BINS - 1)
    return places


def _bins_for(rows: int) -> int:
    """How many bins for ordered values leave enough rows where two of them meet."""
    return min(max(math.isqrt(rows // _ROWS_A_CELL), 2), _BINS - 1)
