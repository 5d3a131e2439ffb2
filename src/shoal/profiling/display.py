"""A profile in a notebook: a table of the columns, without any value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal import markup
from shoal.counts import counted
from shoal.percent import percent

if TYPE_CHECKING:
    from shoal.profiling.profile import ColumnProfile, Profile

_HEADERS = ("column", "type", "distinct", "missing", "unique", "suggested role", "confidence", "reason")
_SHOWN = 200


def as_html(profile: Profile) -> str:
    """The profile as an HTML fragment. Names are escaped: they come from the table."""
    rows = [_row(column) for column in profile.columns[:_SHOWN]]
    more = len(profile.columns) - _SHOWN
    return markup.fragment(
        markup.paragraphs([_summary(profile)]),
        markup.table(_HEADERS, rows, numbers=_HEADERS[2:5]),
        markup.paragraphs([f"… and {more:,} more columns; profile.table has all."] if more > 0 else []),
        markup.bullets([str(warning) for warning in profile.warnings]),
    )


def _summary(profile: Profile) -> str:
    unique = ""
    if profile.together is not None:
        unique = f"; {percent(profile.together.unique)} of the rows are unique on all quasi-identifiers together"
    return f"{counted(profile.rows, 'row', 'rows')}, {counted(len(profile.columns), 'column', 'columns')}{unique}."


def _row(column: ColumnProfile) -> tuple[str, ...]:
    return (
        column.name,
        column.type,
        f"{column.distinct:,}",
        percent(column.missing),
        percent(column.unique),
        column.role,
        column.confidence,
        column.reason,
    )
