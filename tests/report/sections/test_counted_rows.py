"""The headline figures."""

from __future__ import annotations

from typing import Any

from shoal.report.document import Tiles
from tests.report.manifests import manifest, section


def tiles(given: dict[str, Any]) -> dict[str, tuple[Any, str]]:
    (block,) = section(given, "rows").blocks
    assert isinstance(block, Tiles)
    return {tile.name: (tile.value, tile.remark) for tile in block.tiles}


def test_rows_that_were_left_out_are_told_by_reason() -> None:
    reasons = "5 % of all rows, 480 by the search and 120 for missing values"
    assert tiles(manifest(rows_dropped=120))["Rows suppressed"] == (600, reasons)
    assert tiles(manifest())["Rows suppressed"] == (600, "5 % of all rows")


def test_persons_are_told_where_the_plan_counts_them() -> None:
    found = tiles(manifest(persons_in=900, persons_released=880))
    assert found["Persons released"] == (880, "of 900; classes count persons, not rows")
    assert "Persons released" not in tiles(manifest())


def test_classes_of_one_row_are_singular() -> None:
    assert tiles(manifest(rows_released=9, classes=9))["Classes"] == (9, "1 row on average")


def test_a_table_without_released_rows_has_figures_too() -> None:
    found = tiles({"rows_in": 0, "rows_released": 0, "rows_suppressed": 0, "classes": 0})
    assert [value for value, _ in found.values()] == [0, 0, 0]
