"""Ranges: from a low to a high number around a middle one, beside a reference."""

from __future__ import annotations

from html import escape

from shoal.report.charts.base import at, axis, end_of, grid, key, kind_of, numbers, row_name, rows_of_marks, texts
from shoal.report.document import Chart

_HEIGHT = 26
_MIDDLE = _HEIGHT / 2


def ranges(chart: Chart) -> str:
    """A bar from low to high with a dot in the middle; the reference is an upright line across it."""
    table = chart.table
    has_reference = len(table.columns) > 4
    kind = kind_of(table.columns[1:])
    drawn_numbers = [value for value in numbers(table, range(1, min(len(table.columns), 5))) if value is not None]
    end = end_of([abs(value) for value in drawn_numbers], kind)
    start = -end if min(drawn_numbers, default=0.0) < 0 else 0.0

    def place(value: float) -> str:
        return at((value - start) / (end - start))

    lines = []
    for row, cells in enumerate(table.rows):
        low, middle, high = (table.number(row, column) for column in (1, 2, 3))
        drawn = grid(_HEIGHT)
        if low is not None and high is not None:
            width = at((high - low) / (end - start))
            drawn += f'<rect class="range" x="{place(low)}" y="{_MIDDLE - 5}" width="{width}" height="10" rx="5"/>'
        drawn += "" if middle is None else f'<circle class="after" cx="{place(middle)}" cy="{_MIDDLE}" r="4"/>'
        if has_reference and (reference := table.number(row, 4)) is not None:
            x = place(reference)
            drawn += f'<line class="reference" x1="{x}" x2="{x}" y1="2" y2="{_HEIGHT - 2}"/>'
        low_text, high_text = texts(table, row, (1, 3))
        plot = f'<svg class="plotted" width="100%" height="{_HEIGHT}">{drawn}</svg>'
        lines.append((row_name(cells[0]), plot, f"{escape(low_text)} to {escape(high_text)}"))
    names = [f"{table.columns[1].name} to {table.columns[3].name}", *(each.name for each in table.columns[2:5:2])]
    return rows_of_marks(lines, axis((start, end), kind)) + key(names, _MARKS[: len(names)])


_MARKS = (
    '<rect class="range" x="0" y="2" width="28" height="10" rx="5"/>',
    '<circle class="after" cx="14" cy="7" r="4"/>',
    '<line class="reference" x1="14" x2="14" y1="0" y2="14"/>',
)
