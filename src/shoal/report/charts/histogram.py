"""Histograms: one as bars, and a second as an outline over them."""

from __future__ import annotations

from itertools import chain

from shoal.report.charts.base import at, end_of, key, kind_of, numbers
from shoal.report.charts.plot import joined, plot, stretched
from shoal.report.document import Chart


def histogram(chart: Chart) -> str:
    """Bins of any width; of two series, the first is an outline and the second is filled."""
    table = chart.table
    low = min((each for each in numbers(table, (0,)) if each is not None), default=0.0)
    high = max((each for each in numbers(table, (1,)) if each is not None), default=1.0)
    width, series = (high - low) or 1.0, range(2, min(len(table.columns), 4))
    kind = kind_of(table.columns[2:])
    end = end_of(numbers(table, series), kind)
    bins = [
        ((_number(table.number(row, 0)) - low) / width, (_number(table.number(row, 1)) - low) / width)
        for row in range(len(table.rows))
    ]
    heights = {column: [_number(table.number(row, column)) / end for row in range(len(bins))] for column in series}
    filled = series[-1]
    drawn = "".join(
        f'<rect class="mark series-0" x="{at(left)}" y="{at(1 - height)}" width="{at(right - left)}" '
        f'height="{at(height)}"/>'
        for (left, right), height in zip(bins, heights[filled], strict=True)
    )
    if len(series) > 1:
        drawn += stretched(joined(_outline(bins, heights[series[0]])), "outline")
    marks = [_OUTLINE, _FILLED][2 - len(series) :]
    names = [table.columns[column].name for column in series]
    title = table.columns[0].about or table.columns[0].name
    edges = sorted({each for each in numbers(table, (0, 1)) if each is not None})
    return plot(drawn, (end, kind), (low, high), table.columns[0].kind, title, edges) + key(names, marks)


_OUTLINE = '<path class="outline" d="M1 13V5H10V2H19V8H27V13"/>'
_FILLED = '<rect class="mark series-0" y="1" width="28" height="12"/>'


def _outline(bins: list[tuple[float, float]], heights: list[float]) -> list[tuple[float, float]]:
    """The corners of a histogram from left to right, beginning and ending on the ground."""
    if not bins:
        return [(0.0, 0.0)]
    tops = chain.from_iterable(
        ((left, height), (right, height)) for (left, right), height in zip(bins, heights, strict=True)
    )
    return [(bins[0][0], 0.0), *tops, (bins[-1][1], 0.0)]


def _number(value: float | None) -> float:
    return value or 0.0
