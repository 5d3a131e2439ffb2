"""Rows that repeat are written and read exactly as polars would write and read all of them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.table import repeats
from shoal.table.runs import Runs
from tests.effort import examples

quick = settings(max_examples=examples(150), deadline=None)
CELLS = st.sampled_from(["x", "yy", "", None, 'q"q', "a, b", " ", "*", "é"])
RUNS = st.lists(st.tuples(CELLS, CELLS, st.integers(1, 30)), min_size=1, max_size=6)


def frame_of(runs: list[tuple[str | None, str | None, int]]) -> pl.DataFrame:
    rows = [(a, b, len(b or "")) for a, b, times in runs for _ in range(times)]
    return pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String, "n": pl.Int64}, orient="row")


def as_text(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.cast(pl.String)


@pytest.fixture
def parsed_by_lines(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each table read so far was put together from its lines."""
    found: list[bool] = []
    original = repeats._read_runs

    def noted(path: Path) -> Runs | None:
        frame = original(path)
        found.append(frame is not None)
        return frame

    monkeypatch.setattr(repeats, "_read_runs", noted)
    return found


@given(RUNS, st.booleans())
@quick
def test_files_are_those_of_polars(runs: list[tuple[str | None, str | None, int]], categorical: bool) -> None:
    frame = frame_of(runs)
    if categorical:
        frame = frame.with_columns(pl.col("a", "b").cast(pl.Categorical))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        repeats.write_csv(Runs.adjacent(frame), path)
        assert path.read_bytes() == frame.write_csv().encode()
        for in_batches in (False, True):
            read = as_text(repeats.read_csv(path, in_batches=in_batches).expanded())
            assert read.equals(pl.read_csv(path, infer_schema=False))


@pytest.mark.parametrize(
    "cell", ["two\nlines", "return\rinside", "both\r\nof them"], ids=["line feed", "carriage return", "both"]
)
def test_cells_of_several_lines_are_written_and_read(tmp_path: Path, cell: str, parsed_by_lines: list[bool]) -> None:
    frame = pl.DataFrame({"a": [cell] * 100, "b": ["x"] * 100})
    repeats.write_csv(Runs.adjacent(frame), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == frame.write_csv().encode()
    assert as_text(repeats.read_csv(tmp_path / "t.csv").expanded()).equals(frame)


def test_a_name_of_several_lines_is_written(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a\nb": ["x"] * 100})
    repeats.write_csv(Runs.adjacent(frame), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == frame.write_csv().encode()


def test_a_table_of_few_different_rows_is_parsed_by_its_lines(tmp_path: Path, parsed_by_lines: list[bool]) -> None:
    frame = pl.DataFrame({"a": ["x", "y", "x"], "b": ["p, q", None, "p, q"]})
    long = frame[[0] * 100 + [1] * 100 + [2] * 100]
    repeats.write_csv(Runs.adjacent(long), tmp_path / "t.csv")
    found = repeats.read_csv(tmp_path / "t.csv").expanded()
    assert parsed_by_lines == [True]
    assert all(isinstance(dtype, pl.Enum) for dtype in found.dtypes)
    assert as_text(found).equals(long)


def test_a_row_that_repeats_the_header_is_a_row(tmp_path: Path, parsed_by_lines: list[bool]) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "a,b\n" * 50)
    assert as_text(repeats.read_csv(tmp_path / "t.csv").expanded()).rows() == [("a", "b")] * 50
    assert parsed_by_lines == [True]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n" + "1,2\n" * 50 + "\n" * 50,
        "a,b\n" + '1,"2\n' * 50,
        "a,b\n" + "\n" * 50,
        'a,b\n"1\n2",3\n' * 30,
    ],
    ids=["empty lines", "open quotes", "nothing but empty lines", "cells of two lines"],
)
def test_lines_that_are_no_rows_are_left_to_polars(tmp_path: Path, text: str, parsed_by_lines: list[bool]) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    try:
        expected = pl.read_csv(path, infer_schema=False)
    except pl.exceptions.PolarsError:
        with pytest.raises(pl.exceptions.PolarsError):
            repeats.read_csv(path)
    else:
        assert as_text(repeats.read_csv(path).expanded()).equals(expected)
    assert True not in parsed_by_lines


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""], ids=["line feed", "both", "none at the end"])
def test_line_ends_and_byte_order_marks_are_read_as_polars_does(tmp_path: Path, ending: str) -> None:
    path, between = tmp_path / "t.csv", ending or "\n"
    path.write_bytes(("\ufeffa,b" + between + between.join(["1,2"] * 40 + ["1,"] * 40) + ending).encode())
    assert as_text(repeats.read_csv(path).expanded()).equals(pl.read_csv(path, infer_schema=False))


def test_a_cell_with_an_odd_character_is_read(tmp_path: Path, parsed_by_lines: list[bool]) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "1\x1f,2\n" * 50)
    assert as_text(repeats.read_csv(tmp_path / "t.csv").expanded()).rows() == [("1\x1f", "2")] * 50
    assert parsed_by_lines == [False]


def test_text_that_is_no_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"a,b\n" + b"\xff,2\n" * 50)
    with pytest.raises(pl.exceptions.PolarsError):
        repeats.read_csv(tmp_path / "t.csv")


def test_a_row_with_too_many_fields_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 50 + "1,2,3\n" * 50)
    with pytest.raises(pl.exceptions.PolarsError):
        repeats.read_csv(tmp_path / "t.csv")


@pytest.mark.parametrize("frame", [pl.DataFrame({"a": [], "b": []}), pl.DataFrame({"a": ["x"]})], ids=["none", "one"])
def test_tables_of_no_row_and_of_one(tmp_path: Path, frame: pl.DataFrame) -> None:
    repeats.write_csv(Runs.adjacent(frame), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == frame.write_csv().encode()
    assert repeats.read_csv(tmp_path / "t.csv").expanded().rows() == frame.rows()


@pytest.mark.parametrize("in_batches", [False, True])
def test_a_table_without_rows_has_columns(tmp_path: Path, in_batches: bool) -> None:
    (tmp_path / "t.csv").write_text("a,b\n")
    read = repeats.read_csv(tmp_path / "t.csv", in_batches=in_batches)
    assert (read.columns, read.height) == (["a", "b"], 0)
