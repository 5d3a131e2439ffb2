"""The steps of a specialization: how privacy and loss changed with each of them."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.labels import ANY
from shoal.report.document import Block, Chart, Column, Place, Table, Text
from shoal.report.sections.base import Facts, ReportSection
from shoal.report.steps import Step, drawn_steps, steps_of

_MOST_OPEN = 12
_MORE = (
    "`shoal steps DIR` lists the labels that each step replaced. With `stop_at` in the plan, the search ends after an "
    "earlier step."
)


class Specialized(ReportSection):
    """Which column every step specialized; loss, discernibility and the largest confidence after it."""

    key = "steps"
    title = "Specialization steps"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        steps = steps_of(facts.manifest)
        return (_chart(steps), _sequence(steps), Text((_MORE,))) if steps else ()


def _chart(steps: Sequence[Step]) -> Chart:
    shown = drawn_steps(steps)
    has_confidence = any(step.confidence is not None for step in shown)
    columns = [Column("step", "count"), Column("loss (NCP)", "share"), Column("discernibility ratio", "share")]
    columns += [Column("largest confidence", "share")] if has_confidence else []
    rows = tuple(
        (step.number, step.ncp, step.discernibility_ratio, *((step.confidence,) if has_confidence else ()))
        for step in shown
    )
    text = (
        f"Information loss after each of the {len(steps):,} steps. Before the first one, every quasi-identifier is "
        f"generalized to {ANY}."
    )
    return Chart("lines", "Loss after each step", text, Table(tuple(columns), rows))


def _sequence(steps: Sequence[Step]) -> Table:
    """The column of every step, and how many labels took the place of one; no label, which may have few rows."""
    shown = drawn_steps(steps)
    columns = [Column("Step", "count"), Column("Specialized column")]
    columns += [Column(name, "count") for name in ("New labels", "Classes", "Smallest class")]
    rows = tuple((each.number, each.column, len(each.parts), each.classes, each.smallest_class) for each in shown)
    which = "All steps" if len(shown) == len(steps) else f"{len(shown):,} of the {len(steps):,} steps"
    place: Place = "full" if len(shown) <= _MOST_OPEN else "folded"
    return Table(tuple(columns), rows, f"{which} in their order", place)
