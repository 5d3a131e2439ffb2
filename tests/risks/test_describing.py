"""A disclosure audit in words: what a steward reads about one class or many, rows or individuals, with or without k."""

from __future__ import annotations

from typing import Any

from shoal.risks.describing import LEVEL_HEADERS, NODE_HEADERS, level_lines, node_lines, sentences


def counts(classes: int, rows: int) -> dict[str, int]:
    disclosing = {"disclosing_classes": classes, "disclosing_rows": rows}
    return {"failing_classes": classes + 1, "failing_rows": rows + 2, **disclosing}


def figures(
    classes: int = 31, rows: int = 164, *, nodes: bool = True, named: bool = True, **table: Any
) -> dict[str, Any]:
    node = {
        "node": "C00-D49",
        "name": "Neoplasms",
        "rows": 1700,
        "disclosing_classes": classes,
        "disclosing_rows": rows,
        "largest_share": 0.8,
    }
    names = ("code", "chapter") if named else ("value", "")
    column = {
        "column": "diagnosis",
        "p": 3,
        "p_from": "plan",
        "levels": [
            {"level": 0, "name": names[0], **counts(0, 0)},
            {"level": 1, "name": names[1], **counts(classes, rows)},
        ],
        "extended": counts(classes, rows),
        "nodes": [node] if nodes else [],
    }
    whole = {"classes": 90, "rows": 400, "smallest_class": 5, "anatomy": False, "individuals": False}
    return {"classes": classes, "rows": rows, "share": rows / 400, "table": whole | table, "columns": [column]}


def test_a_protected_node_that_is_disclosed() -> None:
    assert sentences(figures()) == [
        "The table is 5-anonymous, and still 31 classes (164 rows) disclose C00-D49 (Neoplasms) in column 'diagnosis'.",
        "The table is 5-anonymous, and still 31 classes (164 rows) disclose a chapter of column 'diagnosis'.",
    ]


def test_one_class_of_a_raw_table_and_of_individuals() -> None:
    assert sentences(figures(1, 1, smallest_class=1, individuals=True)) == [
        "1 class (1 individual) discloses C00-D49 (Neoplasms) in column 'diagnosis'.",
        "1 class (1 individual) discloses a chapter of column 'diagnosis'.",
    ]


def test_an_anatomy_is_not_anonymous() -> None:
    assert sentences(figures(2, 10, anatomy=True, nodes=False, named=False)) == [
        "Every class has at least 5 rows, and still 2 classes (10 rows) disclose a node of level 1 of column "
        "'diagnosis'."
    ]


def test_nothing_is_disclosed() -> None:
    assert sentences(figures(0, 0)) == [
        "No class discloses a protected node of column 'diagnosis'.",
        "No class discloses a chapter of column 'diagnosis'.",
    ]
    assert sentences({}) == [] and level_lines({}) == [] and node_lines({}) == []


def test_lines_have_every_count() -> None:
    lines = level_lines(figures())
    assert lines[1] == ("diagnosis", "1 (chapter)", "3 (plan)", "32", "166", "31", "164")
    assert lines[2][:2] == ("diagnosis", "strong ancestors") and lines[0][3:] == ("1", "2", "0", "0")
    assert node_lines(figures()) == [("diagnosis", "C00-D49 (Neoplasms)", "1,700", "80 %", "31", "164")]
    assert level_lines(figures(named=False))[1][1] == "1"
    assert all(len(line) == len(LEVEL_HEADERS) for line in lines) and len(NODE_HEADERS) == 6
