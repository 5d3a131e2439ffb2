"""CSV files in which rows repeat one after another, as in a sorted release: each is formatted once, and parsed once.

What is written and what is read are the same as without it, byte for byte and value for value; where that is in doubt,
or would not pay, polars does all of it. Writing and reading share nothing: neither takes the other at its word.
"""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int64

_WORTH_IT = 4
"""How many rows there must be, on average, to each that differs from the one before."""
_BLOCK = 1 << 20
_NOWHERE = "\x1f"
"""A separator that text does not hold, so that a line is one field."""


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """The file that polars writes for this frame of text, whole numbers and categoricals."""
    starts = _starts(frame)
    if len(starts) * _WORTH_IT > frame.height:
        frame.write_csv(path)
        return
    written = io.BytesIO()
    frame[starts].write_csv(written)
    lines = written.getvalue().splitlines(keepends=True)
    if len(lines) != len(starts) + 1:  # a cell or a name goes over several lines
        frame.write_csv(path)
        return
    times = np.diff(starts, append=frame.height).tolist()
    with path.open("wb", buffering=_BLOCK) as file:
        file.write(lines[0])
        file.writelines(line * n for line, n in zip(lines[1:], times, strict=True))


def _starts(frame: pl.DataFrame) -> Int64:
    """int64 [runs]: the rows that differ from the one before, and the first."""
    if not frame.height or not frame.width:
        return np.arange(frame.height)
    changed = frame.select(pl.any_horizontal(pl.all().ne_missing(pl.all().shift(1)))).to_series()
    return np.flatnonzero(_with_first(changed))


def read_csv(path: Path) -> pl.DataFrame:
    """Every column as polars reads it without guessing types: String, or Enum where rows mostly repeat."""
    found = _read_runs(path) if _repeats(path) else None
    return pl.read_csv(path, infer_schema=False, glob=False) if found is None else found


def _repeats(path: Path) -> bool:
    """Whether rows repeat in the middle of the file; it decides what is quick, never what is right."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size // 2 - _BLOCK // 2))
        lines = file.read(_BLOCK).split(b"\n")[1:-1]
    differing = sum(line != before for before, line in pairwise(lines))
    return differing * _WORTH_IT < len(lines)


def _read_runs(path: Path) -> pl.DataFrame | None:
    """The table from its lines, equal neighbours parsed once; None where a line need not be a row."""
    lines = _lines(path)
    if lines is None:
        return None
    header, body = lines[:1], lines[1:]
    starts = _with_first(body.ne_missing(body.shift(1)))
    distinct = pl.concat([header, body.filter(pl.Series(starts))])
    if not _are_rows(distinct):
        return None
    rows = pl.read_csv("\n".join(distinct.to_list()).encode(), infer_schema=False)
    if rows.height != len(distinct) - 1:
        return None
    coded = pl.DataFrame([column.cast(pl.Enum(column.unique().drop_nulls())) for column in rows])
    return coded[np.cumsum(starts) - 1]


def _lines(path: Path) -> pl.Series | None:
    """Every line as it stands, null where it is empty; None where one holds the character that separates nothing."""
    layout: dict[str, Any] = {"separator": _NOWHERE, "quote_char": None, "has_header": False}
    try:
        return pl.read_csv(path, **layout, schema={"line": pl.String}, glob=False).to_series()
    except pl.exceptions.ComputeError:
        return None


def _are_rows(lines: pl.Series) -> bool:
    """Whether each line is surely a row by itself: not empty, and no quote is open where it ends."""
    quotes = lines.str.count_matches('"', literal=True)
    return not lines.has_nulls() and not (quotes % 2 != 0).any()


def _with_first(changed: pl.Series) -> Flags:
    """bool [rows]: the same, and set for the first row, which has none before it."""
    flags: Flags = changed.to_numpy().copy()
    flags[:1] = True
    return flags
