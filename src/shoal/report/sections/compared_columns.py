"""Every column before and after, for the steward."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.counts import counted
from shoal.figures.compared import ComparedColumn
from shoal.figures.histograms import written_ends
from shoal.report.document import Block, Chart, Column, Place, Table, Text
from shoal.report.sections.base import Facts, ReportSection
from shoal.report.sections.released_columns import (
    bin_columns,
    described,
    holds_sets,
    in_order,
    is_varied,
    items_counted,
    places_of,
    single_labels,
)


class ColumnsBeforeAndAfter(ReportSection):
    """The rows of each value or bin in the input and in the release."""

    key = "columns_before_and_after"
    title = "Columns before and after"
    private = True

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        compared, released = facts.private.columns if facts.private else (), facts.public.columns
        if not compared or released is None:
            return ()
        by_name = {column.name: column for column in released.columns}
        note = (
            f"Before: the rows of the input, without those dropped for missing values. Values with fewer than "
            f"{released.fewest} rows are counted together. A released row counts for a value if it shows exactly this "
            "value, and in several bins if its label is a range."
        )
        drawn = [column for column in compared if is_varied(by_name[column.name]) and (column.bins or column.values)]
        names = {column.name for column in drawn}
        places = places_of(facts.manifest, [column.name for column in drawn])
        charts = [_chart(column, described(by_name[column.name]), places[column.name]) for column in drawn]
        lines = single_labels([each for each in released.columns if not is_varied(each)])
        rest = [each for each in compared if each.name not in names and is_varied(by_name[each.name])]
        unnamed = (Text(tuple(f"{each.name}: no value has enough rows to be named." for each in rest)),) if rest else ()
        return [Text((note,)), *lines, *unnamed, *in_order(charts)]


def _chart(column: ComparedColumn, description: str, place: Place) -> Chart:
    what = "item" if holds_sets(column) else "value"
    text = f"{description} {counted(column.values_before, what, f'different {what}s')} before."
    text += items_counted(column.others) if holds_sets(column) else ""
    return _histogram(column, text, place) if column.bins else _bars(column, text, place)


def _bars(column: ComparedColumn, text: str, place: Place) -> Chart:
    name = "Item" if holds_sets(column) else "Value"
    rows: list[tuple[str, float, float]] = [(each.value, each.before, each.after) for each in column.values]
    if (column.others or column.other_after) and not holds_sets(column):
        others = counted(column.others, "other value", "other values") if column.others else "other labels"
        others += " or labels" if column.others and column.other_after > column.other_before else ""
        rows.append((others, column.other_before, column.other_after))
    if all(before == after for _, before, after in rows):
        same = Table((Column(name), Column("Rows before and after", "count")), tuple(row[:2] for row in rows))
        return Chart("bars", column.name, f"{text} Every {name.lower()} has as many rows as before.", same, place)
    columns = (Column(name), Column("Rows before", "count"), Column("Rows after", "count"))
    return Chart("bars", column.name, text, Table(columns, tuple(rows)), place)


def _histogram(column: ComparedColumn, text: str, place: Place) -> Chart:
    lows = written_ends(column.type, [each.low for each in column.bins])
    highs = written_ends(column.type, [each.high for each in column.bins])
    rows = tuple((low, high, each.before, each.after) for low, high, each in zip(lows, highs, column.bins, strict=True))
    before_and_after = (Column("Rows before", "number"), Column("Rows after", "number"))
    columns = (*bin_columns(column.name, column.type), *before_and_after)
    text += " The first and the last bin include all rows beyond the axis."
    text += f" {counted(round(column.other_after), 'row names', 'rows name')} no range." if column.other_after else ""
    return Chart("histogram", column.name, text, Table(columns, rows), place)
