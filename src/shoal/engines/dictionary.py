"""Dictionary coding of one column of a table in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import UInt32
from shoal.table import as_text


class Dictionary(NamedTuple):
    """A column as codes uint32 [n] of its distinct raw values; null is a separate value."""

    codes: UInt32
    distinct: pl.Series


def dictionary(column: pl.Series) -> Dictionary:
    """The codes and the distinct raw values of a column of any type."""
    from shoal.kernels.distinct import first_places

    text = column if column.dtype == pl.String else as_text(column)
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
