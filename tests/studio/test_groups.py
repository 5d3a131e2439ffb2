"""Groups of values are kept as files that are never changed, as long as something refers to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shoal.hierarchies import Hierarchy
from shoal.studio import groups


def tree(label: str) -> Hierarchy:
    return Hierarchy.from_paths([("cat", label, "*"), ("dog", label, "*")])


def kept(folder: Path, labels: Sequence[str]) -> list[str]:
    return [groups.keep(tree(label), "pet", folder, folder) for label in labels]


def test_every_version_is_a_file_of_its_own_and_equal_ones_are_the_same(tmp_path: Path) -> None:
    first, second, again = kept(tmp_path, ["animal", "pet", "animal"])
    assert first == again != second and first.startswith("hierarchies/pet-")
    assert (tmp_path / first).read_text(encoding="utf-8") == "cat;animal;*\ndog;animal;*\n"
    assert (tmp_path / first).stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == ["hierarchies"]
    assert groups.is_of("pet", first) and groups.is_of("pet", groups.first_of("pet"))


def test_columns_of_similar_names_have_files_of_their_own() -> None:
    assert groups.first_of("Job title") != groups.first_of("job-title")
    assert "/" not in groups.first_of("../../etc/passwd").removeprefix("hierarchies/")
    assert not groups.is_of("job", groups.first_of("Job")) and not groups.is_of("job", None)
    assert not groups.is_of("job", "../" + groups.first_of("job"))


def test_only_versions_that_nothing_names_are_removed(tmp_path: Path) -> None:
    used, unused = kept(tmp_path, ["animal", "pet"])
    own = [tmp_path / "hierarchies" / name for name in ("mine.csv", Path(groups.first_of("pet")).name)]
    for path in own:
        path.write_text("cat;*\n", encoding="utf-8")
    groups.remove_unused(tmp_path, groups.names_in(f'hierarchy = {{ kind = "file", path = "/p/{used}" }}'))
    assert (tmp_path / used).is_file() and not (tmp_path / unused).exists() and all(path.is_file() for path in own)
    groups.remove_unused(tmp_path / "none", ())


def test_a_folder_elsewhere_is_left_alone(tmp_path: Path) -> None:
    (path,) = kept(tmp_path / "", ["animal"])
    project = tmp_path / "project"
    project.mkdir()
    (project / "hierarchies").symlink_to(tmp_path / "hierarchies")
    groups.remove_unused(project, ())
    assert (tmp_path / path).is_file()
