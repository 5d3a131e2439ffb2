"""The order of released rows: they are sorted by all their cells, so that their order says nothing about the input."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal import table
from shoal.arrays import Flags, Int64
from shoal.labels import MISSING
from shoal.verification.labelled import coded_cells, is_coded


def is_sorted(rows: pl.DataFrame) -> bool:
    """Whether rows are in the order of the texts of their first column, then of the next; a missing value is first."""
    tied: Flags = np.ones(max(rows.height - 1, 0), np.bool_)  # rows that equal the next one in all columns so far
    for column in rows:
        if not tied.any():
            return True
        falls, same = _compared(column)
        if (tied & falls).any():
            return False
        tied &= same
    return True


def _compared(column: pl.Series) -> tuple[Flags, Flags]:
    """bool [n - 1] each: whether the next cell comes before a cell, and whether it is the same."""
    if is_coded(column):
        ranks = _ranks(column)
        return ranks[:-1] > ranks[1:], ranks[:-1] == ranks[1:]
    # Real numbers are sorted by all their digits, which the canonical text does not show.
    texts = (column.cast(pl.String) if column.dtype.is_float() else table.as_text(column)).fill_null(MISSING)
    return (texts[:-1] > texts[1:]).to_numpy(), (texts[:-1] == texts[1:]).to_numpy()


def _ranks(column: pl.Series) -> Int64:
    """int64 [n]: the rank of each cell among the texts of a dictionary."""
    codes, texts = coded_cells(column)
    ranks = texts.cast(pl.String).fill_null(MISSING).rank("dense").to_numpy().astype(np.int64)
    return np.asarray(ranks[codes], np.int64)
