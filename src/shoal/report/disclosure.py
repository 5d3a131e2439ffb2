"""The disclosure audit in a report: sentences, tables and a bar chart for every sensitive column with a hierarchy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from shoal.counts import counted
from shoal.percent import percent
from shoal.risks.describing import LEVEL_HEADERS, MEANING, NODE_HEADERS, level_lines, level_name, node_lines, sentences

_LEFT, _BAR, _RIGHT, _TOP, _ROW = 116, 190, 124, 48, 42
_COLOURS = {"classes": "#3a93b5", "rows": "#c96b3f"}
_SCALES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True)
class Disclosed:
    """What the classes disclose about one sensitive column."""

    column: str
    sentences: tuple[str, ...]
    p: str
    """The p of the audit, and where it comes from."""
    levels: tuple[tuple[str, ...], ...]
    """By level: its name, and the classes and rows that are below p, and that disclose a node."""
    nodes: tuple[tuple[str, ...], ...]
    """By protected node: its name, the rows under it, and the classes and rows that disclose it."""
    chart: str
    """The classes and rows that disclose a node, by level, as SVG; empty if there are none."""
    level_headers: tuple[str, ...] = tuple(header.capitalize() for header in LEVEL_HEADERS[3:])
    node_headers: tuple[str, ...] = tuple(header.capitalize() for header in NODE_HEADERS[2:])
    meaning: str = MEANING


def disclosed(audit: Mapping[str, Any]) -> tuple[Disclosed, ...]:
    """The audit of a manifest by column; nothing if it has none."""
    return tuple(_of_column({**audit, "columns": [column]}) for column in audit.get("columns", ()))


def _of_column(audit: Mapping[str, Any]) -> Disclosed:
    (column,) = audit["columns"]
    source = "from the models" if column["p_from"] == "plan" else "by default: no model of the plan states it"
    return Disclosed(
        column["column"],
        tuple(sentences(audit)),
        f"p = {column['p']}, {source}.",
        tuple((line[1], *line[3:]) for line in level_lines(audit)),
        tuple(line[1:] for line in node_lines(audit)),
        _chart(column, audit["table"]),
    )


def _chart(column: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    """Two bars for every level: the share of all classes, and of all rows, that disclose a node of the level."""
    levels = [(level_name(level), level) for level in column["levels"]]
    levels.append(("strong ancestors", column["extended"]))
    shares = [_share(level, table, what) for _, level in levels for what in _COLOURS]
    if not any(shares):
        return ""
    scale = next(each for each in _SCALES if each >= max(shares) or each == 1.0)
    bars = "".join(_bars(name, level, table, scale, place) for place, (name, level) in enumerate(levels))
    width, height = _LEFT + _BAR + _RIGHT, _TOP + _ROW * len(levels) + 4
    axis = "".join(_tick(share, scale, height) for share in (0.0, scale / 2, scale))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12" fill="currentColor" role="img">'
        f"<title>Classes and rows of {escape(column['column'])} that disclose, by level</title>"
        f"{_legend(table)}{axis}{bars}</svg>\n"
    )


def _legend(table: Mapping[str, Any]) -> str:
    names = {"classes": "share of classes", "rows": f"share of {_counted_as(table)[1]}"}
    return "".join(
        f'<text x="{_LEFT + 120 * place}" y="14" fill="{_COLOURS[what]}">{name}</text>'
        for place, (what, name) in enumerate(names.items())
    )


def _tick(share: float, scale: float, height: int) -> str:
    x = _LEFT + _BAR * share / scale
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{height - 4}" stroke="currentColor" opacity="0.2"/>'
        f'<text x="{x:.1f}" y="{_TOP - 14}" text-anchor="middle">{percent(share)}</text>'
    )


def _bars(name: str, level: Mapping[str, Any], table: Mapping[str, Any], scale: float, place: int) -> str:
    top = _TOP + _ROW * place
    label = f'<text x="{_LEFT - 8}" y="{top + 20}" text-anchor="end">{escape(name)}</text>'
    nouns = {"classes": ("class", "classes"), "rows": _counted_as(table)}
    drawn = [
        _bar(
            top + 17 * row, _share(level, table, what) / scale, counted(level[f"disclosing_{what}"], *nouns[what]), what
        )
        for row, what in enumerate(_COLOURS)
    ]
    return label + "".join(drawn)


def _bar(y: int, length: float, text: str, what: str) -> str:
    width = _BAR * length
    return (
        f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="14" fill="{_COLOURS[what]}"/>'
        f'<text x="{_LEFT + width + 6:.1f}" y="{y + 11}">{text}</text>'
    )


def _share(level: Mapping[str, Any], table: Mapping[str, Any], what: str) -> float:
    return float(level[f"disclosing_{what}"] / table[what]) if table[what] else 0.0


def _counted_as(table: Mapping[str, Any]) -> tuple[str, str]:
    return ("individual", "individuals") if table["individuals"] else ("row", "rows")
