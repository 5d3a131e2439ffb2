"""Document: the content of a report as typed values. The page, the text and the JSON file only lay it out.

A document is a list of sections, and a section a list of blocks. Figures stand in it as numbers, each with its kind,
never as text: whatever shows them calls `shown`, so that a page and its JSON file cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

Value = bool | int | float | str | None
Kind = Literal["text", "count", "share", "points", "number", "seconds", "date", "verdict", "code"]
"""What a value is. `share`: 0.225 is shown as 22.5 %. `points`: a difference of shares, shown in percentage points.
`date`: a day as ISO text, 2024-10-01. `verdict`: true is shown as "holds". `code`: text in a fixed-width font."""
Tone = Literal["plain", "good", "care", "bad"]
ChartKind = Literal["bars", "before-after", "ranges", "histogram", "lines", "scatter", "lattice"]
"""How a table is drawn; `Chart` describes the columns that each kind expects."""
Place = Literal["full", "grid", "folded"]
"""Where a table or a chart stands. `full`: on its own. `grid`: beside its neighbours, if the page is wide enough.
`folded`: the same, under a line that opens it; on paper it is always open."""


@dataclass(frozen=True)
class Column:
    """A column of a table: its header, the kind of its values, and their meaning if the header does not say it."""

    name: str
    kind: Kind = "text"
    about: str = ""
    bar: bool = False
    """Whether every value, a share of 1, has a bar beside it."""


@dataclass(frozen=True)
class Figure:
    """A value whose kind is not that of its column."""

    value: Value
    kind: Kind


Cell = Value | Figure


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    text: str
    block: Literal["heading"] = "heading"


@dataclass(frozen=True)
class Text:
    """Paragraphs."""

    paragraphs: tuple[str, ...]
    block: Literal["text"] = "text"


@dataclass(frozen=True)
class Points:
    """A list of sentences."""

    sentences: tuple[str, ...]
    block: Literal["points"] = "points"


@dataclass(frozen=True)
class Tile:
    """A headline figure with a remark."""

    name: str
    value: Value
    kind: Kind = "count"
    remark: str = ""


@dataclass(frozen=True)
class Tiles:
    """Headline figures."""

    tiles: tuple[Tile, ...]
    block: Literal["tiles"] = "tiles"


@dataclass(frozen=True)
class Terms:
    """Terms with an explanation each."""

    terms: tuple[tuple[str, str], ...]
    block: Literal["terms"] = "terms"


@dataclass(frozen=True)
class Code:
    """A command or a file, as it is typed or stored."""

    text: str
    block: Literal["code"] = "code"


@dataclass(frozen=True)
class Table:
    """A table; the first column names its rows."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    place: Place = "full"
    block: Literal["table"] = "table"

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"Every row of the table '{self.caption}' needs {len(self.columns)} values.")
        if not all(_is_finite(cell) for row in self.rows for cell in row):
            raise ValueError(f"JSON has no number for infinity, which the table '{self.caption}' contains.")

    def value(self, row: int, column: int) -> Value:
        """The value of a cell."""
        cell = self.rows[row][column]
        return cell.value if isinstance(cell, Figure) else cell

    def number(self, row: int, column: int) -> float | None:
        """The value of a cell as a number, that of a date as the days since the first one; None if it is none."""
        value = self.value(row, column)
        if self.columns[column].kind == "date" and isinstance(value, str):
            return float(date.fromisoformat(value).toordinal())
        return None if value is None or isinstance(value, str) else float(value)


def _is_finite(cell: Cell) -> bool:
    value = cell.value if isinstance(cell, Figure) else cell
    return not isinstance(value, float) or isfinite(value)


@dataclass(frozen=True)
class Chart:
    """A table as a drawing; `text` says in words what it shows, and the table stands behind it.

    The first column names the rows, or is the position on the axis. Then follow, by kind:

    - `bars`: one or more columns of numbers, drawn side by side; those of another kind than the first are not drawn.
    - `before-after`: two columns of numbers.
    - `ranges`: low, middle, high, and optionally a fourth number that is marked as the reference; no more are drawn.
    - `histogram`: the first two columns are the ends of a bin, numbers or dates; then one or two columns of numbers.
    - `lines`: the first column is a number; one line for every other column.
    - `scatter`: x, y, and a verdict; points whose verdict is false are grey. The name of its column and its `about`
      name both kinds of points.
    - `lattice`: the height of a recoding, its status, its cost, and whether it was released.
    """

    kind: ChartKind
    title: str
    text: str
    table: Table
    place: Place = "full"
    block: Literal["chart"] = "chart"


Block = Annotated[Heading | Text | Points | Tiles | Terms | Code | Table | Chart, Field(discriminator="block")]


@dataclass(frozen=True)
class Section:
    """A part of a report under a heading. `private`: whether it shows what only the steward may know."""

    key: str
    title: str
    blocks: tuple[Block, ...]
    tone: Tone = "plain"
    private: bool = False


@dataclass(frozen=True)
class Document:
    """A complete report: its verdict, why, and its sections."""

    title: str
    verdict: str
    lead: str
    tone: Tone
    sections: tuple[Section, ...] = ()
    private: bool = False
    shoal_version: str = ""
    format: Literal["shoal-report-1"] = field(default="shoal-report-1")

    def section(self, key: str) -> Section | None:
        """The section with this key; None if the report has none."""
        return next((each for each in self.sections if each.key == key), None)

    def to_json(self) -> dict[str, Any]:
        """The document in JSON types."""
        plain: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return plain

    @classmethod
    def from_json(cls, value: Any) -> Document:
        """The document that `to_json` wrote; raises pydantic's ValidationError if it is none."""
        return _ADAPTER.validate_python(value, strict=False)


_ADAPTER = TypeAdapter(Document)


def schema() -> dict[str, Any]:
    """The JSON schema of the reports."""
    return _ADAPTER.json_schema()


def tables(document: Document) -> Iterator[Table]:
    """Every table of a document, those behind its charts among them."""
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                yield block
            elif isinstance(block, Chart):
                yield block.table


def paragraphs(sentences: Sequence[str]) -> tuple[Text, ...]:
    """The sentences as a block; none if there are no sentences."""
    return (Text(tuple(sentences)),) if sentences else ()
