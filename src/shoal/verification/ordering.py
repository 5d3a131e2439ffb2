"""The order of released rows: they are sorted by all their cells, so that their order says nothing about the input."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal import table
from shoal.arrays import Flags, Int32
from shoal.labels import MISSING
from shoal.verification.labelled import coded_cells, is_coded


def is_sorted(rows: pl.DataFrame) -> bool:
    """Whether rows are in the order of the texts of their first column, then of the next; a missing value is first.

    Null and empty text are two values in memory and one in a file, so rows are not compared beyond a missing value.
    """
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
        ranks, first = _ranks(column)
        return ranks[:-1] > ranks[1:], (ranks[:-1] == ranks[1:]) & (ranks[1:] != first)
    # Real numbers are sorted by all their digits, which the canonical text does not show.
    texts = column.fill_nan(None).cast(pl.String) if column.dtype.is_float() else table.as_text(column)
    texts = texts.fill_null(MISSING)
    these, others = texts[:-1], texts[1:]
    return (these > others).to_numpy(), ((these == others) & (others != MISSING)).to_numpy()


def _ranks(column: pl.Series) -> tuple[Int32, int]:
    """int32 [n]: the rank of each cell among the texts of a dictionary; and the rank of missing ones."""
    codes, texts = coded_cells(column)
    ranks = texts.cast(pl.String).fill_null(MISSING).rank("dense").to_numpy().astype(np.int32)
    return np.asarray(ranks[codes], np.int32), int(ranks[-1])  # the last text is missing
