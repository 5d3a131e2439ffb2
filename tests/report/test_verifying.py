from __future__ import annotations

import pytest

from shoal.manifest import Manifest
from shoal.report.verifying import verifying
from tests.report.manifests import manifest, report

NEEDED = manifest(knowledge_needed=["symptoms", "lab tests"])


def test_the_way_to_verify_names_what_is_known() -> None:
    plain = verifying(Manifest(), None, None)
    assert plain.command == "shoal verify DIR --digest DIGEST"
    assert "DIR is this folder, and DIGEST is the digest that was printed" in plain.help
    known = verifying(Manifest(), "ab12", "my out")
    assert known.command == "shoal verify 'my out' --digest ab12"
    assert "DIR" not in known.help and "DIGEST" not in known.help
    assert not known.needs


def test_a_table_that_is_not_published_is_in_the_command_and_explained() -> None:
    found = verifying(Manifest.from_json(NEEDED), None, None)
    assert found.command == ("shoal verify DIR --digest DIGEST --knowledge symptoms=FILE --knowledge 'lab tests=FILE'")
    assert "FILE is the knowledge table of the column" in found.help
    assert "'symptoms', 'lab tests'" in found.needs and "hash" in found.needs


@pytest.mark.parametrize(("given", "sufficient"), [(manifest(), True), (NEEDED, False)])
def test_the_page_says_that_files_are_sufficient_only_if_they_are(given: dict[str, object], sufficient: bool) -> None:
    page, text = report(given).page(), report(given).text()
    assert ("The published files are sufficient" in page) is sufficient
    assert ("knowledge table" in page and "knowledge table" in text) is not sufficient
