"""Renaming several folders as one; `test_output.py` kills it at every step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.errors import OutputError
from shoal.release import journal


@pytest.fixture
def places(tmp_path: Path) -> dict[Path, Path]:
    """Two new folders and the old ones that they replace."""
    places = {tmp_path / f".{name}.x.partial": tmp_path / name for name in ("one", "two")}
    for part, folder in places.items():
        for place, text in ((part, "new"), (folder, "old")):
            place.mkdir()
            (place / "text").write_text(text)
    return places


def texts(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("text")}


def test_all_are_replaced_and_nothing_else_is_left(places: dict[Path, Path], tmp_path: Path) -> None:
    journal.replace(places, tmp_path / "one")
    assert texts(tmp_path) == {"one/text": "new", "two/text": "new"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


@pytest.mark.parametrize("failing", range(1, 5))
def test_all_or_none(places: dict[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int) -> None:
    usual, calls = Path.rename, iter(range(1, 100))

    def rename(self: Path, target: Path) -> Path:
        if next(calls) == failing:
            raise OSError
        return usual(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(OSError):
        journal.replace(places, tmp_path / "one")
    assert texts(tmp_path) == {".one.x.partial/text": "new", ".two.x.partial/text": "new"} | {
        "one/text": "old",
        "two/text": "old",
    }
    assert not (tmp_path / ".one.replacing").exists()


def test_if_it_cannot_be_taken_back_the_next_run_completes_it(
    places: dict[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, calls = Path.rename, iter(range(1, 100))

    def rename(self: Path, target: Path) -> Path:
        if next(calls) >= 3:  # the third rename, and everything that would take back the first two
            raise OSError
        return usual(self, target)

    with monkeypatch.context() as patched, pytest.raises(OSError):
        patched.setattr(Path, "rename", rename)
        journal.replace(places, tmp_path / "one")
    assert journal.is_needed(tmp_path / ".two.x.partial")
    journal.complete(tmp_path / "one", check=lambda: None)
    assert texts(tmp_path) == {"one/text": "new", "two/text": "new"}
    assert not journal.is_needed(tmp_path / ".two.x.partial")


@pytest.mark.parametrize("content", ["", "mine", "[]", "{}", "[[1, 2, 3]]", '[["a", "b", "../c"]]', '[["a", "b"]]'])
def test_a_file_of_another_kind_is_left_alone(tmp_path: Path, content: str) -> None:
    (tmp_path / ".one.replacing").write_text(content)
    with pytest.raises(OutputError, match="not written by Shoal"):
        journal.complete(tmp_path / "one", check=lambda: None)
    assert (tmp_path / ".one.replacing").read_text() == content
    assert not journal.is_needed(tmp_path / "a")


def test_without_a_journal_there_is_nothing_to_complete(tmp_path: Path) -> None:
    (tmp_path / ".one.replacing.partial").write_text(json.dumps([["a", "b", "c"]]))  # killed while it was written
    journal.complete(tmp_path / "one", check=lambda: pytest.fail("nothing is replaced"))
    assert not list(tmp_path.iterdir())
