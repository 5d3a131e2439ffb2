"""The records of a delimited text, counted on its bytes: the fields of each record, and misplaced quotes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Int64, UInt8
from shoal.errors import TableError
from shoal.table.text import Bytes, Text, blocks

_QUOTE, _LF, _CR = ord('"'), ord("\n"), ord("\r")


class Records(NamedTuple):
    """One entry per record of the file, including the header: the number of fields, and whether the line is empty."""

    fields: Int64
    blank: Flags


class Quoting(NamedTuple):
    """The number of misplaced quotes, and whether any field begins with a quote."""

    misplaced: int
    encloses: bool


def records_of(data: Bytes, separator: str, quote: str | None, begin: int = 0) -> Records:
    """Counts the fields of every record on the bytes, ignoring separators and line ends inside quotes."""
    counts: list[Int64] = []
    ends: list[Int64] = []
    open_fields, inside = 0, False
    for start, block in blocks(data, begin):
        array = np.frombuffer(block, np.uint8)
        parts, lines = array == ord(separator), array == _LF
        if quote:
            outside, inside = _outside_quotes(array, inside)
            parts, lines = parts & outside, lines & outside
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


def _as_records(data: Bytes, separators: Int64, bounds: Int64) -> Records:
    """The records between line ends; an empty line may contain the CR of a CRLF."""
    starts, ends = bounds[:-1] + 1, bounds[1:]
    if starts[-1] >= len(data):  # the file ends with a line end, so no record follows
        starts, ends, separators = starts[:-1], ends[:-1], separators[:-1]
    lengths = ends - starts
    blank = lengths == 0
    single = np.flatnonzero(lengths == 1)
    blank[single] = np.frombuffer(data, np.uint8)[starts[single]] == _CR
    return Records(separators + 1, blank)


def _outside_quotes(array: UInt8, inside: bool) -> tuple[Flags, bool]:
    """Which bytes of a block are outside quotes, and whether it ends inside; `inside`: whether it begins inside."""
    quotes_before = np.cumsum(array == _QUOTE, dtype=np.uint8)  # wrapping at 256 preserves parity
    outside = (quotes_before + np.uint8(inside)) % 2 == 0
    return outside, not outside[-1]


def complete_records(block: bytes, quote: str | None) -> int:
    """The length of the complete records of a block that begins with a record; 0 if it ends inside the first."""
    if not quote or b'"' not in block:
        return block.rfind(b"\n") + 1
    array = np.frombuffer(block, np.uint8)
    outside, _ = _outside_quotes(array, False)
    ends = np.flatnonzero((array == _LF) & outside)
    return int(ends[-1]) + 1 if len(ends) else 0


def refuse_lone_returns(text: Text, quote: str | None) -> None:
    """Raises if a CR outside quotes is not followed by LF.

    Some readers take it as a line end, others as a character, and others drop it.
    """
    lone, inside = 0, False
    for start, block in blocks(text.data, text.start):
        array = np.frombuffer(block + _after(text, start + len(block)), np.uint8)
        is_lone = (array[:-1] == _CR) & (array[1:] != _LF)
        if quote:
            outside, inside = _outside_quotes(array[:-1], inside)
            is_lone &= outside
        lone += int(np.count_nonzero(is_lone))
    if lone:
        raise TableError(
            f"{text.name} has {lone} CR characters outside quotes that are not followed by LF.",
            allowed="Lines end with LF or CRLF.",
            hint="save the file with one of these line ends.",
        )


def quoting_of(text: Text, separator: str) -> Quoting:
    """Counts the misplaced quotes: those that neither enclose a field nor are doubled inside one."""
    misplaced, encloses, seen = 0, False, 0
    for start, block in blocks(text.data, text.start):
        array = np.frombuffer(_before(text, start) + block + _after(text, start + len(block)), np.uint8)
        at = np.flatnonzero(array[1:-1] == _QUOTE)
        before, after = array[at], array[at + 2]
        begins = (before == ord(separator)) | (before == _LF)
        ends = (after == ord(separator)) | (after == _LF) | (after == _CR)
        opens = np.arange(seen, seen + len(at)) % 2 == 0
        valid = np.where(opens, begins | (before == _QUOTE), ends | (after == _QUOTE))
        misplaced += int(np.count_nonzero(~valid))
        encloses = encloses or bool(begins.any())
        seen += len(at)
    return Quoting(misplaced + seen % 2, encloses)


def _before(text: Text, start: int) -> bytes:
    """The byte before a block; a line end at the beginning of the text."""
    return text.data[start - 1 : start] if start > text.start else b"\n"


def _after(text: Text, end: int) -> bytes:
    """The byte after a block; a line end at the end of the text."""
    return text.data[end : end + 1] or b"\n"
