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
_LETTER = 7
"""The most pixels that a letter of a label needs on average."""
_BESIDE = 10
"""How far a label stands from the middle of its mark."""
_MARK = 11
"""How near a mark a label may not be."""
_MOVES = 12
"""How many lines up or down a label is moved away from marks."""
_BASE = 4
"""How far the base of a label lies below the middle of its mark."""
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
.s .lead{stroke:var(--soft);stroke-width:1}
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


class _Label(NamedTuple):
    """Where a name stands: the ends and the base of its line, and whether it ends at its mark, on the left of it."""

    begin: float
    end: float
    base: float
    is_left: bool = False

    def covers(self, other: _Label) -> bool:
        """Whether two names cover each other."""
        return self.begin < other.end and other.begin < self.end and abs(self.base - other.base) < _LINE

    def covers_mark(self, marks: Sequence[tuple[float, float]]) -> bool:
        """Whether a name covers one of the marks, or could be taken for its name."""
        around = (self.begin - _MARK, self.end + _MARK)
        own = (self.end + _BESIDE if self.is_left else self.begin - _BESIDE, self.base - _BASE)
        others = (mark for mark in marks if mark != own)
        return any(around[0] < x < around[1] and abs(self.base - _BASE - y) < _MARK for x, y in others)


def _labels(points: Sequence[Point], places: Sequence[tuple[float, float]]) -> list[str]:
    """The names beside the points that have one.

    A name that would cover another one, or a mark, is moved up or down, and a line leads from its mark to it.
    """
    parts, taken = list[str](), list[_Label]()
    named = [each for each in zip(points, places, strict=True) if each[0].name]
    for point, (x, y) in sorted(named, key=lambda each: each[1][1]):
        name = _short(point.name)
        label = _free(x, y + _BASE, _LETTER * len(name), taken, places)
        taken.append(label)
        if label.base != y + _BASE:
            parts.append(f'<path class="lead" d="M{x:.1f} {y:.1f}L{label.begin - 1:.1f} {label.base - _BASE:.1f}"/>')
        kind = f"{'name' if point.kept else 'name grey'}{' end' if label.is_left else ''}"
        parts.append(_text(label.end if label.is_left else label.begin, label.base, name, kind))
    return parts


def _free(x: float, base: float, width: float, taken: Sequence[_Label], marks: Sequence[tuple[float, float]]) -> _Label:
    """The place nearest to a mark at which a name covers no other one and no mark; if there is none, no other name."""
    right = _Label(x + _BESIDE, x + _BESIDE + width, base)
    left = _Label(x - _BESIDE - width, x - _BESIDE, base, is_left=True)
    moved = [right._replace(base=base + side * move * _LINE) for move in range(1, _MOVES + 1) for side in (-1, 1)]
    inside = [each for each in (right, left, *moved) if each.begin > _LEFT and _TOP < each.base < _TOP + _HEIGHT]
    apart = [each for each in inside if not any(map(each.covers, taken))]
    found = next((each for each in apart if not each.covers_mark(marks)), apart[0] if apart else right)
    while any(map(found.covers, taken)):
        found = found._replace(base=found.base + _LINE)
    return found


def _short(name: str) -> str:
    return name if len(name) <= 18 else f"{name[:17]}…"


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
