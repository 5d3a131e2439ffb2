"""Excel workbooks, written by xlsxwriter. No library here writes the older .xls, which the same reader reads."""

from __future__ import annotations

import sys
import zipfile
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import MissingExtra, TableError
from shoal.table import excel, read, typed

pytest.importorskip("fastexcel")
xlsxwriter = pytest.importorskip("xlsxwriter")

MARKER = "Zebulon-4711"
ROWS: list[list[Any]] = [
    ["age", "weight", "note", "born", "at", "mixed"],
    [39, 70.5, "a", date(1980, 1, 2), datetime(2020, 1, 1, 5, 6, 7), 1],
    [50, None, "", date(1990, 3, 4), datetime(2020, 1, 2), "x"],
]


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                for place, value in enumerate(row):
                    sheet.write(number, place, value)
    return path


def refused(path: Path, *words: str, **options: Any) -> None:
    with pytest.raises(TableError) as caught:
        read(path, **options)
    for word in words:
        assert word in str(caught.value)
    assert MARKER not in str(caught.value)


def test_cells_keep_their_types(tmp_path: Path) -> None:
    frame = read(workbook(tmp_path / "t.xlsx", Visits=ROWS))
    assert frame["age"].to_list() == [39, 50] and frame.schema["age"] == pl.Int64
    assert frame["weight"].to_list() == [70.5, None]
    assert frame["note"].to_list() == ["a", None]
    assert typed(frame["born"], type=None, missing=())[1].to_list() == [date(1980, 1, 2), date(1990, 3, 4)]
    assert typed(frame["at"], type=None, missing=()).type == "datetime"
    assert frame["mixed"].to_list() == ["1", "x"]


def test_a_text_far_below_numbers_is_not_lost(tmp_path: Path) -> None:
    rows = [["a", "b"], *([n, n] for n in range(3_000)), ["late", 1]]
    assert read(workbook(tmp_path / "t.xlsx", s=rows))["a"].to_list()[-1] == "late"


def test_times_without_a_date_are_text(tmp_path: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(tmp_path / "t.xlsx") as book:
        sheet = book.add_worksheet()
        clock, day = book.add_format({"num_format": "hh:mm"}), book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        for row, cells in enumerate([("at", "when"), (time(10, 1), datetime(2021, 3, 4, 10, 1)), (time(23, 59), None)]):
            for column, (cell, form) in enumerate(zip(cells, (clock, day), strict=True)):
                sheet.write_string(row, column, cell) if isinstance(cell, str) else sheet.write(row, column, cell, form)
    frame = read(tmp_path / "t.xlsx")
    assert frame["at"].to_list() == ["10:01:00", "23:59:00"]
    assert frame["when"].to_list() == [datetime(2021, 3, 4, 10, 1), None]


def test_a_sheet_must_be_named_if_there_are_several(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", Visits=ROWS, Other=[["x", "y"], [1, 2]])
    refused(path, "2 sheets", "Visits, Other", 'sheet = "', "--sheet NAME")
    refused(path, "no sheet 'Visit'", "did you mean 'Visits'", sheet="Visit")
    assert read(path, sheet="Other").rows() == [(1, 2)]
    empty = workbook(tmp_path / "u.xlsx", Visits=ROWS, Other=[])
    assert read(empty).height == 2


def test_a_workbook_without_a_header_line(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", s=[[39, "1970-01-31", MARKER], [40, "1971-02-28", MARKER]])
    refused(path, "no header line", "header = false")
    frame = read(path, header=False)
    assert frame.columns == ["column_1", "column_2", "column_3"]
    assert frame["column_1"].to_list() == [39, 40]


def test_repeated_and_empty_names_are_refused(tmp_path: Path) -> None:
    refused(workbook(tmp_path / "t.xlsx", s=[["a", "a"], [1, 2]]), "1 repeated column name")
    refused(workbook(tmp_path / "u.xlsx", s=[["a", None], [1, MARKER]]), "1 column without a name")
    refused(workbook(tmp_path / "v.xlsx", s=[]), "no columns")


def test_damaged_files_and_unsuitable_options_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_text(MARKER)
    (tmp_path / "t.xls").write_text(MARKER)
    refused(tmp_path / "t.xlsx", "is not a valid Excel workbook")
    refused(tmp_path / "t.xls", "is not a valid Excel workbook")
    path = workbook(tmp_path / "u.xlsx", s=ROWS)
    refused(path, "takes no separator", separator=",")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    refused(tmp_path / "t.csv", "has no sheets", sheet="s")


def test_a_workbook_that_grows_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "t.xlsx", s=ROWS)
    monkeypatch.setattr("shoal.table.archives.UNPACKED_ANYWAY", 1_000)
    monkeypatch.setattr("shoal.table.archives.UNPACKED_TIMES", 1)
    refused(path, "MB when it is decompressed")
    assert zipfile.is_zipfile(path)


def test_the_extra_is_named_if_it_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "t.xlsx", s=ROWS)
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(MissingExtra, match=r"shoal\[excel\]"):
        read(path)


def test_xls_is_read_by_the_same_reader_but_no_library_writes_one_for_a_test() -> None:
    assert ".xls" in excel.EXTENSIONS
