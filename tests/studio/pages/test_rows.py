"""Rows of a release are read a page at a time."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.studio.pages.rows import height_of, page_of, tables_of


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_page_has_its_rows_as_text(tmp_path: Path, kind: str) -> None:
    frame = pl.DataFrame({"age": [f"[{n}, {n + 1}]" for n in range(60)], "zip": ["01"] * 60})
    path = tmp_path / f"release.{kind}"
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    assert tables_of(tmp_path) == [path] and height_of(path) == 60
    heads, rows = page_of(path, 2, 25)
    assert heads == ["age", "zip"] and len(rows) == 10 and rows[0] == ("[50, 51]", "01")
    assert page_of(path, 9, 25)[1] == []
