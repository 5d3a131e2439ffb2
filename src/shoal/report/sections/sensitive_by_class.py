"""Sensitive values by class, against their share in the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.counts import counted
from shoal.figures.sensitive import SensitiveColumn
from shoal.percent import percent
from shoal.report.document import Block, Cell, Chart, Column, Place, Table, Terms, Text
from shoal.report.sections.base import Facts, ReportSection
from shoal.report.sections.released_columns import MOST_OPEN


class SensitiveByClass(ReportSection):
    """How far the share of each frequent sensitive value in a class is from its share in the released table."""

    key = "sensitive"
    title = "Sensitive values by class"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        shares = {} if facts.private is None else facts.private.input_shares
        columns = facts.public.sensitive
        charts = [
            _chart(column, shares.get(column.name), "grid" if place < MOST_OPEN else "folded")
            for place, column in enumerate([each for each in columns if each.values])
        ]
        unnamed = tuple(
            (each.name, f"None of its {counted(each.others, 'value', 'values')} has enough rows to be named.")
            for each in columns
            if not each.values
        )
        note = (
            "The share of a value in the class of a row: 5 % of the rows are in a class with at most the low share, "
            "half of them in one with at most the middle share, and 95 % in one with at most the high share. The "
            "closer these are to the share in the table, the less a class reveals."
        )
        blocks: list[Block] = [*([Terms(unnamed)] if unnamed else []), *charts]
        return (Text((note,)), *blocks) if blocks else ()


def _chart(column: SensitiveColumn, input_shares: Mapping[str, float] | None, place: Place) -> Chart:
    """The shares in classes; the table behind it also has counts and extremes, for the steward those of the input."""
    columns = (
        Column("Value"),
        Column("Low share", "share"),
        Column("Middle share", "share"),
        Column("High share", "share"),
        Column("Share in the table", "share"),
        Column("Lowest share", "share"),
        Column("Highest share", "share"),
        Column("Rows", "count"),
        *(() if input_shares is None else (Column("Share in the input", "share"),)),
    )
    rows: list[tuple[Cell, ...]] = [
        (
            *(each.value, each.low, each.middle, each.high, each.table, each.least, each.most, each.rows),
            *(() if input_shares is None else (input_shares.get(each.value),)),
        )
        for each in column.values
    ]
    return Chart("ranges", column.name, f"{_highest(column)}{_others(column)}", Table(columns, tuple(rows)), place)


def _highest(column: SensitiveColumn) -> str:
    """The highest share of any value in any class, whether or not the value is shown."""
    most = max(column.values, key=lambda each: each.most)
    named = f"{percent(most.most)}, of {most.value} ({percent(most.table)} of the table)."
    if column.most <= most.most:
        return f"The highest share in any class is {named}"
    return (
        f"The highest share in any class is {percent(column.most)}, of a value that is not shown; that of the values "
        f"shown is {named}"
    )


def _others(column: SensitiveColumn) -> str:
    """The rows that are not shown: rare values, and missing ones."""
    if not column.other_rows:
        return ""
    rows = counted(column.other_rows, "row", "rows")
    if not column.others:
        return f" {rows} without a value."
    return f" Not shown: {rows}, with {counted(column.others, 'other value', 'other values')} or none."
