"""What each model of the plan promises, in words, with its paper."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Column, Table
from shoal.report.sections.base import Facts, ReportSection
from shoal.report.sections.promises import model_of


class Meaning(ReportSection):
    """A row for every kind of model, in the order of the plan."""

    key = "meaning"
    title = "What the models promise"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        scopes = {each.kind: each.scope.words if each.scope else "" for each in facts.manifest.models}
        rows = []
        for kind, scope in scopes.items():
            if (model := model_of(kind)) is not None:
                about = model.about
                promise = f"{scope[0].upper()}{scope[1:]}: {about.promise}" if scope else about.promise
                rows.append((kind, promise, about.paper))
        return (Table((Column("Model"), Column("It promises"), Column("Paper")), tuple(rows)),) if rows else ()
