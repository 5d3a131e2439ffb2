"""The file of a tree is that which a plan reads."""

from __future__ import annotations

from pathlib import Path

from shoal.studio.pages.tree_editor import read, started
from shoal.studio.project import Project

VALUES = [("cat; or dog", 4), ('"odd"', 2), (None, 1)]


def test_a_tree_is_written_and_read_again(tmp_path: Path) -> None:
    project, tree = Project.open(tmp_path / "p"), started(VALUES)
    path = project.keep_groups("pets", tree.hierarchy())
    assert set(tree.paths) == {"cat; or dog", '"odd"'}
    assert read(project.folder / path, VALUES) == tree
    project.close()


def test_values_that_the_file_lacks_are_added(tmp_path: Path) -> None:
    place = tmp_path / "pets.csv"
    place.write_text("cat;animal;*\n", encoding="utf-8")
    assert read(place, [("cat", 1), ("oak", 1)]).paths == {"cat": ("animal",), "oak": ("oak",)}
