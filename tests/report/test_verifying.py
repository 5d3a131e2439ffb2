from __future__ import annotations

import pytest

from shoal.manifest import Manifest
from shoal.report import Report
from tests.report.manifests import manifest, report

NEEDED = manifest(knowledge_needed=["symptoms", "lab tests"])


def test_the_way_to_verify_names_what_is_known() -> None:
    plain = report(manifest()).view
    assert plain.check == "shoal verify DIR --digest DIGEST"
    assert "DIR is this folder, and DIGEST is the digest that was printed" in plain.check_help
    known = Report(Manifest.from_json(manifest()), digest="ab12", folder="my out").view
    assert known.check == "shoal verify 'my out' --digest ab12"
    assert "DIR" not in known.check_help and "DIGEST" not in known.check_help
    assert not known.check_needs


def test_a_table_that_is_not_published_is_in_the_command_and_explained() -> None:
    found = report(NEEDED).view
    assert found.check == ("shoal verify DIR --digest DIGEST --knowledge symptoms=FILE --knowledge 'lab tests=FILE'")
    assert "FILE is the knowledge table of the column" in found.check_help
    assert "'symptoms', 'lab tests'" in found.check_needs and "hash" in found.check_needs


@pytest.mark.parametrize(("given", "sufficient"), [(manifest(), True), (NEEDED, False)])
def test_the_page_says_that_files_are_sufficient_only_if_they_are(given: dict[str, object], sufficient: bool) -> None:
    page, text = report(given).page(), report(given).text()
    assert ("The published files are sufficient" in page) is sufficient
    assert ("knowledge table" in page and "knowledge table" in text) is not sufficient
