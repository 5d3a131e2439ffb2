"""The risk of the released rows, beside that of the exact rows of the input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.figures import PrivateFigures
from shoal.figures.before import ClassRisk
from shoal.percent import percent
from shoal.report.document import Block, Cell, Chart, Column, Figure, Kind, Table, Terms, Text
from shoal.report.sections.base import Facts, ReportSection
from shoal.risks import ALL
from shoal.risks.showing import SHARES

_COLUMNS = (
    Column("Measure"),
    Column("Figure"),
    Column("Value", "number"),
    Column("Accepted", "number"),
    Column("Within what is accepted", "verdict"),
)


class ReleasedRisk(ReportSection):
    """The risk before and after, then every figure of risk, what the plan accepts, and whether that is exceeded."""

    key = "risk"
    title = "Risk before and after"
    private = True

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        compared = () if facts.private is None else _compared(facts.private)
        shown_above = _SHOWN_ABOVE if any(isinstance(block, Table) for block in compared) else frozenset()
        rows = [row for row in _rows(facts.manifest.risk) if row[-1] is not None or row[:2] not in shown_above]
        judged = any(row[-1] is not None for row in rows)
        shown = len(_COLUMNS) if judged else 3  # without thresholds, nothing is accepted or refused
        table = Table(_COLUMNS[:shown], tuple(row[:shown] for row in rows), "Risk of the released rows")
        more = Text(("`shoal risk DIR` computes all figures of risk, and attacks the release.",))
        named = {row[0] for row in rows}
        meaning = Terms(tuple((name, _sentence(each.about)) for each in ALL if (name := _name(each.name)) in named))
        found: tuple[Block, ...] = (table, meaning) if rows else ()
        return (*compared, *found, more) if rows or compared else ()


def _sentence(about: str) -> str:
    return f"{about[0].upper()}{about[1:]}."


_SHOWN_ABOVE = frozenset(
    {
        ("prosecutor", "highest"),
        ("prosecutor", "average"),
        ("prosecutor", "smallest class"),
        ("sample uniques", "rows"),
        ("sample uniques", "share"),
    }
)
"""The figures that the comparison with the input has already; they are repeated only beside a threshold."""


_EXACT = (
    "The quasi-identifiers are published as they are, so the row of an individual is as easily found as in the input "
    "(highest prosecutor risk {highest}, average {average}). What the classes hide is which sensitive value belongs to "
    "the row."
)


def _compared(figures: PrivateFigures) -> tuple[Block, ...]:
    """The prosecutor risk, unique rows and classes, before and after."""
    before, after = figures.risk_before, figures.risk_after
    if before is not None and after is None:
        return (Text((_EXACT.format(highest=percent(before.highest), average=percent(before.average)),)),)
    if before is None or after is None:
        return ()
    what = "persons" if before.persons else "rows"
    columns = (Column("Risk"), Column("Before", "share"), Column("After", "share"))
    shares = (
        ("Highest prosecutor risk", before.highest, after.highest),
        ("Average prosecutor risk", before.average, after.average),
        (f"Unique {what}", _unique(before), _unique(after)),
    )
    text = (
        f"The average risk falls from {percent(before.average)} to {percent(after.average)}. Classes of equal "
        f"quasi-identifiers, exact before and as released after; they count {what}."
    )
    counts = (
        (what.capitalize(), before.total, after.total),
        ("Classes", before.classes, after.classes),
        ("Smallest class", before.smallest, after.smallest),
        (f"Unique {what}", before.uniques, after.uniques),
    )
    counted = (Column("Figure"), Column("Before", "count"), Column("After", "count"))
    return Chart("before-after", "Prosecutor risk", text, Table(columns, shares)), Table(counted, counts)


def _unique(risk: ClassRisk) -> float:
    return risk.uniques / max(risk.total, 1)


def _name(key: str) -> str:
    return key.replace("_", " ")


def _rows(risk: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    thresholds, exceeded = risk.get("thresholds", {}), risk.get("exceeded", {})
    for measure in ALL:
        keys = {limit.figure: key for key, limit in measure.limits.items()}
        for name, value in risk.get(measure.name, {}).items():
            if isinstance(value, int | float | str):
                key = keys.get(name, "")
                accepted = thresholds.get(key)
                verdict = None if accepted is None else key not in exceeded
                kind: Kind = "share" if name in SHARES else "number"
                labels = (_name(measure.name), _name(name))
                yield *labels, Figure(value, kind), Figure(accepted, kind), verdict
