"""How far the cells of a sheet reach, found before the sheet is read: readers allocate every cell between them.

What a sheet says of its own size is not trusted. A quick look at the bytes decides for sheets that are written as
usual; the others, and those that seem too large, are parsed.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from shoal.errors import TableError

ALLOCATED_ANYWAY = 1 << 25
"""Cells that any used range may have; a reader needs about 1 GB for them."""
ALLOCATED_TIMES = 10
"""How many times as many cells as are filled a larger used range may have."""

_BLOCK = 1 << 20
_SHEET = b"sheetData"
_CELL, _ROW = b'<c r="', b'<row r="'
_HARMLESS = (b"</", b"<v>", b"<t>", b"<t ", b"<f>", b"<f ", b"<is>")
_TAG = re.compile(rb"<(?:[^\s<>/:]*:)?([^\s<>/:]*)")
_LETTERS, _DIGITS = 3, 7
_REFERENCE = re.compile(r"([A-Za-z]{1,3})([0-9]{1,7})")
_NUMBER = re.compile("[0-9]{1,7}")
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass
class _Used:
    """The used range of a sheet: columns from `left` to `right` and rows from the first one to `bottom`."""

    left: int = 1 << 31
    right: int = 0
    bottom: int = 0
    cells: int = 0

    @property
    def columns(self) -> int:
        return max(self.right - self.left + 1, 0)

    @property
    def is_too_large(self) -> bool:
        return self.columns * self.bottom > max(ALLOCATED_ANYWAY, ALLOCATED_TIMES * self.cells)

    def add(self, left: int, right: int, bottom: int, cells: int = 1) -> None:
        self.left, self.right = min(self.left, left), max(self.right, right)
        self.bottom, self.cells = max(self.bottom, bottom), self.cells + cells


class _Unusual(Exception):
    """A sheet is written in a way that the quick look does not know."""


def require_used_range(path: Path, sheet: str | None) -> None:
    """Raises if a sheet of a workbook has a cell so far from the others that the reader would run out of memory.

    `sheet`: only the sheet of this name is read; None: all of them.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            for name in _members(archive, sheet):
                used = _quick(archive, name)
                if used is None or used.is_too_large:
                    used = _exact(archive, name)
                if used.is_too_large:
                    raise _too_large(path, used)
    except zipfile.BadZipFile:  # the older format of workbooks, which has no more than 65,536 rows and 256 columns
        return


def _members(archive: zipfile.ZipFile, sheet: str | None) -> list[str]:
    """The files of the archive that may contain the sheet."""
    everything = [member.filename for member in archive.infolist()]
    if sheet is None:
        return everything
    try:
        book, links = (_xml(archive, name) for name in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels"))
    except (KeyError, ElementTree.ParseError):
        return everything
    wanted = {each.get(_RELATION) for each in book.iter() if each.get("name") == sheet}
    targets = [str(each.get("Target")) for each in links.iter() if each.get("Id") in wanted]
    found = [posixpath.normpath(posixpath.join("/xl", target)).lstrip("/") for target in targets]
    return found if found and set(found) <= set(everything) else everything


def _xml(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(archive.read(name))


def _quick(archive: zipfile.ZipFile, name: str) -> _Used | None:
    """The used range, with cells that are formatted but empty; None if the sheet must be parsed."""
    used = _Used()
    try:
        for block in _blocks(archive, name):
            _look(block, used)
    except _Unusual:
        return None
    return used


def _blocks(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """The sheet from its data on, in parts that end before a tag; nothing if the file is no sheet."""
    rest, is_sheet = b"", False
    for block in _read(archive, name):
        rest += block
        if not is_sheet:
            begin = rest.find(_SHEET)
            is_sheet = begin >= 0
            rest = rest[begin if is_sheet else -len(_SHEET) :]
        if is_sheet:
            end = max(rest.rfind(b"<"), 0)
            yield rest[:end]
            rest = rest[end:]
    if is_sheet:
        yield rest


def _read(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    with archive.open(name) as file:
        while block := file.read(_BLOCK):
            yield block


def _look(block: bytes, used: _Used) -> None:
    """Adds the cells of a part of a sheet; raises if they are not written as usual."""
    data = np.frombuffer(block + bytes(16), dtype=np.uint8)
    tags = np.flatnonzero(data == ord("<"))
    is_cell = _begins(data, tags, _CELL)
    is_known = is_cell | _begins(data, tags, _ROW)
    for known in _HARMLESS:
        is_known |= _begins(data, tags, known)
    for place in tags[~is_known].tolist():
        tag = _TAG.match(block, place)
        if tag is None or tag[1] in (b"c", b"row") or tag[1][:1] in (b"!", b"?"):
            raise _Unusual
    if is_cell.any():
        columns, rows = _references(data, tags[is_cell] + len(_CELL))
        used.add(int(columns.min()), int(columns.max()), int(rows.max()), len(columns))


def _begins(data: Any, places: Any, text: bytes) -> Any:
    """At which of the places a text begins."""
    found = data[places + 1] == text[1]
    for offset in range(2, len(text)):
        candidates = np.flatnonzero(found)
        if not len(candidates):
            break
        found[candidates] = data[places[candidates] + offset] == text[offset]
    return found


def _references(data: Any, places: Any) -> tuple[Any, Any]:
    """The columns and rows of references such as AB12, which begin at the places and end with a quotation mark."""
    columns, rows = np.zeros(len(places), dtype=np.int64), np.zeros(len(places), dtype=np.int64)
    at = places.copy()
    for _ in range(_LETTERS):
        sign = data[at]
        is_letter = (sign >= ord("A")) & (sign <= ord("Z"))
        columns = np.where(is_letter, columns * 26 + sign - (ord("A") - 1), columns)
        at += is_letter
    for _ in range(_DIGITS):
        sign = data[at]
        is_digit = (sign >= ord("0")) & (sign <= ord("9"))
        rows = np.where(is_digit, rows * 10 + sign - ord("0"), rows)
        at += is_digit
    if (data[at] != ord('"')).any() or not columns.all():
        raise _Unusual
    return columns, rows


def _exact(archive: zipfile.ZipFile, name: str) -> _Used:
    """The used range of the cells that have a value, however the sheet is written."""
    used = _Used()
    row = column = 0

    def begun(tag: str, attributes: dict[str, str]) -> None:
        nonlocal row, column
        local, place = tag.rpartition(":")[2], attributes.get("r", "").strip()
        if local == "row":
            row, column = int(place) if _NUMBER.fullmatch(place) else row + 1, 0
        elif local == "c":
            found = _REFERENCE.fullmatch(place)
            column = _number(found[1]) if found else column + 1
            row = int(found[2]) if found else row
        elif local in ("v", "is") and row and column:
            used.add(column, column, row)

    parser = expat.ParserCreate()
    parser.StartElementHandler = begun
    try:
        for block in _read(archive, name):
            parser.Parse(block)
    except expat.ExpatError:  # the reader judges what is left of it
        pass
    return used


def _number(letters: str) -> int:
    """The number of a column.

    >>> _number("A"), _number("xfd")
    (1, 16384)
    """
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _too_large(path: Path, used: _Used) -> TableError:
    return TableError(
        f"The used range of a sheet in {path} is too large: {used.bottom:,} rows and {used.columns:,} columns.",
        allowed=f"It may have {ALLOCATED_ANYWAY:,} cells, or {ALLOCATED_TIMES} times as many as are filled.",
        hint="a stray cell far from the data is the usual cause; delete all rows and columns after the table.",
    )
