"""Which folders may be replaced; `test_saving.py` and `tests/cli/test_anonymize.py` try it on releases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shoal
from shoal.errors import OutputError
from shoal.release.ownership import files_in, require_spared, require_written


def test_files_and_links_are_listed_and_folders_are_not(tmp_path: Path) -> None:
    (tmp_path / "folder/inner").mkdir(parents=True)
    (tmp_path / "folder/file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    assert files_in(tmp_path) == {"folder/file", "link"}
    assert files_in(tmp_path / "missing") == set()


@pytest.mark.parametrize(
    "manifest",
    ["", "[]", "{", "[" * 100_000, '{"shoal_version": "1"}', '{"shoal_version": "1", "files": ["release.csv"]}'],
)
def test_a_manifest_of_another_kind_lists_nothing(tmp_path: Path, manifest: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    (tmp_path / "release.csv").write_text("x")
    with pytest.raises(OutputError, match="2 files"):
        require_written(tmp_path, tmp_path / "missing")


def test_a_listed_link_is_not_what_a_release_wrote(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/release.csv").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "out/manifest.json").write_text(json.dumps({"shoal_version": "1", "files": {"release.csv": ""}}))
    with pytest.raises(OutputError, match="1 file"):
        require_written(tmp_path / "out", tmp_path / "missing")


SOURCES = {
    "file": "{}/data.csv",
    "sqlite": "sqlite:///{}/data.csv",
    "sqlite, escaped": "sqlite:///{}/dat%61.csv",
}


@pytest.mark.parametrize("source", SOURCES)
def test_the_source_is_spared(tmp_path: Path, source: str) -> None:
    plan = shoal.Plan(
        data=shoal.Data(source=SOURCES[source].format(tmp_path)),
        columns={"age": shoal.quasi()},
        models=[shoal.KAnonymity(k=2)],
    )
    with pytest.raises(OutputError, match="contains the source table"):
        require_spared([tmp_path], plan, None)
    require_spared([tmp_path / "elsewhere"], plan, tmp_path / "plan.toml")
    with pytest.raises(OutputError, match="contains the plan"):
        require_spared([tmp_path / "here"], plan, tmp_path / "here" / "plan.toml")


def test_a_server_has_no_file(tmp_path: Path) -> None:
    plan = shoal.Plan(
        data=shoal.Data(source="postgresql://host/data", query="SELECT 1"),
        columns={"age": shoal.quasi()},
        models=[shoal.KAnonymity(k=2)],
    )
    require_spared([tmp_path], plan, None)


def test_a_link_to_the_source_and_the_file_behind_it_are_spared(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "one/data.csv").write_text("age\n1\n")
    (tmp_path / "two/link.csv").symlink_to(tmp_path / "one/data.csv")
    plan = shoal.Plan(
        data=shoal.Data(source=str(tmp_path / "two/link.csv")),
        columns={"age": shoal.quasi()},
        models=[shoal.KAnonymity(k=2)],
    )
    for name in ("one", "two"):
        with pytest.raises(OutputError, match="contains the source table"):
            require_spared([tmp_path / name], plan, None)


def test_hierarchies_are_spared(tmp_path: Path) -> None:
    plan = shoal.Plan(
        columns={"age": shoal.quasi(shoal.tree(str(tmp_path / "age.csv")))}, models=[shoal.KAnonymity(k=2)]
    )
    with pytest.raises(OutputError, match="contains the hierarchy of column 'age'"):
        require_spared([tmp_path], plan, None)
