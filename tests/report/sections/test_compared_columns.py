"""The section of columns before and after."""

from __future__ import annotations

from shoal.report.document import Chart
from shoal.report.sections.base import Facts
from shoal.report.sections.compared_columns import ColumnsBeforeAndAfter
from tests.figures.releases import released


def test_rows_before_and_after_stand_side_by_side() -> None:
    release = released()
    blocks = ColumnsBeforeAndAfter.of(Facts(release.steward, *release.figures))
    age, sex, ill = (block for block in blocks if isinstance(block, Chart))
    assert age.kind == "histogram" and sum(int(row[2]) for row in age.table.rows) == 20  # type: ignore[arg-type]
    assert sex.table.rows == (("f", 10), ("m", 10)), "unchanged columns need one bar only"
    assert ill.table.rows == (("flu", 10), ("2 other values", 10))
    assert {chart.place for chart in (age, sex, ill)} == {"grid"}


def test_recipients_do_not_see_it() -> None:
    release = released()
    assert ColumnsBeforeAndAfter.section(Facts(release.manifest, release.figures.public)) is None
