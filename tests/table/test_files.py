from __future__ import annotations

import hashlib
import io
import os
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import OutputError, TableError
from shoal.table import read, require_rows, write
from tests.effort import examples

MARKER = "Zebulon-4711"

TYPED = pl.DataFrame(
    {
        "age": [39, None],
        "zip": ["02139", MARKER],
        "cost": [1.5, 2.0],
        "born": [date(1980, 1, 2), date(1990, 3, 4)],
        "sex": pl.Series(["f", "m"], dtype=pl.Categorical),
    }
)


def refused(source: str | Path, *words: str) -> None:
    with pytest.raises(TableError) as caught:
        read(source)
    assert MARKER not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_parquet_and_arrow_come_typed_as_stored(tmp_path: Path) -> None:
    TYPED.write_parquet(tmp_path / "t.parquet")
    TYPED.write_ipc(tmp_path / "t.arrow")
    TYPED.write_ipc(tmp_path / "t.feather")
    TYPED.write_ipc_stream(tmp_path / "stream.arrow")
    for name in ("t.parquet", "t.arrow", "t.feather", "stream.arrow"):
        frame = read(tmp_path / name)
        assert frame.equals(TYPED)
        assert frame.schema == TYPED.schema


def test_a_file_name_is_no_pattern(tmp_path: Path) -> None:
    (tmp_path / "a[1]*.csv").write_text("a,b\n1,2\n")
    TYPED.write_parquet(tmp_path / "b[1].parquet")
    assert read(tmp_path / "a[1]*.csv").rows() == [("1", "2")]
    assert read(str(tmp_path / "b[1].parquet")).height == 2


def test_what_is_no_readable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("a,b\n")
    (tmp_path / "t.pdf").write_text(MARKER)
    (tmp_path / "plain").write_text(MARKER)
    (tmp_path / "t.parquet.gz").write_text(MARKER)
    os.mkfifo(tmp_path / "pipe.csv")
    refused(tmp_path, "is a folder")
    refused(tmp_path / "patient.csv", "no file", "did you mean 'patients.csv'")
    refused(tmp_path / "absent" / "x.csv", "no file")
    refused(tmp_path / "t.pdf", "extension", ".csv", ".parquet", "export")
    refused(tmp_path / "plain", "extension")
    refused(tmp_path / "t.parquet.gz", "extension")
    refused(tmp_path / "pipe.csv", "regular file")
    refused(tmp_path / "nul\x00.csv", "null character")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.arrow"])
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    path.write_text("a,b\n")

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    refused(path, "cannot be read: Permission denied.")


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.feather"])
def test_damaged_typed_files_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    (TYPED.write_parquet if name.endswith("parquet") else TYPED.write_ipc)(path)
    sound = path.read_bytes()
    for content in (b"", MARKER.encode(), sound[: len(sound) // 2], sound[8:], sound[:-4] + b"xxxx"):
        path.write_bytes(content)
        refused(path, "not a valid")


def test_repeated_names_in_an_arrow_file_are_refused(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    pq.write_table(table, tmp_path / "t.parquet")
    refused(tmp_path / "t.arrow")
    refused(tmp_path / "t.parquet")


def test_files_take_no_query_and_typed_ones_no_separator(tmp_path: Path) -> None:
    TYPED.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(TableError, match="takes no query"):
        read(tmp_path / "t.parquet", query="SELECT 1")
    with pytest.raises(TableError, match="takes no separator"):
        read(tmp_path / "t.parquet", separator=";")


def test_a_table_without_rows_is_refused_where_rows_are_required() -> None:
    require_rows(TYPED)
    with pytest.raises(TableError, match="no rows"):
        require_rows(TYPED.clear())


def test_csv_is_quoted_only_where_needed_and_empty_where_missing(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a,b": ["x", "", None, 'q"q', "l\nl", "[1, 2]", " s", "é"], "c": ["y"] * 8})
    write(frame, tmp_path / "t.csv", "csv")
    text = '"a,b",c\nx,y\n,y\n,y\n"q""q",y\n"l\nl",y\n"[1, 2]",y\n s,y\né,y\n'
    assert (tmp_path / "t.csv").read_bytes() == text.encode()


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["b", "", "a", MARKER])])
def test_csv_of_categories_is_that_of_their_text(tmp_path: Path, dtype: pl.DataType) -> None:
    text = pl.DataFrame({"x": ["a", "", None], "y": ["b", "b", "a"]})
    write(text, tmp_path / "text.csv", "csv")
    write(text.with_columns(pl.all().cast(dtype)), tmp_path / "categories.csv", "csv")
    assert (tmp_path / "text.csv").read_bytes() == (tmp_path / "categories.csv").read_bytes() == b"x,y\na,b\n,b\n,a\n"


def test_csv_holds_the_canonical_text_of_typed_columns(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "f": [1.0, 2.5, float("nan")],
            "d": [date(2020, 1, 2), None, None],
            "t": [datetime(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5), None],
            "b": [True, False, None],
            "i": [2**60, -1, None],
        }
    )
    write(frame, tmp_path / "t.csv", "csv")
    assert (tmp_path / "t.csv").read_text() == (
        "f,d,t,b,i\n"
        "1,2020-01-02,2020-01-02 00:00:00,true,1152921504606846976\n"
        "2.5,,2020-01-02 03:04:05,false,-1\n"
        ",,,,\n"
    )


def test_a_single_column_keeps_its_missing_rows_for_every_reader(tmp_path: Path) -> None:
    write(pl.DataFrame({"a": ["x", None, ""]}), tmp_path / "t.csv", "csv")
    assert (tmp_path / "t.csv").read_text() == 'a\nx\n""\n""\n'
    assert read(tmp_path / "t.csv").rows() == [("x",), (None,), (None,)]


@settings(max_examples=examples(100), deadline=None)
@given(
    rows=st.lists(
        st.tuples(*[st.text(st.sampled_from(list('ab,;"\n\r \t\\*é')), max_size=4) | st.none()] * 3), max_size=6
    )
)
def test_csv_is_read_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str | None, ...]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "back.csv"
    write(pl.DataFrame(rows, schema=dict.fromkeys("xyz", pl.String), orient="row"), path, "csv")
    assert read(path, separator=",").rows() == [tuple(cell or None for cell in row) for row in rows]


def test_parquet_carries_names_types_and_values_only(tmp_path: Path) -> None:
    every = TYPED.with_columns(pl.Series("stage", ["I", "II"], dtype=pl.Enum(["I", "II", "NEVER-RELEASED"])))
    write(every.filter(pl.col("zip") != MARKER), tmp_path / "t.parquet", "parquet")
    content = (tmp_path / "t.parquet").read_bytes()
    assert MARKER.encode() not in content
    assert b"NEVER-RELEASED" not in content
    assert b"pandas" not in content
    assert set(pq.read_metadata(tmp_path / "t.parquet").metadata) <= {b"ARROW:schema"}
    schema = read(tmp_path / "t.parquet").schema
    assert (schema["sex"], schema["stage"], schema["age"]) == (pl.String, pl.String, pl.Int64)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_same_content_gives_the_same_bytes(tmp_path: Path, format: str) -> None:
    whole = pl.DataFrame({"a": [str(number % 97) for number in range(200_000)], "b": list(range(200_000))})
    pieces = pl.concat([whole[:7], whole[7:150_001], whole[150_001:]], rechunk=False)
    assert pieces.n_chunks() == 3
    digests = set()
    for number, frame in enumerate((whole, pieces, whole.with_columns(pl.col("a").cast(pl.Categorical)))):
        write(frame, tmp_path / str(number), format)
        digests.add(hashlib.sha256((tmp_path / str(number)).read_bytes()).hexdigest())
    assert len(digests) == 1


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_an_unwritable_place_or_full_disk_is_an_output_error(tmp_path: Path, format: str) -> None:
    many = pl.DataFrame({"a": [f"{MARKER}{number}" for number in range(100_000)], "b": ["x"] * 100_000})
    for path, words in (
        (tmp_path / "absent" / "t", "No such file"),
        (tmp_path, "directory"),
        (Path("/dev/full"), "completely. Hint: check the free disk space."),
    ):
        with pytest.raises(OutputError) as caught:
            write(many, path, format)
        assert words in str(caught.value)
        assert MARKER not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(_: pl.DataFrame, file: io.BytesIO, **__: object) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_csv", half)
    with pytest.raises(OutputError, match="check the free disk space"):
        write(TYPED, tmp_path / "t.csv", "csv")
    assert list(tmp_path.iterdir()) == []


def test_unknown_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="csv, parquet"):
        write(TYPED, tmp_path / "t.xlsx", "xlsx")
