"""A plot with two axes: its frame, its numbers, and paths that stretch with the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from shoal.report.charts.base import STEPS, at, axis, tick

HEIGHT = 220
_TOP = 8
_LETTER = 8
"""The most pixels that a digit needs."""


def plot(
    inner: str,
    up: tuple[float, str],
    across: tuple[float, float],
    kind: str,
    title: str,
    among: Sequence[float] = (),
) -> str:
    """A frame with round numbers. `inner` is drawn in percentages of it; `up` is the end of the axis and its kind.

    `among`: the numbers that may stand below it; round ones by default.
    """
    end, kind_up = up
    lines = []
    values = [tick(float(f"{end * step / STEPS:.12g}"), kind_up) for step in range(STEPS + 1)]
    width, numbers = _LETTER * max(map(len, values)), []
    for step, value in enumerate(values):
        y = HEIGHT * (1 - step / STEPS)
        lines.append(f'<line class="grid" x1="0" x2="100%" y1="{y:g}" y2="{y:g}"/>')
        numbers.append(f'<text x="{width}" y="{_TOP + y + 4:g}" text-anchor="end">{escape(value)}</text>')
    frame = f'<svg y="{_TOP}" width="100%" height="{HEIGHT}" overflow="visible">{"".join(lines)}{inner}</svg>'
    drawing = f'<svg class="plotted" width="100%" height="{HEIGHT + _TOP + 4}">{frame}</svg>'
    beside = f'<svg width="{width}" height="{HEIGHT + _TOP + 8}">{"".join(numbers)}</svg>'
    below = f'{axis(across, kind, among)}<p class="across">{escape(title)}</p>'
    return f'<div class="plot">{beside}<div>{drawing}{below}</div></div>'


def stretched(path: str, kind: str) -> str:
    """A path in shares of the plot, from the upper left to the lower right; its line keeps its width."""
    return (
        '<svg width="100%" height="100%" viewBox="0 0 1000 1000" preserveAspectRatio="none">'
        f'<path class="{kind}" vector-effect="non-scaling-stroke" d="{path}"/></svg>'
    )


def joined(points: Sequence[tuple[float, float]]) -> str:
    """A path through points, which are shares of the plot from its lower left."""
    return "M" + "L".join(f"{1000 * x:.5g} {1000 * (1 - y):.5g}" for x, y in points)


def dot(x: float, y: float, kind: str, tip: str, radius: float = 3) -> str:
    """A disc at shares of the plot; the tip is shown where the pointer is."""
    return f'<circle class="{kind}" cx="{at(x)}" cy="{at(1 - y)}" r="{radius:g}"><title>{escape(tip)}</title></circle>'
