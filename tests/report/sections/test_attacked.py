"""Attacks on the released files."""

from __future__ import annotations

from shoal.report.document import Heading, Table, Terms, Text
from shoal.report.sections.attacked import Attacked
from shoal.report.sections.base import Facts
from tests.figures.releases import released
from tests.report.manifests import manifest, report, section


def test_every_attack_has_its_sentences() -> None:
    blocks = section(manifest(attacks={"elimination": ["One.", "Two."]}), "attacks").blocks
    assert blocks == (Heading("elimination"), Text(("One.", "Two.")))
    assert report(manifest()).document.section("attacks") is None


def test_attempts_stand_against_what_the_models_allow() -> None:
    release = released()
    table, terms, others = Attacked.of(Facts(release.manifest, release.figures.public))
    assert isinstance(table, Table) and isinstance(terms, Terms) and isinstance(others, Text)
    assert table.rows[1] == ("linkage, at most", None, 0.2, 0.05, 0.2, True)
    assert [row[-1] for row in table.rows if str(row[0]) == "homogeneity"] == [None]
    assert "learned" in others.paragraphs[0] and "shoal risk DIR" in others.paragraphs[0]
