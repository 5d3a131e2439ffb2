"""What the pages of evidence share: tables, means with their intervals, when something was measured, drawn texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

COLORS = ("#4c78a8", "#f58518", "#e45756", "#72b7b2")


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def plus_minus(found: Mapping[str, float], digits: int = 1, *, sign: str = "", scale: float = 1) -> str:
    """A mean with the half-width of its interval; an interval that rounds to 0 is left out."""
    mean, half = (round(scale * found[key], digits) + 0.0 for key in ("mean", "half"))  # adding 0 makes −0 a 0
    return f"{mean:{sign},.{digits}f}" + ("" if half == 0 else f" ± {half:,.{digits}f}")


def measured(results: Mapping[str, Any]) -> str:
    """The date and the commit of every stage."""
    runs = [f"`{stage}` {found['date'][:10]} at {found['commit']}" for stage, found in results.items()]
    return f"Measured: {', '.join(runs)}."


def drawn_text(x: int, y: int, text: str, style: str = "") -> str:
    """A text of an SVG drawing."""
    return f"<text x='{x}' y='{y}' {style}>{text}</text>".replace(" >", ">")
