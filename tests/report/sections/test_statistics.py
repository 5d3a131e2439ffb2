"""The section of statistics before and after."""

from __future__ import annotations

from shoal.figures import PrivateFigures
from shoal.manifest import Manifest
from shoal.report.document import Block, Chart, Heading, Points, Table, Text
from shoal.report.sections.base import Facts
from shoal.report.sections.statistics import Statistics
from shoal.statistics import Compared, Figure
from shoal.statistics.describing import OTHERS

_MEAN = Compared(
    "numbers", ("age",), "Numbers of 'age'", (Figure("mean", 40.0, 41.0, 38.0, 43.0, 1.0),), 100, 98, rows_unknown=2
)
_SAME = Compared("numbers", ("cost",), "Numbers of 'cost'", (Figure("mean", 4.0, 4.0, 4.0, 4.0, 0.0),), 100, 100)
_F = Figure("sex F", 0.5, 0.4, 0.3, 0.6, -0.1, "share")
_M = Figure("sex M", 0.5, 0.6, None, None, 0.1, "share")
_ASKED = Compared("prevalence", ("ill",), "Prevalence of 'ill'", (_F, _M), 100, 98, notes=("One.",), requested=True)
_FACTS = Facts(Manifest(rows_suppressed=1, statistics=(_SAME, _MEAN, _ASKED)), private=PrivateFigures())


def _of(*statistics: Compared) -> list[Block]:
    return [*Statistics.of(Facts(Manifest(statistics=statistics), private=PrivateFigures()))]


def test_requested_statistics_come_first_and_unchanged_columns_are_named() -> None:
    text, title, change, asked, notes, heading, mean, unknown, same = Statistics.of(_FACTS)
    assert isinstance(text, Text) and text.paragraphs[-1].startswith("1 row of the input is not in the release")
    assert title == Heading("Prevalence of 'ill'")
    assert isinstance(change, Text) and "sex F: 50 % before, 40 % after. Computed from 100" in change.paragraphs[0]
    assert isinstance(asked, Table) and asked.rows[0] == ("sex F", 0.5, 0.4, -0.1, 0.3, 0.6)
    assert [column.kind for column in asked.columns] == ["text", "share", "share", "points", "share", "share"]
    assert notes == Points(("One.",))
    assert heading == Heading("Numbers and dates")
    assert isinstance(mean, Table) and mean.rows == (("age", "mean", 40.0, 41.0, 1.0, 38.0, 43.0),)
    said = "age: 2 released rows are not among these figures, because the label says too little."
    assert unknown == Points((said,))
    assert same == Text(("All figures are equal before and after: cost.",))


def test_shares_with_bounds_are_drawn_and_have_no_second_table() -> None:
    blocks = _of(Compared("prevalence", ("ill",), "Prevalence", (_F,), 100, 98, requested=True))
    (chart,) = (block for block in blocks if isinstance(block, Chart | Table))
    assert isinstance(chart, Chart) and chart.table.rows == (("sex F", 0.3, 0.4, 0.6, 0.5, -0.1),)


def test_negative_correlations_are_a_table() -> None:
    pair = Figure("a and b", -0.5, -0.4, -0.6, 0.1, 0.1)
    table = _of(Compared("correlation", ("a", "b"), "Correlations of a, b", (pair,)))[2]
    assert isinstance(table, Table) and table.rows == (("a and b", -0.5, -0.4, 0.1, -0.6, 0.1),)


def test_of_categories_the_ten_largest_differences_are_shown() -> None:
    shares = tuple(Figure(f"job {n}", 0.1, 0.1 + n / 1000, 0.0, 0.5, n / 1000, "share") for n in range(14))
    _, heading, table, more = _of(Compared("frequencies", ("job",), "Frequencies of 'job'", shares))
    assert heading == Heading("Categories") and isinstance(table, Table)
    assert [row[1] for row in table.rows] == [f"job {n}" for n in range(13, 3, -1)]
    assert more == Text(("4 categories with smaller differences: see steward.json.",))


def test_a_statistic_without_figures_says_why() -> None:
    empty = Compared("numbers", ("age",), "Numbers of 'age'", (), notes=("Fewer than 5 rows.",))
    text, notes = _of(empty)
    assert notes == Points(("Numbers of 'age': Fewer than 5 rows.",))
    assert isinstance(text, Text) and text.paragraphs[-1] == "All input rows are in the release."
    change = _of(Compared("regression", ("a",), "Regression", (), requested=True))[2]
    assert isinstance(change, Text) and change.paragraphs[0].startswith("There are no figures.")


def test_dates_differ_in_days() -> None:
    mean = Figure("mean", "2020-01-01", "2020-01-03", None, None, 2.0, "date")
    spread = Figure("standard deviation", 10.0, 12.0, 9.0, 14.0, 2.0)
    table = _of(Compared("numbers", ("day",), "Dates", (mean, spread)))[2]
    assert isinstance(table, Table) and table.caption == "Differences of dates are in days."
    assert [row[1] for row in table.rows] == ["mean", "standard deviation, in days"]


def test_numbers_of_wide_tables_are_folded() -> None:
    many = [Compared("numbers", (f"c{n}",), f"Numbers of 'c{n}'", _MEAN.figures, 100, 98) for n in range(14)]
    _, heading, shown, folded = _of(*many)
    assert heading == Heading("Numbers and dates") and isinstance(shown, Table) and isinstance(folded, Table)
    assert (len(shown.rows), shown.place, len(folded.rows), folded.place) == (12, "full", 2, "folded")
    assert folded.caption == "2 more columns"


def test_a_column_of_which_no_value_may_be_named_is_not_called_unchanged() -> None:
    """Generalized to `*` or not: all its values are counted together."""
    unnamed = Compared("frequencies", ("zip",), "Frequencies", (Figure(OTHERS, 1.0, 1.0, 1.0, 1.0, 0.0, "share"),))
    assert _of(unnamed)[-1] == Text(("No value has enough rows to be named: zip.",))


def test_only_the_steward_sees_them() -> None:
    assert Statistics.section(Facts(_FACTS.manifest)) is None
    assert Statistics.section(Facts(Manifest(), private=PrivateFigures())) is None
    section = Statistics.section(_FACTS)
    assert section is not None and section.private
