"""A scatter plot: a named point for every row; those that do not count are grey rings."""

from __future__ import annotations

from html import escape

from shoal.report.charts.base import at, end_of, key, kind_of, numbers
from shoal.report.charts.plot import HEIGHT, dot, plot
from shoal.report.document import Chart
from shoal.report.numbers import cell

_NARROWEST, _LETTER, _LINE = 300, 7, 14
"""The narrowest plot, and the size of a letter and a line, in pixels. Labels that are apart there are apart in every
wider plot."""
_LONGEST = 18


def scatter(chart: Chart) -> str:
    """Points at two numbers, with their names beside them where there is room."""
    table = chart.table
    right, top = (end_of(numbers(table, (column,)), table.columns[column].kind) for column in (1, 2))
    points = [
        ((table.number(row, 1) or 0) / right, (table.number(row, 2) or 0) / top, bool(table.value(row, 3)))
        for row in range(len(table.rows))
    ]
    dots = [
        dot(x, y, "counts" if counts else "ignored", _tip(chart, row), 5) for row, (x, y, counts) in enumerate(points)
    ]
    names = [_short(str(table.value(row, 0))) for row in range(len(table.rows))]
    marks = ['<circle class="counts" cx="14" cy="7" r="5"/>', '<circle class="ignored" cx="14" cy="7" r="5"/>']
    verdict = table.columns[3]
    drawn = plot(
        "".join([*_labels(points, names), *dots]),
        (top, kind_of(table.columns[2:])),
        (0.0, right),
        table.columns[1].kind,
        f"{table.columns[1].name}; upward: {table.columns[2].name}",
    )
    return drawn + key([verdict.name, verdict.about or f"not {verdict.name}"], marks)


def _labels(points: list[tuple[float, float, bool]], names: list[str]) -> list[str]:
    """The names of points beside them; a name that would cover another one is left to the tip and the table."""
    parts, taken = list[str](), list[tuple[float, float, float]]()
    for (x, y, _), name in sorted(zip(points, names, strict=True), key=lambda each: each[0][:2]):
        is_left, width, middle = x > 0.5, _LETTER * len(name), HEIGHT * (1 - y) + 4
        begin = x * _NARROWEST + (-9 - width if is_left else 9)
        if any(
            begin < other_end and other_begin < begin + width and abs(middle - other) < _LINE
            for other_begin, other_end, other in taken
        ):
            continue
        taken.append((begin, begin + width, middle))
        anchor, shift = ("end", -9) if is_left else ("start", 9)
        parts.append(f'<text x="{at(x)}" y="{middle:.1f}" dx="{shift}" text-anchor="{anchor}">{escape(name)}</text>')
    return parts


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _tip(chart: Chart, row: int) -> str:
    columns, cells = chart.table.columns, chart.table.rows[row]
    figures = (f"{columns[place].name} {cell(cells[place], columns[place].kind)}" for place in (1, 2))
    return f"{cells[0]}: {', '.join(figures)}"
