"""The section of query error and classification error."""

from __future__ import annotations

from shoal.figures import PrivateFigures
from shoal.figures.classified import Classified
from shoal.figures.errors import Errors, Queried
from shoal.manifest import Manifest
from shoal.report.document import Points, Table, Text
from shoal.report.sections.base import Facts
from shoal.report.sections.errors import ErrorsOfUse


def _facts(errors: Errors) -> Facts:
    return Facts(Manifest(), private=PrivateFigures(errors=errors))


def test_the_query_error_is_shown_with_its_sample() -> None:
    table, text, points = ErrorsOfUse.of(
        _facts(Errors(Queried(0.5, 0.1, 0.25, 200, 10, 1000), no_classification="why"))
    )
    assert isinstance(table, Table) and table.rows == ((200, 0.5, 0.1, 0.25),)
    assert isinstance(text, Text) and "10 of 1,000 rows" in text.paragraphs[1]
    assert "asks 8,800 queries about all rows" in text.paragraphs[2] and "usually smaller" not in str(text)
    assert isinstance(points, Points) and "shoal.classification_error" in points.sentences[0]


def test_the_classification_error_is_shown_with_its_sample() -> None:
    found = Classified(raw=0.1, released=0.2, removed=0.3, splits=3, rows=10, rows_released=1000)
    table, text = ErrorsOfUse.of(_facts(Errors(Queried(0.5, 0.1, 0.25, 200, 10, 10), classification=found)))[2:]
    assert isinstance(table, Table) and [row[1] for row in table.rows] == [0.1, 0.2, 0.3]
    assert isinstance(text, Text) and "in 3 random divisions" in text.paragraphs[0]
    assert "10 of 1,000 released rows" in text.paragraphs[1]


def test_all_rows_are_no_sample() -> None:
    found = Classified(raw=0.1, released=0.2, removed=0.3, splits=3, rows=10, rows_released=10)
    blocks = ErrorsOfUse.of(_facts(Errors(Queried(0.5, 0.1, 0.25, 200, 10, 10), classification=found)))
    texts = [each for each in blocks if isinstance(each, Text)]
    assert [len(each.paragraphs) for each in texts] == [2, 1]


def test_reasons_and_ways_are_named() -> None:
    found = Errors(None, "the input was not held in memory", no_classification="it needs one target")
    (points,) = ErrorsOfUse.of(_facts(found))
    assert isinstance(points, Points)
    query, classification = points.sentences
    assert "not held in memory" in query and "--raw FILE" in query
    assert classification.startswith(
        "Classification error is not computed: it needs one target. Where it applies, `shoal"
    )


def test_recipients_do_not_see_it() -> None:
    assert ErrorsOfUse.section(Facts(Manifest())) is None
    assert ErrorsOfUse.section(Facts(Manifest(), private=PrivateFigures())) is None
