"""Reports: one document, and every file that is made from it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import OutputError
from shoal.report import Report
from shoal.report.document import Document
from tests.report.manifests import failing, hostile, manifest, report


def test_the_same_manifest_gives_the_same_file(tmp_path: Path) -> None:
    report(manifest()).save(tmp_path / "a.html")
    report(json.loads(json.dumps(manifest()))).save(tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == report(manifest()).page()


@pytest.mark.parametrize("given", [manifest(), failing(), hostile(), {}], ids=["good", "failing", "hostile", "empty"])
def test_page_and_text_follow_from_the_json_file(given: dict[str, object], tmp_path: Path) -> None:
    first = report(given)
    first.save(tmp_path / "report.json")
    again = Report(Document.from_json(json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))))
    assert again == first and again.page() == first.page() and again.text() == first.text()


def test_the_ending_of_the_file_decides_what_is_written(tmp_path: Path) -> None:
    for name, start in {"r.html": "<!DOCTYPE html>", "r.TXT": "Every promise holds\n", "r.json": "{"}.items():
        report(manifest()).save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8").lstrip().startswith(start)
    with pytest.raises(OutputError, match=r"\.html, \.json, \.txt or \.pdf"):
        report(manifest()).save(tmp_path / "r.docx")


def test_a_report_that_cannot_be_written_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.html").write_text("old")

    def full(self: Path, text: str, **_options: object) -> int:
        with self.open("w") as file:
            file.write(text[:9])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OutputError, match="No space left"):
        report(manifest()).save(tmp_path / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"] and (tmp_path / "r.html").read_text() == "old"


def test_the_saved_pages_follow_from_the_saved_json(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20, 21, 30, 31] * 5, "ill": ["flu", "cold"] * 10})
    plan = shoal.Plan(columns={"age": shoal.quasi(), "ill": shoal.sensitive()}, models=[shoal.KAnonymity(k=2)])
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    for folder in (tmp_path / "out", tmp_path / "out.private"):
        document = Document.from_json(json.loads((folder / "report.json").read_text(encoding="utf-8")))
        assert Report(document).page() == (folder / "report.html").read_text(encoding="utf-8")
        assert document.private == folder.name.endswith(".private")
    files = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["files"]
    assert {"report.html", "report.json"} <= set(files) and shoal.verify_folder(tmp_path / "out").holds


def test_a_release_reports_on_itself_without_values_of_few_rows() -> None:
    """Labels with at least k rows are shown; no value is shown that only a few rows have, or that was generalized."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "age": rng.integers(77_000, 77_090, 300),
            "town": rng.choice(["Aby", "Byn", "Cle"], 300),
            "illness": [*rng.choice(["Flu", "Cold", "Gout"], 297), "zzRare", "zzRare", "zzOther"],
            "job": [*["Nurse"] * 299, "zzJob"],
            "name": [f"zzName{row}" for row in range(300)],
        }
    )
    columns = {
        "age": shoal.quasi(),
        "town": shoal.quasi(),
        "illness": shoal.sensitive(),
        "job": shoal.insensitive(),
        "name": shoal.identifier(),
    }
    plan = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=5), shoal.LDiversity("illness", l=2)])
    release = shoal.anonymize(frame, plan)
    told = release.report
    assert "zz" not in release.steward_report.page()
    assert "Every promise holds" in release._repr_html_()
    for shown in (told.page(), told.fragment(), told.text()):
        assert "Every promise holds" in shown and "illness" in shown
        assert "zz" not in shown
