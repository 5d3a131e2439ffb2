"""Horizontal bars: one for every number of a row, with the number beside it."""

from __future__ import annotations

from html import escape

from shoal.report.charts.base import at, end_of, key, kind_of, numbers, row_name, rows_of_marks, texts
from shoal.report.document import Chart

_HEIGHT, _GAP = 14, 4
_TWO = (1, 0)


def bars(chart: Chart) -> str:
    """A row for every row of the table; several series differ in colour and in outline.

    Of two series, the first one is hollow, as what was before is in other charts.
    """
    table, kind = chart.table, kind_of(chart.table.columns[1:])
    columns = [place for place, column in enumerate(table.columns) if place and column.kind == kind]
    styles = _TWO if len(columns) == 2 else range(len(columns))
    end = end_of(numbers(table, columns), kind)
    is_whole = kind == "share" and end == 1.0
    lines = []
    for row, cells in enumerate(table.rows):
        height = len(columns) * (_HEIGHT + _GAP)
        drawn = "".join(
            _bar(_y(place), (table.number(row, column) or 0) / end, styles[place], is_whole)
            for place, column in enumerate(columns)
        )
        values = "<br>".join(escape(each) for each in texts(table, row, columns))
        lines.append((row_name(cells[0]), f'<svg width="100%" height="{height}">{drawn}</svg>', values))
    marks = [f'<rect class="mark series-{style}" y="1" width="28" height="12" rx="2"/>' for style in styles]
    names = [table.columns[column].name for column in columns]
    return rows_of_marks(lines) + (key(names, marks) if len(names) > 1 else "")


def _bar(y: int, share: float, style: int, is_whole: bool) -> str:
    """A bar; behind it is a track as long as the axis if that is 100 %, because readers take a track for the whole."""
    track = f'<rect class="track" y="{y}" width="100%" height="{_HEIGHT}" rx="2"/>' if is_whole else ""
    return f'{track}<rect class="mark series-{style}" y="{y}" width="{at(share)}" height="{_HEIGHT}" rx="2"/>'


def _y(place: int) -> int:
    return place * (_HEIGHT + _GAP) + _GAP // 2
