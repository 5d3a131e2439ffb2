"""Text tables (CSV, TSV): reads every field as unchanged text, or raises an error that counts the problems.

polars reads a valid UTF-8 file directly, in parallel. Problems that polars accepts silently (short rows, misplaced
quotes, repeated names, NUL bytes) are detected here on the raw bytes. No error message contains a cell value.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.errors import TableError
from shoal.table.columns import check_names
from shoal.table.header import column_names, refuse_absent
from shoal.table.records import Records, quoting_of, records_of, refuse_lone_returns
from shoal.table.text import Text, as_utf8, opened

SEPARATORS = (",", ";", "\t", "|")

LONGEST_CELL = 1 << 20

_SAMPLE = 1 << 18
_LINES_NAMED = 5


@dataclass(frozen=True)
class Layout:
    """The separator, the quote character, the column names of a file, and whether its first line has the names."""

    separator: str
    quote: str | None
    names: list[str]
    header: bool = True


def read_delimited(path: Path, separator: str | None = None, header: bool | None = None) -> pl.DataFrame:
    """Reads every column as String with exactly the characters of the file; an empty field is null.

    Without a separator, one of `SEPARATORS` is detected. The encoding is UTF-8, UTF-16 with a byte order mark or, if
    the bytes are not valid UTF-8, Windows-1252. Empty lines are skipped, except in a table of one column. `header`:
    whether the first line has the names of the columns; by default it must, and must not look like a row of data.
    """
    if separator is not None:
        _check_separator(separator)
    with opened(path) as data:
        text = as_utf8(path, data)
        frame = parsed(text, layout_of(text, separator, header))
    if header is None:
        refuse_absent(frame, str(path))
    return frame


def _check_separator(separator: str) -> None:
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n\0':
        raise TableError(
            f"The separator {separator!r} cannot separate fields.",
            allowed="It must be one ASCII character other than a quote or a line end.",
        )


def layout_of(text: Text, separator: str | None, header: bool | None) -> Layout:
    """The layout of a file whose columns have proper names; raises if its quotes or line ends are misplaced."""
    if separator is not None:
        _check_separator(separator)
    layout = _layout(text, separator, header is not False)
    index = "a table saved with its row index has an unnamed first column"
    check_names(layout.names, text.name, hint=index, in_file=header is None)
    return layout


def _layout(text: Text, separator: str | None, header: bool) -> Layout:
    """The layout of a file; if quotes enclose no field in the file, they are ordinary characters."""
    quote = '"' if text.quotes else None
    chosen = separator or _sniffed(text, quote)
    if quote:
        quoting = quoting_of(text, chosen)
        if quoting.misplaced and quoting.encloses:
            raise TableError(
                f"{text.name} has {quoting.misplaced} misplaced quotes.",
                allowed='A quoted field begins and ends with ", and a " inside it is doubled.',
            )
        if quoting.misplaced:
            quote = None
            chosen = separator or _sniffed(text, quote)
    if text.lone_returns:
        refuse_lone_returns(text, quote)
    first = _first_record(text, chosen, quote)
    return Layout(chosen, quote, first if header else column_names(len(first)), header)


def _sniffed(text: Text, quote: str | None) -> str:
    """The separator that gives the first records the most fields, preferably equally many; `,` for one column."""
    sample = text.data[text.start : text.start + _SAMPLE]
    truncated = len(text.data) > text.start + _SAMPLE
    counts = {candidate: _complete(records_of(sample, candidate, quote), truncated) for candidate in SEPARATORS}
    separating = {candidate: fields for candidate, fields in counts.items() if len(fields) and fields[0] > 1}
    regular = {candidate: fields for candidate, fields in separating.items() if (fields == fields[0]).all()}
    likely = regular or separating
    most = max((fields[0] for fields in likely.values()), default=0)
    best = [candidate for candidate, fields in likely.items() if fields[0] == most]
    if len(best) > 1:
        raise TableError(
            f"The separator of {text.name} may be {' or '.join(repr(candidate) for candidate in best)}.",
            hint="set separator in the plan.",
        )
    return best[0] if best else SEPARATORS[0]


def _complete(records: Records, truncated: bool) -> Int64:
    """The number of fields of each non-empty record, without the last record of a truncated sample."""
    fields = records.fields[~records.blank]
    return fields[:-1] if truncated and len(fields) > 1 else fields


def _first_record(text: Text, separator: str, quote: str | None) -> list[str]:
    reader = csv.reader(
        _lines(text), delimiter=separator, quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE, strict=True
    )
    try:
        return next((record for record in reader if record), [])
    except csv.Error:
        raise _unreadable(text) from None


def _lines(text: Text) -> Iterator[str]:
    start = text.start
    while start < len(text.data):
        end = text.data.find(b"\n", start) + 1 or len(text.data)
        yield text.data[start:end].decode()
        start = end


def parsed(text: Text, layout: Layout, before: int = 0) -> pl.DataFrame:
    """The rows of a text, or of a block of its records; `before`: the number of records before the block."""
    frame = _read_by_polars(text, layout)
    if frame is None or frame.width != len(layout.names):
        _refuse_ragged(records_of(text.data, layout.separator, layout.quote, text.start), layout, text.name, before)
        raise _unreadable(text)
    frame.columns = layout.names
    _refuse_endless(frame, text.name)
    if layout.quote:
        frame = _without_empty_text(frame)
    ends_open = text.data[-1:] == layout.separator.encode()
    if layout.quote or ends_open or frame.to_series(-1).null_count():
        return _checked(frame, text, layout, before)
    return frame


def _refuse_endless(frame: pl.DataFrame, name: str) -> None:
    """Raises for a cell so long that it is no value: an unclosed quote, or a file of another kind."""
    longest = frame.select(pl.all().str.len_bytes().max())
    endless = [column.name for column in longest if (column.item() or 0) > LONGEST_CELL]
    if endless:
        raise TableError(
            f"{name} has cells of more than {LONGEST_CELL:,} bytes (in {len(endless)} of {frame.width} columns).",
            allowed="No value of a table is that long.",
            hint="look for a quote that is not closed, or remove the column.",
        )


def _read_by_polars(text: Text, layout: Layout) -> pl.DataFrame | None:
    """The frame that polars reads, or None; its error message is dropped because it may quote cells."""
    try:
        return pl.read_csv(
            text.source,
            separator=layout.separator,
            quote_char=layout.quote,
            has_header=layout.header,
            skip_lines=0 if layout.header else _leading_empty_lines(text),
            infer_schema=False,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None


def _leading_empty_lines(text: Text) -> int:
    """The number of empty lines before the first row, from which polars would take the number of columns."""
    return next((number for number, line in enumerate(_lines(text)) if line.strip("\r\n")), 0)


def _without_empty_text(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with null in place of empty quoted fields, as for empty fields without quotes."""
    empty = [column.name for column in frame if (column.str.len_bytes() == 0).any()]
    return frame.with_columns(pl.when(pl.col(name) != "").then(pl.col(name)) for name in empty)


def _checked(frame: pl.DataFrame, text: Text, layout: Layout, before: int) -> pl.DataFrame:
    """The frame without empty lines; raises if a record has more or fewer fields than the header."""
    records = records_of(text.data, layout.separator, layout.quote, text.start)
    _refuse_ragged(records, layout, text.name, before)
    first = np.flatnonzero(~records.blank)[0]
    blank = records.blank[first + layout.header :]  # without the header and the empty lines before it
    if len(blank) != frame.height:
        raise _unreadable(text)
    return frame.filter(~blank) if frame.width > 1 and blank.any() else frame


def _unreadable(text: Text) -> TableError:
    return TableError(f"{text.name} cannot be read as a table.", hint="check that it is a CSV file.")


def _refuse_ragged(records: Records, layout: Layout, name: str, before: int) -> None:
    width = len(layout.names)
    ragged = np.flatnonzero((records.fields != width) & ~records.blank)
    if len(ragged):
        numbers = ", ".join(str(before + number + 1) for number in ragged[:_LINES_NAMED])
        more = ", …" if len(ragged) > _LINES_NAMED else ""
        raise TableError(
            f"{name} has {len(ragged)} rows with more or fewer fields than the {width} of the "
            f"{'header' if layout.header else 'first row'}: records {numbers}{more} of the file.",
            allowed=f"Every row needs {width} fields separated by {layout.separator!r}.",
            hint="quote fields that contain the separator, or set another separator in the plan.",
        )
