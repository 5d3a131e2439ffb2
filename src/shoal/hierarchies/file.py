"""Hierarchies from a file: one row per leaf, `leaf;parent;…;top`."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies.base import Hierarchy, covering, text_of

SEPARATORS = (";", "\t", ",")
_SNIFFED_ROWS = 100


@dataclass(frozen=True)
class File:
    """Every value generalizes as the file says; a value that the file does not list is an error.

    Fields may be quoted, the text is UTF-8. Leaves of a number or date column match by value (023, 23 and 23.0 are one
    number), those of a text column character by character. All leaves of the file belong to the hierarchy, also those
    that no row has. A top level `*` is added where the last field is not the same in every row.
    """

    path: str
    separator: str | None = None

    kind: ClassVar[str] = "file"
    sample: ClassVar[Mapping[str, Any]] = {"path": "job.csv"}

    def __post_init__(self) -> None:
        if not isinstance(self.path, str) or not self.path:
            raise PlanError(f"File path must be the path of a hierarchy file; got {self.path!r}.")
        if self.separator is not None and (len(self.separator) != 1 or self.separator in '"\r\n'):
            raise PlanError(
                f"File separator must be a single character; got {self.separator!r}.",
                hint="leave it out, and the file is looked at.",
            )

    def relative_to(self, folder: Path) -> File:
        """The same file with its path taken from `folder`, where the plan lies; an absolute path stays."""
        return replace(self, path=str(folder / self.path))

    def tree(self, values: pl.Series) -> Hierarchy:
        rows = _rows(_text(self.path), self.separator, self.path)
        _check_rows(rows, self.path)
        columns = [pl.Series(column, dtype=pl.String) for column in zip(*rows, strict=True)]
        columns[0] = _canonical(columns[0], values.dtype)
        return Hierarchy.from_columns(columns)

    def build(self, values: pl.Series, counts: pl.Series | None = None) -> Hierarchy:
        return covering(self.tree(values), values, f"The hierarchy file '{self.path}'")


def _text(path: str) -> str:
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise HierarchyError(f"The hierarchy file '{path}' is not UTF-8 text.", hint="save it as UTF-8.") from None
    except OSError as problem:
        raise HierarchyError(
            f"The hierarchy file '{path}' cannot be read: {problem.strerror or 'unknown reason'}.",
            hint="paths are relative to the plan file.",
        ) from None


def _rows(text: str, separator: str | None, path: str) -> list[list[str]]:
    try:
        rows = _parsed(text, separator or _sniffed(text))
    except csv.Error:
        raise HierarchyError(
            f"The hierarchy file '{path}' is not readable as separated text.",
            hint="look for a quote that is not closed.",
        ) from None
    if not rows:
        raise HierarchyError(f"The hierarchy file '{path}' is empty.", allowed="One row per leaf: leaf;parent;…;top.")
    return rows


def _parsed(text: str, separator: str, most: int | None = None) -> list[list[str]]:
    rows: list[list[str]] = []
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True):
        if row:
            rows.append(row)
        if len(rows) == most:
            break
    return rows


def _sniffed(text: str) -> str:
    """The separator that gives every row the same number of fields, more than one; else one that occurs; else `;`."""
    widths: dict[str, set[int]] = {}
    for separator in SEPARATORS:
        try:
            widths[separator] = {len(row) for row in _parsed(text, separator, _SNIFFED_ROWS)}
        except csv.Error:
            continue
    splitting = [separator for separator, found in widths.items() if found != {1}]
    even = [separator for separator in splitting if len(widths[separator]) == 1]
    return [*even, *splitting, SEPARATORS[0]][0]


def _check_rows(rows: Sequence[Sequence[str]], path: str) -> None:
    ragged = sum(len(row) != len(rows[0]) for row in rows)
    if ragged:
        raise HierarchyError(
            f"{ragged} of {len(rows)} rows of '{path}' have another number of fields than the first.",
            allowed="Every leaf needs the same number of levels.",
            hint="repeat a label to fill a level that a leaf does not have; quote a field that holds the separator.",
        )
    # an empty leaf stands for a missing value, and only that one may be empty further up
    unlabelled = sum(bool(leaf) and not all(ups) for leaf, *ups in rows)
    if unlabelled:
        raise HierarchyError(
            f"{unlabelled} of {len(rows)} rows of '{path}' have an empty label above the leaf.",
            hint="repeat a label to fill a level that a leaf does not have.",
        )


def _canonical(leaves: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The leaves as `text_of` writes the values of that type; what is no such value stays as it is."""
    if dtype == pl.String:
        return leaves
    trimmed = leaves.str.strip_chars()
    if dtype == pl.Date:
        typed = trimmed.str.to_date("%Y-%m-%d", strict=False)
    elif dtype.is_float():
        numbers = trimmed.cast(pl.Float64, strict=False)
        typed = numbers.set(~numbers.is_finite(), None)
    else:
        typed = pl.Series([_whole(leaf) for leaf in trimmed], dtype=pl.Int64)
    return text_of(typed).zip_with(typed.is_not_null(), leaves)


def _whole(leaf: str) -> int | None:
    """The whole number that a leaf writes, 23.0 included; none if it is no such number or needs over 64 bits."""
    try:
        number = Decimal(leaf)
    except InvalidOperation:
        return None
    small = number.is_finite() and number.copy_abs() < 2**63
    return int(number) if small and number == number.to_integral_value() else None
