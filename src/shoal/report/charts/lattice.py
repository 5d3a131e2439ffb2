"""A lattice of recodings as a Hasse diagram: heights from the bottom up, edges between recodings one step apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

from shoal.report.charts.base import key
from shoal.report.document import Cell, Chart
from shoal.report.numbers import cell

_HEIGHT, _GAP, _ROW, _LEFT = 36, 6, 76, 30
_DIGIT, _SPACE, _NARROWEST = 8.4, 2.6, 46
"""The pixels of a digit and of a thin space, and of a box with few levels, which may have a number of classes."""
_BROAD = 900
"""A lattice wider than this is scrolled on most screens."""
_THIN = "\u2009"
_RELEASED = "released"

Levels = tuple[int, ...]


def lattice(chart: Chart) -> str:
    """A box for every recoding with its levels and its cost. Its outline shows the status, which the key names."""
    table = chart.table
    nodes = {_levels(str(table.value(row, 0))): row for row in range(len(table.rows))}
    rows = _in_order(chart, nodes)
    box = max((_box_width(table.rows[row][0]) for row in nodes.values()), default=_NARROWEST)
    width = _LEFT + max((len(row) for row in rows), default=1) * (box + _GAP)
    place = {
        levels: (_LEFT + (width - _LEFT) / 2 + (at - (len(row) - 1) / 2) * (box + _GAP), _y(line, len(rows)))
        for line, row in enumerate(rows)
        for at, levels in enumerate(row)
    }
    released = next((levels for levels, row in nodes.items() if table.value(row, 4) is True), None)
    parts = [*_heights(chart, nodes, rows), *_edges(place, released)]
    parts += [_box(chart, nodes[levels], levels, (x, y), box) for levels, (x, y) in place.items()]
    height = len(rows) * _ROW
    drawn = (
        f'<svg class="plotted" width="{width}" height="{height}" viewBox="0 0 {width} {height}">{"".join(parts)}</svg>'
    )
    statuses = list(dict.fromkeys(str(table.value(row, 2)) for row in range(len(table.rows))))
    marks = [f'<rect class="{_css(status)}" x="1" y="1" width="26" height="12" rx="3"/>' for status in statuses]
    marks.append('<rect class="node released" x="2" y="2" width="24" height="10" rx="3"/>')
    hint = _HINT if width > _BROAD else ""
    drawn = f'<div class="wide lattice" tabindex="0" role="group">{drawn}</div>'
    return f"{hint}{drawn}{key([*statuses, _RELEASED], marks)}"


_HINT = (
    '<p class="hint">Scroll the lattice sideways if it is wider than the page: its lowest and its highest recoding are '
    "in the middle.</p>"
)


def _box_width(name: Cell) -> int:
    """The pixels of a box: boxes are as narrow as they can be, so that texts of a wide lattice can be read in print."""
    text = str(name)
    return max(_NARROWEST, round(_DIGIT * sum(map(str.isdigit, text)) + _SPACE * text.count(" ") + 8))


def _levels(name: str) -> Levels:
    """The levels in the name of a recoding, such as "1 0 2"."""
    return tuple(int(word) for word in name.replace(",", " ").split())


def _in_order(chart: Chart, nodes: Mapping[Levels, int]) -> list[list[Levels]]:
    """The nodes by height, each row ordered so that nodes are close to those below them."""
    heights: dict[int, list[Levels]] = {}
    for levels, row in nodes.items():
        heights.setdefault(int(chart.table.number(row, 1) or 0), []).append(levels)
    rows = [sorted(heights[height], reverse=True) for height in sorted(heights)]
    for below, above in pairwise(rows):
        at = {levels: (place + 0.5) / len(below) for place, levels in enumerate(below)}
        above.sort(key=lambda levels: (_mean_below(levels, at), [-level for level in levels]))
    return rows


def _mean_below(levels: Levels, at: Mapping[Levels, float]) -> float:
    lower = [(*levels[:a], levels[a] - 1, *levels[a + 1 :]) for a in range(len(levels)) if levels[a]]
    known = [at[each] for each in lower if each in at]
    return sum(known) / len(known) if known else 0.5


def _y(line: int, lines: int) -> float:
    return (lines - 1 - line) * _ROW + _ROW / 2


def _heights(chart: Chart, nodes: Mapping[Levels, int], rows: Sequence[Sequence[Levels]]) -> list[str]:
    names = [cell(chart.table.rows[nodes[row[0]]][1], "count") for row in rows]
    return [f'<text x="0" y="{_y(line, len(rows)) + 4:g}">{name}</text>' for line, name in enumerate(names)]


def _edges(place: Mapping[Levels, tuple[float, float]], released: Levels | None) -> list[str]:
    plain, marked = list[str](), list[str]()
    for levels, (x, y) in place.items():
        for a in range(len(levels)):
            upper = (*levels[:a], levels[a] + 1, *levels[a + 1 :])
            if upper in place:
                u, v = place[upper]
                of_released = released in (levels, upper)
                kind = "edge marked" if of_released else "edge"
                drawn = f'<path class="{kind}" d="M{x:.0f} {y - _HEIGHT / 2:.0f}L{u:.0f} {v + _HEIGHT / 2:.0f}"/>'
                (marked if of_released else plain).append(drawn)
    return [*plain, *marked]


def _box(chart: Chart, row: int, levels: Levels, at: tuple[float, float], width: int) -> str:
    table, (x, y) = chart.table, at
    status, cost = str(table.value(row, 2)), table.value(row, 3)
    shown = "" if cost is None else cell(table.rows[row][3], table.columns[3].kind)
    released = " released" if table.value(row, 4) is True else ""
    name = " ".join(map(str, levels))
    tip = f"{name}: {status}" + (f", {table.columns[3].name} {shown}" if shown else "")
    lower = -2 if shown else 4
    return (
        f'<g><title>{escape(tip)}</title><rect class="{_css(status)}{released}" x="{x - width / 2:.1f}" '
        f'y="{y - _HEIGHT / 2:.1f}" width="{width}" height="{_HEIGHT}" rx="7"/>'
        f'<text class="levels" x="{x:.1f}" y="{y + lower:.1f}">{escape(name.replace(" ", _THIN))}</text>'
        + (f'<text class="cost" x="{x:.1f}" y="{y + 12:.1f}">{escape(shown)}</text>' if shown else "")
        + "</g>"
    )


def _css(status: str) -> str:
    return "node " + "".join(letter if letter.isalpha() else "-" for letter in status).replace("--", "-").strip("-")
