"""Opening a table: what is offered."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from shoal.studio.pages.opening import _databases, _demo_file
from shoal.studio.places import Places
from shoal.studio.project import Project


def test_the_demo_is_a_table_of_the_project_and_databases_are_offered_apart(tmp_path: Path) -> None:
    project = Project.open(tmp_path / "p")
    data = tmp_path / "data"
    data.mkdir()
    (data / "clinic.sqlite").touch()
    (data / "clinic.csv").touch()
    places = SimpleNamespace(places=Places.of(project.folder, [data]))
    workspace: Any = SimpleNamespace(project=project, studio=places, uploaded_tables=project.uploads)
    demo = project.folder / _demo_file(workspace)
    assert demo.read_text(encoding="utf-8").count("\n") == 10_001
    assert _databases(workspace) == [data / "clinic.sqlite"]
    project.close()
