"""Lines: a number that goes on from left to right, for every column after the first."""

from __future__ import annotations

from shoal.report.charts.base import end_of, key, kind_of, numbers
from shoal.report.charts.plot import dot, joined, plot, stretched
from shoal.report.document import Chart
from shoal.report.numbers import cell

_DOTTED = 40
"""Up to so many points are drawn as dots too."""


def lines(chart: Chart) -> str:
    """A line for each column, which differs from the others in colour and in its dashes."""
    table, series = chart.table, range(1, len(chart.table.columns))
    places = [table.number(row, 0) or 0.0 for row in range(len(table.rows))]
    low, high = min(places, default=0.0), max(places, default=1.0)
    width, kind = (high - low) or 1.0, kind_of(table.columns[1:])
    end = end_of(numbers(table, series), kind)
    drawn = []
    for column in series:
        points = [
            ((place - low) / width, value / end, row)
            for row, place in enumerate(places)
            if (value := table.number(row, column)) is not None
        ]
        if points:
            drawn.append(stretched(joined([(x, y) for x, y, _ in points]), f"line line-{column - 1}"))
        if len(places) <= _DOTTED:
            drawn += [dot(x, y, f"dot dot-{column - 1}", _tip(chart, row, column)) for x, y, row in points]
    marks = [f'<path class="line line-{place}" d="M0 7H28"/>' for place in range(len(series))]
    title, names = table.columns[0].about or table.columns[0].name, [table.columns[each].name for each in series]
    return plot("".join(drawn), (end, kind), (low, high), table.columns[0].kind, title) + key(names, marks)


def _tip(chart: Chart, row: int, column: int) -> str:
    columns, cells = chart.table.columns, chart.table.rows[row]
    first, value = cell(cells[0], columns[0].kind), cell(cells[column], columns[column].kind)
    return f"{columns[0].name} {first}: {columns[column].name} {value}"
