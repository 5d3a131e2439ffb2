"""A profile in a notebook: a table of the columns, with styles that affect nothing else on the page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from shoal.percent import percent

if TYPE_CHECKING:
    from shoal.profiling.profile import ColumnProfile, Profile

_HEADERS = ("column", "type", "distinct", "missing", "unique", "suggested role", "confidence", "reason")
_SHOWN = 200
_CELL = "padding:2px 10px;text-align:left;vertical-align:top"


def as_html(profile: Profile) -> str:
    """The profile as an HTML fragment. Names are escaped: they come from the table."""
    head = "".join(f'<th style="{_CELL}">{header}</th>' for header in _HEADERS)
    rows = "".join(_row(column) for column in profile.columns[:_SHOWN])
    more = len(profile.columns) - _SHOWN
    rest = f"<p>… and {more:,} more columns; <code>profile.table</code> has all.</p>" if more > 0 else ""
    unique = ""
    if profile.together is not None:
        unique = f"; {percent(profile.together.unique)} of the rows are unique on all quasi-identifiers together"
    warnings = "".join(f"<li>{escape(str(warning))}</li>" for warning in profile.warnings)
    return (
        f"<div><p>{profile.rows:,} rows, {len(profile.columns):,} columns{unique}.</p>"
        f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}'
        f"{f'<ul>{warnings}</ul>' if warnings else ''}</div>"
    )


def _row(column: ColumnProfile) -> str:
    texts = (
        column.name,
        column.type,
        f"{column.distinct:,}",
        percent(column.missing),
        percent(column.unique),
        column.role,
        column.confidence,
        column.reason,
    )
    return "<tr>" + "".join(f'<td style="{_CELL}">{escape(text)}</td>' for text in texts) + "</tr>"
