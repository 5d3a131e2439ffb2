"""`shoal compare`: a table, JSON, a drawing, and an exit code that says whether all releases verify."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal
from shoal.cli.app import invoke
from tests.evaluate.test_comparing import patients, plan_of


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    for name, k in (("strict", 12), ("loose", 3)):
        shoal.anonymize(patients(), plan_of(k)).save(tmp_path / name)
    return [str(tmp_path / "strict"), str(tmp_path / "loose")]


def test_it_prints_a_table(folders: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["compare", *folders, "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "average risk" in said
    assert "2 releases. Not dominated:" in said


def test_it_prints_json_and_draws(folders: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw, out = tmp_path / "raw.csv", tmp_path / "compared.svg"
    patients().write_csv(raw)
    assert invoke(["compare", *folders, "--raw", str(raw), "--out", str(out), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found["releases"]] == ["strict", "loose"]
    assert all(each["query_error"] > 0 for each in found["releases"])
    assert out.read_text().startswith("<svg")


def test_a_release_that_does_not_verify_exits_1(folders: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    (Path(folders[0]) / "codebook.json").write_text("{}")
    assert invoke(["compare", *folders, "--quiet"]) == 1
    assert "does not verify" in capsys.readouterr().out


def test_a_drawing_is_not_replaced_unasked(folders: list[str], tmp_path: Path) -> None:
    out = tmp_path / "kept.svg"
    out.write_text("mine")
    with pytest.raises(shoal.ShoalError, match="already exists"):
        invoke(["compare", *folders, "--out", str(out), "--quiet"])
    assert out.read_text() == "mine"


def test_the_input_is_not_overwritten(folders: list[str], tmp_path: Path) -> None:
    raw = tmp_path / "raw.csv"
    patients().write_csv(raw)
    (tmp_path / "drawn.svg").symlink_to("raw.csv")
    before = raw.read_text()
    for out, words in ((raw, "ends in .svg"), (tmp_path / "drawn.svg", "is read by this command")):
        with pytest.raises(shoal.ShoalError, match=words):
            invoke(["compare", *folders, "--raw", str(raw), "--out", str(out), "--force", "--quiet"])
    assert raw.read_text() == before
