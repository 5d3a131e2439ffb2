"""The section of sensitive values by class."""

from __future__ import annotations

from shoal.figures import PublicFigures
from shoal.figures.sensitive import SensitiveColumn, ValueByClass
from shoal.manifest import Manifest
from shoal.report.document import Chart, Terms
from shoal.report.sections.base import Facts
from shoal.report.sections.sensitive_by_class import SensitiveByClass
from tests.figures.releases import released


def test_shares_in_classes_stand_beside_the_share_in_the_table() -> None:
    release = released()
    blocks = SensitiveByClass.of(Facts(release.manifest, release.figures.public))
    chart = blocks[1]
    assert isinstance(chart, Chart) and chart.table.rows[0] == ("flu", 0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 10)
    assert chart.text == (
        "The highest share in any class is 100 %, of flu (50 % of the table). "
        "Not shown: 10 rows, with 2 other values or none."
    )


def test_the_highest_share_is_that_of_all_values() -> None:
    flu = ValueByClass("flu", 10, 0.5, least=0.0, low=0.0, middle=0.5, high=0.6, most=0.75)
    figures = PublicFigures(sensitive=(SensitiveColumn("ill", (flu,), 9, 12, most=0.957),))
    chart = SensitiveByClass.of(Facts(Manifest(), figures))[1]
    assert isinstance(chart, Chart) and chart.text.startswith(
        "The highest share in any class is 95.7 %, of a value that is not shown; that of the values shown is 75 %"
    )


def test_only_the_steward_sees_the_share_in_the_input() -> None:
    release = released()
    chart = SensitiveByClass.of(Facts(release.steward, *release.figures))[1]
    assert isinstance(chart, Chart) and chart.table.columns[-1].name == "Share in the input"
    assert [row[-1] for row in chart.table.rows] == [0.5]


def test_values_of_few_rows_are_not_named() -> None:
    figures = PublicFigures(sensitive=(SensitiveColumn("ill", (), 9, 12),))
    terms = SensitiveByClass.of(Facts(Manifest(), figures))[-1]
    assert terms == Terms((("ill", "None of its 9 values has enough rows to be named."),))
    assert SensitiveByClass.of(Facts(Manifest())) == ()
