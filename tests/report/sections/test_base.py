"""What a section shows, and in which report."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.figures import PrivateFigures
from shoal.manifest import Manifest
from shoal.report.document import Block, Text
from shoal.report.sections import ALL
from shoal.report.sections.base import Facts, ReportSection


class _Secret(ReportSection):
    key, title, private = "secret", "Secret", True

    @classmethod
    def of(cls, facts: Facts) -> Sequence[Block]:
        return (Text(("for the steward",)),)


def test_private_sections_are_for_the_steward_only() -> None:
    assert _Secret.section(Facts(Manifest())) is None
    section = _Secret.section(Facts(Manifest(), private=PrivateFigures()))
    assert section is not None and section.private and section.title == "Secret"


def test_keys_and_titles_are_unique() -> None:
    assert len({each.key for each in ALL}) == len({each.title for each in ALL}) == len(ALL)
