"""Attacks that need nothing but the release."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from shoal.report.document import Block, Column, Heading, Table, Terms, Text
from shoal.report.sections.base import Facts, ReportSection


class Attacked(ReportSection):
    """What each attack on the released files achieves, against what the models allow."""

    key = "attacks"
    title = "Attacks on the released files"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        attacks = facts.manifest.attacks.items()
        found = [block for kind, sentences in attacks for block in (Heading(kind), Text(tuple(sentences)))]
        return [*_attempts(facts, facts.manifest.attacks), *found]


def _attempts(facts: Facts, told: Collection[str]) -> list[Block]:
    """The attacks that were tried, against what the models allow, and the names of the others."""
    attacks = facts.public.attacks
    if attacks is None:
        return []
    columns = (
        Column("Attack"),
        Column("Column"),
        Column("Success", "share"),
        Column("Baseline", "share", "The success of the same attack without what it uses of the release."),
        Column("Allowed", "share", "What the models of the plan allow; none of them bounds it if there is no figure."),
        Column("Verdict", "verdict"),
    )
    rows = tuple(
        (
            f"{each.kind}, {each.case}" if each.case else each.kind,
            each.column,
            each.success,
            each.baseline,
            each.bound,
            None if each.bound is None else each.holds,
        )
        for each in attacks.tried
    )
    measured: dict[str, dict[str, None]] = {}
    for each in attacks.tried:
        measured.setdefault(f"{each.kind}, {each.case}" if each.case else each.kind, {})[each.measured] = None
    terms = tuple((name, " Or: ".join(sentences)) for name, sentences in measured.items())
    not_tried = [kind for kind in attacks.not_tried if kind not in told]
    others = f"Not tried for this report: {', '.join(not_tried)}. `shoal risk DIR` runs all that apply."
    tried: list[Block] = [Table(columns, rows), Terms(terms)] if rows else []
    return [*tried, *([Text((others,))] if not_tried else [])]
