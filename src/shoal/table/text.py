"""The bytes of a text file as UTF-8, memory-mapped where possible."""

from __future__ import annotations

import codecs
import mmap
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from shoal.errors import TableError
from shoal.table import archives

Bytes = bytes | mmap.mmap

_BLOCK = 1 << 20
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BEYOND_ASCII = re.compile("[^\x00-\x7f\ufffd]")


@dataclass(frozen=True)
class Text:
    """A text file as UTF-8 bytes; `source` is what polars reads, the file itself where possible."""

    name: str
    source: Path | bytes
    data: Bytes
    quotes: bool
    lone_returns: bool

    @property
    def start(self) -> int:
        """The position at which the text begins, after a byte order mark."""
        return len(codecs.BOM_UTF8) if self.data[:3] == codecs.BOM_UTF8 else 0


class _Survey(NamedTuple):
    """Whether a file contains quotes, a CR without LF, or only ASCII characters."""

    quotes: bool
    lone_returns: bool
    ascii_only: bool


@contextmanager
def opened(path: Path) -> Iterator[Bytes]:
    """The bytes of a file: decompressed if it is gzip or a zip archive, memory-mapped otherwise."""
    with path.open("rb") as handle:
        unpack = archives.unpacker(path, handle.read(4))
        if unpack is not None:
            yield unpack(path)
        elif handle.seek(0, 2) == 0:
            raise TableError(f"{path} is empty.", allowed="A table needs at least a header line.")
        else:
            with mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                yield mapped


def as_utf8(path: Path, data: Bytes) -> Text:
    """The text in UTF-8; raises for NUL bytes and for bytes that are invalid in every supported encoding."""
    if data[:2] in _UTF16:
        data = _from_utf16(path, data)
    survey = _surveyed(path, data)
    if not survey.ascii_only and not _is_utf8(data):
        data = _from_windows_1252(path, data)
    return Text(str(path), data if isinstance(data, bytes) else path, data, survey.quotes, survey.lone_returns)


def only_utf8(path: Path, data: Bytes) -> Text:
    """The text of a file that is UTF-8 and need not be converted, which takes no memory; raises if it is not."""
    survey = _surveyed(path, data) if data[:2] not in _UTF16 else None
    if survey is None or not (survey.ascii_only or _is_utf8(data)):
        raise TableError(
            f"{path} is not UTF-8 and cannot be read batch by batch.", hint="save it as UTF-8, or as Parquet."
        )
    return Text(str(path), path, data, survey.quotes, survey.lone_returns)


def _surveyed(path: Path, data: Bytes) -> _Survey:
    """Surveys the bytes in one pass over blocks that fit in the processor's cache."""
    quotes, lone_returns, ascii_only = False, False, True
    for start, block in blocks(data):
        if b"\0" in block:
            line = data[: start + block.index(b"\0")].count(b"\n") + 1
            raise TableError(
                f"{path} contains NUL bytes, the first on line {line}: it is not a text table.",
                hint="export a spreadsheet or another binary file as CSV; UTF-16 needs a byte order mark.",
            )
        quotes = quotes or b'"' in block
        lone_returns = lone_returns or (b"\r" in block and block.count(b"\r") != block.count(b"\r\n"))
        ascii_only = ascii_only and block.isascii()
    return _Survey(quotes, lone_returns, ascii_only)


def blocks(data: Bytes, begin: int = 0) -> Iterator[tuple[int, bytes]]:
    for start in range(begin, len(data), _BLOCK):
        yield start, data[start : start + _BLOCK]


def _from_utf16(path: Path, data: Bytes) -> bytes:
    try:
        return data[:].decode("utf-16").encode()
    except UnicodeError:
        raise TableError(
            f"{path} has the byte order mark of UTF-16 but is not valid UTF-16.", hint="save it as UTF-8."
        ) from None


def _is_utf8(data: Bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for _, block in blocks(data):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _from_windows_1252(path: Path, data: Bytes) -> bytes:
    """Decodes text that is not UTF-8 as Windows-1252; raises if that would garble text that is mostly UTF-8."""
    decoded = data[:].decode("utf-8", errors="replace")
    invalid = decoded.count("\ufffd")
    if len(_BEYOND_ASCII.findall(decoded)) >= invalid:
        raise TableError(
            f"{path} is UTF-8 with {invalid} invalid byte sequences.",
            hint="parts of it were written in another encoding; save the complete file as UTF-8.",
        )
    try:
        return data[:].decode("cp1252").encode()
    except UnicodeDecodeError:
        raise TableError(
            f"{path} is neither UTF-8, nor UTF-16 with a byte order mark, nor Windows-1252.",
            hint="save it as UTF-8.",
        ) from None
