"""Opening a table: what is offered."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from shoal.studio.pages.opening import _demo_file, _size, _tables
from shoal.studio.places import Places
from shoal.studio.project import Project


def test_sizes_are_readable(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for size, words in ((12, "12 B"), (12_000, "12 kB"), (3_000_000, "3 MB")):
        path.write_bytes(b"x" * size)
        assert _size(path) == words


def test_only_tables_are_offered_and_the_demo_is_one(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    places = SimpleNamespace(places=Places.of(project.folder))
    workspace: Any = SimpleNamespace(project=project, studio=places, uploaded_tables=project.uploads)
    assert _tables(workspace, project.folder) == []
    demo = project.folder / _demo_file(workspace)
    assert _tables(workspace, project.folder) == [demo] and demo.read_text(encoding="utf-8").count("\n") == 10_001
    assert _tables(workspace, tmp_path / "elsewhere") == []
    project.close()
