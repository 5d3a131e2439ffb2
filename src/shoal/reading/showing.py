"""A release that was read, in a notebook: its models, its tables and the columns of each, without any value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from shoal import markup
from shoal.counts import counted
from shoal.verification.wording import HEADERS, model_row

if TYPE_CHECKING:
    from shoal.reading.release import Published

_HEADERS = ("column", "role", "released as", "type", "missing")
_SHOWN = 200


def as_html(read: Published) -> str:
    """The release as an HTML fragment. What its models achieved is what its manifest states."""
    manifest = read.manifest
    rows = f"{counted(manifest.rows_released, 'row', 'rows')} of {manifest.rows_in:,}"
    parts = [markup.paragraphs([f"Release of {rows} in {counted(manifest.classes, 'class', 'classes')}."])]
    parts.append(markup.table(HEADERS, [model_row(each) for each in manifest.models]))
    for name, frame in read.tables.items():
        size = f"{counted(frame.height, 'row', 'rows')}, {counted(frame.width, 'column', 'columns')}"
        lines = [_line(read, column) for column in frame.get_columns()[:_SHOWN]]
        parts += [markup.paragraphs([f"Table {name}: {size}."]), markup.table(_HEADERS, lines, numbers=("missing",))]
        more = frame.width - _SHOWN
        parts.append(markup.paragraphs([f"… and {more:,} more columns."] if more > 0 else []))
    return markup.fragment(*parts)


def _line(read: Published, column: pl.Series) -> tuple[str, ...]:
    role = read.codebook["columns"].get(column.name, {}).get("role", "")
    released_as = read.manifest.published_as.get(column.name, "")
    kind = column.dtype.base_type().__name__.lower()
    return column.name, str(role), released_as, kind, f"{column.null_count():,}"
