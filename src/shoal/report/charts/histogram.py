"""Histograms: one as bars, and a second as an outline over them."""

from __future__ import annotations

from itertools import chain

from shoal.report.charts.base import at, end_of, key, kind_of, numbers
from shoal.report.charts.plot import joined, plot, stretched
from shoal.report.document import Chart


def histogram(chart: Chart) -> str:
    """Bins of any width; of two series, the first is an outline and the second is filled.

    A wide bin is as high as its rows would be in narrow ones, because readers compare areas.
    """
    table = chart.table
    low = min((each for each in numbers(table, (0,)) if each is not None), default=0.0)
    high = max((each for each in numbers(table, (1,)) if each is not None), default=1.0)
    width, series = (high - low) or 1.0, range(2, min(len(table.columns), 4))
    kind = kind_of(table.columns[2:])
    bins = [
        ((_number(table.number(row, 0)) - low) / width, (_number(table.number(row, 1)) - low) / width)
        for row in range(len(table.rows))
    ]
    times = _times_as_wide(bins)
    dense = {column: [_number(table.number(row, column)) / times[row] for row in range(len(bins))] for column in series}
    end = end_of([each for column in series for each in dense[column]], kind)
    heights = {column: [each / end for each in dense[column]] for column in series}
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
    title += _WIDER if max(times, default=1.0) > 1 else ""
    edges = sorted({each for each in numbers(table, (0, 1)) if each is not None})
    return plot(drawn, (end, kind), (low, high), table.columns[0].kind, title, edges) + key(names, marks)


_ALIKE = 1.15
"""Bins up to this many times as wide as the narrowest one are as wide: the longest month is 1.11 times the shortest."""
_WIDER = " (wider bins: rows per bin of the narrowest width)"
_OUTLINE = '<path class="outline" d="M1 13V5H10V2H19V8H27V13"/>'
_FILLED = '<rect class="mark series-0" y="1" width="28" height="12"/>'


def _times_as_wide(bins: list[tuple[float, float]]) -> list[float]:
    """How many times each bin is as wide as the narrowest one; months and years count as equally long."""
    widths = [right - left for left, right in bins]
    narrowest = min(widths, default=0.0)
    times = [width / narrowest if narrowest > 0 else 1.0 for width in widths]
    return [each if each > _ALIKE else 1.0 for each in times]


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
