"""The disclosure audit: what the classes disclose about every sensitive column with a hierarchy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.report.document import Block, Chart, Column, Heading, Points, Table, Text
from shoal.report.sections.base import Facts, ReportSection
from shoal.risks.describing import EXTENDED, level_name, meaning, node_name, sentences


class Disclosed(ReportSection):
    """For every column: sentences, a drawing by level of the hierarchy, and the protected nodes."""

    key = "disclosure"
    title = "What the classes disclose"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        audit = facts.manifest.disclosure
        columns = audit.get("columns", ())
        blocks = [block for column in columns for block in _of_column(column, audit["table"], audit)]
        return (*blocks, Text((meaning(audit),))) if blocks else ()


def _of_column(column: Mapping[str, Any], table: Mapping[str, Any], audit: Mapping[str, Any]) -> Iterator[Block]:
    source = "from the models" if column["p_from"] == "plan" else "by default: no model of the plan states it"
    levels = [(level_name(level), level) for level in column["levels"]] + [(EXTENDED, column["extended"])]
    yield Heading(column["column"])
    yield Points((*sentences({**audit, "columns": [column]}), f"p = {column['p']}, {source}."))
    if any(level["disclosing_classes"] for _, level in levels):
        yield _chart(column["column"], levels, table)
    counts = tuple(Column(name, "count") for name in _LEVELS)
    yield Table(
        (Column("Level"), *counts),
        tuple((name, *(level[key] for key in _LEVELS.values())) for name, level in levels),
        "Classes and rows by level of the hierarchy",
    )
    if column["nodes"]:
        yield _nodes(column["nodes"])


_LEVELS = {
    "Classes below p": "failing_classes",
    "Rows below p": "failing_rows",
    "Classes disclosing": "disclosing_classes",
    "Rows disclosing": "disclosing_rows",
}


def _chart(name: str, levels: Sequence[tuple[str, Mapping[str, Any]]], table: Mapping[str, Any]) -> Chart:
    """The share of all classes, and of all rows, that disclose a node of each level."""
    whom = "individuals" if table["individuals"] else "rows"
    columns = (Column("Level"), Column("share of classes", "share"), Column(f"share of {whom}", "share"))
    rows = tuple(
        (
            level,
            _share(counts["disclosing_classes"], table["classes"]),
            _share(counts["disclosing_rows"], table["rows"]),
        )
        for level, counts in levels
    )
    text = f"The share of classes, and of {whom}, whose values all lie under one node, by level of the hierarchy."
    return Chart("bars", f"Classes that disclose a node of {name}", text, Table(columns, rows))


def _nodes(nodes: Sequence[Mapping[str, Any]]) -> Table:
    columns = (
        Column("Protected node"),
        Column("Rows under it", "count"),
        Column("Largest share in a class", "share"),
        Column("Classes disclosing", "count"),
        Column("Rows disclosing", "count"),
    )
    keys = ("rows", "largest_share", "disclosing_classes", "disclosing_rows")
    return Table(columns, tuple((node_name(node), *(node[key] for key in keys)) for node in nodes), "Protected nodes")


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
