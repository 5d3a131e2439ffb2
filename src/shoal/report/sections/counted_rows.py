"""The headline figures: rows, persons and classes."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.manifest import Manifest
from shoal.report.document import Block, Tile, Tiles
from shoal.report.numbers import number
from shoal.report.sections.base import Facts, ReportSection
from shoal.report.summary import suppressed


class CountedRows(ReportSection):
    """The number of rows, persons and classes, and the information loss."""

    key = "rows"
    title = "Rows and classes"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        return (Tiles(tuple(_tiles(facts.manifest))),)


def _tiles(manifest: Manifest) -> list[Tile]:
    classes = manifest.classes
    size = manifest.rows_released / classes if classes else 0
    average = f"{number(size)} {'row' if size == 1 else 'rows'} on average" if classes else ""
    tiles = [
        Tile("Rows released", manifest.rows_released, remark=f"of {number(manifest.rows_in)}"),
        Tile("Rows suppressed", manifest.rows_suppressed, remark=suppressed(manifest)),
        Tile("Classes", classes, remark=average),
    ]
    if manifest.persons_released is not None:
        remark = f"of {number(manifest.persons_in)}; classes count persons, not rows"
        tiles.insert(2, Tile("Persons released", manifest.persons_released, remark=remark))
    if manifest.measures.get("ncp") is not None:
        tiles.append(Tile("Information loss", manifest.measures["ncp"], "share", "NCP, mean over all cells"))
    return tiles
