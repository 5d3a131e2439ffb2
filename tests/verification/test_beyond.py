"""Contents beyond tables and plan: a forger who fits the hashes can still hide nothing in keys, roles or metadata."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.verification.folder import verify_folder
from tests.contract.patients import patients, plan_of
from tests.verification.test_folder import rehashed


def released(folder: Path, **release: Any) -> tuple[Path, shoal.Plan]:
    plan = plan_of(folder)
    plan = plan.changed(release=plan.release.model_copy(update=release))
    shoal.anonymize(patients(), plan).save(folder / "out")
    return folder / "out", plan


def problems(folder: Path, plan: shoal.Plan | None = None) -> str:
    return " ".join(verify_folder(folder, plan=plan).problems)


@pytest.mark.parametrize("format", ["csv", "parquet", "dta", "sav"])
def test_an_honest_release_has_nothing_beyond(tmp_path: Path, format: str) -> None:
    if format in ("dta", "sav"):
        pytest.importorskip("pyreadstat")
    folder, plan = released(tmp_path, format=format)
    assert problems(folder) == "" and problems(folder, plan) == ""


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda manifest: manifest.update(note="patient 7 is Ann"), "1 keys that no release has"),
        (lambda manifest: manifest.update(risk={"note": "Ann"}), "1 keys that no release has"),
        (lambda manifest: manifest.update(form="anatomy"), "another form"),
        (lambda manifest: manifest.update(algorithm="optimal"), "another algorithm"),
        (lambda manifest: manifest.pop("algorithm"), "another algorithm"),
    ],
)
def test_the_manifest_says_what_the_plan_says(tmp_path: Path, change: Callable[[Any], Any], says: str) -> None:
    folder, plan = released(tmp_path)
    rehashed(folder, change)
    for trusted in (None, plan):
        assert says in problems(folder, trusted) and "Ann" not in problems(folder, trusted)


def test_the_codebook_says_the_roles_of_the_plan(tmp_path: Path) -> None:
    folder, _ = released(tmp_path)
    book = json.loads((folder / "codebook.json").read_text())
    name = next(name for name, entry in book["columns"].items() if entry["role"] == "sensitive")
    book["columns"][name]["role"] = "insensitive"
    (folder / "codebook.json").write_text(json.dumps(book))
    rehashed(folder)
    assert "1 differ" in problems(folder)
    book["columns"] = []
    (folder / "codebook.json").write_text(json.dumps(book))
    rehashed(folder)
    assert not verify_folder(folder).holds


def test_nothing_hides_in_the_metadata_of_a_parquet_file(tmp_path: Path) -> None:
    folder, _ = released(tmp_path, format="parquet")
    path = folder / "release.parquet"
    pl.read_parquet(path).write_parquet(path, metadata={"secret": "Ann"})
    rehashed(folder)
    assert "1 entries of metadata" in problems(folder)


@pytest.mark.parametrize(
    ("format", "kind"),
    [("dta", "value"), ("dta", "column"), ("dta", "file")]
    + [("sav", kind) for kind in ("value", "column", "file", "note", "missing")],
)
def test_nothing_hides_in_the_metadata_of_a_statistics_file(tmp_path: Path, format: str, kind: str) -> None:
    pyreadstat = pytest.importorskip("pyreadstat")
    folder, _ = released(tmp_path, format=format)
    path = folder / f"release.{format}"
    frame, facts = getattr(pyreadstat, f"read_{format}")(path, output_format="polars")
    labels = facts.variable_value_labels
    coded = next(iter(labels))
    options: dict[str, Any] = {
        "value": {"variable_value_labels": labels | {coded: labels[coded] | {10_000: "Ann"}}},
        "column": {"column_labels": {coded: "Ann"}},
        "file": {"file_label": "Ann"},
        "note": {"note": "Ann"},
        "missing": {"missing_ranges": {coded: [10_000]}},
    }
    getattr(pyreadstat, f"write_{format}")(frame, path, **{"variable_value_labels": labels} | options[kind])
    rehashed(folder)
    assert "1 entries of metadata" in problems(folder) and "Ann" not in problems(folder)
