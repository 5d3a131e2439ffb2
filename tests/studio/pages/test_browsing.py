"""Choosing a file where it is, also in folders inside of those that the studio may read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shoal.studio.pages.browsing import _size, above, inside, top
from shoal.studio.places import Places
from shoal.studio.problems import Refused
from shoal.studio.project import Project


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Any]:
    """A project inside of an allowed folder, with a table in a folder of a folder."""
    (tmp_path / "data" / "2024" / "may").mkdir(parents=True)
    (tmp_path / "data" / "2024" / "may" / "visits.csv").touch()
    (tmp_path / "data" / "2024" / "out").symlink_to(tmp_path)
    project = Project.open(tmp_path / "data" / "p")
    places = Places.of(project.folder, [tmp_path / "data"])
    yield SimpleNamespace(project=project, studio=SimpleNamespace(places=places), uploaded_tables=project.uploads)
    project.close()


def test_sizes_are_readable(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for size, words in ((12, "12 B"), (12_000, "12 kB"), (3_000_000, "3 MB")):
        path.write_bytes(b"x" * size)
        assert _size(path) == words


def test_folders_are_entered_and_left(workspace: Any, tmp_path: Path) -> None:
    year = tmp_path / "data" / "2024"
    assert [path for path in top(workspace) if path.is_dir()] == [year]  # not the folder of the project
    assert inside(workspace, year) == [year / "may"]  # not the link that leads out
    assert inside(workspace, year / "may") == [year / "may" / "visits.csv"]
    assert above(workspace, year / "may") == year and above(workspace, year) is None


def test_no_other_folder_is_entered(workspace: Any, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "data" / "2024" / "out", workspace.project.scratch):
        with pytest.raises(Refused):
            inside(workspace, folder)


def test_of_the_project_only_uploads_and_files_are_listed(workspace: Any) -> None:
    upload = workspace.project.uploads_folder / "mine.csv"
    upload.parent.mkdir(exist_ok=True)
    upload.touch()
    found = top(workspace)
    assert upload in found and workspace.project.uploads_folder not in found
