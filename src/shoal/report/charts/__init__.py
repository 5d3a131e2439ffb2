"""Charts: drawings of tables, one kind a file. `ALL` lists them by the name of the kind."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.report.charts.bars import bars
from shoal.report.charts.base import Draw
from shoal.report.charts.before_after import before_after
from shoal.report.charts.histogram import histogram
from shoal.report.charts.lattice import lattice
from shoal.report.charts.lines import lines
from shoal.report.charts.ranges import ranges
from shoal.report.charts.scatter import scatter
from shoal.report.document import Chart, ChartKind

ALL: Mapping[ChartKind, Draw] = {
    "bars": bars,
    "before-after": before_after,
    "ranges": ranges,
    "histogram": histogram,
    "lines": lines,
    "scatter": scatter,
    "lattice": lattice,
}


def drawn(chart: Chart) -> str:
    """The chart as HTML with SVG drawings, without its title, its text and its table."""
    return ALL[chart.kind](chart)
