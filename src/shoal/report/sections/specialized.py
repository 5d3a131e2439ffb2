"""The steps of a specialization: how privacy and loss changed with each of them."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Chart, Column, Table, Text
from shoal.report.sections.base import Facts, ReportSection
from shoal.report.steps import Step, drawn_steps, steps_of

_MORE = (
    "`shoal steps DIR` lists what each step replaced. With `stop_at` in the plan, the search ends after an earlier "
    "step."
)


class Specialized(ReportSection):
    """Loss, discernibility and the largest confidence after every step."""

    key = "steps"
    title = "Specialization steps"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        steps = steps_of(facts.manifest)
        return (_chart(steps), Text((_MORE,))) if steps else ()


def _chart(steps: Sequence[Step]) -> Chart:
    shown = drawn_steps(steps)
    has_confidence = any(step.confidence is not None for step in shown)
    columns = [Column("step", "count"), Column("loss (NCP)", "share"), Column("discernibility ratio", "share")]
    columns += [Column("largest confidence", "share")] if has_confidence else []
    rows = tuple(
        (step.number, step.ncp, step.discernibility_ratio, *((step.confidence,) if has_confidence else ()))
        for step in shown
    )
    text = f"Information loss after each of the {len(steps):,} steps, beginning with the most general table."
    return Chart("lines", "Loss after each step", text, Table(tuple(columns), rows))
