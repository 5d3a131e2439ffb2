"""Columns on disk are those of the table in memory, whatever their types and however many values they have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.engines import spool
from shoal.engines.columns import FrameColumns, hashed
from shoal.engines.spool import SpooledColumns, spooled
from shoal.errors import PromiseBroken, TableError
from tests.effort import examples
from tests.golden.recorded_tables import ODD

PLENTY = 1 << 40


def on_disk(frame: pl.DataFrame, folder: Path, batch: int, *only_hashed: str) -> SpooledColumns:
    folder.mkdir(exist_ok=True)
    batches = [frame.head(0), *(frame[begin : begin + batch] for begin in range(0, frame.height, batch))]
    return spooled(batches, folder, lambda name: name in only_hashed, PLENTY)


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_columns_of_every_type_are_coded_as_in_memory(tmp_path: Path, batch: int) -> None:
    frame = ODD.frame()
    found, expected = on_disk(frame, tmp_path, batch), FrameColumns(frame)
    assert (found.names, found.rows) == (expected.names, expected.rows)
    for name in found.names:
        codes, distinct = found.checked(name)
        assert distinct.equals(expected.coded(name).distinct, check_dtypes=True), name
        assert codes.tolist() == expected.coded(name).codes.tolist(), name
        assert found.kind(name) == frame.schema[name]
        assert found.hashes(name).tolist() == expected.hashes(name).tolist()


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 400)), min_size=1, max_size=800),
    st.integers(1, 300),
    st.booleans(),
)
@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_codes_become_as_wide_as_they_need(tmp_path: Path, values: list[int | None], batch: int, reals: bool) -> None:
    column = pl.Series("x", values, dtype=pl.Float64 if reals else pl.Int64)
    codes, distinct = on_disk(column.to_frame(), tmp_path, batch).coded("x")
    assert distinct.gather(codes).equals(column)
    assert distinct.n_unique() == len(distinct)
    assert codes.dtype == (np.uint8 if len(distinct) <= 255 else np.uint16)


def test_a_null_may_need_a_wider_code_than_all_values(tmp_path: Path) -> None:
    for size in (254, 255, 256, 257):
        column = pl.Series("x", [*range(size), None])
        codes, distinct = on_disk(column.to_frame(), tmp_path / str(size), 50).coded("x")
        assert distinct.gather(codes).equals(column)


def test_many_values_take_four_bytes(tmp_path: Path) -> None:
    column = pl.Series("x", np.arange(70_000) * 3)
    codes, distinct = on_disk(column.to_frame(), tmp_path, 10_000).coded("x")
    assert codes.dtype == np.uint32 and distinct.gather(codes).equals(column)


def test_of_some_columns_hashes_are_enough(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": ["a", "b", None, "a"], "age": [1, 2, 3, 4]})
    found = on_disk(frame, tmp_path, 3, "id")
    assert found.hashes("id").tolist() == hashed(frame["id"]).tolist()
    codes, distinct = found.coded("id")
    assert codes[0] == codes[3] and len(distinct) == 3 == len(set(codes.tolist()))
    assert not any(b"a" in path.read_bytes() for path in tmp_path.iterdir() if path.stat().st_size == 32)


@pytest.mark.parametrize("kept", [[True] * 5, [False, True, True, False, True], [False] * 5])
def test_some_rows_are_a_table_of_their_own(tmp_path: Path, kept: list[bool]) -> None:
    frame = pl.DataFrame({"id": list("pqrst"), "x": ["a", None, "c", "b", "a"], "y": [5, 4, 3, 2, 1]})
    found = on_disk(frame, tmp_path, 2, "id").picked(np.array(kept))
    some = frame.filter(kept)
    expected = FrameColumns(some)
    assert found.rows == some.height
    for name in ("x", "y"):
        codes, distinct = found.coded(name)
        assert distinct.equals(expected.coded(name).distinct)
        assert codes.tolist() == expected.coded(name).codes.tolist()
    assert found.hashes("id").tolist() == hashed(some["id"]).tolist()


def test_rows_keep_their_numbers(tmp_path: Path) -> None:
    found = on_disk(pl.DataFrame({"x": list("abcde")}), tmp_path, 2)
    assert found.kept_rows(np.array([False, True, True, False, True])).tolist() == [1, 2, 4]


def test_codes_that_do_not_stand_for_their_cells_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "exact_text", lambda column: column.reverse())
    with pytest.raises(PromiseBroken, match="codes of column 'x'"):
        on_disk(pl.DataFrame({"x": ["a", "b", "a", "c"]}), tmp_path, 4)


def test_a_column_with_too_many_values_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_SMALL", 100)
    frame = pl.DataFrame({"note": [f"secret {row}" for row in range(50)], "sex": ["f", "m"] * 25})
    with pytest.raises(TableError) as caught:
        spooled([frame], tmp_path, lambda _: False, 100)
    assert "column 'note' needs the most" in str(caught.value) and "secret" not in str(caught.value)


def test_files_are_private(tmp_path: Path) -> None:
    stored = on_disk(pl.DataFrame({"id": ["a", "b"], "x": [1, 2]}), tmp_path, 2, "id")
    keep = np.array([True, False])
    stored.picked(keep)
    stored.kept_rows(keep)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
