"""What became of the items of set-valued columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.figures.folding import FEWEST
from shoal.manifest import Manifest
from shoal.report.document import Block, Column, Points, Table
from shoal.report.items import COLUMN_HEADERS, item_counts, item_lines, item_sentences
from shoal.report.sections.base import Facts, ReportSection


class Items(ReportSection):
    """The items of every column before and after, what is proven about the removal, and the items that rows lost."""

    key = "items"
    title = "Items of set-valued columns"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        released = facts.public.columns
        return tuple(_blocks(facts.manifest, FEWEST if released is None else released.fewest))


def _blocks(manifest: Manifest, fewest: int) -> Iterator[Block]:
    counts = item_counts(manifest)
    if not counts:
        return
    name, *numbers, loss = (header.capitalize() for header in COLUMN_HEADERS)
    yield Table((Column(name), *(Column(each, "count") for each in numbers), Column(loss, "share")), counts)
    yield Points(item_sentences(manifest))
    if lines := item_lines(manifest, fewest):
        columns = (Column("Column"), Column("Item, or size of classes"), Column("Removed"))
        yield Table(columns, tuple(tuple(line) for line in lines), "Removed items, by item and by size of the class")
