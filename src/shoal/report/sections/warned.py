"""The warnings of a release: risks that no model of the plan covers."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Column, Points, Table
from shoal.report.sections.base import Facts, ReportSection


class Warned(ReportSection):
    """Every warning; the published report has those that anyone can compute from the release.

    The steward's report says what to do about each.
    """

    key = "warnings"
    title = "Risks that no model covers"
    tone = "care"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        warnings = facts.manifest.warnings
        if facts.private is None or not facts.private.warnings:
            return (Points(warnings),) if warnings else ()
        any_serious = any(each.serious for each in facts.private.warnings)
        columns = (Column("Warning"), Column("What to do"), *((Column("Weight"),) if any_serious else ()))
        rows = tuple(
            (each.fact, each.remedy.replace("`", "'"), *(("serious" if each.serious else "",) if any_serious else ()))
            for each in facts.private.warnings
        )
        return (Table(columns, rows),)
