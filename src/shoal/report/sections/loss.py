"""The measures of the complete release: information loss and utility."""

from __future__ import annotations

from collections.abc import Sequence

from shoal import measures
from shoal.report.document import Block, Column, Table
from shoal.report.sections.base import Facts, ReportSection

_RATIO = "the same figure as a share of its largest possible value"


class Loss(ReportSection):
    """A row for every measure, and one for its ratio to the largest possible value if there is one."""

    key = "measures"
    title = "Information loss and utility"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        figures = facts.manifest.measures
        rows = [
            (label(name), figures[name], about, each.goal)
            for each in measures.ALL
            for name, about in ((each.name, each.about), (f"{each.name}_ratio", _RATIO))
            if figures.get(name) is not None
        ]
        columns = (Column("Measure"), Column("Value", "number"), Column("Meaning"), Column("Better"))
        return (Table(columns, tuple(rows)),) if rows else ()


def label(name: str) -> str:
    """A measure's name for display: abbreviations in capitals, words capitalized.

    >>> label("ncp"), label("average_class_size")
    ('NCP', 'Average class size')
    """
    return name.upper() if len(name) <= 3 else name.replace("_", " ").capitalize()
