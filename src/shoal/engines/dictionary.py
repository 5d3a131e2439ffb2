"""Dictionary coding of a column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Codes
from shoal.table import as_text


class Dictionary(NamedTuple):
    """A column as codes, unsigned integers [n], of its distinct raw values; null is a separate value."""

    codes: Codes
    distinct: pl.Series


def dictionary(column: pl.Series) -> Dictionary:
    """The codes and the distinct raw values of a column of any type."""
    from shoal.kernels.distinct import first_places

    text = exact_text(column)
    coded = text.cast(pl.Categorical(pl.Categories.random())).to_physical()
    largest = coded.max()
    free = largest + 1 if isinstance(largest, int) else 0
    codes = coded.fill_null(free).to_numpy()
    first = first_places(codes, free + 1)
    used = np.flatnonzero(first >= 0)
    if used[-1:].tolist() != [len(used) - 1]:  # a subset of a larger dictionary has gaps in its codes
        dense = np.zeros(free + 1, np.uint32)
        dense[used] = np.arange(len(used))
        codes = dense[codes]
    return Dictionary(codes, column.gather(first[used]))


def exact_text(column: pl.Series) -> pl.Series:
    """The text of every cell, in which cells that differ in any way differ: of a real number, all digits, and NaN."""
    if column.dtype == pl.String:
        return column
    return column.cast(pl.String) if column.dtype.is_float() else as_text(column)


def canonical(exact: Dictionary) -> Dictionary:
    """The dictionary of a column in which values with the same canonical text are one: null and NaN, for instance."""
    if not exact.distinct.dtype.is_float():
        return exact
    merged = dictionary(as_text(exact.distinct))
    if len(merged.distinct) == len(exact.distinct):
        return exact
    firsts = np.zeros(len(merged.distinct), np.int64)
    firsts[merged.codes[::-1]] = np.arange(len(merged.codes))[::-1]
    return Dictionary(merged.codes[exact.codes], exact.distinct.gather(firsts))
