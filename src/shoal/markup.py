"""HTML fragments for notebooks: every text is escaped, and colours are those of the page, light or dark."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape

_LINE = "1px solid rgba(128,128,128,.35)"
_TABLE = "border-collapse:collapse;margin:.4em 0"
_NUMBER = "text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap"
_TEXT = "text-align:left"


def fragment(*parts: str) -> str:
    """Parts that are HTML already, as one element. A part that is wider than the page can be scrolled."""
    return f'<div style="overflow-x:auto">{"".join(parts)}</div>'


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[str] = ()) -> str:
    """A table with styles that affect nothing else on the page; the columns with these headers are `numbers`.

    >>> table(["a"], []).count("<th")
    2
    """
    styles = [_NUMBER if header in numbers else _TEXT for header in headers]
    head = "".join(
        f'<th scope="col" style="{_cell(style)}">{escape(text)}</th>'
        for text, style in zip(headers, styles, strict=True)
    )
    body = "".join(f"<tr>{_cells(row, styles)}</tr>" for row in rows)
    return f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _cells(row: Sequence[str], styles: Sequence[str]) -> str:
    return "".join(f'<td style="{_cell(style)}">{escape(text)}</td>' for text, style in zip(row, styles, strict=True))


def _cell(style: str) -> str:
    return f"padding:2px 10px;vertical-align:top;border-bottom:{_LINE};{style}"


def paragraphs(texts: Iterable[str]) -> str:
    """Every text as a paragraph.

    >>> paragraphs(["a < b"])
    '<p style="margin:.4em 0">a &lt; b</p>'
    """
    return "".join(f'<p style="margin:.4em 0">{escape(text)}</p>' for text in texts)


def verdict(text: str, *, holds: bool) -> str:
    """A sentence that says whether something holds, with a bar of the colour for it; the words say it too."""
    colour = "#0b7a5b" if holds else "#c0362c"
    style = f"border-left:.3em solid {colour};padding-left:.5em"
    return f'<p style="margin:.4em 0"><strong style="{style}">{escape(text)}</strong></p>'


def bullets(texts: Sequence[str]) -> str:
    """The texts as a list; nothing if there are none."""
    return f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>" if texts else ""
