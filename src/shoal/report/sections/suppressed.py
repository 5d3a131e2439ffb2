"""Suppressed rows by reason, for the steward."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Column, Table
from shoal.report.sections.base import Facts, ReportSection


class SuppressedRows(ReportSection):
    """How many rows were suppressed for each reason, and their share of the input."""

    key = "suppressed"
    title = "Suppressed rows"
    private = True

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        reasons = {} if facts.private is None else facts.private.suppressed
        total = max(facts.manifest.rows_in, 1)
        rows = tuple((_NAMES.get(reason, reason), rows, rows / total) for reason, rows in reasons.items() if rows)
        columns = (Column("Reason"), Column("Rows", "count"), Column("Share of the input", "share"))
        return (Table(columns, rows),) if rows else ()


_NAMES = {"missing values": "A value is missing, and the plan drops such rows", "search": "No class could hold them"}
