"""How numbers are formatted for display in a report."""

from __future__ import annotations

import re
from typing import Any

from shoal.percent import percent
from shoal.report.document import Cell, Figure, Kind

_MINUS = "−"
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Control characters, and those that turn the direction of a text: a label could disguise itself with them."""


def visible(text: str) -> str:
    r"""A text of a report in which characters that act instead of being shown are written as escapes.

    >>> visible("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def number(value: Any) -> str:
    """A value formatted for display.

    >>> number(1234567), number(0.123456), number(-2.5), number(True), number(None), number(["a", "b"])
    ('1,234,567', '0.1235', '−2.5', 'yes', '–', 'a, b')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return (f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}").replace("-", _MINUS)
    if isinstance(value, int):
        return f"{value:,}".replace("-", _MINUS)
    return ", ".join(number(item) for item in value) if isinstance(value, list | tuple) else str(value)


def cell(cell: Cell, kind: Kind) -> str:
    """A cell of a table as every report displays it; `kind` is that of its column.

    >>> cell(0.5, "share"), cell(Figure(12345, "count"), "text")
    ('50 %', '12,345')
    """
    return shown(cell.value, cell.kind) if isinstance(cell, Figure) else shown(cell, kind)


def shown(value: Any, kind: str) -> str:
    """A value of a document as every report displays it.

    >>> shown(0.225, "share"), shown(1234, "count"), shown(True, "verdict"), shown(-0.02, "points"), shown(None, "text")
    ('22.5 %', '1,234', 'holds', '−2.00 points', '–')
    """
    if value is None:
        return "–"
    if kind == "verdict" and isinstance(value, bool):
        return "holds" if value else "fails"
    if isinstance(value, bool | str):
        return number(value)
    if kind == "share":
        return percent(value)
    if kind == "points":
        rounded = round(100 * value, 2)
        return f"{_MINUS if rounded < 0 else '+' if rounded > 0 else ''}{abs(rounded):.2f} points"
    if kind == "seconds":
        return f"{value:.2f} s"
    return number(value)
