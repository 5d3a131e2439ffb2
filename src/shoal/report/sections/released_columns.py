"""The released columns: what each is published as, its most frequent labels, and histograms."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.counts import counted
from shoal.figures.columns import ReleasedColumn
from shoal.figures.compared import ComparedColumn
from shoal.figures.histograms import Histogram, written_ends
from shoal.manifest import Manifest
from shoal.percent import percent
from shoal.report.document import Block, Chart, Column, Place, Table, Terms, Text
from shoal.report.numbers import number
from shoal.report.sections.base import Facts, ReportSection

MOST_OPEN = 12
"""The columns that are drawn at once if there are more than `FOLDED_ABOVE`; the others are folded."""
FOLDED_ABOVE = 16


class ColumnsReleased(ReportSection):
    """Every released column; the steward's report compares them with the input instead."""

    key = "released_columns"
    title = "Released columns"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        found = facts.public.columns
        if found is None or (facts.private is not None and facts.private.columns):
            return ()
        notes = [f"Labels with fewer than {found.fewest} rows are counted together."]
        more = counted(found.more, "more column is", "more columns are")
        notes += [f"{more} not described here, but listed in the codebook."] * (found.more > 0)
        varied = [column for column in found.columns if is_varied(column)]
        places = places_of(facts.manifest, [column.name for column in varied])
        charts = in_order([_chart(column, places[column.name]) for column in varied])
        return [Text(tuple(notes)), *single_labels(found.columns), *charts]


def is_varied(column: ReleasedColumn) -> bool:
    """Whether there is something to draw: a column with one label, or none that is named, needs a line only."""
    return column.labels > 1 and (column.histogram is not None or bool(column.frequent.named))


def single_labels(columns: Sequence[ReleasedColumn]) -> tuple[Block, ...]:
    """The columns that are not drawn, one a line."""
    terms = tuple((column.name, described(column)) for column in columns if not is_varied(column))
    return (Terms(terms),) if terms else ()


def places_of(manifest: Manifest, names: Sequence[str]) -> dict[str, Place]:
    """Column → its place: the first ones with the most information loss are open, the others folded."""
    lost = manifest.measures.get("ncp_by_column") or {}
    by_loss = sorted(names, key=lambda name: -(lost.get(name) or 0.0))
    opened = set(names if len(names) <= FOLDED_ABOVE else by_loss[:MOST_OPEN])
    return {name: "grid" if name in opened else "folded" for name in names}


def in_order(charts: Sequence[Chart]) -> list[Chart]:
    """The charts with the folded ones last."""
    return sorted(charts, key=lambda chart: chart.place == "folded")


def described(column: ReleasedColumn) -> str:
    """What a column is published as, in a sentence."""
    what = "item" if holds_sets(column) else "label"
    labels = f"{number(column.labels)} {what if column.labels == 1 else f'different {what}s'}"
    missing = f" {counted(column.missing, 'row has', 'rows have')} no value." if column.missing else ""
    levels = column.levels or {}
    by_level = ", ".join(f"{number(rows)} at level {level}" for level, rows in levels.items())
    shown = f" Rows by level of the hierarchy: {by_level}." if len(levels) > 1 else ""
    return f"{column.role.capitalize()}, published as {column.published_as}: {labels}.{missing}{shown}"


def _chart(column: ReleasedColumn, place: Place) -> Chart:
    return _bars(column, place) if column.histogram is None else _histogram(column, column.histogram, place)


def _bars(column: ReleasedColumn, place: Place) -> Chart:
    frequent, total = column.frequent, max(column.rows, 1)
    rows = [(each.label, each.rows / total) for each in frequent.named]
    text = f"{described(column)} The most frequent is {rows[0][0]}, with {percent(rows[0][1])} of the rows."
    if holds_sets(column):
        text += items_counted(frequent.others)
    elif frequent.others:
        rows.append((counted(frequent.others, "other", "others"), frequent.other_rows / total))
    columns = (Column("Item" if holds_sets(column) else "Label"), Column("Share of rows", "share"))
    return Chart("bars", column.name, text, Table(columns, tuple(rows)), place)


def holds_sets(column: ReleasedColumn | ComparedColumn) -> bool:
    """Whether the rows of a column are counted by item."""
    return column.role == "quasi-sensitive"


def items_counted(others: int) -> str:
    """How the rows of a set-valued column are counted; `others`: the items that are not shown."""
    shown = f" {counted(others, 'other item is', 'other items are')} not shown." if others else ""
    return f" A row counts for every item of its set.{shown}"


def _histogram(column: ReleasedColumn, shown: Histogram, place: Place) -> Chart:
    ends = written_ends(shown.type, shown.ends)
    bins = tuple(zip(ends[:-1], ends[1:], shown.rows, strict=True))
    spread = "" if column.published_as == "values" else " A row whose label is a range is spread evenly over it."
    text = f"{described(column)}{spread}"
    text += f" {counted(shown.unplaced, 'row names', 'rows name')} no range." if shown.unplaced else ""
    columns = (*bin_columns(column.name, shown.type), Column("Rows", "number"))
    return Chart("histogram", column.name, text, Table(columns, bins), place)


def bin_columns(name: str, type: str) -> tuple[Column, Column]:
    """The columns with the ends of the bins of a histogram."""
    if type in ("date", "datetime"):
        return Column("From (date)", "date", name), Column("Before (date)", "date")
    return Column("From (value)", "number", name), Column("To below (value)", "number")
