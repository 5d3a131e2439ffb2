"""How to verify a release, in its report."""

from __future__ import annotations

from shoal.manifest import Manifest
from shoal.report import Facts
from shoal.report.document import Code, Text
from shoal.report.sections.verified import Verified


def test_the_command_is_complete_where_digest_and_folder_are_known() -> None:
    needs, command, meaning = Verified.of(Facts(Manifest(), digest="ab", folder="out"))
    assert command == Code("shoal verify out --digest ab")
    assert isinstance(needs, Text) and needs.paragraphs[0].startswith("Anyone can verify")
    assert isinstance(meaning, Text) and "DIGEST" not in meaning.paragraphs[0]


def test_what_else_is_needed_comes_first() -> None:
    needs, command, _ = Verified.of(Facts(Manifest(knowledge_needed=("symptoms",))))
    assert isinstance(needs, Text) and "knowledge table of 'symptoms'" in needs.paragraphs[0]
    assert command == Code("shoal verify DIR --digest DIGEST --knowledge symptoms=FILE")
