"""How the values of a column repeat, by hashing: identifiers have too many values for dictionary coding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int32, Int64, UInt64
from shoal.engines.base import Repeats

_SCATTERING = np.uint64(11400714819323198485)


def repeats(column: pl.Series, missing: Sequence[str], row_of: Int32, most: int, sample: int = 1) -> Repeats:
    """How a column repeats, with about `most` pairs of rows; row_of int32 [n] is the distinct row of every row.

    With a `sample` of n, only one in n values is looked at, with all its rows.
    """
    hashes = column.hash(0).to_numpy()
    rows = np.arange(len(hashes)) if sample == 1 else np.flatnonzero(hashes < np.uint64(2**64 // sample))
    rows = rows[_is_present(column if sample == 1 else column.gather(rows), missing)]
    hashes = hashes[rows]
    ordered = np.sort(hashes)
    again = ordered[1:] == ordered[:-1]
    repeated = ordered[1:][again]
    runs = int(np.count_nonzero(np.diff(again, prepend=False) & again))  # values that occur more than once
    pairs = row_of[_pairs(hashes, repeated[:most], rows)]
    return Repeats(len(rows) - len(repeated), len(rows), len(repeated) + runs, pairs)


def _is_present(column: pl.Series, missing: Sequence[str]) -> Flags:
    present = column.is_not_null()
    if column.dtype == pl.String:
        present &= ~column.is_in(missing)
    flags: Flags = present.to_numpy()
    return flags


def _pairs(hashes: UInt64, repeated: UInt64, rows: Int64) -> Int64:
    """int64 [2, pairs]: pairs of rows with equal hashes; only the given repeated hashes are sorted.

    The pairs are not neighbours in the table: in a table sorted by patient, neighbours with the same name are often
    the same person.
    """
    if not len(repeated):
        return np.empty((2, 0), np.int64)
    few = np.flatnonzero(hashes <= repeated[-1])
    few = few[np.lexsort((few.astype(np.uint64) * _SCATTERING, hashes[few]))]
    left = np.flatnonzero(hashes[few[1:]] == hashes[few[:-1]])
    return rows[np.stack([few[left], few[left + 1]])]
