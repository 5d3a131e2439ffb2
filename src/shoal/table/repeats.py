"""Fast CSV for files with runs of equal rows, such as a sorted release: each run is formatted and parsed once.

The written bytes and the read values are the same as those of polars. If that is uncertain, or not faster, polars
processes the complete file. Writing and reading share no code, so that neither relies on the other.
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
"""The average length of a run from which this is faster."""
_BLOCK = 1 << 20
_NOWHERE = "\x1f"
"""A separator that text does not contain, so that a line is one field."""


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Writes the same file as polars, for a frame of text, integers and categoricals."""
    starts = _starts(frame)
    if len(starts) * _WORTH_IT > frame.height:
        frame.write_csv(path)
        return
    written = io.BytesIO()
    frame[starts].write_csv(written)
    lines = written.getvalue().splitlines(keepends=True)
    if len(lines) != len(starts) + 1:  # a cell or a name contains a line end
        frame.write_csv(path)
        return
    times = np.diff(starts, append=frame.height).tolist()
    with path.open("wb", buffering=_BLOCK) as file:
        file.write(lines[0])
        file.writelines(line * n for line, n in zip(lines[1:], times, strict=True))


def _starts(frame: pl.DataFrame) -> Int64:
    """int64 [runs]: the first row of every run of equal rows."""
    if not frame.height or not frame.width:
        return np.arange(frame.height)
    changed = frame.select(pl.any_horizontal(pl.all().ne_missing(pl.all().shift(1)))).to_series()
    return np.flatnonzero(_with_first(changed))


def read_csv(path: Path) -> pl.DataFrame:
    """Reads every column as String, or as Enum if rows mostly repeat."""
    frame = _read_runs(path) if _repeats(path) else None
    return pl.read_csv(path, infer_schema=False, glob=False) if frame is None else frame


def _repeats(path: Path) -> bool:
    """Whether rows repeat in the middle of the file; this affects only speed, not the result."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size // 2 - _BLOCK // 2))
        lines = file.read(_BLOCK).split(b"\n")[1:-1]
    differing = sum(line != before for before, line in pairwise(lines))
    return differing * _WORTH_IT < len(lines)


def _read_runs(path: Path) -> pl.DataFrame | None:
    """The table, with equal adjacent lines parsed once; None if a line may not be a row."""
    lines = _lines(path)
    if lines is None:
        return None
    header, body = lines[:1], lines[1:]
    starts = _with_first(body.ne_missing(body.shift(1)))
    distinct = pl.concat([header, body.filter(pl.Series(starts))])
    if not _are_rows(distinct):
        return None
    rows = pl.read_csv(distinct.str.join("\n").item().encode(), infer_schema=False)
    if rows.height != len(distinct) - 1:
        return None
    coded = pl.DataFrame([column.cast(pl.Enum(column.unique().drop_nulls().sort())) for column in rows])
    return coded[np.cumsum(starts) - 1]


def _lines(path: Path) -> pl.Series | None:
    """Every line unchanged, null if it is empty; None if a line contains the unused separator."""
    layout: dict[str, Any] = {"separator": _NOWHERE, "quote_char": None, "has_header": False}
    try:
        return pl.read_csv(path, **layout, schema={"line": pl.String}, glob=False).to_series()
    except pl.exceptions.ComputeError:
        return None


def _are_rows(lines: pl.Series) -> bool:
    """Whether each line is certainly one row: it is not empty, and has no open quote at its end."""
    quotes = lines.str.count_matches('"', literal=True)
    return not lines.has_nulls() and not (quotes % 2 != 0).any()


def _with_first(changed: pl.Series) -> Flags:
    """bool [rows]: `changed`, and true for the first row, which has no predecessor."""
    flags: Flags = changed.to_numpy().copy()
    flags[:1] = True
    return flags
