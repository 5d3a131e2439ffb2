"""Text tables (CSV, TSV): every field as text, character for character, or an error that counts what is wrong.

polars reads a sound UTF-8 file directly and with all its threads. What it lets pass in silence (short rows, misplaced
quotes, repeated names, NUL bytes) is checked here on the raw bytes, with no cell value ever in a message.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import mmap
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import TableError
from shoal.table.columns import check_names

SEPARATORS = (",", ";", "\t", "|")

Bytes = bytes | mmap.mmap

_BLOCK = 1 << 20
_SAMPLE = 1 << 18
_GZIP_MAGIC = b"\x1f\x8b"
_QUOTE, _LF, _CR = ord('"'), ord("\n"), ord("\r")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BEYOND_ASCII = re.compile("[^\x00-\x7f\ufffd]")
_LINES_NAMED = 5


@dataclass(frozen=True)
class _Text:
    """A text file as UTF-8 bytes; `source` is what polars reads, the file itself wherever possible."""

    name: str
    source: Path | bytes
    data: Bytes
    quotes: bool

    @property
    def start(self) -> int:
        """Where the text begins: behind a byte order mark."""
        return len(codecs.BOM_UTF8) if self.data[:3] == codecs.BOM_UTF8 else 0


@dataclass(frozen=True)
class _Layout:
    """How the fields of a file are told apart, and the column names of its header."""

    separator: str
    quote: str | None
    names: list[str]


class _Records(NamedTuple):
    """One entry per record of the file, the header included: its number of fields, and whether it is an empty line."""

    fields: NDArray[np.int64]
    blank: NDArray[np.bool_]


class _Quoting(NamedTuple):
    """How many quotes stand where none may stand, and whether any field begins with one."""

    misplaced: int
    encloses: bool


def read_delimited(path: Path, separator: str | None = None) -> pl.DataFrame:
    """Every column as String with exactly the characters of the file; an empty field, quoted or not, is null.

    Without a separator it is found among `SEPARATORS`. The encoding is UTF-8, UTF-16 with its byte order mark or, where
    the bytes cannot be UTF-8, Windows-1252. Empty lines are no rows, except in a table of one column.
    """
    if separator is not None:
        _check_separator(separator)
    with _opened(path) as data:
        text = _as_utf8(path, data)
        layout = _layout(text, separator)
        check_names(layout.names, text.name, hint="a table saved with its row index has an unnamed first column.")
        return _parsed(text, layout)


def _check_separator(separator: str) -> None:
    if len(separator) != 1 or not separator.isascii() or separator in '"\r\n\0':
        raise TableError(
            f"The separator {separator!r} cannot separate fields.",
            allowed="It must be one ASCII character, not a quote or a line end.",
        )


@contextmanager
def _opened(path: Path) -> Iterator[Bytes]:
    """The bytes of a file, unpacked where it is gzip; mapped rather than read where it is not."""
    with path.open("rb") as handle:
        if handle.read(2) == _GZIP_MAGIC:
            yield _unpacked(path)
        elif handle.seek(0, 2) == 0:
            raise TableError(f"{path} is empty.", allowed="A table needs at least a header line.")
        else:
            with mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                yield mapped


def _unpacked(path: Path) -> bytes:
    try:
        with gzip.open(path, "rb") as packed:
            data = packed.read()
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise TableError(f"{path} is a damaged gzip file.", hint="copy or compress it again.") from None
    if not data:
        raise TableError(f"{path} is empty once unpacked.", allowed="A table needs at least a header line.")
    return data


def _as_utf8(path: Path, data: Bytes) -> _Text:
    """The same text in UTF-8; refuses NUL bytes and bytes that no supported encoding explains."""
    if data[:2] in _UTF16:
        data = _from_utf16(path, data)
    quotes, ascii_only = _surveyed(path, data)
    if not ascii_only and not _is_utf8(data):
        data = _from_windows_1252(path, data)
    return _Text(str(path), data if isinstance(data, bytes) else path, data, quotes)


def _surveyed(path: Path, data: Bytes) -> tuple[bool, bool]:
    """(are there quotes, is it all ASCII) in one pass over blocks small enough to stay in the processor's cache."""
    quotes, ascii_only = False, True
    for start, block in _blocks(data):
        if b"\0" in block:
            line = data[: start + block.index(b"\0")].count(b"\n") + 1
            raise TableError(
                f"{path} holds NUL bytes, the first on line {line}: it is not a text table.",
                hint="a spreadsheet or another binary file must be exported as CSV; UTF-16 needs its byte order mark.",
            )
        quotes = quotes or b'"' in block
        ascii_only = ascii_only and block.isascii()
    return quotes, ascii_only


def _blocks(data: Bytes, begin: int = 0) -> Iterator[tuple[int, bytes]]:
    for start in range(begin, len(data), _BLOCK):
        yield start, data[start : start + _BLOCK]


def _from_utf16(path: Path, data: Bytes) -> bytes:
    try:
        return data[:].decode("utf-16").encode()
    except UnicodeError:
        raise TableError(
            f"{path} begins like UTF-16 but is not valid UTF-16.", hint="save it again as UTF-8."
        ) from None


def _is_utf8(data: Bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for _, block in _blocks(data):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _from_windows_1252(path: Path, data: Bytes) -> bytes:
    """Text that cannot be UTF-8, read as Windows-1252; refused where that would garble text that mostly is UTF-8."""
    decoded = data[:].decode("utf-8", errors="replace")
    invalid = decoded.count("\ufffd")
    if len(_BEYOND_ASCII.findall(decoded)) >= invalid:
        raise TableError(
            f"{path} is UTF-8 with {invalid} invalid places.",
            hint="parts of it were written in another encoding; save all of it as UTF-8.",
        )
    try:
        return data[:].decode("cp1252").encode()
    except UnicodeDecodeError:
        raise TableError(
            f"{path} is neither UTF-8, nor UTF-16 with a byte order mark, nor Windows-1252.",
            hint="save it as UTF-8.",
        ) from None


def _layout(text: _Text, separator: str | None) -> _Layout:
    """Separator, quoting and column names; quotes that enclose no field anywhere are ordinary characters."""
    quote = '"' if text.quotes else None
    chosen = separator or _sniffed(text, quote)
    if quote:
        quoting = _quoting(text, chosen)
        if quoting.misplaced and quoting.encloses:
            raise TableError(
                f"{text.name} has {quoting.misplaced} misplaced quotes.",
                allowed='A quoted field is enclosed by " as a whole, and a " inside it is written twice.',
            )
        if quoting.misplaced:
            quote = None
            chosen = separator or _sniffed(text, quote)
    return _Layout(chosen, quote, _header(text, chosen, quote))


def _sniffed(text: _Text, quote: str | None) -> str:
    """The separator that gives the first records most fields, and the same number each; `,` for a single column."""
    sample = text.data[text.start : text.start + _SAMPLE]
    cut = len(text.data) > text.start + _SAMPLE
    counts = {candidate: _complete(_records(sample, candidate, quote), cut) for candidate in SEPARATORS}
    found = {candidate: fields for candidate, fields in counts.items() if len(fields) and fields[0] > 1}
    even = {candidate: fields for candidate, fields in found.items() if (fields == fields[0]).all()}
    likely = even or found
    most = max((fields[0] for fields in likely.values()), default=0)
    best = [candidate for candidate, fields in likely.items() if fields[0] == most]
    if len(best) > 1:
        raise TableError(
            f"{text.name} could be separated by {' or '.join(repr(candidate) for candidate in best)}.",
            hint="name the separator in the plan.",
        )
    return best[0] if best else SEPARATORS[0]


def _complete(records: _Records, cut: bool) -> NDArray[np.int64]:
    """Fields per record that is not an empty line, without a last one that the end of the sample cut off."""
    fields = records.fields[~records.blank]
    return fields[:-1] if cut and len(fields) > 1 else fields


def _header(text: _Text, separator: str, quote: str | None) -> list[str]:
    reader = csv.reader(
        _lines(text), delimiter=separator, quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE, strict=True
    )
    try:
        return next((record for record in reader if record), [])
    except csv.Error:
        raise TableError(
            f"The header line of {text.name} cannot be read.",
            hint="lines must end with LF or CRLF, and no quote may be left open.",
        ) from None


def _lines(text: _Text) -> Iterator[str]:
    start = text.start
    while start < len(text.data):
        end = text.data.find(b"\n", start) + 1 or len(text.data)
        yield text.data[start:end].decode()
        start = end


def _parsed(text: _Text, layout: _Layout) -> pl.DataFrame:
    try:
        frame = pl.read_csv(
            text.source, separator=layout.separator, quote_char=layout.quote, infer_schema=False, glob=False
        )
    except pl.exceptions.PolarsError:  # its message may quote cells
        _refuse_ragged(_records(text.data, layout.separator, layout.quote, text.start), layout, text.name)
        raise TableError(f"{text.name} cannot be parsed as a table.", hint="is it a CSV file?") from None
    if layout.quote:
        frame = _without_empty_text(frame)
    ends_open = text.data[-1:] == layout.separator.encode()
    if layout.quote or ends_open or frame.to_series(-1).null_count():
        return _checked(frame, text, layout)
    return frame


def _without_empty_text(frame: pl.DataFrame) -> pl.DataFrame:
    """An empty quoted field becomes null, as an empty field without quotes is."""
    empty = [column.name for column in frame if (column.str.len_bytes() == 0).any()]
    return frame.with_columns(pl.when(pl.col(name) != "").then(pl.col(name)) for name in empty)


def _checked(frame: pl.DataFrame, text: _Text, layout: _Layout) -> pl.DataFrame:
    """The rows of a file whose every record has as many fields as the header; empty lines are left out."""
    records = _records(text.data, layout.separator, layout.quote, text.start)
    _refuse_ragged(records, layout, text.name)
    blank = records.blank[np.flatnonzero(~records.blank)[0] + 1 :]
    if len(blank) != frame.height or len(layout.names) != frame.width:
        raise TableError(f"{text.name} cannot be parsed as a table.", hint="is it a CSV file?")
    return frame.filter(~blank) if frame.width > 1 and blank.any() else frame


def _refuse_ragged(records: _Records, layout: _Layout, name: str) -> None:
    header = len(layout.names)
    ragged = np.flatnonzero((records.fields != header) & ~records.blank)
    if len(ragged):
        numbers = ", ".join(str(number + 1) for number in ragged[:_LINES_NAMED])
        more = ", …" if len(ragged) > _LINES_NAMED else ""
        raise TableError(
            f"{name} has {len(ragged)} rows with more or fewer fields than the {header} of the header: "
            f"records {numbers}{more} of the file.",
            allowed=f"Every row needs {header} fields separated by {layout.separator!r}.",
            hint="a field that holds the separator must be quoted; another separator can be named in the plan.",
        )


def _records(data: Bytes, separator: str, quote: str | None, begin: int = 0) -> _Records:
    """Fields of every record, counted on the bytes: separators and line ends inside quotes do not count."""
    counts: list[NDArray[np.int64]] = []
    ends: list[NDArray[np.int64]] = []
    open_fields, inside = 0, 0
    for start, block in _blocks(data, begin):
        array = np.frombuffer(block, np.uint8)
        parts, lines = array == ord(separator), array == _LF
        if quote:
            within = (np.cumsum(array == _QUOTE, dtype=np.uint8) + np.uint8(inside)) & 1  # wraps at 256, which is even
            parts, lines, inside = parts & (within == 0), lines & (within == 0), int(within[-1])
        at = np.flatnonzero(lines)
        before = np.searchsorted(np.flatnonzero(parts), at)
        total = int(np.count_nonzero(parts))
        if len(at):
            counts.append(np.diff(before, prepend=-open_fields))
            open_fields = total - int(before[-1])
        else:
            open_fields += total
        ends.append(at + start)
    bounds = np.concatenate([[begin - 1], *ends, [len(data)]])
    return _as_records(data, np.concatenate([*counts, [open_fields]]), bounds)


def _as_records(data: Bytes, separators: NDArray[np.int64], bounds: NDArray[np.int64]) -> _Records:
    """The records between line ends; an empty line may still hold the CR of a CRLF."""
    starts, ends = bounds[:-1] + 1, bounds[1:]
    if starts[-1] >= len(data):  # the file ends with a line end: nothing follows
        starts, ends, separators = starts[:-1], ends[:-1], separators[:-1]
    lengths = ends - starts
    blank = lengths == 0
    single = np.flatnonzero(lengths == 1)
    blank[single] = np.frombuffer(data, np.uint8)[starts[single]] == _CR
    return _Records(separators + 1, blank)


def _quoting(text: _Text, separator: str) -> _Quoting:
    """Quotes that neither enclose a field nor stand doubled inside one: the text would have two readings."""
    misplaced, encloses, seen = 0, False, 0
    for start, block in _blocks(text.data, text.start):
        array = np.frombuffer(_before(text, start) + block + _after(text, start + len(block)), np.uint8)
        at = np.flatnonzero(array[1:-1] == _QUOTE)
        before, after = array[at], array[at + 2]
        begins = (before == ord(separator)) | (before == _LF)
        ends = (after == ord(separator)) | (after == _LF) | (after == _CR)
        opens = np.arange(seen, seen + len(at)) % 2 == 0
        fine = np.where(opens, begins | (before == _QUOTE), ends | (after == _QUOTE))
        misplaced += int(np.count_nonzero(~fine))
        encloses = encloses or bool(begins.any())
        seen += len(at)
    return _Quoting(misplaced + seen % 2, encloses)


def _before(text: _Text, start: int) -> bytes:
    """The byte before a block; the text begins as if behind a line end."""
    return text.data[start - 1 : start] if start > text.start else b"\n"


def _after(text: _Text, end: int) -> bytes:
    """The byte after a block; the text ends as if before a line end."""
    return text.data[end : end + 1] or b"\n"
