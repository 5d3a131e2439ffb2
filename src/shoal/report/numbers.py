"""How numbers are formatted for display in a report."""

from __future__ import annotations

from typing import Any


def number(value: Any) -> str:
    """A value formatted for display.

    >>> number(1234567), number(0.123456), number(True), number(None), number(["a", "b"])
    ('1,234,567', '0.1235', 'yes', '–', 'a, b')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    return ", ".join(number(item) for item in value) if isinstance(value, list | tuple) else str(value)
