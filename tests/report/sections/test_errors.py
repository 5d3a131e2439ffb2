"""The section of query error and classification error."""

from __future__ import annotations

from shoal.figures import PrivateFigures
from shoal.figures.errors import Errors, Queried
from shoal.manifest import Manifest
from shoal.report.document import Points, Table, Text
from shoal.report.sections.base import Facts
from shoal.report.sections.errors import ErrorsOfUse


def _facts(errors: Errors) -> Facts:
    return Facts(Manifest(), private=PrivateFigures(errors=errors))


def test_the_query_error_is_shown_with_its_sample() -> None:
    text, table, points = ErrorsOfUse.of(_facts(Errors(Queried(0.5, 0.25, 200, 10, 1000))))
    assert isinstance(table, Table) and table.rows == ((200, 0.5, 0.25),)
    assert isinstance(text, Text) and "10 of 1,000 rows" in text.paragraphs[1]
    assert isinstance(points, Points) and "shoal.classification_error" in points.sentences[0]


def test_all_rows_are_no_sample() -> None:
    text = ErrorsOfUse.of(_facts(Errors(Queried(0.5, 0.25, 200, 10, 10))))[0]
    assert isinstance(text, Text) and len(text.paragraphs) == 1


def test_reasons_and_ways_are_named() -> None:
    (points,) = ErrorsOfUse.of(_facts(Errors(None, "the input was not held in memory", "it needs one target")))
    assert isinstance(points, Points)
    query, classification = points.sentences
    assert "not held in memory" in query and "--raw FILE" in query
    assert classification == "Classification error does not apply: it needs one target."


def test_recipients_do_not_see_it() -> None:
    assert ErrorsOfUse.section(Facts(Manifest())) is None
    assert ErrorsOfUse.section(Facts(Manifest(), private=PrivateFigures())) is None
