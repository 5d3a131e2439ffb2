"""The drawing of a choice of k: two losses by k on the left, one against the other on the right, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, inf, log10
from typing import NamedTuple

from shoal.percent import percent

_PANEL, _GAP, _LEFT, _TOP, _HEIGHT = 330, 92, 70, 84, 250
_WIDTH = 2 * _PANEL + _GAP + _LEFT + 30
_WHOLE = _TOP + _HEIGHT + 64
_ENDS = (0.12, 0.16, 0.2, 0.28, 0.32, 0.4, 0.6, 0.8, 1.0)
"""Where an axis may end, times a power of ten: a quarter of each is a round number."""
_NEAR = (26, 14)
"""Labels that are nearer than this, in width and height, would cover each other."""

_STYLE = """
svg.k{--page:#fff;--ink:#1c2733;--soft:#5b6875;--line:#c6ced6;--ncp:#1f5fbf;--items:#b4541f;--mark:#2e8b57;
background:var(--page);font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
@media (prefers-color-scheme:dark){svg.k{--page:#14191f;--ink:#e6ebf0;--soft:#9aa7b4;--line:#35414d;--ncp:#7db1ff;
--items:#f0a070;--mark:#4fbf85}}
.k .page{fill:var(--page)}.k text{fill:var(--ink);font-size:12px}.k .soft{fill:var(--soft);font-size:11px}
.k .title{font-size:16px;font-weight:600}.k .grid{stroke:var(--line);stroke-width:1}
.k .middle{text-anchor:middle}.k .end{text-anchor:end}
.k polyline{fill:none;stroke-width:2}.k .ncp{stroke:var(--ncp)}.k .items{stroke:var(--items)}
.k .way{stroke:var(--soft);stroke-dasharray:3 4}.k circle{fill:var(--page);stroke-width:2.5}
.k .point{stroke:var(--ink)}.k .planned{stroke:var(--mark);fill:var(--mark)}
.k text.ncp{fill:var(--ncp);stroke:none}.k text.items{fill:var(--items);stroke:none}
"""


class Curve(NamedTuple):
    """The losses of every k that can be met, as shares of 1; `name` is its name in the style."""

    title: str
    name: str
    values: Sequence[float]

    @property
    def top(self) -> float:
        """The end of the axis: the least round share that no loss exceeds."""
        return round_up(max(self.values, default=0.0))


def drawn(
    ks: Sequence[int], missed: Sequence[int], planned: int | None, across: Curve, up: Curve, *, label: str
) -> str:
    """Both curves by k, and the second against the first. `missed`: the k that cannot be met, which have no point."""
    parts = [*_by_k(ks, missed, planned, across, up), *_against(ks, planned, across, up)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="k" viewBox="0 0 {_WIDTH} {_WHOLE}" width="{_WIDTH}" '
        f'height="{_WHOLE}" role="img" aria-label="{escape(label, quote=True)}"><style>{_STYLE}</style>'
        f'<rect class="page" width="100%" height="100%"/>'
        f'<text class="title" x="{_LEFT - 44}" y="32">Choice of k</text>' + "".join(parts) + "</svg>\n"
    )


def _by_k(ks: Sequence[int], missed: Sequence[int], planned: int | None, *curves: Curve) -> list[str]:
    """The left panel: a place for every k, the same distance apart."""
    every, top = sorted([*ks, *missed]), max(curve.top for curve in curves)
    place = {k: _LEFT + (at + 0.5) * _PANEL / len(every) for at, k in enumerate(every)}
    parts = [_text(_LEFT, _TOP - 24, "information loss by k", "soft"), *_rows(_LEFT, top)]
    for k, x in place.items():
        parts.append(_text(x, _TOP + _HEIGHT + 18, str(k), "middle"))
        if k in missed:
            parts.append(_text(x, _TOP + _HEIGHT - 8, "not met", "soft middle"))
    for curve in curves:
        spots = [(place[k], _y(value, top)) for k, value in zip(ks, curve.values, strict=True)]
        parts += [_line(spots, curve.name), *_dots(ks, spots, planned, curve)]
    parts.append(_text(_LEFT + _PANEL / 2, _TOP + _HEIGHT + 38, "k", "soft middle"))
    if planned in ks:
        parts.append(_text(_LEFT + _PANEL + _GAP, _TOP + _HEIGHT + 57, "Filled: k of the plan.", "soft"))
    return [*parts, *_key(curves)]


def _against(ks: Sequence[int], planned: int | None, across: Curve, up: Curve) -> list[str]:
    """The right panel: removed items against generalization, with a line from each k to the next."""
    left = _LEFT + _PANEL + _GAP
    spots = [(left + _PANEL * x / across.top, _y(y, up.top)) for x, y in zip(across.values, up.values, strict=True)]
    parts = [_text(left, _TOP - 24, "removed items against generalization, by k", "soft"), *_rows(left, up.top)]
    for share in _ticks(across.top):
        parts.append(_text(left + _PANEL * share / across.top, _TOP + _HEIGHT + 18, percent(share), "soft middle"))
    parts.append(_text(left + _PANEL / 2, _TOP + _HEIGHT + 38, across.title, "soft middle"))
    parts.append(_line(spots, "way"))
    for k, (x, y), first, second in zip(ks, spots, across.values, up.values, strict=True):
        tip = f"k = {k}: {across.title} {percent(first)}, {up.title} {percent(second)}"
        parts.append(_dot(x, y, _kind(k, planned, "point"), tip))
    return [*parts, *_labels(ks, spots)]


def _labels(ks: Sequence[int], spots: Sequence[tuple[float, float]]) -> list[str]:
    """The k of every point, above it; higher if the label would cover the one before."""
    parts: list[str] = []
    before = (-inf, -inf)
    for k, (x, y) in zip(ks, spots, strict=True):
        above = y - 9
        if abs(x - before[0]) < _NEAR[0] and abs(above - before[1]) < _NEAR[1]:
            above = before[1] - _NEAR[1]
        before = (x, above)
        parts.append(_text(x + 4, above, f"{k}", "label"))
    return parts


def _dots(ks: Sequence[int], spots: Sequence[tuple[float, float]], planned: int | None, curve: Curve) -> list[str]:
    return [
        _dot(x, y, _kind(k, planned, curve.name), f"k = {k}: {curve.title} {percent(value)}")
        for k, (x, y), value in zip(ks, spots, curve.values, strict=True)
    ]


def _kind(k: int, planned: int | None, otherwise: str) -> str:
    return f"{otherwise} planned" if k == planned else otherwise


def _key(curves: Sequence[Curve]) -> list[str]:
    return [
        _text(_LEFT + place * _PANEL / 2, _TOP + _HEIGHT + 57, curve.title, curve.name)
        for place, curve in enumerate(curves)
    ]


def _rows(left: float, top: float) -> list[str]:
    """The lines of a panel from left to right, with their shares."""
    parts = []
    for share in _ticks(top):
        y = _y(share, top)
        parts.append(f'<path class="grid" d="M{left:.1f} {y:.1f}h{_PANEL}"/>')
        parts.append(_text(left - 8, y + 4, percent(share), "soft end"))
    return parts


def _ticks(top: float) -> list[float]:
    return [top * part / 4 for part in range(5)]


def round_up(largest: float) -> float:
    """The least end of an axis that is at least as large; 1 is the largest share.

    >>> round_up(0.034), round_up(0.2), round_up(0.0), round_up(0.7), round_up(1.0)
    (0.04, 0.2, 0.01, 0.8, 1.0)
    """
    if largest <= 0:
        return 0.01
    power = 10.0 ** ceil(log10(largest) - 1e-9)
    end = next(end for end in _ENDS if end * power >= largest * (1 - 1e-9))
    return round(end * power, 3 - floor(log10(power)))


def _y(share: float, top: float) -> float:
    return _TOP + _HEIGHT * (1 - share / top)


def _line(spots: Sequence[tuple[float, float]], kind: str) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    return f'<polyline class="{kind}" points="{points}"/>'


def _dot(x: float, y: float, kind: str, tip: str) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"><title>{escape(tip)}</title></circle>'


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
