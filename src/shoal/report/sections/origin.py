"""The origin of a release: what the plan says about its title, purpose, steward, date, licence and approval."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Column, Table
from shoal.report.sections.base import Facts, ReportSection


class Origin(ReportSection):
    """What the plan states; the approval is for the steward only."""

    key = "origin"
    title = "Origin"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        approval = {} if facts.private is None else facts.private.approval
        rows = [(name.capitalize(), text) for name, text in facts.public.provenance.items()]
        rows += [(f"Approval: {name}", text) for name, text in approval.items()]
        return (Table((Column("Fact"), Column("Stated in the plan")), tuple(rows)),) if rows else ()
