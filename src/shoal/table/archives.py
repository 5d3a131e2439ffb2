"""Compressed files: gzip, and zip archives of one table. Files that grow without end are refused in bounded memory."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

from shoal.errors import TableError

ZIP = ".zip"

UNPACKED_ANYWAY = 1 << 28
"""Bytes to which any compressed file may grow."""
UNPACKED_TIMES = 200
"""How often its compressed size a larger file may have. Patient tables stay below 50, hostile files reach 1,000."""

_BLOCK = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_ENCRYPTED = 1
_ADDED = ("__MACOSX/", ".DS_Store", "Thumbs.db")
"""What operating systems add to archives."""


def unpacker(path: Path, first: bytes) -> Callable[[Path], bytes] | None:
    """The function that decompresses a file which begins with these bytes; None if it is not compressed."""
    if first[:2] == _GZIP_MAGIC:
        return _from_gzip
    return _from_zip if path.suffix.lower() == ZIP else None  # a workbook is a zip archive, too


def table_in(path: Path) -> str:
    """The name of the only table in a zip archive; folders and what operating systems add do not count."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _only_member(path, archive).filename
    except zipfile.BadZipFile:
        raise _damaged(path, "zip archive") from None


def require_bounded(path: Path) -> None:
    """Raises if a file that is a zip archive, such as a workbook, grows without end when it is decompressed."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except zipfile.BadZipFile:  # the older format of workbooks is not compressed
        return
    if size > _limit(path):
        raise _endless(path)


def _limit(path: Path) -> int:
    return max(UNPACKED_ANYWAY, UNPACKED_TIMES * path.stat().st_size)


def _from_gzip(path: Path) -> bytes:
    try:
        with gzip.open(path, "rb") as packed:
            return _content(packed, path)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise _damaged(path, "gzip file") from None


def _from_zip(path: Path) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            member = _only_member(path, archive)
            if member.flag_bits & _ENCRYPTED:
                raise TableError(f"The table in {path} is encrypted.", hint="decrypt it first.")
            with archive.open(member) as packed:
                return _content(packed, path)
    except (EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError):
        raise _damaged(path, "zip archive") from None


def _only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir() and not member.filename.startswith(_ADDED) and not member.filename.endswith(_ADDED)
    ]
    if len(members) != 1:
        raise TableError(
            f"{path} contains {len(members)} files.",
            allowed="An archive needs exactly one table.",
            hint="extract the table first.",
        )
    return members[0]


def _content(packed: IO[bytes] | gzip.GzipFile, path: Path) -> bytes:
    """The decompressed content; raises once it exceeds the limit, before more memory is taken."""
    unpacked, limit = io.BytesIO(), _limit(path)
    while block := packed.read(_BLOCK):
        unpacked.write(block)
        if unpacked.tell() > limit:
            raise _endless(path)
    if not unpacked.tell():
        raise TableError(f"{path} is empty after decompression.", allowed="A table needs at least a header line.")
    return unpacked.getvalue()


def _endless(path: Path) -> TableError:
    return TableError(
        f"{path} grows to more than {_limit(path) // 10**6:,} MB when it is decompressed.",
        allowed=f"A table may grow to {UNPACKED_TIMES} times its compressed size.",
        hint="decompress it first if it is a table.",
    )


def _damaged(path: Path, kind: str) -> TableError:
    return TableError(f"{path} is a damaged {kind}.", hint="copy or compress it again.")
