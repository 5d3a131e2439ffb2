"""Reading the report of a saved release."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.errors import PromiseBroken, ShoalError


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    frame = pl.DataFrame({"age": [20, 21, 30, 31] * 5})
    plan = shoal.Plan(columns={"age": shoal.quasi()}, models=[shoal.KAnonymity(k=2)])
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    return tmp_path / "out"


def test_both_reports_are_read(saved: Path) -> None:
    public, private = shoal.read_report(saved), shoal.read_report(saved, private=True)
    assert public.page() == (saved / "report.html").read_text(encoding="utf-8")
    assert private.document.private and not public.document.private
    assert private.page() == (saved.with_name("out.private") / "report.html").read_text(encoding="utf-8")


def test_a_changed_report_is_refused(saved: Path) -> None:
    path = saved / "report.json"
    path.write_text(path.read_text(encoding="utf-8").replace("Every promise holds", "All is well"), encoding="utf-8")
    with pytest.raises(PromiseBroken, match="is not the one that its manifest"):
        shoal.read_report(saved)


@pytest.mark.parametrize("content", ["{}", "[", '{"title": 1}', json.dumps({"verdict": [1], "sections": {}})])
def test_what_is_no_report_is_refused(saved: Path, content: str) -> None:
    (saved.with_name("out.private") / "report.json").write_text(content, encoding="utf-8")
    with pytest.raises(PromiseBroken):
        shoal.read_report(saved, private=True)


def test_what_is_not_there_is_named(saved: Path) -> None:
    with pytest.raises(ShoalError, match="no folder"):
        shoal.read_report(saved / "none")
    (saved / "report.json").unlink()
    with pytest.raises(PromiseBroken, match=r"has no report\.json"):
        shoal.read_report(saved)


def test_the_schema_describes_the_files(saved: Path) -> None:
    schema = shoal.report_schema()
    written = json.loads((saved / "report.json").read_text(encoding="utf-8"))
    assert set(written) <= set(schema["properties"]) and set(schema["required"]) <= set(written)
    json.dumps(schema)
