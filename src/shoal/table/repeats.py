"""CSV files with runs of equal rows, such as a sorted release: each run is formatted and parsed once.

The written bytes and the read values are the same as those of polars. If that is uncertain, or not faster, polars
formats or parses every row. Writing and reading share no code, so that neither relies on the other.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from shoal.arrays import Flags
from shoal.table.runs import Runs, joined

_WORTH_IT = 4
"""The average length of a run from which this is faster."""
_BLOCK = 1 << 20
_ROWS_AT_ONCE = 1 << 21
"""Rows that are formatted at once."""
_BYTES_AT_ONCE = 1 << 27
"""Bytes that are parsed at once."""
_NOWHERE = "\x1f"
"""A separator that text does not contain, so that a line is one field."""


def write_csv(runs: Runs, path: Path) -> None:
    """Writes the same file as polars, for a table of text, integers and categoricals."""
    with path.open("wb", buffering=_BLOCK) as file:
        file.write(_formatted(runs.rows.head(0), header=True))
        for part in runs.parts(_ROWS_AT_ONCE):
            _write_part(part, file)


def _write_part(part: Runs, file: BinaryIO) -> None:
    if len(part.times) * _WORTH_IT <= part.height:
        lines = _formatted(part.rows).splitlines(keepends=True)
        if len(lines) == len(part.times):  # otherwise a cell contains a line end
            file.writelines(line * n for line, n in zip(lines, part.times.tolist(), strict=True))
            return
    file.write(_formatted(part.expanded()))


def _formatted(frame: pl.DataFrame, *, header: bool = False) -> bytes:
    written = io.BytesIO()
    frame.write_csv(written, include_header=header)
    return written.getvalue()


def read_csv(path: Path, *, in_batches: bool = False) -> Runs:
    """Reads every column as String, or as Enum if rows mostly repeat or the file is large; or always `in_batches`."""
    in_batches = in_batches or path.stat().st_size > _BYTES_AT_ONCE
    runs = _read_runs(path) if _repeats(path) else None
    if runs is not None:
        return runs
    if not in_batches:
        return Runs.of(pl.read_csv(path, infer_schema=False, glob=False))
    scanned = pl.scan_csv(path, infer_schema=False, glob=False)
    empty = pl.DataFrame(schema=scanned.collect_schema())  # a table without rows has columns
    return coded_runs(chain([empty], scanned.collect_batches(maintain_order=True)))


def coded_runs(batches: Iterable[pl.DataFrame]) -> Runs:
    """The runs of a table that comes in batches; text becomes Enum, one dictionary for the whole table."""
    coding = _Coding()
    return coding.joined([Runs.adjacent(coding.coded(batch)) for batch in batches])


def joined_parts(parts: Iterable[Runs]) -> Runs:
    """The runs of consecutive parts of a table; text becomes Enum, one dictionary for the whole table."""
    coding = _Coding()
    return coding.joined([part.with_rows(coding.coded(part.rows)) for part in parts])


class _Coding:
    """The dictionaries of the text columns of a table that comes in parts."""

    def __init__(self) -> None:
        self._kinds: dict[str, pl.DataType] = {}

    def coded(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows whose texts are codes of the dictionaries."""
        texts = [name for name, dtype in rows.schema.items() if dtype == pl.String or isinstance(dtype, pl.Enum)]
        for name in texts:
            self._kinds.setdefault(name, pl.Categorical(pl.Categories.random()))
        return rows.cast({name: self._kinds[name] for name in texts})

    def joined(self, parts: list[Runs]) -> Runs:
        """All parts as one table, whose dictionaries are sorted."""
        runs = joined(parts)
        return runs.with_rows(runs.rows.with_columns(_as_enum(runs[name]) for name in self._kinds))


def _as_enum(column: pl.Series) -> pl.Series:
    """A categorical column with a sorted dictionary of the texts that it has."""
    present = column.unique().drop_nulls()
    texts, places = present.cast(pl.String), present.to_physical().to_numpy()
    kind = pl.Enum(texts.sort())
    rank = np.zeros(int(places.max(initial=0)) + 1, np.uint32)
    rank[places] = texts.rank("ordinal").to_numpy() - 1
    if not len(texts):
        return pl.Series(column.name, [None] * len(column), dtype=kind)
    coded = pl.Series(column.name, rank[column.to_physical().fill_null(places[0]).to_numpy()]).cat.to(kind)
    return coded.set(column.is_null(), None) if column.null_count() else coded


def _repeats(path: Path) -> bool:
    """Whether rows repeat in the middle of the file; this affects only speed, not the result."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size // 2 - _BLOCK // 2))
        lines = file.read(_BLOCK).split(b"\n")[1:-1]
    differing = sum(line != before for before, line in pairwise(lines))
    return differing * _WORTH_IT < len(lines)


def _read_runs(path: Path) -> Runs | None:
    """The table, with equal adjacent lines parsed once; None if a line may not be a row."""
    header, frames, times = None, list[pl.DataFrame](), list[Any]()
    for lines in _line_blocks(path):
        if lines is None:
            return None
        if header is None:
            header, lines = lines[:1], lines[1:]
        starts = _with_first(lines.ne_missing(lines.shift(1)))
        distinct = pl.concat([header, lines.filter(pl.Series(starts))])
        rows = _parsed(distinct)
        if rows is None:
            return None
        frames.append(rows)
        times.append(np.diff(np.flatnonzero(starts), append=len(lines)))
    if not frames:
        return None
    return Runs(_coded(frames), np.concatenate(times).astype(np.int64))


def _coded(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """All frames of text as one, whose columns have sorted dictionaries."""
    if len(frames) == 1:
        return pl.DataFrame([column.cast(pl.Enum(column.unique().drop_nulls().sort())) for column in frames[0]])
    return coded_runs(iter(frames)).expanded()


def _parsed(lines: pl.Series) -> pl.DataFrame | None:
    """The rows of a header line and other lines; None if a line may not be a row."""
    if not _are_rows(lines):
        return None
    rows = pl.read_csv(lines.str.join("\n").item().encode(), infer_schema=False)
    return rows if rows.height == len(lines) - 1 else None


def _line_blocks(path: Path) -> Iterator[pl.Series | None]:
    """The lines of a file in blocks, unchanged, null if a line is empty; None if one contains the unused separator."""
    if path.stat().st_size <= _BYTES_AT_ONCE:
        yield _lines(path)
        return
    with path.open("rb") as file:
        rest = b""
        while block := file.read(_BYTES_AT_ONCE):
            complete, end, begun = block.rpartition(b"\n")
            if end:
                yield _lines(rest + complete + end)
                rest = begun
            else:
                rest += begun
        if rest:
            yield _lines(rest)


def _lines(source: Path | bytes) -> pl.Series | None:
    """Every line unchanged, null if it is empty; None if a line contains the unused separator."""
    layout: dict[str, Any] = {"separator": _NOWHERE, "quote_char": None, "has_header": False}
    try:
        return pl.read_csv(source, **layout, schema={"line": pl.String}, glob=False).to_series()
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
