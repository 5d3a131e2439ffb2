from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from shoal.errors import TableError
from shoal.table import read

MARKER = "Zebulon-4711"
CSV = "age;sex\n39;f\n50;m\n"


def archive(path: Path, **members: str | bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name.replace("__", "/").replace("_", "."), content)
    return path


def refused(path: Path, *words: str) -> None:
    with pytest.raises(TableError) as caught:
        read(path)
    for word in words:
        assert word in str(caught.value)
    assert MARKER not in str(caught.value)


@pytest.mark.parametrize("name", ["t_csv", "t_txt", "t_data", "folder__t_csv", "T_CSV"])
def test_the_only_table_of_an_archive_is_read(name: str, tmp_path: Path) -> None:
    frame = read(archive(tmp_path / "t.zip", **{name: CSV}))
    assert frame.rows() == [("39", "f"), ("50", "m")]


def test_a_tab_separated_member_keeps_its_separator(tmp_path: Path) -> None:
    assert read(archive(tmp_path / "t.zip", t_tsv="a,b\tc\n1,2\t3\n")).columns == ["a,b", "c"]


def test_an_archive_needs_exactly_one_table(tmp_path: Path) -> None:
    refused(archive(tmp_path / "a.zip", a_csv=CSV, b_csv=CSV), "2 files", "exactly one")
    refused(archive(tmp_path / "b.zip"), "0 files", "exactly one")


def test_files_that_an_operating_system_adds_do_not_count(tmp_path: Path) -> None:
    path = archive(tmp_path / "t.zip", t_csv=CSV)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("__MACOSX/._t.csv", "x")
        file.writestr(".DS_Store", "x")
        file.writestr("folder/", "")
    assert read(path).height == 2


def test_archives_in_archives_and_unknown_members_are_refused(tmp_path: Path) -> None:
    refused(archive(tmp_path / "a.zip", t_zip=b"x"), "unknown file extension")
    refused(archive(tmp_path / "b.zip", t_pdf=b"x"), "unknown file extension")
    refused(archive(tmp_path / "c.zip", t_parquet=b"x"), "unknown file extension", "text files")


def test_damaged_and_encrypted_archives_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.zip").write_text(MARKER)
    refused(tmp_path / "t.zip", "is a damaged zip archive")
    path = archive(tmp_path / "u.zip", t_csv=CSV * 100)
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF
    path.write_bytes(content)
    refused(path, "is a damaged zip archive")
    path = archive(tmp_path / "v.zip", t_csv=CSV)
    content = bytearray(path.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + flags] |= 1  # the flag of encryption
    path.write_bytes(content)
    refused(path, "encrypted")


def test_an_archive_that_grows_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(tmp_path / "t.zip", t_csv="a,b\n" + "1,2\n" * 1_000_000)
    monkeypatch.setattr("shoal.table.archives.UNPACKED_ANYWAY", 1 << 20)
    refused(path, "grows to more than", "when it is decompressed")


def test_a_size_that_lies_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = archive(tmp_path / "t.zip", t_csv="a,b\n" + "1,2\n" * 1_000_000)
    content = path.read_bytes()
    size = (4_000_004).to_bytes(4, "little")
    assert content.count(size) == 2
    path.write_bytes(content.replace(size, (4).to_bytes(4, "little")))
    monkeypatch.setattr("shoal.table.archives.UNPACKED_ANYWAY", 1 << 20)
    refused(path, "zip")


@pytest.mark.parametrize("name", ["t.data", "t.txt", "t.data.gz"])
def test_data_and_text_files_are_tables(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(CSV.encode()) if name.endswith(".gz") else CSV.encode())
    assert read(path).rows() == [("39", "f"), ("50", "m")]
