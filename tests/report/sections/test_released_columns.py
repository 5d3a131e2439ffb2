"""The section of released columns."""

from __future__ import annotations

from dataclasses import replace

from shoal.manifest import Manifest
from shoal.report.document import Chart, Terms, Text
from shoal.report.sections.base import Facts
from shoal.report.sections.released_columns import ColumnsReleased, bin_columns, places_of, single_labels
from tests.figures.releases import released


def test_every_column_has_a_chart_of_its_labels() -> None:
    release = released()
    blocks = ColumnsReleased.of(Facts(release.manifest, release.figures.public))
    age, sex, ill = (block for block in blocks if isinstance(block, Chart))
    assert [chart.title for chart in (age, sex, ill)] == ["age", "sex", "ill"]
    assert age.kind == "histogram" and sum(float(row[2]) for row in age.table.rows) == 20  # type: ignore[arg-type]
    assert sex.table.rows == (("f", 0.5), ("m", 0.5))
    assert ill.table.rows == (("flu", 0.5), ("2 others", 0.5))


def test_a_column_with_one_label_is_a_line() -> None:
    columns = released().figures.public.columns
    assert columns is not None
    sex = replace(columns.columns[1], labels=1, published_as="*", levels={"0": 3, "2": 17})
    said = "Quasi-identifier, published as *: 1 label. Rows by level of the hierarchy: 3 at level 0, 17 at level 2."
    assert single_labels([columns.columns[0], sex]) == (Terms((("sex", said),)),)


def test_the_columns_with_the_least_loss_are_folded() -> None:
    names = [f"c{number}" for number in range(18)]
    manifest = Manifest(measures={"ncp_by_column": {name: place / 18 for place, name in enumerate(names)}})
    assert [name for name, place in places_of(manifest, names).items() if place == "folded"] == names[:6]
    assert set(places_of(manifest, names[:16]).values()) == {"grid"}


def test_columns_that_are_not_described_are_counted() -> None:
    release = released()
    columns = release.figures.public.columns
    assert columns is not None
    public = replace(release.figures.public, columns=replace(columns, more=7))
    first = ColumnsReleased.of(Facts(release.manifest, public))[0]
    assert isinstance(first, Text) and "7 more columns" in first.paragraphs[1]


def test_the_steward_sees_the_comparison_instead() -> None:
    release = released()
    assert ColumnsReleased.of(Facts(release.steward, *release.figures)) == ()


def test_dates_are_shown_as_dates() -> None:
    assert [(each.name, each.kind) for each in bin_columns("born", "date")] == [
        ("From (date)", "date"),
        ("Before (date)", "date"),
    ]
