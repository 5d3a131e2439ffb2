"""Sheets whose cells reach too far are refused before a reader allocates what lies between them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from unittest import mock

import pytest

from shoal.errors import TableError
from shoal.table import read, used_range
from shoal.table.used_range import require_used_range

xlsxwriter = pytest.importorskip("xlsxwriter")

MARKER = "Zebulon-4711"
FAR = '<row r="1048576"><c r="XFD1048576"><v>4711</v></c></row>'


def workbook(path: Path, rows: str = "", *, instead: str = "", **sheets: str) -> Path:
    """A workbook whose first sheet has these rows after its own, or `instead` of its data."""
    with xlsxwriter.Workbook(path) as book:
        for name in ("Visits", *sheets):
            sheet = book.add_worksheet(name)
            for number, row in enumerate([("age", "note"), (39, MARKER), (40, MARKER)]):
                sheet.write_row(number, 0, row)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    for number, more in enumerate((rows, *sheets.values()), 1):
        name = f"xl/worksheets/sheet{number}.xml"
        before, after = files[name].split(b"</sheetData>")
        files[name] = before + more.encode() + b"</sheetData>" + after
        if instead and number == 1:
            files[name] = instead.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def is_refused(path: Path, sheet: str | None = None) -> bool:
    try:
        require_used_range(path, sheet)
    except TableError as error:
        assert "used range" in str(error) and "stray cell" in str(error)
        assert MARKER not in str(error) and "4711" not in str(error)
        return True
    return False


@pytest.mark.parametrize(
    "rows",
    [
        FAR,
        FAR.replace('"', "'"),
        FAR.replace("r=", "\n r =  "),
        FAR.replace("XFD", "xfd"),
        FAR.replace("<c r", '<c s="0" r').replace("<v>4711</v>", "<is><t>4711</t></is>"),
        f"<!-- a comment -->{FAR}",
        f'<row r="3">{"<c/>" * 16_000}<c><v>1</v></c></row><row r="1048570"/><row><c><v>1</v></c></row>',
        '<row r="2"><c r="ZZZ9999999"><v>1</v></c></row>',
    ],
)
def test_a_stray_cell_is_found_however_it_is_written(tmp_path: Path, rows: str) -> None:
    path = workbook(tmp_path / "t.xlsx", rows)
    assert is_refused(path)
    with pytest.raises(TableError, match="used range"):
        read(path)


def test_neither_prefixes_nor_the_stated_dimension_hide_a_stray_cell(tmp_path: Path) -> None:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = FAR.replace("<", "<x:").replace("<x:/", "</x:")
    first = '<x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row>'
    data = f'<x:dimension ref="A1:B2"/><x:sheetData>{first}{rows}</x:sheetData>'
    assert is_refused(workbook(tmp_path / "t.xlsx", instead=f'<x:worksheet xmlns:x="{space}">{data}</x:worksheet>'))


@pytest.mark.parametrize(
    "rows",
    [
        "",
        '<row r="1048576"><c r="A1048576"><v>1</v></c></row>',
        '<row r="3"><c r="XFD3"><v>1</v></c></row>',
        '<row r="1048576"><c r="XFD1048576" s="0"/></row>',
        '<row r="3"><c r="A3" t="inlineStr"><is><t>&lt;c r="XFD1048576"</t></is></c></row>',
    ],
)
def test_what_the_reader_can_hold_is_read(tmp_path: Path, rows: str) -> None:
    assert not is_refused(workbook(tmp_path / "t.xlsx", rows))


def test_formatted_cells_without_a_value_do_not_count(tmp_path: Path) -> None:
    frame = read(workbook(tmp_path / "t.xlsx", '<row r="1048576"><c r="XFD1048576" s="0"/></row>'))
    assert frame.rows() == [(39, MARKER), (40, MARKER)]


def test_only_the_sheet_that_is_read_counts(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", Notes=FAR)
    assert is_refused(path) and is_refused(path, "Notes") and not is_refused(path, "Visits")
    assert read(path, sheet="Visits").height == 2


def test_sparse_tables_may_be_large_and_columns_far_to_the_right(tmp_path: Path) -> None:
    used = used_range._Used(left=1, right=100, bottom=1_000_000, cells=10_000_000)
    assert not used.is_too_large
    used.cells = 9_000_000
    assert used.is_too_large
    used.left = 90
    assert not used.is_too_large


def test_a_sheet_is_looked_at_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """References that lie across two parts are found, too, and a usual sheet need not be parsed."""
    path = workbook(tmp_path / "t.xlsx", "".join(f'<row r="{n}"><c r="B{n}"><v>1</v></c></row>' for n in range(4, 60)))
    monkeypatch.setattr(used_range, "_exact", mock.Mock(side_effect=AssertionError))
    with zipfile.ZipFile(path) as archive:
        name = "xl/worksheets/sheet1.xml"
        for size in (64, 97, 1 << 20):
            monkeypatch.setattr(used_range, "_BLOCK", size)
            found = used_range._quick(archive, name)
            assert found == used_range._Used(1, 2, 59, 62)
    require_used_range(path, None)
