from __future__ import annotations

from pathlib import Path

import pytest

from shoal.cli.files import check_free, write_text
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
    with pytest.raises(OutputError, match="there is no folder"):
        write_text(tmp_path / "missing" / "a.txt", "one\n")
    with pytest.raises(OutputError, match="is a folder"):
        write_text(tmp_path, "one\n", force=True)
    assert list(tmp_path.iterdir()) == []


def test_only_the_owner_reads_a_private_file(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "one\n", private=True)
    assert (tmp_path / "a.txt").stat().st_mode & 0o077 == 0


def test_another_ending_is_refused(tmp_path: Path) -> None:
    check_free(tmp_path / "a.SVG", force=False, ending=".svg")
    with pytest.raises(OutputError, match=r"Its name ends in \.svg"):
        check_free(tmp_path / "a.png", force=False, ending=".svg")


@pytest.mark.parametrize("name", ["a.csv", "sub/../a.csv", "link.csv", "hard.csv", "parts/part-0.csv"])
def test_a_file_that_is_read_is_never_replaced(tmp_path: Path, name: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "parts").mkdir()
    for each in ("a.csv", "parts/part-0.csv", "other.csv"):
        (tmp_path / each).write_text("age\n1\n")
    (tmp_path / "link.csv").symlink_to("a.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "a.csv")
    reads = (None, tmp_path / "a.csv", str(tmp_path / "parts"), "sqlite:///a.db", tmp_path / "missing.csv")
    check_free(tmp_path / "other.csv", force=True, reads=reads)
    with pytest.raises(OutputError, match="is read by this command"):
        check_free(tmp_path / name, force=True, reads=reads)


def test_what_is_read_is_not_replaced_by_its_relative_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("age\n1\n")
    with pytest.raises(OutputError, match="is read by this command"):
        check_free(Path("a.csv"), force=True, reads=[tmp_path / "a.csv"])
