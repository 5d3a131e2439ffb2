"""What every section of a report receives, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from shoal.figures import PrivateFigures, PublicFigures
from shoal.manifest import Manifest
from shoal.report.document import Block, Section, Tone


@dataclass(frozen=True)
class Facts:
    """All that a report is made from.

    `manifest`: the published one, or the steward's. `plan`: the published plan, or the plan as given, as TOML.
    `private`: None in the report for recipients. `digest` and `folder`: those of the saved release, if they are known;
    published reports know neither.
    """

    manifest: Manifest
    public: PublicFigures = field(default_factory=PublicFigures)
    private: PrivateFigures | None = None
    plan: str = ""
    digest: str | None = None
    folder: str | None = None


class ReportSection:
    """A part of a report. `private`: only the steward's report has it."""

    key: ClassVar[str]
    title: ClassVar[str]
    tone: ClassVar[Tone] = "plain"
    private: ClassVar[bool] = False

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        """The blocks of the section; empty if there is nothing to show, and then the section is omitted."""
        raise NotImplementedError

    @classmethod
    def section(cls, facts: Facts) -> Section | None:
        """The section of a release; None if it shows nothing, or nothing that this report may show."""
        if cls.private and facts.private is None:
            return None
        blocks = tuple(cls.of(facts))
        return Section(cls.key, cls.title, blocks, cls.tone, cls.private) if blocks else None
