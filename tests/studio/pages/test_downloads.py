"""Downloads contain what they say, and nothing of the private folder is in the public one."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import shoal
from shoal.studio.pages.downloads import PRIVATE, PUBLIC, address, prepared
from shoal.studio.problems import NoSuchThing
from shoal.studio.runs import Run
from tests.studio.tables import plan_of, write_clinic


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("0001-run")
    made = Run(folder, "run")
    made.plan_path.write_text(plan_of(write_clinic(folder)), encoding="utf-8")
    shoal.anonymize_to(shoal.read_plan(made.plan_path), made.release)
    return made


@pytest.mark.parametrize("what", [*PUBLIC, *PRIVATE])
def test_every_download_is_a_file(run: Run, what: str, tmp_path: Path) -> None:
    path, is_temporary = prepared(run, what, tmp_path)
    assert path.stat().st_size > 100 and is_temporary == (path.parent == tmp_path)


def test_the_public_archive_is_the_public_folder(run: Run, tmp_path: Path) -> None:
    path, _ = prepared(run, "release.zip", tmp_path)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    assert shoal.verify_folder(tmp_path / "release").holds
    names = {each.name for each in (tmp_path / "release").rglob("*")}
    assert "steward.json" not in names and names == {each.name for each in run.release.rglob("*")}


def test_what_is_not_offered_is_not_there(run: Run, tmp_path: Path) -> None:
    for what in ("../run.json", "steward.json", ""):
        with pytest.raises(NoSuchThing):
            prepared(run, what, tmp_path)
    with pytest.raises(NoSuchThing, match="no release"):
        prepared(Run(tmp_path / "0002-none", "none"), "release.zip", tmp_path)
    assert address(run, "plan.toml").endswith(f"/{run.id}/plan.toml")


def test_links_are_not_followed(run: Run, tmp_path: Path) -> None:
    link = run.release / "link.csv"
    link.symlink_to("/etc/passwd")
    try:
        path, _ = prepared(run, "release.zip", tmp_path)
    finally:
        link.unlink()
    with zipfile.ZipFile(path) as archive:
        assert "release/link.csv" not in archive.namelist()
    other = Run(tmp_path / "0002-linked", "linked")
    other.folder.mkdir()
    other.release.symlink_to(run.release)
    with pytest.raises(NoSuchThing):
        prepared(other, "report.html", tmp_path)
