"""A table as runs is the table itself, however its rows are divided."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.table import files, repeats
from shoal.table.runs import Runs, joined
from tests.effort import examples

ROWS = st.lists(
    st.tuples(st.sampled_from(["x", "y", None, ""]), st.sampled_from([1, 2, None])), min_size=0, max_size=30
)


def table(rows: list[tuple[str | None, int | None]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"a": pl.String, "b": pl.Int64}, orient="row")


@given(ROWS, st.integers(1, 9))
@settings(max_examples=examples(80), deadline=None)
def test_runs_and_their_parts_are_the_table(rows: list[tuple[str | None, int | None]], size: int) -> None:
    frame = table(rows)
    for runs in (Runs.of(frame), Runs.adjacent(frame)):
        assert runs.height == frame.height and runs.expanded().equals(frame)
        parts = list(runs.parts(size))
        assert [part.height for part in parts[:-1]] == [size] * max(len(parts) - 1, 0)
        if parts:
            assert joined(parts).expanded().equals(frame)


def test_equal_neighbours_are_one_run() -> None:
    runs = Runs.adjacent(table([("x", 1), ("x", 1), (None, 2), (None, 2), ("x", 1)]))
    assert runs.rows.rows() == [("x", 1), (None, 2), ("x", 1)] and runs.times.tolist() == [2, 2, 1]
    assert sorted(runs.counted("a").rows(), key=str) == [("x", 3), (None, 2)]
    assert runs.filtered(np.array([True, False, True])).expanded()["a"].to_list() == ["x", "x", "x"]


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("repeated", [False, True])
def test_a_file_does_not_depend_on_the_parts_in_which_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str, repeated: bool
) -> None:
    frame = pl.DataFrame({"a": [f"v{row // (9 if repeated else 1)}" for row in range(700)], "b": [1, None] * 350}).sort(
        "a"
    )
    files.write(frame, tmp_path / "whole", format)
    monkeypatch.setattr(repeats, "_ROWS_AT_ONCE", 64)
    monkeypatch.setattr(files, "_ROWS_AT_ONCE", 64)
    files.write_runs(Runs.adjacent(frame), tmp_path / "parts", format)
    whole, parts = ((tmp_path / name).read_bytes() for name in ("whole", "parts"))
    assert whole == parts


@pytest.mark.parametrize("repeated", [1, 40], ids=["by rows", "by lines"])
@pytest.mark.parametrize("cell", ["x", 'a "quoted" one', "é", ""])
def test_a_large_file_is_read_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repeated: int, cell: str
) -> None:
    frame = pl.DataFrame({"a": [f"{row // repeated:04}{cell}" for row in range(900)], "b": [cell or None] * 900})
    frame.write_csv(tmp_path / "t.csv")
    monkeypatch.setattr(repeats, "_BYTES_AT_ONCE", 256)
    runs = repeats.read_csv(tmp_path / "t.csv")
    assert runs.expanded().cast(pl.String).equals(frame)
    assert all(isinstance(dtype, pl.Enum) for dtype in runs.rows.dtypes)


def test_a_table_without_columns_has_no_cells_to_repeat() -> None:
    assert Runs(pl.DataFrame(), np.array([2, 1])).expanded().shape == (0, 0)
