"""Parts: together they are the table, whichever way it is divided."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.table import files, parts
from shoal.table.runs import Runs

FRAME = pl.DataFrame({"a": ["x", "x", "x", "", None, "y, z", 'q"q'], "n": [1, 1, 1, 2, 3, 4, 5]})


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 100])
def test_parts_without_their_headers_are_the_file(rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "ROWS", rows)
    runs = Runs.adjacent(FRAME)
    parts.write_parts(runs, tmp_path / "t", "csv")
    files.write_runs(runs, tmp_path / "t.csv", "csv")
    written = [path.read_bytes().split(b"\n", 1) for path in sorted((tmp_path / "t").iterdir())]
    header, whole = (tmp_path / "t.csv").read_bytes().split(b"\n", 1)
    assert {each[0] for each in written} == {header} and b"".join(each[1] for each in written) == whole
    assert len(written) == -(-7 // rows)


def test_every_parquet_part_but_the_last_has_the_rows_of_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "ROWS", 3)
    parts.write_parts(Runs(FRAME[:2], np.array([4, 3])), tmp_path / "t", "parquet")
    names = sorted(path.name for path in (tmp_path / "t").iterdir())
    assert names == ["part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]
    read = [pl.read_parquet(tmp_path / "t" / name) for name in names]
    assert [each.height for each in read] == [3, 3, 1]
    assert pl.concat(read).equals(FRAME[[0, 0, 0, 0, 1, 1, 1]])


def test_a_table_without_rows_is_one_part(tmp_path: Path) -> None:
    parts.write_parts(Runs.of(FRAME.head(0)), tmp_path / "t", "csv")
    assert (tmp_path / "t/part-00000.csv").read_text() == "a,n\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("part-00000.csv", True), ("part-123456.csv", True), ("part-0.csv", False), ("part-00000.csv.bak", False)],
)
def test_parts_are_known_by_their_names(name: str, expected: bool) -> None:
    assert parts.is_part(name, "csv") is expected
    assert parts.part_names([name], "csv") == (["part-00000.csv"] if expected else [])
