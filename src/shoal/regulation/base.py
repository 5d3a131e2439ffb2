"""The interface of a regulatory view, and the sections of which it consists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import polars as pl

from shoal.plan import Plan

NOT_A_JUDGEMENT = (
    "These are findings and figures, not a legal assessment. The thresholds are those of the plan, and those who are "
    "responsible for the data decide whether they suffice."
)


@dataclass(frozen=True)
class Line:
    """One finding: what was looked at, and the result in a sentence. `details` are the same in plain values.

    `status`: "found", "check" if a person has to look, "not found", "exceeded" or "within" a threshold; empty if the
    line states a fact.
    """

    what: str
    result: str
    status: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"what": self.what, "result": self.result, "status": self.status, **self.details}


@dataclass(frozen=True)
class Section:
    """Findings that belong together. `about` says what the regulation asks, with its source."""

    title: str
    about: str
    lines: tuple[Line, ...]

    def text(self) -> str:
        """The section as plain text."""
        lines = [f"- {line.what}: {line.result}" for line in self.lines]
        return "\n".join([self.title, self.about, *lines])

    def to_json(self) -> dict[str, Any]:
        return {"title": self.title, "about": self.about, "lines": [line.to_json() for line in self.lines]}


@dataclass(frozen=True)
class View:
    """A table as a regulation looks at it. It contains counts, shares and column names, but no values."""

    kind: str
    title: str
    sections: tuple[Section, ...]
    sources: tuple[str, ...]

    def text(self) -> str:
        """The view as plain text."""
        sources = "Sources: " + " ".join(self.sources)
        return "\n\n".join([self.title, *(section.text() for section in self.sections), sources, NOT_A_JUDGEMENT])

    def to_json(self) -> dict[str, Any]:
        """The view as JSON values."""
        sections = [section.to_json() for section in self.sections]
        return {
            "view": self.kind,
            "title": self.title,
            "sections": sections,
            "sources": list(self.sources),
            "note": NOT_A_JUDGEMENT,
        }


class RegulatoryView(Protocol):
    """What a regulation asks of a table. Implementations are frozen dataclasses without required fields."""

    kind: ClassVar[str]

    def of(self, table: pl.DataFrame, plan: Plan, figures: Mapping[str, Any]) -> View:
        """The view on a table, raw or released. `figures`: its risk, as `shoal risk --json` prints it."""
        ...
