"""`shoal report`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.report import printing
from tests.cli.conftest import Shoal, write_clinic


@pytest.fixture
def released(shoal: Shoal, tmp_path: Path) -> Path:
    assert shoal("anonymize", write_clinic(tmp_path), "--out", tmp_path / "out").code == 0
    return tmp_path / "out"


def test_a_report_is_shown(shoal: Shoal, released: Path) -> None:
    answer = shoal("report", released)
    assert answer.code == 0 and answer.out.startswith("Every promise holds") and "Promises" in answer.out
    assert "steward" not in answer.out.splitlines()[1]
    assert "For the data steward only" in shoal("report", released, "--private").out
    assert json.loads(shoal("report", released, "--json").out)["private"] is False


def test_a_report_is_written_in_the_format_of_its_file(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    for name, start in {"r.html": b"<!DOCTYPE", "r.json": b"{", "r.txt": b"Every"}.items():
        assert shoal("report", released, "--out", tmp_path / name).code == 0
        assert (tmp_path / name).read_bytes().lstrip().startswith(start)
    again = shoal("report", released, "--out", tmp_path / "r.txt")
    assert again.code == 2 and "already exists" in again.err
    assert shoal("report", released, "--out", tmp_path / "r.txt", "--force").code == 0
    assert shoal("report", released, "--out", tmp_path / "r.docx").code == 2


@pytest.mark.skipif(printing.browser() is None, reason="needs Chromium")
def test_a_report_is_printed(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    assert shoal("report", released, "--private", "--out", tmp_path / "r.pdf").code == 0
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF-")


def test_without_a_release_there_is_no_report(shoal: Shoal, tmp_path: Path) -> None:
    assert shoal("report", tmp_path / "none").code == 2
    assert shoal("report", tmp_path).code == 1


def test_no_report_is_written_into_a_release(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    """Neither folder: the private report would be published, and the release would no longer verify."""
    private = tmp_path / "out.private"
    (tmp_path / "link").symlink_to(released)
    (tmp_path / "page.html").symlink_to(released / "report.html")
    before = {path: path.read_bytes() for folder in (released, private) for path in folder.rglob("*.*")}
    places = [released / "board.html", released / "report.html", tmp_path / "link" / "board.html", private / "b.txt"]
    for place in (*places, tmp_path / "page.html"):
        for words in ((), ("--private",), ("--private", "--force")):
            answer = shoal("report", released, "--out", place, *words)
            assert answer.code == 2 and "lies inside a release" in answer.err
    assert before == {path: path.read_bytes() for folder in (released, private) for path in folder.rglob("*.*")}
    assert shoal("verify", released).code == 0


def test_only_its_owner_reads_a_private_report(shoal: Shoal, released: Path, tmp_path: Path) -> None:
    (tmp_path / "r.html").write_text("old")
    (tmp_path / "r.html").chmod(0o644)
    assert shoal("report", released, "--private", "--out", tmp_path / "r.html", "--force").code == 0
    assert (tmp_path / "r.html").stat().st_mode & 0o777 == 0o600
