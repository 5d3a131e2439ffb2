"""The bytes of a text file as UTF-8: encodings found, everything else refused with what to do."""

from __future__ import annotations

import codecs
import gzip
import mmap
import tracemalloc
from pathlib import Path

import pytest

from shoal.errors import TableError
from shoal.table import archives
from shoal.table import text as module
from shoal.table.text import Text, as_utf8, blocks, opened


def read(path: Path, content: bytes) -> Text:
    path.write_bytes(content)
    with opened(path) as data:
        found = as_utf8(path, data)
        return Text(found.name, found.source, bytes(found.data[:]), found.quotes, found.lone_returns)


@pytest.mark.parametrize(
    "encoded",
    [
        "größe,名\n".encode(),
        codecs.BOM_UTF16_LE + "größe,名\n".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "größe,名\n".encode("utf-16-be"),
        gzip.compress("größe,名\n".encode(), mtime=0),
    ],
    ids=["utf-8", "utf-16-le", "utf-16-be", "gzip"],
)
def test_the_same_text_comes_out_of_every_encoding(tmp_path: Path, encoded: bytes) -> None:
    assert read(tmp_path / "a.csv", encoded).data == "größe,名\n".encode()


def test_windows_1252_is_read_where_it_cannot_be_utf8(tmp_path: Path) -> None:
    assert read(tmp_path / "a.csv", "Größe;5 €\n".encode("cp1252")).data == "Größe;5 €\n".encode()


def test_a_file_that_is_utf8_is_read_from_where_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("größe\n".encode())
    with opened(path) as data:
        assert isinstance(data, mmap.mmap) and as_utf8(path, data).source == path
    path.write_bytes("größe\n".encode("cp1252"))
    with opened(path) as data:
        assert as_utf8(path, data).source == "größe\n".encode()


@pytest.mark.parametrize(("content", "start"), [(b"a,b\n", 0), (codecs.BOM_UTF8 + b"a,b\n", 3)])
def test_the_text_begins_behind_a_byte_order_mark(tmp_path: Path, content: bytes, start: int) -> None:
    assert read(tmp_path / "a.csv", content).start == start


@pytest.mark.parametrize(
    ("content", "quotes", "lone"),
    [
        (b"a,b\n1,2\n", False, False),
        (b'a,"b"\n', True, False),
        (b"a,b\r\n1,2\r\n", False, False),
        (b"a,b\r1,2\r", False, True),
        (b"a\r\nb\r", False, True),
    ],
)
def test_what_needs_a_closer_look_is_told(tmp_path: Path, content: bytes, quotes: bool, lone: bool) -> None:
    found = read(tmp_path / "a.csv", content)
    assert (found.quotes, found.lone_returns) == (quotes, lone)


def test_a_line_end_that_lies_across_blocks_is_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather once too often: what is told is only what may be there."""
    monkeypatch.setattr(module, "_BLOCK", 2)
    assert read(tmp_path / "a.csv", b"a\r\nb\r\n").lone_returns


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (gzip.compress(b"a,b\n" * 50, mtime=0)[:-9], "damaged gzip"),
        (b"a,b\n1,\x002\n", "NUL bytes, the first on line 2"),
        (codecs.BOM_UTF16_LE + b"a", "not valid UTF-16"),
        ("größe äöü\n".encode() + b"\xff\n", "UTF-8 with 1 invalid"),
        (b"\x81\x8d\x8f\n", "neither UTF-8"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    with pytest.raises(TableError, match=says) as caught:
        read(tmp_path / "a.csv", content)
    assert str(caught.value).startswith(str(tmp_path / "a.csv"))


def test_a_character_may_lie_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 3)
    assert read(tmp_path / "a.csv", "名名名\n".encode()).data == "名名名\n".encode()


def test_blocks_are_all_of_the_bytes_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 4)
    assert list(blocks(b"abcdefghij")) == [(0, b"abcd"), (4, b"efgh"), (8, b"ij")]
    assert list(blocks(b"abcdef", 3)) == [(3, b"def")]
    assert list(blocks(b"")) == []


def test_a_file_that_grows_without_end_is_refused_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte of compressed zeros stands for a gigabyte; of that, no more than the limit is unpacked."""
    monkeypatch.setattr(archives, "UNPACKED_ANYWAY", 1 << 20)
    monkeypatch.setattr(archives, "UNPACKED_TIMES", 10)
    with gzip.open(tmp_path / "a.csv.gz", "wb", compresslevel=9) as packed:
        for _ in range(64):
            packed.write(b"0" * (1 << 20))
    tracemalloc.start()
    with pytest.raises(TableError, match="grows to more than 1 MB"), opened(tmp_path / "a.csv.gz"):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


def test_a_table_that_compresses_well_is_read(tmp_path: Path) -> None:
    rows = b"a,b\n" + b"1,2\n" * 100_000
    assert read(tmp_path / "a.csv.gz", gzip.compress(rows, mtime=0)).data == rows
