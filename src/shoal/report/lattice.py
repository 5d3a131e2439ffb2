"""The lattice that a search explored: which recodings pass, which fail, which were not evaluated, and their costs.

A small lattice is drawn as a Hasse diagram, one row per height, as self-contained SVG. A large one is summarized by
counts per height and by its best recodings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from itertools import pairwise
from typing import Any

from shoal.counts import counted
from shoal.percent import percent
from shoal.report.numbers import number
from shoal.search.explored import DRAWN_AT_MOST, FAILS, PASSES, STATUSES, UNSEEN
from shoal.search.objectives import WEIGHTED

Levels = tuple[int, ...]


@dataclass(frozen=True)
class NodeLine:
    """One recoding. Classes, suppressed rows and cost are known only if it was evaluated.

    Levels are those of the hierarchies, as in the manifest: 0 is the value itself.

    Classes and suppressed rows are None if a model that judges combinations rejects the table as a whole.
    """

    levels: Levels
    status: str
    classes: int | None = None
    suppressed: int | None = None
    cost: float | None = None


@dataclass(frozen=True)
class HeightLine:
    """All recodings of one height (sum of levels above the finest), counted by status."""

    height: int
    nodes: int
    counts: Mapping[str, int]


@dataclass(frozen=True)
class SearchedLattice:
    """The explored lattice. `nodes` are all nodes of a small lattice, and the evaluated nodes of a large one.

    `finest`: the finest level of each column that the plan allows. `heights`: how many levels lie above it.
    """

    columns: tuple[str, ...]
    finest: Levels
    heights: Levels
    size: int
    algorithm: str
    measure: str
    rows: int
    limit: int
    nodes: tuple[NodeLine, ...]
    by_height: tuple[HeightLine, ...]
    chosen: NodeLine
    lower_bound: float | None
    proven_optimal: bool

    @property
    def best(self) -> list[NodeLine]:
        """The evaluated recodings that pass, cheapest first."""
        passing = [node for node in self.nodes if node.status == PASSES and node.cost is not None]
        return sorted(passing, key=lambda node: (node.cost or 0.0, node.levels))

    def height_of(self, node: NodeLine) -> int:
        """How many levels a recoding lies above the finest one."""
        return sum(node.levels) - sum(self.finest)

    @property
    def looked_at(self) -> int:
        return sum(node.status in (PASSES, FAILS) for node in self.nodes)

    def as_dict(self, best: int = 10) -> dict[str, Any]:
        """The lattice as JSON values, with all nodes if it is small enough to be drawn, otherwise with the best."""
        nodes = self.nodes if self.size <= DRAWN_AT_MOST else self.best[:best]
        return {**asdict(self), "nodes": [asdict(node) for node in nodes], "looked_at": self.looked_at}


def headline(searched: SearchedLattice) -> list[str]:
    """Three sentences: the size of the lattice, the chosen levels, and the cost of the chosen recoding."""
    chosen = searched.chosen
    levels = ", ".join(f"{name} {level}" for name, level in zip(searched.columns, chosen.levels, strict=True))
    proven = "proven optimal" if searched.proven_optimal else "not proven optimal"
    if searched.lower_bound is None:
        proven = f"chosen by '{searched.algorithm}'"
    elif not searched.proven_optimal:
        proven += f", lower bound {number(searched.lower_bound)}"
    return [
        f"{counted(searched.size, 'recoding', 'recodings')} of {counted(searched.rows, 'row', 'rows')}, "
        f"{number(searched.looked_at)} of them evaluated.",
        f"Chosen levels: {levels}.",
        f"Its {searched.measure} is {number(chosen.cost)} ({proven}), with "
        f"{_count(chosen.classes, 'class', 'classes')} and "
        f"{_count(chosen.suppressed, 'suppressed row', 'suppressed rows')} "
        f"({percent((chosen.suppressed or 0) / searched.rows)}).",
    ]


def notes(searched: SearchedLattice) -> list[str]:
    """What the levels and the cost mean, and why the cost is not the information loss of the release."""
    above = " Heights count from the finest level that the plan allows." if any(searched.finest) else ""
    weights = ", with the weights of the columns" if searched.measure in WEIGHTED else ""
    return [
        f"Levels are those of the hierarchies: 0 is the value itself.{above}",
        f"The {searched.measure} is the cost that the search minimizes. It is computed from the values of the "
        f"input{weights}. The information loss (NCP) of a release is computed from the published labels, without "
        "weights, so the two may differ.",
    ]


def svg(searched: SearchedLattice) -> str:
    """The lattice as a drawing: heights from the bottom up, with edges between recodings one step apart."""
    return _Drawing(searched).text()


_BOX, _GAP, _ROW, _SIDE, _TOP = (74, 34), 12, 82, 28, 132

_STYLE = """
svg{--page:#fff;--ink:#1c2733;--soft:#5b6875;--line:#c6ced6;--pass:#d5efdf;--pass-line:#2e8b57;--fail:#fbe0dc;
--fail-line:#c2503f;--none:#f3f5f7;--none-line:#aab4be;--mark:#1f5fbf;background:var(--page);
font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
@media (prefers-color-scheme:dark){svg{--page:#14191f;--ink:#e6ebf0;--soft:#9aa7b4;--line:#35414d;--pass:#173d2a;
--pass-line:#4fbf85;--fail:#47211c;--fail-line:#e0796a;--none:#1d242c;--none-line:#566370;--mark:#7db1ff}}
.page{fill:var(--page)}text{fill:var(--ink);font-size:12px}.soft{fill:var(--soft);font-size:11px}
.title{font-size:16px;font-weight:600}.edge{stroke:var(--line);stroke-width:1;fill:none}
.way{stroke:var(--mark);stroke-width:1.5;opacity:.55}
rect.n{fill:var(--none);stroke:var(--none-line);stroke-width:1;stroke-dasharray:3 3}
rect.passes{fill:var(--pass);stroke:var(--pass-line);stroke-dasharray:none;stroke-width:1.4}
rect.passes-inferred{fill:var(--pass);stroke:var(--pass-line);fill-opacity:.45}
rect.fails{fill:var(--fail);stroke:var(--fail-line);stroke-dasharray:none;stroke-width:1.4}
rect.fails-inferred{fill:var(--fail);stroke:var(--fail-line);fill-opacity:.4}
rect.chosen{stroke:var(--mark);stroke-width:3}.levels{font-weight:600;text-anchor:middle}
.cost{font-size:10.5px;fill:var(--soft);text-anchor:middle}
"""


class _Drawing:
    def __init__(self, searched: SearchedLattice) -> None:
        self.searched = searched
        self.rows = _in_order(searched)
        widest = max(len(row) for row in self.rows)
        self.width = max(2 * _SIDE + 40 + widest * (_BOX[0] + _GAP), 760)
        self.height = _TOP + len(self.rows) * _ROW + 16
        self.place = {
            node.levels: self._place(h, i, len(row)) for h, row in enumerate(self.rows) for i, node in enumerate(row)
        }

    def _place(self, height: int, number: int, among: int) -> tuple[float, float]:
        """The centre of a node's box."""
        room = self.width - 40 - 2 * _SIDE
        x = 40 + _SIDE + room / 2 + (number - (among - 1) / 2) * (_BOX[0] + _GAP)
        return x, _TOP + (len(self.rows) - 1 - height) * _ROW + _BOX[1] / 2

    def text(self) -> str:
        parts = [*self._head(), *self._heights(), *self._edges(), *self._nodes()]
        label = escape(" ".join(headline(self.searched)), quote=True)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img" aria-label="{label}"><style>{_STYLE}</style>'
            f'<rect class="page" width="100%" height="100%"/>' + "".join(parts) + "</svg>\n"
        )

    def _head(self) -> list[str]:
        size, chosen, cost = headline(self.searched)
        lines = [
            f'<text class="title" x="{_SIDE}" y="32">Lattice of recodings</text>',
            _text(_SIDE, 54, f"{size} {chosen}", "soft"),
            _text(_SIDE, 71, cost, "soft"),
            _text(_SIDE, 88, f"Order of the levels: {', '.join(self.searched.columns)}.", "soft"),
        ]
        x = _SIDE
        for status in STATUSES:
            lines.append(f'<rect class="{_css(status)}" x="{x}" y="100" width="14" height="14" rx="3"/>')
            lines.append(_text(x + 20, 111, status, "soft"))
            x += 34 + 7 * len(status)
        lines.append(f'<rect class="{_css(PASSES)} chosen" x="{x}" y="100" width="14" height="14" rx="3"/>')
        lines.append(_text(x + 20, 111, "chosen", "soft"))
        return lines

    def _heights(self) -> list[str]:
        top = len(self.rows) - 1
        return [_text(_SIDE - 12, _TOP + (top - h) * _ROW + 21, str(h), "soft") for h in range(len(self.rows))]

    def _edges(self) -> list[str]:
        lines, ways = list[str](), list[str]()
        for levels in self.place:
            for a in range(len(levels)):
                upper = (*levels[:a], levels[a] + 1, *levels[a + 1 :])
                if upper in self.place:
                    (x, y), (u, v) = self.place[levels], self.place[upper]
                    chosen = self.searched.chosen.levels in (levels, upper)
                    drawn = (
                        f'<path class="edge{" way" if chosen else ""}" d="M{x:.0f} {y - 17:.0f}L{u:.0f} {v + 17:.0f}"/>'
                    )
                    (ways if chosen else lines).append(drawn)
        return [*lines, *ways]

    def _nodes(self) -> list[str]:
        drawn = []
        for node in (node for row in self.rows for node in row):
            x, y = self.place[node.levels]
            chosen = " chosen" if node.levels == self.searched.chosen.levels else ""
            cost = number(node.cost) if node.cost is not None else ""
            lower = 4 if not cost else -2
            drawn.append(
                f"<g><title>{escape(self._tooltip(node))}</title>"
                f'<rect class="{_css(node.status)}{chosen}" x="{x - _BOX[0] / 2:.1f}" y="{y - _BOX[1] / 2:.1f}" '
                f'width="{_BOX[0]}" height="{_BOX[1]}" rx="7"/>'
                f'<text class="levels" x="{x:.1f}" y="{y + lower:.1f}">{" ".join(map(str, node.levels))}</text>'
                + (f'<text class="cost" x="{x:.1f}" y="{y + 11:.1f}">{cost}</text>' if cost else "")
                + "</g>"
            )
        return drawn

    def _tooltip(self, node: NodeLine) -> str:
        levels = ", ".join(f"{name} {level}" for name, level in zip(self.searched.columns, node.levels, strict=True))
        facts = [f"{levels}: {node.status}"]
        if node.suppressed is not None:
            suppressed = _count(node.suppressed, "row would be suppressed", "rows would be suppressed")
            facts.append(f"{suppressed}, {_count(node.classes, 'class passes', 'classes pass')}")
        if node.cost is not None:
            facts.append(f"{self.searched.measure} {number(node.cost)}")
        return "; ".join(facts)


def _in_order(searched: SearchedLattice) -> list[list[NodeLine]]:
    """Nodes by height, each row ordered so that nodes are close to those below them."""
    rows: list[list[NodeLine]] = [[] for _ in range(sum(searched.heights) + 1)]
    for node in searched.nodes:
        rows[searched.height_of(node)].append(node)
    for below, row in pairwise(rows):
        place = {node.levels: (i + 0.5) / len(below) for i, node in enumerate(below)}
        row.sort(key=lambda node: (_mean_below(node.levels, place), [-level for level in node.levels]))
    return rows


def _mean_below(levels: Levels, place: Mapping[Levels, float]) -> float:
    lower = [(*levels[:a], levels[a] - 1, *levels[a + 1 :]) for a in range(len(levels)) if levels[a]]
    known = [place[each] for each in lower if each in place]
    return sum(known) / len(known) if known else 0.5


def _count(count: int | None, noun: str, nouns: str) -> str:
    """A count that may be unknown, with its noun."""
    return f"{number(None)} {nouns}" if count is None else counted(count, noun, nouns)


def _css(status: str) -> str:
    return "n " + status.replace(", ", "-").replace(" ", "-")


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{escape(words)}</text>'


def height_rows(searched: SearchedLattice) -> tuple[Sequence[str], list[Sequence[str]]]:
    """Header and rows of the table by height, from the bottom up, without heights of unknown nodes."""
    head = ("height", "recodings", *STATUSES)
    rows = [
        (str(line.height), number(line.nodes), *(number(line.counts.get(status, 0)) for status in STATUSES))
        for line in searched.by_height
        if line.counts.get(UNSEEN, 0) < line.nodes
    ]
    return head, list(rows)


def best_rows(searched: SearchedLattice, most: int = 10) -> tuple[Sequence[str], list[Sequence[str]]]:
    """Header and rows of the best recodings, with the chosen one marked."""
    head = ("", *searched.columns, searched.measure, "classes", "suppressed")
    rows = [
        (
            "chosen" if node.levels == searched.chosen.levels else "",
            *map(str, node.levels),
            number(node.cost),
            number(node.classes),
            number(node.suppressed),
        )
        for node in searched.best[:most]
    ]
    return head, list(rows)
