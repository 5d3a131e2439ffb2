"""How a reader verifies the release."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.report.document import Block, Code, Text
from shoal.report.sections.base import Facts, ReportSection
from shoal.report.verifying import verifying

_ANYONE = "Anyone can verify the release on any machine. The published files are sufficient:"


class Verified(ReportSection):
    """The command, what it needs, and what its words mean."""

    key = "verify"
    title = "How to verify this release"

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        check = verifying(facts.manifest, facts.digest, facts.folder)
        return (Text((check.needs or _ANYONE,)), Code(check.command), Text((check.help,)))
