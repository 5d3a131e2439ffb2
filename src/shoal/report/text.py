"""The report as plain lines for a terminal or a log."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from shoal.report.disclosure import Disclosed
from shoal.report.items import Items
from shoal.report.view import Bar, ModelLine, View

_WIDTH = 100
_BAR = 20


def as_text(view: View) -> str:
    """The report in lines of at most 100 characters, except where the names of columns or nodes are long."""
    return "\n".join(_lines(view)) + "\n"


def _lines(view: View) -> Iterator[str]:
    yield view.verdict
    if view.private:
        yield "For the data steward only: do not publish this report."
    yield from textwrap.wrap(view.checked, _WIDTH)
    yield from _section(view.warnings_heading, _bullets(view.warnings, "!"))
    yield from _section("Models", _aligned([_model_cells(line) for line in view.models]))
    yield from _section("Rows and classes", _aligned(view.figures))
    measured = [[line.label, line.figure, f"{line.about}; {line.goal} is better"] for line in view.measures]
    yield from _section("Measures", _wrapped(measured))
    yield from _section("Columns", [*_columns(view), *_bullets(view.outcome, "-")])
    for attack in view.attacks:
        yield from _section(f"Attack: {attack.kind}", _bullets(attack.sentences, "-"))
    for each in view.disclosed:
        lines = [*_bullets(each.sentences, "-"), *_disclosed(each)]
        yield from _section(f"What the classes disclose about '{each.column}'", lines)
    yield from _section("Risk of the released rows", _aligned(view.risk))
    yield from _section("Items of set-valued columns", _items(view.items))
    yield from _section("Notes", _bullets(view.notes, "-"))
    yield from _section("Timings", _aligned(view.timings))
    yield from _section("Verify", [*_bullets([view.check_needs], "-"), f"  {view.check}"])


def _items(items: Items) -> list[str]:
    columns = [items.headers, *items.columns] if items.columns else []
    return [*_aligned(columns), *_bullets(items.sentences, "-"), *_aligned(items.lines)]


def _disclosed(disclosed: Disclosed) -> list[str]:
    """The tables of a disclosure audit, and what their figures mean."""
    levels = [("level", *disclosed.level_headers), *disclosed.levels]
    nodes = [("protected node", *disclosed.node_headers), *disclosed.nodes] if disclosed.nodes else []
    return [*_aligned(levels), *_aligned(nodes), *_bullets([f"{disclosed.p} {disclosed.meaning}"], "-")]


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title
        yield from lines


def _model_cells(line: ModelLine) -> list[str]:
    name = f"{line.kind} of {line.column}" if line.column else line.kind
    verdict = "holds" if line.holds else f"FAILS in {line.failing}"
    verdict += f" ({line.scope})" if line.scope else ""
    return [verdict, name, f"required {line.asked}", f"achieved {line.achieved}"]


def _columns(view: View) -> list[str]:
    table = view.columns
    if not table.lines:
        return []
    published, levelled = table.has_published, table.has_levels
    head = ["", *(["Published as"] if published else []), *(measure.label for measure in table.measures)]
    rows = [
        [
            line.name,
            *([line.published] if published else []),
            *(_bar(bar) for bar in line.bars),
            *([line.level] if levelled else []),
        ]
        for line in table.lines
    ]
    head += ["Level"] if levelled else []
    return _aligned([head, *rows])


def _bar(bar: Bar) -> str:
    if bar.share is None:
        return bar.figure
    filled = round(_BAR * min(max(bar.share, 0.0), 1.0))
    return "█" * filled + "░" * (_BAR - filled) + f" {bar.figure}"


def _bullets(sentences: Sequence[str], mark: str) -> list[str]:
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(sentence, _WIDTH, initial_indent=f"  {mark} ", subsequent_indent="    ")
    ]


def _wrapped(rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned rows whose last cell is wrapped if the line would be too long."""
    taken = sum(2 + max(len(cell) for cell in column) for column in [*zip(*rows, strict=True)][:-1])
    lines: list[Sequence[str]] = []
    for *cells, last in rows:
        first, *more = textwrap.wrap(last, _WIDTH - taken - 2)
        lines += [[*cells, first], *([*("" for _ in cells), part] for part in more)]
    return _aligned(lines)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip() for row in rows
    ]
