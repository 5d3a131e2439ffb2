"""CITATION.cff is written if the plan states who made the release, and YAML reads every text as it was stated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.manifest import read_manifest
from shoal.release.citation import citation, quoted
from tests.contract.patients import patients

STATED = {"title": "Admissions", "steward": "Registry: north", "date": "2025-03-01", "licence": "CC-BY-4.0"}


def read(text: str | None) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    value: dict[str, Any] = yaml.safe_load(text)
    return value


def test_it_has_what_the_format_requires() -> None:
    found = read(citation({**STATED, "purpose": "yes"}))
    assert found["cff-version"] == "1.2.0" and found["type"] == "dataset" and found["message"]
    assert found["title"] == "Admissions" and found["authors"] == [{"name": "Registry: north"}]
    assert found["date-released"] == "2025-03-01" and found["license"] == "CC-BY-4.0" and found["abstract"] == "yes"


@pytest.mark.parametrize("missing", ["title", "steward"])
def test_without_title_or_steward_there_is_none(missing: str) -> None:
    assert citation({key: text for key, text in STATED.items() if key != missing}) is None


def test_what_the_format_does_not_know_is_in_the_message() -> None:
    found = read(citation({**STATED, "licence": "on request", "date": "March 2025"}))
    assert not {"license", "license-url", "date-released"} & found.keys()
    assert "Licence: on request" in found["message"] and "Released: March 2025" in found["message"]
    linked = read(citation({**STATED, "licence": "https://example.org/terms"}))
    assert linked["license-url"] == "https://example.org/terms" and "license" not in linked


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_yaml_reads_every_text_as_it_is(text: str) -> None:
    assert read(f"key: {quoted(text)}\n") == {"key": text}
    assert "\n" not in quoted(text)


def test_it_is_written_hashed_and_accepted_by_verification(tmp_path: Path) -> None:
    columns = {"age": shoal.quasi(), "ill": shoal.sensitive()}
    for name, stated in (("cited", STATED), ("plain", {})):
        release = shoal.ReleaseSettings(**stated)
        plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=3)], release=release)
        shoal.anonymize(patients().select("age", ill="diagnosis"), plan).save(tmp_path / name)
        files = read_manifest(tmp_path / name).files
        assert ("CITATION.cff" in files) is (tmp_path / name / "CITATION.cff").is_file() is bool(stated)
        assert shoal.verify_folder(tmp_path / name).holds
