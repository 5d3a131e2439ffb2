"""The sizes of the classes: how many classes and rows there are by class size."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.figures.class_sizes import SizeBin
from shoal.percent import percent
from shoal.report.document import Block, Chart, Column, Table, Tile, Tiles
from shoal.report.sections.base import Facts, ReportSection


class SizesOfClasses(ReportSection):
    """The smallest, the median and the largest class, and the shares of classes and rows by class size."""

    key = "class_sizes"
    title = "Class sizes"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        sizes = facts.public.class_sizes
        if sizes is None:
            return ()
        tiles = (
            Tile("Smallest class", sizes.smallest, remark="rows"),
            Tile("Median class", sizes.median, "number", "rows; half of the classes are not larger"),
            Tile("Class of the median row", sizes.median_of_rows, remark="rows; half of the rows are in no larger one"),
            Tile("Largest class", sizes.largest, remark="rows"),
        )
        classes, rows = (sum(getattr(each, what) for each in sizes.bins) for what in ("classes", "rows"))
        if len(sizes.bins) == 1:
            return (Tiles(tiles),)
        counted = tuple(
            (_size(each), each.classes / classes, each.rows / rows, each.classes, each.rows) for each in sizes.bins
        )
        columns = (
            Column("Rows in the class"),
            Column("Share of classes", "share"),
            Column("Share of rows", "share"),
            Column("Classes", "count"),
            Column("Rows", "count"),
        )
        most = max(sizes.bins, key=lambda each: each.rows)
        part = "Most rows" if 2 * most.rows > rows else "The largest part of the rows"
        text = (
            f"The smallest class has {sizes.smallest:,} rows, the largest {sizes.largest:,}. {part}, "
            f"{percent(most.rows / rows)}, {'are' if 2 * most.rows > rows else 'is'} in classes of {_size(most)} rows."
        )
        return Tiles(tiles), Chart("bars", "Classes and rows by class size", text, Table(columns, counted))


def _size(each: SizeBin) -> str:
    return f"{each.low:,}" if each.low == each.high else f"{each.low:,} to {each.high:,}"
