"""The time that each step of a run took."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Column, Table
from shoal.report.sections.base import Facts, ReportSection


class Timed(ReportSection):
    """Seconds by step."""

    key = "timings"
    title = "Timings"
    private = True

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        rows = tuple(facts.manifest.timings.items())
        return (Table((Column("Step"), Column("Time", "seconds")), rows),) if rows else ()
