"""Statistics that users check, before and after, for the steward."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from shoal.counts import counted
from shoal.report.document import Block, Cell, Chart, Column, Heading, Kind, Points, Table, Text
from shoal.report.document import Figure as TypedCell
from shoal.report.numbers import shown
from shoal.report.sections.base import Facts, ReportSection
from shoal.statistics import Compared, Figure
from shoal.statistics.describing import OTHERS

_MOST_CATEGORIES = 10
_MOST_BARS = 12
_MOST_OPEN = 12
"""The columns whose numbers are shown at once; those of others are folded."""
_EXPLAINED = (
    "Each figure is computed twice: from the input, and from the release alone, as its recipients do. The middle of a "
    "range stands for its value. A row whose label stands for several categories counts in each, in the proportion in "
    "which other rows show them.",
    "Low and high bound the figure in the released rows that it is computed from: whatever values their labels stand "
    "for, it lies between them. Rows whose label says too little are not among these rows, and are counted below.",
)


class Statistics(ReportSection):
    """The statistics of the plan, each on its own; then numbers, categories and correlations of the changed columns."""

    key = "statistics"
    title = "Statistics before and after"
    private = True

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        found = facts.manifest.statistics
        if not found:
            return ()
        others = [each for each in found if not each.requested]
        same = [each for each in others if each.figures and all(map(_equal, each.figures))]
        changed = [each for each in others if each.figures and each not in same]
        blocks: list[Block] = [Text((*_EXPLAINED, _suppressed(facts)))]
        for compared in found:
            blocks += _requested(compared) if compared.requested else ()
        blocks += _numbers([each for each in changed if each.kind == "numbers"])
        blocks += _categories([each for each in changed if each.kind == "frequencies"])
        for compared in changed:
            blocks += _drawn(compared) if compared.kind not in ("numbers", "frequencies") else ()
        return [*blocks, *_remarks(others, same)]


def _suppressed(facts: Facts) -> str:
    rows = facts.manifest.rows_suppressed
    if not rows:
        return "All input rows are in the release."
    which = f"{counted(rows, 'row', 'rows')} of the input {'is' if rows == 1 else 'are'} not in the release"
    return f"{which}: part of the figures before, and not of the bounds."


def _equal(figure: Figure) -> bool:
    """Whether a figure is the same before and after, and known exactly."""
    return figure.before == figure.after and figure.low == figure.high


def _size(figure: Figure) -> float:
    return abs(figure.difference or 0.0)


# -- statistics of the plan -----------------------------------------------------------------------------------------


def _requested(compared: Compared) -> Iterator[Block]:
    yield Heading(compared.title)
    before, after = (counted(rows, "row", "rows") for rows in (compared.rows_before, compared.rows_after))
    yield Text((f"{_change(compared)} Computed from {before} before and {after} after.",))
    if _can_be_drawn(compared.figures):
        yield _ranges("Before, after, and its bounds", compared.figures)
    elif compared.figures:
        yield _table("", ("Figure",), [((each.name,), each) for each in compared.figures])
    if notes := [*_unknown(compared), *compared.notes]:
        yield Points(tuple(notes))


def _change(compared: Compared) -> str:
    """What changed, in one sentence."""
    if not compared.figures:
        return "There are no figures."
    most = max(compared.figures, key=_size)
    if not _size(most):
        return "No figure changed."
    before, after = (shown(value, _kind(most)) for value in (most.before, most.after))
    return f"The largest change is that of {most.name}: {before} before, {after} after."


def _can_be_drawn(figures: Sequence[Figure]) -> bool:
    """Whether a drawing shows all: figures on one scale from zero, some of which labels made uncertain."""
    ends = [end for each in figures for end in (each.low, each.after, each.high, each.before)]
    on_one_scale = len({each.unit for each in figures}) == 1
    drawable = all(isinstance(end, float) and end >= 0 for end in ends)
    return drawable and on_one_scale and len(figures) <= _MOST_BARS and any(each.low != each.high for each in figures)


def _ranges(title: str, figures: Sequence[Figure]) -> Chart:
    """The figures after the release between their bounds, with those before as the reference."""
    kind = _kind(figures[0])
    columns = (
        Column("Figure"),
        *(Column(name, kind) for name in ("Low", "After", "High", "Before")),
        Column("Difference", _kind_of_difference(kind)),
    )
    rows = tuple((each.name, each.low, each.after, each.high, each.before, each.difference) for each in figures)
    words = "The figure after the release between its bounds; the mark is the figure before."
    return Chart("ranges", title, words, Table(columns, rows))


# -- every column ---------------------------------------------------------------------------------------------------


def _numbers(changed: Sequence[Compared]) -> Iterator[Block]:
    """One table of the numbers and dates of all changed columns."""
    if changed:
        yield Heading("Numbers and dates")
        dates = any(each.unit == "date" for of in changed for each in of.figures)
        yield _numbers_of(changed[:_MOST_OPEN], "Differences of dates are in days." if dates else "")
        if more := changed[_MOST_OPEN:]:
            yield replace(_numbers_of(more, counted(len(more), "more column", "more columns")), place="folded")
        if notes := [note for each in changed for note in _unknown(each, f"{each.columns[0]}: ")]:
            yield Points(tuple(notes))


def _numbers_of(columns: Sequence[Compared], caption: str) -> Table:
    rows = [((of.columns[0], _named(each, of)), each) for of in columns for each in of.figures]
    return _table(caption, ("Column", "Figure"), rows)


def _named(figure: Figure, of: Compared) -> str:
    dated = any(each.unit == "date" for each in of.figures)
    return f"{figure.name}, in days" if dated and figure.unit != "date" else figure.name


def _categories(changed: Sequence[Compared]) -> Iterator[Block]:
    """The largest differences of categories, over all changed columns."""
    rows = [((of.columns[0], each.name), each) for of in changed for each in of.figures]
    ordered = sorted(rows, key=lambda row: -_size(row[1]))
    if ordered:
        yield Heading("Categories")
        more = len(ordered) - _MOST_CATEGORIES
        yield _table("The largest differences.", ("Column", "Category"), ordered[:_MOST_CATEGORIES])
        if more > 0:
            yield Text((f"{counted(more, 'category', 'categories')} with smaller differences: see steward.json.",))


def _drawn(compared: Compared) -> Iterator[Block]:
    """A statistic of several columns that the plan does not ask for, its largest changes alone."""
    yield Heading(compared.kind.capitalize() + "s")
    figures = sorted(compared.figures, key=lambda each: -_size(each))[:_MOST_BARS]
    if _can_be_drawn(figures):
        yield _ranges(compared.title, figures)
    else:
        yield _table("", ("Figure",), [((each.name,), each) for each in figures])
    if more := len(compared.figures) - len(figures):
        yield Text((f"{counted(more, 'pair', 'pairs')} with smaller differences: see steward.json.",))


def _remarks(others: Sequence[Compared], same: Sequence[Compared]) -> Iterator[Block]:
    """The columns whose figures did not change, those of which none can be named, and what is not shown."""
    columns = [each for each in same if each.kind in ("numbers", "frequencies")]
    unnamed = [each.columns[0] for each in columns if _names_nothing(each)]
    equal = [each.columns[0] for each in columns if not _names_nothing(each)]
    if equal:
        yield Text((f"All figures are equal before and after: {', '.join(equal)}.",))
    if unnamed:
        yield Text((f"No value has enough rows to be named: {', '.join(unnamed)}.",))
    if notes := [f"{of.title}: {note}" for of in others for note in of.notes]:
        yield Points(tuple(notes))


def _names_nothing(compared: Compared) -> bool:
    """Whether all values of a column are counted together, which says nothing about them."""
    return compared.kind == "frequencies" and [each.name.startswith(OTHERS) for each in compared.figures] == [True]


# -- tables ---------------------------------------------------------------------------------------------------------


def _table(caption: str, named: Sequence[str], rows: Sequence[tuple[tuple[str, ...], Figure]]) -> Table:
    kinds: set[Kind] = {_kind(figure) for _, figure in rows}
    kind: Kind = kinds.pop() if len(kinds) == 1 else "number"
    columns = (
        *map(Column, named),
        Column("Before", kind),
        Column("After", kind),
        Column("Difference", _kind_of_difference(kind)),
        Column("Low", kind),
        Column("High", kind),
    )
    return Table(columns, tuple((*names, *_cells(figure, kind)) for names, figure in rows), caption)


def _cells(figure: Figure, kind: Kind) -> tuple[Cell, ...]:
    values = figure.before, figure.after, figure.difference, figure.low, figure.high
    if figure.unit != "share" or kind == "share":
        return values
    kinds: tuple[Kind, ...] = "share", "share", "points", "share", "share"
    return tuple(TypedCell(value, each) for value, each in zip(values, kinds, strict=True))


def _kind_of_difference(kind: Kind) -> Kind:
    return "points" if kind == "share" else "number"


def _kind(figure: Figure) -> Kind:
    return "share" if figure.unit == "share" else "number"


def _unknown(compared: Compared, name: str = "") -> list[str]:
    rows = compared.rows_unknown
    left_out = counted(rows, "released row is", "released rows are")
    return [f"{name}{left_out} not among these figures, because the label says too little."] if rows else []
