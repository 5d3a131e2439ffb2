"""A drawing of points by two shares, as SVG: those that count are filled and joined, the others are grey."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from shoal.percent import percent
from shoal.report.k_drawing import round_up

_LEFT, _TOP, _WIDTH, _HEIGHT = 84, 66, 560, 300
_WHOLE = (_LEFT + _WIDTH + 130, _TOP + _HEIGHT + 62)
_LINE = 14
"""The height of a label: labels of near points are moved apart by it."""
_LABEL = 110
"""The width that a label may need."""
_MARK = 11
"""How near a mark a label may not be, above or below."""
_MOVES = 12
"""How often a label is moved away from marks; from other labels it always is."""
NOT_DOMINATED = "Filled: not dominated. Grey: another release risks and loses no more, or it does not verify."

_STYLE = """
svg.s{--page:#fff;--ink:#1c2733;--soft:#5b6875;--line:#c6ced6;--mark:#1f5fbf;--grey:#a3adb8;--over:#b34a00;
background:var(--page);font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
@media (prefers-color-scheme:dark){svg.s{--page:#14191f;--ink:#e6ebf0;--soft:#9aa7b4;--line:#35414d;--mark:#7db1ff;
--grey:#6b7885;--over:#f0a060}}
.s .page{fill:var(--page)}.s text{fill:var(--ink);font-size:12px}.s .soft{fill:var(--soft);font-size:11px}
.s .title{font-size:16px;font-weight:600}.s .grid{stroke:var(--line);stroke-width:1;fill:none}
.s .middle{text-anchor:middle}.s .end{text-anchor:end}.s text.grey{fill:var(--soft)}
.s polyline{fill:none;stroke:var(--mark);stroke-width:1.5;stroke-dasharray:4 4}
.s .kept{fill:var(--mark);stroke:var(--mark)}.s .grey{fill:var(--page);stroke:var(--grey);stroke-width:2.5}
.s .over{fill:var(--page);stroke:var(--over);stroke-width:2.5}.s .limit{stroke:var(--over);stroke-dasharray:2 3}
.s .name{paint-order:stroke;stroke:var(--page);stroke-width:4px;stroke-linejoin:round}
"""


class Point(NamedTuple):
    """A point at two shares; `kept` if it counts. `tip` is shown where the pointer is.

    `exceeds`: whether it counts, but lies beyond what is accepted.
    """

    name: str
    x: float
    y: float
    kept: bool
    tip: str
    exceeds: bool = False


def scatter(
    title: str,
    points: Sequence[Point],
    across: str,
    up: str,
    *,
    label: str,
    note: str = NOT_DOMINATED,
    limit: float | None = None,
) -> str:
    """A drawing of the points; both axes begin at 0. `label` says the same in words, `note` explains the marks.

    `limit`: the largest accepted share upward, drawn as a line.
    """
    right = round_up(max((point.x for point in points), default=0.0))
    top = round_up(max((point.y for point in points), default=0.0))
    places = [(_LEFT + _WIDTH * point.x / right, _TOP + _HEIGHT * (1 - point.y / top)) for point in points]
    parts = [*_axes(right, top, across, up), _front(points, places)]
    if limit is not None and limit <= top:
        parts.append(f'<path class="grid limit" d="M{_LEFT} {_TOP + _HEIGHT * (1 - limit / top):.1f}h{_WIDTH}"/>')
    for point, (x, y) in zip(points, places, strict=True):
        kind = "over" if point.exceeds else "kept" if point.kept else "grey"
        tip = f"<title>{escape(point.tip)}</title>"
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="5">{tip}</circle>')
    parts += _labels(points, places)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s" viewBox="0 0 {_WHOLE[0]} {_WHOLE[1]}" width="{_WHOLE[0]}" '
        f'height="{_WHOLE[1]}" role="img" aria-label="{escape(label, quote=True)}"><style>{_STYLE}</style>'
        f'<rect class="page" width="100%" height="100%"/>{_text(24, 32, title, "title")}'
        f"{''.join(parts)}{_text(_LEFT, _WHOLE[1] - 8, note, 'soft')}</svg>\n"
    )


def _axes(right: float, top: float, across: str, up: str) -> list[str]:
    parts = [_text(24, _TOP - 14, up, "soft"), _text(_LEFT + _WIDTH / 2, _TOP + _HEIGHT + 36, across, "soft middle")]
    for step in range(5):
        x, y = _LEFT + _WIDTH * step / 4, _TOP + _HEIGHT * (1 - step / 4)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}h{_WIDTH}"/>')
        parts.append(_text(_LEFT - 8, y + 4, percent(top * step / 4), "soft end"))
        parts.append(_text(x, _TOP + _HEIGHT + 18, percent(right * step / 4), "soft middle"))
    return parts


def _front(points: Sequence[Point], places: Sequence[tuple[float, float]]) -> str:
    kept = sorted(place for point, place in zip(points, places, strict=True) if point.kept)
    return f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in kept)}"/>' if len(kept) > 1 else ""


def _labels(points: Sequence[Point], places: Sequence[tuple[float, float]]) -> list[str]:
    """The names beside the points that have one; one that would cover another, or a mark, is moved down."""
    parts, taken = list[str](), list[tuple[float, float]]()
    named = [each for each in zip(points, places, strict=True) if each[0].name]
    for point, (x, y) in sorted(named, key=lambda each: each[1][1]):
        at, moves = y + 4, 0
        while _covers_label(x, at, taken) or (moves < _MOVES and _covers_mark(x, at, places)):
            at, moves = at + _LINE, moves + 1
        taken.append((x, at))
        parts.append(_text(x + 10, at, _short(point.name), "name" if point.kept else "name grey"))
    return parts


def _covers_label(x: float, y: float, taken: Sequence[tuple[float, float]]) -> bool:
    return any(abs(x - other) < _LABEL and abs(y - before) < _LINE for other, before in taken)


def _covers_mark(x: float, y: float, marks: Sequence[tuple[float, float]]) -> bool:
    return any(x + 3 < other < x + _LABEL and abs(y - 4 - height) < _MARK for other, height in marks)


def _short(name: str) -> str:
    return name if len(name) <= 18 else f"{name[:17]}…"


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
