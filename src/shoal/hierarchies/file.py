"""Hierarchies from a file with one row per leaf, `leaf;parent;…;top`."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies.base import Hierarchy, covering, paths_of, text_of
from shoal.hierarchies.placing import Placed, by_nodes
from shoal.labels import exact
from shoal.table.moments import ISO, MOMENT, days, moments

SEPARATORS = (";", "\t", ",")
_SNIFFED_ROWS = 100
LEAF_TYPES = (pl.String(), pl.Int64(), pl.Float64(), pl.Date(), MOMENT)
"""The types of columns; leaves that differ as text may be the same number or date."""


@dataclass(frozen=True)
class File:
    """Generalizes values as listed in a file; a value that the file does not list is an error.

    The file is UTF-8, and fields may be quoted. Leaves of a number, date or date-time column match by value (023, 23
    and 23.0 are the same number), those of a text column match exactly. All leaves of the file belong to the
    hierarchy, even if no row uses them. A top level `*` is added unless the last field is the same in every row.
    """

    path: str
    """The file with one row per value, from the value upwards. Allowed: a path, relative to the plan."""
    separator: str | None = None
    """The separator of its fields. Detected by default. Allowed: a single character."""

    kind: ClassVar[str] = "file"
    sample: ClassVar[Mapping[str, Any]] = {"path": "job.csv"}

    def __post_init__(self) -> None:
        if not isinstance(self.path, str) or not self.path:
            raise PlanError(f"File path must be the path of a hierarchy file; got {self.path!r}.")
        if "\x00" in self.path:
            raise PlanError("File path has a null character.", hint="write the path of a hierarchy file.")
        if self.separator is not None and (len(self.separator) != 1 or self.separator in '"\r\n'):
            raise PlanError(
                f"File separator must be a single character; got {self.separator!r}.",
                hint="omit it to have it detected.",
            )

    def relative_to(self, folder: Path) -> File:
        """The same file with its path relative to `folder`, the plan's folder; an absolute path is unchanged."""
        return replace(self, path=str(folder / self.path))

    def tree(self, values: pl.Series) -> Hierarchy:
        rows = _rows(_text(self.path), self.separator, self.path)
        _check_rows(rows, self.path)
        columns = [pl.Series(column, dtype=pl.String) for column in zip(*rows, strict=True)]
        columns[0] = _canonical(columns[0], values.dtype)
        return Hierarchy.from_columns(columns)

    def placed(self, labels: Sequence[str], among: Sequence[str] | None = None) -> Placed:
        return self._tree_of(labels)[1]

    def paths(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        tree, _ = self._tree_of(labels)
        return paths_of(tree, labels, _first_leaves(tree, labels))

    def _tree_of(self, labels: Sequence[str]) -> tuple[Hierarchy, Placed]:
        """The tree whose leaves match as in `build`, by the first type of column that has a place for every label."""
        as_text = self.tree(pl.Series(dtype=pl.String))
        placed = _placed(as_text, labels)
        for dtype in LEAF_TYPES[1:] if not placed.known else ():
            with suppress(HierarchyError):  # leaves that differ as text may be the same number
                tree = self.tree(pl.Series(dtype=dtype))
                if (found := _placed(tree, labels)).known:
                    return tree, found
        return as_text, placed

    def build(self, values: pl.Series, counts: pl.Series | None = None) -> Hierarchy:
        return covering(self.tree(values), values, f"The hierarchy file '{self.path}'")


def _placed(tree: Hierarchy, labels: Sequence[str]) -> Placed:
    levels = [dict(zip(level.labels, level.leaves_under.tolist(), strict=True)) for level in tree.levels]
    return by_nodes(labels, [_escaped(levels[0]), *levels[1:]], tree.leaves)


def _first_leaves(tree: Hierarchy, labels: Sequence[str]) -> list[int]:
    """A leaf under each label, at the lowest level that has it; -1 if the label is no node."""
    leaf_of: dict[str, int] = {}
    for level in tree.levels:
        for label, leaf in zip(level.labels, level.first_leaf.tolist(), strict=True):
            leaf_of.setdefault(label, leaf)
    return [leaf_of.get(label, -1) for label in labels]


def _escaped(leaves: Mapping[str, int]) -> dict[str, int]:
    """The leaves as they are written and as they are released, escaped if they would read as something else."""
    return {**{exact(leaf): count for leaf, count in leaves.items()}, **leaves}


def _text(path: str) -> str:
    place = Path(path)
    if place.exists() and not place.is_file() and not place.is_dir():  # a device or a pipe may never end
        raise HierarchyError(f"The hierarchy file '{path}' is not a regular file.")
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
            f"The hierarchy file '{path}' cannot be read as separated text.",
            hint="look for an unclosed quote.",
        ) from None
    if not rows:
        raise HierarchyError(
            f"The hierarchy file '{path}' is empty.", allowed="It needs one row per leaf: leaf;parent;…;top."
        )
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
    """The separator that splits every row into equally many fields; else one that splits any row; else `;`."""
    widths: dict[str, set[int]] = {}
    for separator in SEPARATORS:
        try:
            widths[separator] = {len(row) for row in _parsed(text, separator, _SNIFFED_ROWS)}
        except csv.Error:
            continue
    splitting = [separator for separator, row_widths in widths.items() if row_widths != {1}]
    regular = [separator for separator in splitting if len(widths[separator]) == 1]
    return [*regular, *splitting, SEPARATORS[0]][0]


def _check_rows(rows: Sequence[Sequence[str]], path: str) -> None:
    ragged = sum(len(row) != len(rows[0]) for row in rows)
    if ragged:
        raise HierarchyError(
            f"The number of fields of {ragged} of {len(rows)} rows of '{path}' differs from that of the first.",
            allowed="Every leaf needs the same number of levels.",
            hint="repeat a label to fill a level that a leaf does not have; quote fields that contain the separator.",
        )
    # An empty leaf represents a missing value, and only its labels may be empty.
    unlabelled = sum(bool(leaf) and not all(ups) for leaf, *ups in rows)
    if unlabelled:
        raise HierarchyError(
            f"{unlabelled} of {len(rows)} rows of '{path}' have an empty label above the leaf.",
            hint="repeat a label to fill a level that a leaf does not have.",
        )


def _canonical(leaves: pl.Series, dtype: pl.DataType) -> pl.Series:
    """The leaves in the canonical text of the type; a leaf that is not of this type is unchanged."""
    if dtype == pl.String:
        return leaves
    trimmed = leaves.str.strip_chars()
    if dtype == pl.Date:
        typed = days(trimmed, ISO)
    elif dtype == pl.Datetime:
        typed = moments(trimmed, ISO)
    elif dtype.is_float():
        numbers = trimmed.cast(pl.Float64, strict=False)
        typed = numbers.set(~numbers.is_finite(), None)
    else:
        typed = pl.Series([_whole(leaf) for leaf in trimmed], dtype=pl.Int64)
    return text_of(typed).zip_with(typed.is_not_null(), leaves)


def _whole(leaf: str) -> int | None:
    """The integer that a leaf denotes, also written as 23.0; None if it is not an integer of 64 bits."""
    try:
        number = Decimal(leaf)
    except InvalidOperation:
        return None
    fits = number.is_finite() and number.copy_abs() < 2**63
    return int(number) if fits and number == number.to_integral_value() else None
