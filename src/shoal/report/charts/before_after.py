"""Before and after: two marks on a line for every row, joined by an arrow."""

from __future__ import annotations

from html import escape

from shoal.report.charts.base import at, axis, end_of, grid, key, kind_of, numbers, row_name, rows_of_marks, texts
from shoal.report.document import Chart

_HEIGHT = 26
_MIDDLE = _HEIGHT / 2


def before_after(chart: Chart) -> str:
    """The first number as a ring, the second as a disc, and a line between them."""
    table = chart.table
    kind = kind_of(table.columns[1:])
    end = end_of(numbers(table, (1, 2)), kind)
    lines = []
    for row, cells in enumerate(table.rows):
        before, after = (table.number(row, column) for column in (1, 2))
        drawn = grid(_HEIGHT)
        if before is not None and after is not None:
            drawn += f'<line class="way" x1="{at(before / end)}" x2="{at(after / end)}" y1="{_MIDDLE}" y2="{_MIDDLE}"/>'
        drawn += "" if before is None else f'<circle class="before" cx="{at(before / end)}" cy="{_MIDDLE}" r="5"/>'
        drawn += "" if after is None else f'<circle class="after" cx="{at(after / end)}" cy="{_MIDDLE}" r="5"/>'
        values = " → ".join(escape(each) for each in texts(table, row, (1, 2)))
        plot = f'<svg class="plotted" width="100%" height="{_HEIGHT}">{drawn}</svg>'
        lines.append((row_name(cells[0]), plot, values))
    marks = ['<circle class="before" cx="14" cy="7" r="5"/>', '<circle class="after" cx="14" cy="7" r="5"/>']
    return rows_of_marks(lines, axis((0.0, end), kind)) + key([column.name for column in table.columns[1:3]], marks)
