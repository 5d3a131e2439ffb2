"""Facts of a column: its type, its distinct values and how often they occur. Values do not leave the profiling code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Int32, Int64
from shoal.roles.columns import Data
from shoal.table import typed
from shoal.table.patterns import is_prose

_MISSING = Data().missing
_TRIED = 5
_SAMPLE = 40
_NEARLY_UNIQUE = 0.5
_SELDOM_TWICE = 0.1
_FIRST_ROWS = 2_000


class Coded(NamedTuple):
    """A coded column: `codes` int32 [rows] index the distinct typed `values`; -1 is missing."""

    type: str
    codes: Int32
    values: pl.Series

    @property
    def counts(self) -> Int64:
        """int64 [values]: the number of rows with each value."""
        counted = np.bincount(self.codes + 1, minlength=len(self.values) + 1)
        return counted[1:].astype(np.int64, copy=False)


def coded(column: pl.Series) -> Coded:
    """A column coded in its inferred type."""
    if column.dtype != pl.String:
        inferred = typed(column, type=None, missing=_MISSING)
        return Coded(inferred.type, *_encoded(inferred.values))
    text_codes, texts = _encoded(column)  # the type is inferred from the distinct texts, with the same result
    inferred = typed(texts, type="text" if _surely_text(texts) else None, missing=_MISSING)
    if inferred.values is texts:
        return Coded(inferred.type, text_codes, texts)
    codes, values = _encoded(inferred.values)
    if len(values) == len(texts):  # every text is a value of its own, in the same order
        return Coded(inferred.type, text_codes, values)
    return Coded(inferred.type, np.append(codes, np.int32(-1))[text_codes], values)


def _surely_text(texts: pl.Series) -> bool:
    """Whether one of the first values has no digit: then other types, which take most of the time, are not tried."""
    first = (value.strip() for value in texts.head(_TRIED).to_list())
    return any(value not in _MISSING and re.search(r"\d", value) is None for value in first)


def _encoded(values: pl.Series) -> tuple[Int32, pl.Series]:
    """The codes int32 [rows], -1 for null, and the distinct values in order of appearance."""
    if _all_unique(values):
        return np.arange(len(values), dtype=np.int32), values
    unnamed = values.rechunk().alias("")  # Arrow does not accept a name with a NUL character
    encoded: Any = unnamed.to_arrow().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    return codes, pl.Series(values.name, encoded.dictionary, dtype=values.dtype)


def _all_unique(values: pl.Series) -> bool:
    """Whether all values differ and none is null; looks at the first rows before it counts all of them."""
    first = values.head(_FIRST_ROWS)
    return first.n_unique() == len(first) and values.null_count() == 0 and values.n_unique() == len(values)


@dataclass(frozen=True)
class Facts:
    """The statistics of a column, its distinct values, and a sample of them as text."""

    name: str
    type: str
    rows: int
    known: int
    once: int
    values: pl.Series
    sample: tuple[str, ...]

    @property
    def distinct(self) -> int:
        return len(self.values)

    @property
    def nearly_unique(self) -> bool:
        return self.once > _NEARLY_UNIQUE * self.known

    @property
    def is_number(self) -> bool:
        return self.type in ("integer", "real")

    @cached_property
    def is_prose(self) -> bool:
        """Whether the values are free text: long and rarely repeated. Sets of items, separated by bars, are not."""
        return self.type == "text" and self.once >= _SELDOM_TWICE * self.known and is_prose(self.sample)

    @cached_property
    def span(self) -> tuple[float, float]:
        """The least and the largest number; (0, 0) if there is none."""
        if not self.is_number or self.distinct == 0:
            return 0.0, 0.0
        least, largest = self.values.min(), self.values.max()
        return float(least), float(largest)  # type: ignore[arg-type]


def facts(column: pl.Series) -> tuple[Facts, Coded]:
    """The facts of a column, and its codes."""
    codes = coded(column)
    counts = codes.counts
    known = int(counts.sum())
    once = known if len(counts) == known else int((counts == 1).sum())
    sample = _sampled(codes.values)
    return Facts(column.name, codes.type, len(column), known, once, codes.values, sample), codes


def _sampled(values: pl.Series) -> tuple[str, ...]:
    """A few distinct values from the complete column; the choice is deterministic, so that a profile is repeatable."""
    spread = values if len(values) <= _SAMPLE else values.gather_every(len(values) // _SAMPLE)
    few = spread.head(_SAMPLE)
    return tuple(str(value).strip() for value in few.to_list())
