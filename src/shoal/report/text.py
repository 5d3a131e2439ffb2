"""A document as plain lines for a terminal or a log."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from shoal.report.document import Block, Cell, Chart, Code, Column, Document, Heading, Points, Table, Terms, Text, Tiles
from shoal.report.numbers import cell, shown, visible

_WIDTH = 100
_BAR = 20
_NARROWEST = 10
"""The least width of a column that is narrowed; below it, every row becomes a list of its cells."""
PRIVATE = "For the data steward only: do not publish this report."


def as_text(document: Document) -> str:
    """The document in lines of at most 100 characters, except where names, files or code are longer."""
    return visible("\n".join(_lines(document)) + "\n")


def _lines(document: Document) -> Iterator[str]:
    yield document.verdict
    if document.private:
        yield PRIVATE
    yield from textwrap.wrap(document.lead, _WIDTH)
    for section in document.sections:
        yield ""
        yield section.title
        mark = "!" if section.tone == "care" else "-"
        for block in section.blocks:
            yield from _block(block, mark)


def _block(block: Block, mark: str) -> list[str]:
    match block:
        case Heading():
            return [f"  {block.text}"]
        case Text():
            return [line for each in block.paragraphs for line in _wrapped(each, "  ", "  ")]
        case Points():
            return [line for each in block.sentences for line in _wrapped(each, f"  {mark} ", "    ")]
        case Tiles():
            return _aligned([(tile.name, shown(tile.value, tile.kind), tile.remark) for tile in block.tiles])
        case Terms():
            return [line for term, text in block.terms for line in _wrapped(f"{term}: {text}", "  - ", "    ")]
        case Code():
            return [f"  {line}".rstrip() for line in block.text.splitlines()]
        case Table():
            return _table(block)
        case Chart():
            return [f"  {block.title}", *_wrapped(block.text, "  ", "  "), *_table(block.table)]


def _table(table: Table) -> list[str]:
    """The rows below their headers, with long cells wrapped; lists of cells if they do not fit."""
    caption = [f"  {table.caption}"] if table.caption else []
    heads = [column.name for column in table.columns]
    rows = [[_cell(*each) for each in zip(row, table.columns, strict=True)] for row in table.rows]
    widths = _widths([max(map(len, column)) for column in zip(heads, *rows, strict=True)])
    if widths is None:
        return [*caption, *(line for row in rows for line in _listed(heads, row))]
    lines = [line for row in [heads, *rows] for line in _in_columns(row, widths)]
    return [*caption, *lines]


def _widths(needed: Sequence[int]) -> list[int] | None:
    """The widths of columns that fit a line: the widest ones are narrowed; None if that leaves too little room."""
    widths = list(needed)
    while sum(widths) + 2 * len(widths) > _WIDTH:
        widest = max(widths)
        if widest <= _NARROWEST:
            return None
        widths[widths.index(widest)] -= 1
    return widths


def _in_columns(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    wrapped = [textwrap.wrap(each, width) or [""] for each, width in zip(row, widths, strict=True)]
    height = max(map(len, wrapped))
    parts = [[*lines, *[""] * (height - len(lines))] for lines in wrapped]
    return [
        ("  " + "  ".join(part.ljust(width) for part, width in zip(line, widths, strict=True))).rstrip()
        for line in zip(*parts, strict=True)
    ]


def _listed(heads: Sequence[str], row: Sequence[str]) -> list[str]:
    """A row that is too wide, as a list of its cells."""
    cells = [f"{head}: {value}" for head, value in zip(heads[1:], row[1:], strict=True) if value not in ("", "–")]
    return [f"  {row[0]}", *(line for each in cells for line in _wrapped(each, "    ", "      "))]


def _cell(value: Cell, column: Column) -> str:
    text = cell(value, column.kind)
    if column.kind == "verdict" and value is False:
        return "FAILS"
    if not column.bar or not isinstance(value, int | float):
        return text
    filled = round(_BAR * min(max(value, 0.0), 1.0))
    return "█" * filled + "░" * (_BAR - filled) + f" {text}"


def _wrapped(text: str, first: str, then: str) -> list[str]:
    return textwrap.wrap(text.replace("`", ""), _WIDTH, initial_indent=first, subsequent_indent=then)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(each) for each in column) for column in zip(*rows, strict=True)]
    return [
        ("  " + "  ".join(each.ljust(width) for each, width in zip(row, widths, strict=True))).rstrip() for row in rows
    ]
