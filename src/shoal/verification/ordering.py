"""The order of released rows: they are sorted by all their cells, so that their order says nothing about the input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal import table
from shoal.arrays import Flags, Int32, UInt32
from shoal.labels import MISSING
from shoal.verification.labelled import coded_cells, is_coded

Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""Applies a function to each item, in order, as `map` does."""


def is_sorted(rows: pl.DataFrame) -> bool:
    """Whether rows are in the order of the texts of their first column, then of the next; a missing value is first."""
    return compared(list(rows))[0]


def compared(columns: Sequence[pl.Series], each: Each = map) -> tuple[bool, Flags]:
    """Whether rows are sorted, and bool [n - 1] whether each row equals the next one in all columns.

    Null and empty text are two values in memory and one in a file, so rows are not compared beyond a missing value,
    and rows with a missing value equal no other.
    """
    in_order, tied = True, np.ones(max(len(columns[0]) - 1, 0) if columns else 0, np.bool_)
    for falls, same in each(_compared, columns):
        in_order = in_order and not (tied & falls).any()
        tied &= same
    return in_order, tied


def _compared(column: pl.Series) -> tuple[Flags, Flags]:
    """bool [n - 1] each: whether the next cell comes before a cell, and whether it is the same."""
    if (codes := _sorted_codes(column)) is not None:
        return codes[:-1] > codes[1:], codes[:-1] == codes[1:]
    if is_coded(column):
        ranks, first = _ranks(column)
        return ranks[:-1] > ranks[1:], (ranks[:-1] == ranks[1:]) & (ranks[1:] != first)
    # Real numbers are sorted by all their digits, which the canonical text does not show.
    texts = column.fill_nan(None).cast(pl.String) if column.dtype.is_float() else table.as_text(column)
    texts = texts.fill_null(MISSING)
    these, others = texts[:-1], texts[1:]
    return (these > others).to_numpy(), ((these == others) & (others != MISSING)).to_numpy()


def _sorted_codes(column: pl.Series) -> UInt32 | None:
    """The codes of a column without missing values whose dictionary is sorted; None if the column is none."""
    if not isinstance(column.dtype, pl.Enum) or column.null_count():
        return None
    texts = column.dtype.categories
    return column.to_physical().to_numpy() if texts.is_sorted() and MISSING not in texts else None


def _ranks(column: pl.Series) -> tuple[Int32, int]:
    """int32 [n]: the rank of each cell among the texts of a dictionary; and the rank of missing ones."""
    codes, texts = coded_cells(column)
    ranks = texts.cast(pl.String).fill_null(MISSING).rank("dense").to_numpy().astype(np.int32)
    return np.asarray(ranks[codes], np.int32), int(ranks[-1])  # the last text is missing
