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
from shoal.table import Typed, typed
from shoal.table.patterns import is_prose

_MISSING = Data().missing
_TRIED = 5
_SAMPLE = 40
_NEARLY_UNIQUE = 0.5
_SELDOM_TWICE = 0.1
_FEW = 2_000
_LONG = 50_000
_NUMBER_OR_DATE = re.compile(r"[+-]?[\d.,]+(?:[eE][+-]?\d+)?$|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}")
_INTEGER = re.compile(r"-?[1-9][0-9]{0,14}|0")
_ALL_INTEGER = f"^(?:{_INTEGER.pattern})$"
_REAL = re.compile(rf"{_INTEGER.pattern}|-?(?:0|[1-9][0-9]{{0,11}})\.[0-9]{{1,25}}")


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
    inferred = _plain(texts) or typed(texts, type="text" if _surely_text(texts) else None, missing=_MISSING)
    if inferred.values is texts:
        return Coded(inferred.type, text_codes, texts)
    codes, values = _encoded(inferred.values)
    if len(values) == len(texts):  # every text is a value of its own, in the same order
        return Coded(inferred.type, text_codes, values)
    return Coded(inferred.type, np.append(codes, np.int32(-1))[text_codes], values)


def _plain(texts: pl.Series) -> Typed | None:
    """The type of a few distinct texts that are spelled in the only way and not missing, in less time; else None."""
    if len(texts) > _FEW:
        return _integers(texts) if _is_integer(texts.first()) and texts.str.contains(_ALL_INTEGER).all() else None
    listed = texts.to_list()
    if not listed or any(text in _MISSING or text != text.strip() for text in listed):
        return None
    if all(map(_is_integer, listed)):
        return _integers(texts)
    if all(map(_REAL.fullmatch, listed)):
        return Typed("real", texts.cast(pl.Float64))
    return Typed("text", texts) if _surely_text(texts) else None


def _integers(texts: pl.Series) -> Typed:
    return Typed("integer", texts.cast(pl.Int64))


def _is_integer(text: object) -> bool:
    return isinstance(text, str) and _INTEGER.fullmatch(text) is not None


def _surely_text(texts: pl.Series) -> bool:
    """Whether one of the first values is neither a number nor a date: then types that take long are not tried."""
    first = (value.strip() for value in texts.head(_TRIED).to_list())
    return any(value not in _MISSING and _NUMBER_OR_DATE.match(value) is None for value in first)


def _encoded(values: pl.Series) -> tuple[Int32, pl.Series]:
    """The codes int32 [rows], -1 for null, and the distinct values in order of appearance."""
    hashed = _encoded_by_hash(values) if values.dtype == pl.String and len(values) >= _LONG else None
    if hashed is not None:
        return hashed
    unnamed = values.rechunk().alias("")  # Arrow does not accept a name with a NUL character
    codes, dictionary = _dictionary(unnamed)
    return codes, pl.Series(values.name, dictionary, dtype=values.dtype)


def _encoded_by_hash(texts: pl.Series) -> tuple[Int32, pl.Series] | None:
    """The same for many texts, in less time; None if two texts have the same hash."""
    hashes = texts.hash().alias("")
    if texts.null_count():
        hashes = hashes.to_frame("hash").select(pl.when(texts.is_not_null()).then(pl.col("hash"))).to_series()
    codes, dictionary = _dictionary(hashes.rechunk())
    rows = np.flatnonzero(codes >= 0)
    firsts = np.zeros(len(dictionary), dtype=np.int64)
    firsts[codes[rows[::-1]]] = rows[::-1]  # the last assignment, of the first row, remains
    values = texts.gather(firsts)
    differing = values.gather(codes[rows]) != (texts if len(rows) == len(texts) else texts.gather(rows))
    return None if differing.any() else (codes, values)


def _dictionary(values: pl.Series) -> tuple[Int32, Any]:
    encoded: Any = values.to_arrow().dictionary_encode()
    codes = pl.Series(encoded.indices).fill_null(-1).to_numpy()  # pyarrow's own functions would load pandas
    return codes.astype(np.int32, copy=False), encoded.dictionary


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
    step = max(1, len(values) // _SAMPLE)
    few = values.to_list()[::step] if len(values) <= _FEW else values.gather_every(step).to_list()
    return tuple(str(value).strip() for value in few[:_SAMPLE])
