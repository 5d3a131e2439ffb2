"""Batches of a table, put together, are the table that `read` reads, or the same error is raised."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import TableError
from shoal.table import batches, read
from shoal.table.batches import read_batches
from tests.effort import examples

TYPED = pl.DataFrame(
    {
        "age": [20 + row % 7 for row in range(90)],
        "cost": [None if row % 5 == 0 else row / 4 for row in range(90)],
        "day": [datetime.date(2020, 1, 1 + row % 28) for row in range(90)],
        "ill": pl.Series(["flu", None, "rash"] * 30, dtype=pl.Categorical),
        "items": [["a", "b"], [], None] * 30,
    }
)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "_ROWS", 13)
    monkeypatch.setattr(batches, "_BYTES", 40)


def whole(source: Path, **options: Any) -> pl.DataFrame:
    return pl.concat(list(read_batches(source, **{"separator": None, "header": None, **options})))


@pytest.mark.parametrize("format", ["parquet", "arrow", "feather", "ipc stream"])
def test_typed_files_keep_their_types(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"t.{format.split()[0]}"
    if format == "parquet":
        TYPED.write_parquet(path)
    elif format == "ipc stream":
        TYPED.write_ipc_stream(path)
    else:
        TYPED.write_ipc(path)
    found, expected = whole(path), read(path)
    assert found.schema == expected.schema
    assert found.rows() == expected.rows()


CELLS = st.sampled_from(["x", "", '"q"', '"a,b"', '"two\nlines"', "é", " ", '""', '"a ""b"" c"', "0"])


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=30), st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_text_is_read_as_the_whole_file_is(
    tmp_path: Path, rows: list[tuple[str, str, str]], end: str, header: bool
) -> None:
    path = tmp_path / "t.csv"
    lines = [",".join(row) for row in rows]
    path.write_bytes(("\ufeff" * header + end.join(["first,second,third", *lines])).encode())
    try:
        expected = read(path, header=header)
    except TableError as error:
        with pytest.raises(TableError) as caught:
            whole(path, header=header)
        assert str(caught.value).split(":")[0][:40] == str(error).split(":")[0][:40]
    else:
        assert whole(path, header=header).rows() == expected.rows()


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n" + "1,2\n" * 30 + "\n\n" + "3,4\n" * 30,
        "\n\na,b\n" + "1,2\n\n" * 30,
        "a\n" + "1\n\n" * 30,
        "a;b\n" + "1,0;2\n" * 30 + "x;\n",
        "a,b\n" + "1,\n" * 30,
    ],
    ids=["empty lines", "empty lines everywhere", "one column", "semicolons", "nothing in the last column"],
)
def test_odd_files_are_read_as_the_whole_file_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert whole(path, header=True).rows() == read(path, header=True).rows()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.csv", "a,b\n" + "1,2\n" * 40 + "1,2,3\n" + "1,2\n" * 40, "records 42 "),
        ("t.csv", "a,b\n" + "1,2\n" * 40 + "1\n" + "1,2\n" * 40, "records 42 "),
        ("t.csv", 'a,b\n"1,2\n' * 3, "misplaced quotes"),
        ("t.csv", "34,F\n" + "34,F\n" * 40, "seems to have no header line"),
        ("t.csv", "a,b\n\x00", "NUL bytes"),
        ("t.csv", "", "is empty"),
        ("t.csv", b"a,b\n\xe9,2\n", "not UTF-8"),
        ("t.csv", "a,b\n1,2\n".encode("utf-16"), "not UTF-8"),
        ("t.csv", b"\x1f\x8b\x08\x00", "compressed"),
        ("t.parquet", "PAR1", "not a valid Parquet file"),
        ("t.arrow", "?", "not a valid Arrow file"),
        ("t.csv.gz", "", "cannot be read batch by batch"),
        ("t.xlsx", "", "cannot be read batch by batch"),
    ],
)
def test_files_that_cannot_be_read_are_refused(tmp_path: Path, name: str, content: str | bytes, says: str) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(TableError, match=says):
        whole(path)


def test_a_folder_is_the_table_of_all_its_files(tmp_path: Path) -> None:
    for number, part in enumerate((TYPED[:10], TYPED[10:40], TYPED[40:])):
        part.drop("items").write_csv(tmp_path / f"part-{number}.csv")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".part.crc").touch()
    TYPED.drop("items").write_csv(tmp_path.with_suffix(".csv"))
    assert whole(tmp_path).rows() == read(tmp_path.with_suffix(".csv")).rows()


def test_folders_of_unlike_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="has no files"):
        whole(tmp_path)
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,z\n1,2\n")
    with pytest.raises(TableError, match="other columns"):
        whole(tmp_path)
    TYPED.write_parquet(tmp_path / "c.parquet")
    with pytest.raises(TableError, match="different kinds"):
        whole(tmp_path)
    (tmp_path / "c.parquet").unlink()
    (tmp_path / "c.txt.bz2").touch()
    with pytest.raises(TableError, match="batch by batch"):
        whole(tmp_path)


def test_options_of_text_are_refused_for_other_files(tmp_path: Path) -> None:
    TYPED.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(TableError, match="takes no separator"):
        whole(tmp_path / "t.parquet", separator=",")
    with pytest.raises(TableError, match="names of its columns"):
        whole(tmp_path / "t.parquet", header=False)


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_a_file_that_ends_before_its_rows_do_is_damaged(
    tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At some damage, polars panics in a thread of its own, and the batches just end."""
    path = tmp_path / f"t.{format}"
    TYPED.write_parquet(path) if format == "parquet" else TYPED.write_ipc(path)
    batch_by_batch = pl.LazyFrame.collect_batches
    monkeypatch.setattr(pl.LazyFrame, "collect_batches", lambda *a, **b: [*batch_by_batch(*a, **b)][:-1])
    with pytest.raises(TableError, match="is not a valid"):
        whole(path)


@pytest.mark.parametrize("format", ["parquet", "arrow"])
@pytest.mark.parametrize("name", ["*", "[x]", "?"])
def test_names_are_no_patterns(tmp_path: Path, format: str, name: str) -> None:
    for each, rows in ((name, 3), ("x", 5), ("y", 7)):
        frame = TYPED.head(rows)
        path = tmp_path / f"{each}.{format}"
        frame.write_parquet(path) if format == "parquet" else frame.write_ipc(path)
    assert whole(tmp_path / f"{name}.{format}").height == 3
    assert whole(tmp_path).height == 15


def test_what_is_no_file_is_not_skipped(tmp_path: Path) -> None:
    TYPED.write_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").symlink_to(tmp_path / "gone.parquet")
    with pytest.raises(TableError):
        whole(tmp_path)


@pytest.mark.parametrize("format", ["csv", "parquet", "arrow", "ipc stream"])
def test_a_file_that_vanishes_is_named(tmp_path: Path, format: str) -> None:
    frame = TYPED.select("age", "day")
    suffix = "arrow" if format == "ipc stream" else format
    for name in ("a", "b"):
        path = tmp_path / f"{name}.{suffix}"
        {
            "csv": frame.write_csv,
            "parquet": frame.write_parquet,
            "arrow": frame.write_ipc,
            "ipc stream": frame.write_ipc_stream,
        }[format](path)
    reading = read_batches(tmp_path, separator=None, header=None)
    next(reading)
    (tmp_path / f"b.{suffix}").unlink()
    with pytest.raises(TableError, match=rf"b\.{suffix} cannot be read: No such file or directory\."):
        list(reading)


@pytest.mark.parametrize("name", ["b.csv", "b.parquet"])
def test_a_file_that_the_system_cannot_read_is_named(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of polars has no reason of its own; a file that can be opened is named all the same."""
    path = tmp_path / name
    TYPED.select("age").write_csv(path) if path.suffix == ".csv" else TYPED.select("age").write_parquet(path)

    def failing(*_given: object, **_options: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(batches, "parsed", failing)
    monkeypatch.setattr(pl, "scan_parquet", failing)
    with pytest.raises(TableError, match=rf"{name} cannot be read: Input/output error\."):
        whole(path)
