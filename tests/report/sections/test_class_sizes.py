"""The section of class sizes."""

from __future__ import annotations

from shoal.figures import PublicFigures
from shoal.figures.class_sizes import ClassSizes, SizeBin
from shoal.manifest import Manifest
from shoal.report.document import Chart, Tiles
from shoal.report.sections.base import Facts
from shoal.report.sections.class_sizes import SizesOfClasses


def test_sizes_are_shown_as_shares_and_as_counts() -> None:
    sizes = ClassSizes(5, 5.0, 12, 12, (SizeBin(5, 5, 3, 15), SizeBin(11, 20, 1, 12)))
    tiles, chart = SizesOfClasses.of(Facts(Manifest(), PublicFigures(class_sizes=sizes)))
    assert isinstance(tiles, Tiles) and [tile.value for tile in tiles.tiles] == [5, 5.0, 12, 12]
    assert isinstance(chart, Chart) and chart.table.rows == (
        ("5", 0.75, 15 / 27, 3, 15),
        ("11 to 20", 0.25, 12 / 27, 1, 12),
    )
    assert "Most rows, 55.6 %, are in classes of 5 rows." in chart.text


def test_less_than_half_of_the_rows_are_not_most_of_them() -> None:
    sizes = ClassSizes(5, 5.0, 12, 12, (SizeBin(5, 5, 2, 10), SizeBin(6, 6, 2, 12), SizeBin(7, 7, 1, 7)))
    _, chart = SizesOfClasses.of(Facts(Manifest(), PublicFigures(class_sizes=sizes)))
    assert isinstance(chart, Chart)
    assert "The largest part of the rows, 41.4 %, is in classes of 6 rows." in chart.text


def test_classes_of_one_size_need_no_chart() -> None:
    sizes = ClassSizes(5, 5.0, 5, 5, (SizeBin(5, 5, 4, 20),))
    (tiles,) = SizesOfClasses.of(Facts(Manifest(), PublicFigures(class_sizes=sizes)))
    assert isinstance(tiles, Tiles)


def test_without_sizes_there_is_no_section() -> None:
    assert SizesOfClasses.of(Facts(Manifest())) == ()
