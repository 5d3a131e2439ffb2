"""The plan of the release."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Code
from shoal.report.sections.base import Facts, ReportSection


class Planned(ReportSection):
    """The plan as it is stored with the report: the published one, or the plan as given."""

    key = "plan"
    title = "Plan"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        return (Code(facts.plan),) if facts.plan else ()
