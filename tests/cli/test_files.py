from __future__ import annotations

from pathlib import Path

import pytest

from shoal.cli.files import write_text
from shoal.errors import OutputError


def test_whole_or_not_at_all(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "one\n")
    with pytest.raises(OutputError, match="already exists"):
        write_text(tmp_path / "a.txt", "two\n")
    assert (tmp_path / "a.txt").read_text() == "one\n"
    write_text(tmp_path / "a.txt", "two\n", force=True)
    assert (tmp_path / "a.txt").read_bytes() == b"two\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_what_goes_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No such file or directory"):
        write_text(tmp_path / "missing" / "a.txt", "one\n")
    with pytest.raises(OutputError, match="Is a directory"):
        write_text(tmp_path, "one\n", force=True)
    assert list(tmp_path.iterdir()) == []
