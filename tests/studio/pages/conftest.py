"""One studio and one browser page for all tests of pages in a process."""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.studio.serving import Visit, studio_at

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "adult"
ADULT = SHARED / "adult_complete.csv.gz"
TREES = {
    name: SHARED / "hierarchies" / f"adult_hierarchy_{name}.csv"
    for name in ("education", "marital-status", "native-country", "workclass")
}
HOSTILE = '<img src=x onerror="alert(1)">'


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables: two workbooks, a broken file, hostile names, 45,000 patients, and Adult if it is there."""
    import polars as pl
    from xlsxwriter import Workbook

    from shoal.datasets import patients

    folder = tmp_path_factory.mktemp("tables")
    many = patients(45_000)
    many.write_csv(folder / "many.csv")
    many.head(400).select("birth_date", "sex", "zip", "diagnosis").write_excel(folder / "clinic.xlsx")
    with Workbook(folder / "sheets.xlsx") as book:
        pl.DataFrame({"age": [20, 30, 40, 50] * 10, "sex": ["f", "m"] * 20}).write_excel(book, "People")
        pl.DataFrame({"code": ["f"], "meaning": ["female"]}).write_excel(book, "Codes")
    (folder / "visits").mkdir()
    visits = many.head(300).select("birth_date", "sex", "zip", "diagnosis").with_row_index("patient_id")
    pl.concat([visits] * 3).sort("patient_id").write_csv(folder / "visits" / "visits.csv")
    (folder / "broken.csv").write_bytes(b"age,ill\n30,flu\n31\n\xff\xfe,,,,\n")
    odd = {HOSTILE: ["20", "30"] * 20, "ill": [HOSTILE, "flu", "{{ 7 * 7 }}", "'; drop"] * 10}
    pl.DataFrame(odd).write_csv(folder / "hostile.csv")
    if ADULT.is_file():
        (folder / "adult.csv").write_bytes(gzip.decompress(ADULT.read_bytes()))
    return folder


@pytest.fixture(scope="session")
def visit(browser: Any, tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """The page; `began` is when the studio was started."""
    folder = tmp_path_factory.mktemp("studio")
    began = time.perf_counter()
    with studio_at(folder / "project", tables) as link:
        visit = Visit(browser, link, folder)
        visit.page.wait_for_selector("text=Use the demo patients")
        visit.started = time.perf_counter() - began
        yield visit
        visit.page.context.close()
