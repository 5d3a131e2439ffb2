"""How the values of a column repeat, by hashing: identifiers have too many values for dictionary coding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from shoal.arrays import Int32, Int64, UInt64
from shoal.engines.base import Repeats
from shoal.engines.columns import hashed, parts

_SCATTERING = np.uint64(11400714819323198485)
_ROOM = 1 << 24
"""How many rows with the same value are distinguished at most when they are scattered."""
_MOST_SORTED = 1 << 24
"""Hashes that are sorted at once."""


def repeats(
    hashes: UInt64, kind: pl.DataType, missing: Sequence[str], row_of: Int32, most: int, sample: int = 1
) -> Repeats:
    """How a column repeats, with about `most` pairs of rows.

    `hashes` uint64 [n]: the hash of each cell, whose type is `kind`. `row_of` int32 [n]: the distinct row of each row.
    With a `sample` of n, only one in n values is looked at, with all its rows.
    """
    absent = absent_hashes(kind, missing)
    values = rows = sharing = 0
    pairs = [np.empty((2, 0), np.int32)]
    for low, high in _ranges(len(hashes), sample):
        at = _between(hashes, low, high, absent)
        some = hashes[at]
        ordered = np.sort(some)
        again = ordered[1:] == ordered[:-1]
        repeated = ordered[1:][again]
        sharing += len(repeated) + int(np.count_nonzero(np.diff(again, prepend=False) & again))
        values, rows = values + len(at) - len(repeated), rows + len(at)
        wanted = most - sum(each.shape[1] for each in pairs)
        first = repeated[: max(wanted, 0)]
        few = np.flatnonzero(some <= first[-1]) if len(first) else np.zeros(0, np.int64)
        pairs.append(_pairs(some[few], row_of[at[few]], most))
    return Repeats(values, rows, sharing, np.concatenate(pairs, axis=1))


def absent_hashes(kind: pl.DataType, missing: Sequence[str]) -> UInt64:
    """The hashes of missing cells."""
    text = kind == pl.String or isinstance(kind, pl.Categorical | pl.Enum)
    return hashed(pl.Series([None, *(missing if text else ())], dtype=pl.String if text else kind))


def _ranges(rows: int, sample: int) -> Iterator[tuple[int, int]]:
    """Ranges of hashes, ascending, so narrow that few of as many rows have a hash in one."""
    end, steps = 2**64 // sample, -(-rows // (sample * _MOST_SORTED)) or 1
    bounds = [end * step // steps for step in range(steps + 1)]
    return pairwise(bounds)


def _between(hashes: UInt64, low: int, high: int, absent: UInt64) -> Int64:
    """int64: the rows whose hash is at least `low` and below `high`, and not that of a missing cell."""
    found = [np.zeros(0, np.int64)]
    for part in parts(len(hashes), 1 << 22):
        some = hashes[part]
        inside = (some >= np.uint64(low)) & (some <= np.uint64(high - 1))
        inside &= ~np.isin(some, absent)
        found.append(np.flatnonzero(inside) + part.start)
    return np.concatenate(found)


def _pairs(hashes: UInt64, rows: Int32, most: int) -> Int32:
    """int32 [2, pairs]: the distinct rows, given for every hash, of pairs with equal hashes; at most `most` + 1 alike.

    They depend on hashes and distinct rows alone, not on the order of the table. Pairs are scattered: in a table sorted
    by patient, neighbours with the same name are often the same person.
    """
    order = np.lexsort((rows, hashes))
    hashes, rows = hashes[order], rows[order]
    changes = (hashes[1:] != hashes[:-1]) | (rows[1:] != rows[:-1])
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(rows), 1), np.bool_), changes]))
    alike = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    few = np.flatnonzero(alike <= most)
    scattered = (rows[few].astype(np.uint64) * np.uint64(_ROOM) + alike[few].astype(np.uint64)) * _SCATTERING
    few = few[np.lexsort((scattered, hashes[few]))]
    left = np.flatnonzero(hashes[few[1:]] == hashes[few[:-1]])
    return rows[np.stack([few[left], few[left + 1]])].astype(np.int32)


def scattered_pairs(counted: pl.DataFrame, most: int) -> Int32:
    """int32 [2, pairs]: the same of rows that are counted: `hash`, `row`, the distinct row, and `n`, their number."""
    if not counted.height:
        return np.empty((2, 0), np.int32)
    hashes, rows, times = (counted[name].to_numpy() for name in ("hash", "row", "n"))
    at = np.repeat(np.arange(len(times)), np.minimum(times.astype(np.int64), most + 1))
    return _pairs(hashes[at].view(np.uint64), rows[at], most)
