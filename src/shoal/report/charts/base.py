"""What all kinds of charts share: scales, percentages of a plot, marks, keys and axes.

A chart is drawn at the width of the page without being scaled, so that its texts keep their size: positions are
percentages of an SVG element as wide as its place, and texts that name rows stand beside it, in HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from html import escape
from math import ceil, floor, log10

from shoal.report.document import Cell, Chart, Column, Figure, Table
from shoal.report.numbers import cell, shown

Draw = Callable[[Chart], str]

STEPS = 4
"""The parts of an axis."""
_NARROW = 304
"""The pixels of the narrowest axis that shows more numbers than the first, the middle and the last."""
_LETTER = 7
"""The most pixels that a digit of an axis needs."""
_MIDDLE = 0.1
"""How far from the middle of an axis a number may be that also narrow axes show."""
_ENDS = (1.0, 1.2, 1.6, 2.0, 2.4, 2.8, 3.2, 4.0, 6.0, 8.0, 10.0)
"""Where an axis may end, times a power of ten: a quarter of each is a round number."""


def end_of(values: Sequence[float | None], kind: str) -> float:
    """The end of an axis from 0: the least round number that no value exceeds; 1 is the largest share.

    >>> end_of([3.0, 17.0, None], "count"), end_of([0.034], "share"), end_of([], "share"), end_of([0.97], "share")
    (20.0, 0.04, 1.0, 1.0)
    """
    largest = max((value for value in values if value is not None), default=0.0)
    if largest <= 0:
        return 1.0
    if kind == "count" and largest <= 40:
        return float(STEPS * ceil(largest / STEPS))
    power = 10.0 ** floor(log10(largest) + 1e-12)
    end = next((each * power for each in _ENDS if each * power >= largest * (1 - 1e-12)), 10 * power)
    rounded = float(f"{end:.12g}")
    return min(rounded, 1.0) if kind == "share" and largest <= 1 else rounded


def at(share: float) -> str:
    """A position or a length as a percentage of the plot.

    >>> at(0.25), at(1 / 3), at(-0.1), at(7)
    ('25%', '33.333%', '0%', '100%')
    """
    return f"{min(max(100 * share, 0.0), 100.0):.5g}%"


def key(names: Sequence[str], marks: Sequence[str]) -> str:
    """The key of a chart: a small mark and a name for each series."""
    entries = "".join(
        f'<span><svg class="swatch" width="28" height="14">{mark}</svg>{escape(name)}</span>'
        for name, mark in zip(names, marks, strict=True)
    )
    return f'<p class="key">{entries}</p>'


def tick(value: float, kind: str) -> str:
    """A number at an axis."""
    return shown(int(value), kind) if kind == "count" and value == int(value) else shown(value, kind)


def axis(ends: tuple[float, float], kind: str, among: Sequence[float] = ()) -> str:
    """An axis from left to right, with numbers below it; its first and last number stay inside the plot.

    `among`: the numbers that may stand there, such as the ends of bins.
    """
    texts = []
    for place, word in _apart(_ticks(ends, kind, among), kind):
        anchor = "start" if place == 0 else "end" if place == 1 else "middle"
        is_inner = 0 < place < 1 and abs(place - 0.5) > _MIDDLE
        inner = f' class="inner{" dated" if kind == "date" else ""}"' if is_inner else ""
        texts.append(f'<text x="{at(place)}" y="14" text-anchor="{anchor}"{inner}>{escape(word)}</text>')
    return f'<svg class="axis" width="100%" height="20">{"".join(texts)}</svg>'


def _ticks(ends: tuple[float, float], kind: str, among: Sequence[float]) -> list[tuple[float, float]]:
    """The places of the numbers of an axis as shares of it, and the numbers; counts are whole numbers."""
    low, high = ends
    values = [float(f"{low + (high - low) * step / STEPS:.12g}") for step in range(STEPS + 1)]
    if among:
        values = [min(among, key=lambda each: abs(each - value)) for value in values]
    elif kind == "count":
        values = [float(round(value)) for value in values]
    return [((value - low) / (high - low) if high > low else 0.0, value) for value in dict.fromkeys(values)]


def _apart(ticks: Sequence[tuple[float, float]], kind: str) -> list[tuple[float, str]]:
    """The places and the words of an axis, without those inside that would stand too near to others.

    >>> _apart([(0, 0), (0.1, 10), (0.5, 50), (0.95, 95), (1, 100)], "count")
    [(0, '0'), (0.5, '50'), (1, '100')]
    """
    words = _dates([value for _, value in ticks]) if kind == "date" else [tick(value, kind) for _, value in ticks]
    least = min((1.5 * _LETTER * max(map(len, words)) + _LETTER) / _NARROW, 0.95 / STEPS)
    kept: list[tuple[float, str]] = []
    for (place, _), word in zip(ticks, words, strict=True):
        is_inside = 0 < place < 1
        if not is_inside or (
            place >= least and place - max(at for at, _ in kept) >= least - 1e-9 and 1 - place >= least
        ):
            kept.append((place, word))
    return kept


def _dates(days: Sequence[float]) -> list[str]:
    """Dates at an axis, which are as short as they are exact: years, months or days, for all of them the same.

    >>> _dates([date(2024, month, 1).toordinal() for month in (1, 10)]), _dates([date(2024, 1, 1).toordinal()])
    (['2024-01', '2024-10'], ['2024'])
    """
    found = [date.fromordinal(round(day)) for day in days]
    if any(each.day != 1 for each in found):
        return [each.isoformat() for each in found]
    return [each.isoformat()[: 7 if any(each.month != 1 for each in found) else 4] for each in found]


def grid(height: float, steps: int = STEPS) -> str:
    """Vertical lines over the height of a plot."""
    lines = (at(step / steps) for step in range(steps + 1))
    return "".join(f'<line class="grid" x1="{x}" x2="{x}" y1="0" y2="{height:g}"/>' for x in lines)


def texts(table: Table, row: int, columns: Sequence[int]) -> list[str]:
    """The displayed cells of a row."""
    return [cell(table.rows[row][column], table.columns[column].kind) for column in columns]


def numbers(table: Table, columns: Sequence[int]) -> list[float | None]:
    """The numbers of some columns, row by row."""
    return [table.number(row, column) for row in range(len(table.rows)) for column in columns]


def kind_of(columns: Sequence[Column]) -> str:
    """The kind of the numbers of an axis."""
    return columns[0].kind


def row_name(cell: Cell) -> str:
    """The name of a row as HTML; a long one breaks after an underscore or between items.

    >>> row_name("chest pain|cough")
    'chest pain|<wbr>cough'
    """
    text = escape(str(cell.value if isinstance(cell, Figure) else cell))
    return text.replace("|", "|<wbr>").replace("_", "_<wbr>")


def rows_of_marks(lines: Sequence[tuple[str, str, str]], foot: str = "") -> str:
    """Rows of a name, a drawing and its numbers; on a narrow screen, the name stands above the drawing."""
    rows = "".join(
        f'<div class="row"><span class="name">{name}</span><span class="marks">{marks}</span>'
        f'<span class="numbers">{values}</span></div>'
        for name, marks, values in lines
    )
    below = f'<div class="row foot"><span class="name"></span><span class="marks">{foot}</span></div>' if foot else ""
    return f'<div class="rows">{rows}{below}</div>'
