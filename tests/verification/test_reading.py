"""A table in parts is read as the table in one file, and parts that were changed are named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.errors import PromiseBroken
from shoal.table import parts
from shoal.verification import reading
from shoal.verification.folder import own_plan, verify_folder
from shoal.verification.reading import Files, read_runs
from tests.layouts import contents
from tests.verification.test_folder import rehashed

ROWS = 40
FRAME = pl.DataFrame(
    {
        "age": [str(20 + row * 7 % 30) for row in range(150)],
        "city": [f"c{row % 6}" for row in range(150)],
        "ill": [["flu", "HIV", "rash"][row % 3] for row in range(150)],
        "cost": [row % 5 for row in range(150)],
    }
)
COLUMNS = {"age": shoal.quasi(), "city": shoal.quasi(), "ill": shoal.sensitive(), "cost": shoal.insensitive()}


@pytest.fixture(autouse=True)
def few_rows_in_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "ROWS", ROWS)


def saved(folder: Path, *, in_parts: bool, form: str = "generalized", format: str = "csv") -> Path:
    settings = shoal.ReleaseSettings(form=form, format=format)
    models = [shoal.LDiversity("ill", l=2)] if form == "anatomy" else [shoal.KAnonymity(k=4)]
    release = shoal.anonymize(FRAME, shoal.Plan(columns=COLUMNS, models=models, release=settings))
    replace(release, draft=replace(release.draft, in_parts=in_parts)).save(folder)
    return folder


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("form", ["generalized", "anatomy"])
def test_parts_are_the_same_release(form: str, format: str, tmp_path: Path) -> None:
    one = saved(tmp_path / "one", in_parts=False, form=form, format=format)
    many = saved(tmp_path / "many", in_parts=True, form=form, format=format)
    plan = own_plan(one)
    for reader in (Files(), Files(in_batches=True)):
        whole, divided = read_runs(one, plan, reader), read_runs(many, plan, reader)
        assert whole.keys() == divided.keys()
        for name, runs in whole.items():
            assert runs.expanded().cast(pl.String).equals(divided[name].expanded().cast(pl.String))
        found = verify_folder(many, reader=reader)
        assert found.holds and found.verdicts == verify_folder(one).verdicts, found.problems
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in (one, many)]
    files = manifests[1].pop("files")
    assert {name: each for name, each in manifests[0].items() if name != "files"} == manifests[1]
    main = "release" if form == "generalized" else "quasi_identifiers"
    assert [name for name in files if name.startswith(f"{main}/")] == [
        f"{main}/part-0000{n}.{format}" for n in range(4)
    ]
    here, there = contents(one), contents(many)
    for name in ("codebook.json", "report.html", "report.json", "plan.toml"):
        assert here[name] == there[name]


def test_formats_without_parts_stay_one_file(tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat")
    folder = saved(tmp_path / "out", in_parts=True, format="dta")
    assert (folder / "release.dta").is_file() and verify_folder(folder).holds


def _drop(path: Path) -> None:
    path.unlink()


def _swap(path: Path) -> None:
    other = path.with_name("part-00000.csv")
    mine, theirs = path.read_bytes(), other.read_bytes()
    path.write_bytes(theirs)
    other.write_bytes(mine)


def _rename_column(path: Path) -> None:
    path.write_text(path.read_text().replace("cost", "costs", 1))


def _empty(path: Path) -> None:
    path.write_text(path.read_text().split("\n", 1)[0] + "\n")


def _shorten(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        (_drop, "The file 'release/part-00001.csv' is missing."),
        (_swap, "The rows of 'release' are not in their order."),
        (_rename_column, "The file 'release/part-00001.csv' has other columns than the first part of its table."),
        (_empty, "The file 'release/part-00001.csv' has 0 rows; every part has 40"),
        (_shorten, "The file 'release/part-00001.csv' has 39 rows; every part has 40"),
        (lambda path: path.write_bytes(b'"open'), "The file 'release/part-00001.csv' was changed"),
        (
            lambda path: shutil.copy(path, path.with_name("note.txt")),
            "The file 'release/note.txt' does not belong to a release of this plan.",
        ),
        (
            lambda path: shutil.copy(path, path.parent.parent / "release.csv"),
            "The release has both 'release.csv' and the folder 'release'.",
        ),
        (
            lambda path: path.with_name("more").mkdir(),
            "The folder 'release/more' does not belong to a release of this plan.",
        ),
    ],
)
def test_what_was_done_to_parts_is_named(change: Callable[[Path], object], fact: str, tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", in_parts=True)
    change(folder / "release/part-00001.csv")
    assert not verify_folder(folder).holds
    rehashed(folder)  # by whoever changes the manifest too
    found = " ".join(verify_folder(folder).problems)
    assert fact in found, found


def test_a_last_part_without_rows_is_named(tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", in_parts=True)
    header = (folder / "release/part-00000.csv").read_text().split("\n", 1)[0]
    (folder / "release/part-00004.csv").write_text(header + "\n")
    rehashed(folder)
    assert "part-00003.csv" in " ".join(verify_folder(folder).problems)


def test_a_table_is_missing_where_there_is_neither_file_nor_part(tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", in_parts=True)
    shutil.rmtree(folder / "release")
    assert verify_folder(folder).problems == ("The file 'release.csv' is missing.",)
    (folder / "release").mkdir()
    with pytest.raises(PromiseBroken, match=r"'release/part-00000\.csv' is missing"):
        read_runs(folder, own_plan(folder))


def test_metadata_of_a_part_is_found(tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", in_parts=True, format="parquet")
    path = folder / "release/part-00002.parquet"
    pl.read_parquet(path).write_parquet(path, metadata={"who": "me"})
    rehashed(folder)
    assert "The file 'release/part-00002.parquet' has 1 entries" in " ".join(verify_folder(folder).problems)


def test_small_files_can_be_read_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = saved(tmp_path / "out", in_parts=False, format="parquet")
    monkeypatch.setattr(reading, "_ROWS_AT_ONCE", 7)
    runs = read_runs(folder, own_plan(folder), Files(in_batches=True))["release"]
    assert isinstance(runs["age"].dtype, pl.Enum)
    assert runs.expanded().cast(pl.String).equals(pl.read_parquet(folder / "release.parquet").cast(pl.String))


@pytest.mark.parametrize("rows", [0, 1, 5000])
def test_a_parquet_file_of_many_cells_is_read_as_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """However few bytes it has: sorted rows take almost no space."""
    table = pl.DataFrame({"a": [f"v{row // 700}" for row in range(rows)], "b": [row // 900 for row in range(rows)]})
    table.cast({"a": pl.String, "b": pl.Int64}).write_parquet(tmp_path / "release.parquet")
    plan = shoal.Plan(
        columns={"a": shoal.quasi(), "b": shoal.insensitive()},
        models=[shoal.KAnonymity(k=2)],
        release=shoal.ReleaseSettings(format="parquet"),
    )
    monkeypatch.setattr(reading, "_CELLS_AT_ONCE", 1)
    monkeypatch.setattr(reading, "_ROWS_AT_ONCE", 1000)
    runs = reading.read_runs(tmp_path, plan)["release"]
    assert runs.height == rows and len(runs.times) <= 20
    assert runs.expanded().cast({"a": pl.String}).rows() == table.rows()
