"""A document as one offline HTML page, and as a fragment for notebooks. Both depend on the document alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING, Any

from shoal.report.charts import drawn
from shoal.report.charts.base import at
from shoal.report.document import Block, Cell, Column, Document, Figure, Table
from shoal.report.numbers import cell, shown, visible

if TYPE_CHECKING:
    from jinja2 import Template

_LONGEST_WORD = 24
_NUMERIC = ("count", "share", "points", "number", "seconds", "date")


def page(document: Document) -> str:
    """The complete report as one self-contained HTML page."""
    return visible(_template("page.html.j2").render(document=document, style=_text("page.css")))


def fragment(document: Document) -> str:
    """A summary as HTML for a notebook; its styles are inline and affect nothing else on the page."""
    return visible(_template("fragment.html.j2").render(document=document))


def load_page() -> None:
    """Loads the template of the page, which takes much longer than to fill it in."""
    _template("page.html.j2")


@cache
def _template(name: str) -> Template:
    """A template of this package; all values are escaped, and an unknown name is an error."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= {"cell": cell, "shown": shown, "drawn": drawn, "at": at}
    environment.tests |= {"figure": _is_figure, "numeric": _is_numeric, "long": _is_long}
    environment.filters |= {"marked": _marked, "placed": _placed, "folding": _folding}
    return environment.from_string(_text(name))


@cache
def _text(name: str) -> str:
    return resources.files("shoal.report").joinpath(name).read_text(encoding="utf-8")


def _is_figure(value: Any) -> bool:
    return isinstance(value, Figure)


def _is_numeric(column: Column) -> bool:
    """Whether the numbers of a column stand below each other on the right."""
    return column.kind in _NUMERIC and not column.bar


def _is_long(value: Cell) -> bool:
    """Whether a name has a word so long that it may be broken anywhere: shorter words stay whole."""
    return any(len(word) > _LONGEST_WORD for word in str(value.value if isinstance(value, Figure) else value).split())


def _placed(blocks: Sequence[Block]) -> list[tuple[str, list[tuple[int, Block]]]]:
    """The blocks with their numbers, neighbours of one place together."""
    places = groupby(enumerate(blocks, start=1), key=lambda each: getattr(each[1], "place", "full"))
    return [(place, list(group)) for place, group in places]


def _folding(blocks: Sequence[tuple[int, Block]]) -> str:
    """The line that opens folded blocks: the caption of a single table, or how many there are."""
    _, first = blocks[0]
    is_named = len(blocks) == 1 and isinstance(first, Table) and first.caption
    return f"Show: {first.caption}" if is_named and isinstance(first, Table) else f"Show {len(blocks)} more"


def _marked(text: str) -> Any:
    """A sentence, escaped, in which commands between backticks have a fixed-width font."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:  # a single backtick, which belongs to a name
        return escape(text)
    marked = (Markup("<code>{}</code>").format(part) if place % 2 else escape(part) for place, part in enumerate(parts))
    return Markup("").join(marked)
