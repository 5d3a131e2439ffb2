"""Files of a project are written whole, for their owner alone."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from shoal.errors import OutputError
from shoal.studio.files import read_json, write_json, write_text


def test_a_file_is_replaced_and_private(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("old", encoding="utf-8")
    write_json(path, {"a": np.int64(1), "b": float("nan"), "c": ("x",)})
    assert read_json(path) == {"a": 1, "b": None, "c": ["x"]}
    assert path.stat().st_mode & 0o777 == 0o600 and [each.name for each in tmp_path.iterdir()] == ["a.json"]


def test_what_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    write_text(path, "old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OutputError, match="No space left"):
        write_text(path, "new")
    assert path.read_text(encoding="utf-8") == "old" and [each.name for each in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000])
def test_what_is_no_object_reads_as_empty(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert read_json(tmp_path / "a.json") == {} == read_json(tmp_path / "none.json")


@pytest.mark.parametrize(
    "text", ['{"a": NaN}', '{"a": 1e999}', '{"a": "\\ud800"}', "[]", "{", '{"a": ' + "9" * 5000 + "}"]
)
def test_what_json_cannot_say_again_is_not_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert read_json(tmp_path / "a.json") == {}


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    assert read_json(tmp_path / "a.json") == {}
