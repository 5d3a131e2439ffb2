"""Finishing a Stata file: the names of its columns and value labels, and no time of writing.

pyreadstat names the labels of a column by its name and a number, which may be longer than the 32 characters that Stata
allows, or the name of other labels. So a file is written with short names, and the labels of a column get its name, as
Stata's own `encode` does it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Literal

_NAME = 129
"""The bytes of a name in the formats 118 and 119: 32 characters of up to four bytes, and a null byte."""
_HEAD = 4096
"""More than the bytes before the end of the map."""
_VARIABLE_NAMES, _NAMES_OF_LABELS, _LABELS = 3, 6, 11
"""The positions in the map of a file of the parts that have names."""

_MOST_COLUMNS = 32_767
"""The most columns of format 118."""

_ByteOrder = Literal["little", "big"]


def short_names(columns: int) -> list[str]:
    """The names with which a table is written."""
    return [f"c{number}" for number in range(columns)]


def version(columns: int) -> int:
    """The oldest version of Stata whose files have room for so many columns: format 118, else 119.

    Format 119 is opened by Stata/MP only.
    """
    return 14 if columns <= _MOST_COLUMNS else 15


def finish(path: Path, names: Sequence[str]) -> None:
    """Gives a file of `short_names` its names, and removes the time at which it was written.

    Its bytes then depend on its content alone.
    """
    with path.open("r+b") as file:
        head = file.read(_HEAD)
        _remove_time(file, head)
        fields = [name.encode().ljust(_NAME, b"\0") for name in names]
        _replace(file, _part(head, _VARIABLE_NAMES, b"<varnames>"), fields)
        place = _part(head, _NAMES_OF_LABELS, b"<value_label_names>")
        file.seek(place)
        given = [file.read(_NAME) for _ in names]
        renamed = {old: new for old, new in zip(given, fields, strict=True) if old.strip(b"\0")}
        _replace(file, place, [renamed.get(old, old) for old in given])
        _rename_labels(file, _part(head, _LABELS, b"<value_labels>"), renamed, _byte_order(head))


def _remove_time(file: BinaryIO, head: bytes) -> None:
    start = _after(head, b"<timestamp>")
    _replace(file, start + 1, [b"01 Jan 1970 00:00"[: head[start]]])


def _rename_labels(file: BinaryIO, place: int, renamed: Mapping[bytes, bytes], order: _ByteOrder) -> None:
    """Each set of labels is <lbl>, the number of its bytes, its name, three bytes, its bytes, </lbl>."""
    file.seek(place)
    while file.read(len(b"<lbl>")) == b"<lbl>":
        size = int.from_bytes(file.read(4), order)
        start = file.tell()
        _replace(file, start, [renamed[file.read(_NAME)]])
        file.seek(start + _NAME + 3 + size + len(b"</lbl>"))


def _replace(file: BinaryIO, place: int, fields: Sequence[bytes]) -> None:
    file.seek(place)
    file.write(b"".join(fields))


def _part(head: bytes, position: int, tag: bytes) -> int:
    """Where the content of a part begins, by the map of the file: eight bytes for each part."""
    start = _after(head, b"<map>") + 8 * position
    return int.from_bytes(head[start : start + 8], _byte_order(head)) + len(tag)


def _byte_order(head: bytes) -> _ByteOrder:
    return "little" if b"<byteorder>LSF" in head else "big"


def _after(head: bytes, tag: bytes) -> int:
    return head.index(tag) + len(tag)
