from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.errors import TableError
from shoal.table import read
from shoal.table.delimited import SEPARATORS
from tests.effort import examples

MARKER = "Zebulon-4711"
"""A cell value that must not appear in any message."""


def file(folder: Path, content: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(path: Path, *words: str, separator: str | None = None) -> str:
    with pytest.raises(TableError) as caught:
        read(path, separator=separator)
    message = str(caught.value)
    assert MARKER not in message
    for word in words:
        assert word in message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return message


def test_every_field_is_text_character_for_character(tmp_path: Path) -> None:
    frame = read(file(tmp_path, "zip,n,x\n02139, 7 ,9007199254740993\n00501,1e5,0.10\n"))
    assert frame.schema == {"zip": pl.String, "n": pl.String, "x": pl.String}
    assert frame.rows() == [("02139", " 7 ", "9007199254740993"), ("00501", "1e5", "0.10")]


def test_an_empty_field_is_null_quoted_or_not(tmp_path: Path) -> None:
    assert read(file(tmp_path, 'a,b,c\n"",,x\n,"",y\n')).rows() == [(None, None, "x"), (None, None, "y")]


@pytest.mark.parametrize("separator", SEPARATORS)
def test_the_separator_is_found(tmp_path: Path, separator: str) -> None:
    others = "".join(other for other in SEPARATORS if other != separator)
    rows = [["a", "b", "c"], ["1", "", f'"{others}"'], ["2", f'"{others * 9}"', "3"]]
    frame = read(file(tmp_path, "".join(separator.join(row) + "\n" for row in rows)))
    assert frame.rows() == [("1", None, others), ("2", others * 9, "3")]


def test_a_decimal_comma_does_not_mislead(tmp_path: Path) -> None:
    assert read(file(tmp_path, "a;b\n1,5;2,5\n1,0;3,0\n")).rows() == [("1,5", "2,5"), ("1,0", "3,0")]


def test_two_possible_separators_are_refused(tmp_path: Path) -> None:
    path = file(tmp_path, f"a,b;c\n1,2;{MARKER}\n")
    refused(path, "','", "';'", "separator")
    assert read(path, separator=";").columns == ["a,b", "c"]


def test_tsv_is_separated_by_tabs(tmp_path: Path) -> None:
    assert read(file(tmp_path, "a,b\tc\n1,2\t3\n", "t.tsv")).columns == ["a,b", "c"]


def test_one_column_needs_no_separator_and_keeps_its_empty_rows(tmp_path: Path) -> None:
    assert read(file(tmp_path, "a\n1\n\n2\n")).rows() == [("1",), (None,), ("2",)]


@pytest.mark.parametrize("separator", ["", ",,", '"', "\n", "é"])
def test_a_separator_that_cannot_be_one_is_refused(tmp_path: Path, separator: str) -> None:
    with pytest.raises(TableError, match="cannot separate"):
        read(file(tmp_path, "a,b\n"), separator=separator)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom", "utf-16-be-bom", "cp1252", "latin-1"]
)
def test_encodings_are_found(tmp_path: Path, encoding: str) -> None:
    text = "Größe,name\n1,Müller\n2,Zoë\n"
    bom = "\ufeff" if encoding.endswith("-bom") else ""
    frame = read(file(tmp_path, (bom + text).encode(encoding.removesuffix("-bom"))))
    assert frame.columns == ["Größe", "name"]
    assert frame["name"].to_list() == ["Müller", "Zoë"]


def test_a_byte_order_mark_before_a_quoted_header_is_removed(tmp_path: Path) -> None:
    frame = read(file(tmp_path, b'\xef\xbb\xbf"a,b","c"\n"1","2"\n'))
    assert frame.columns == ["a,b", "c"]


def test_gzip_is_unpacked_whatever_the_file_is_called(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,b\n1,2\n", mtime=0)
    for name in ("t.csv.gz", "t.gz", "t.csv"):
        assert read(file(tmp_path, packed, name)).rows() == [("1", "2")]
    assert read(file(tmp_path, gzip.compress(b"a,b\tc\n1,2\t3\n", mtime=0), "t.tsv.gz")).columns == ["a,b", "c"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quoted_fields_may_hold_separators_quotes_and_line_ends(tmp_path: Path, end: str) -> None:
    text = f'a,b{end}"1,5","x{end}y"{end}"say ""hi""",{end}'
    assert read(file(tmp_path, text)).rows() == [("1,5", f"x{end}y"), ('say "hi"', None)]


def test_quotes_that_enclose_nothing_are_characters(tmp_path: Path) -> None:
    assert read(file(tmp_path, 'a,b\nJohn "Jack" Doe,5" tube\n1,2\n')).rows() == [
        ('John "Jack" Doe', '5" tube'),
        ("1", "2"),
    ]


def test_empty_lines_are_no_rows(tmp_path: Path) -> None:
    assert read(file(tmp_path, "\n\na,b\r\n\r\n1,2\n\n,\n3,4\n\n\n")).rows() == [("1", "2"), (None, None), ("3", "4")]


def test_a_header_alone_is_a_table_without_rows(tmp_path: Path) -> None:
    for text in ("a,b", "a,b\n", "a,b\n\n"):
        frame = read(file(tmp_path, text))
        assert (frame.columns, frame.height) == (["a", "b"], 0)


def test_ten_thousand_columns(tmp_path: Path) -> None:
    names = ",".join(f"c{number}" for number in range(10_000))
    values = ",".join(str(number) for number in range(10_000))
    frame = read(file(tmp_path, f"{names}\n{values}\n{values}\n"))
    assert frame.shape == (2, 10_000)
    assert frame["c9999"].to_list() == ["9999", "9999"]


def test_a_file_larger_than_a_block_is_checked_across_blocks(tmp_path: Path) -> None:
    row = '"a ""quoted"" and, long\nvalue",x,\n'
    rows = 3 * (1 << 20) // len(row)
    frame = read(file(tmp_path, "a,b,c\n" + row * rows))
    assert frame.height == rows
    assert frame.unique().rows() == [('a "quoted" and, long\nvalue', "x", None)]
    refused(file(tmp_path, "a,b,c\n" + row * rows + "1,2\n"), "has 1 rows", f"records {rows + 2} of")


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0)], ids=["bare", "gzip"])
def test_an_empty_file_is_refused(tmp_path: Path, content: bytes) -> None:
    refused(file(tmp_path, content), "empty", "header")


@pytest.mark.parametrize("content", ["\n", "\r\n\r\n", "\ufeff", "\ufeff\n"])
def test_a_file_of_nothing_but_line_ends_has_no_columns(tmp_path: Path, content: str) -> None:
    refused(file(tmp_path, content), "no columns")


def test_repeated_and_empty_names_are_refused(tmp_path: Path) -> None:
    refused(file(tmp_path, f"a,b,a,b,c\n1,2,3,4,{MARKER}\n"), "2 repeated column names", "columns 1, 3; 2, 4")
    refused(file(tmp_path, f"Ann,{MARKER},1970-01-31,{MARKER}\nBob,F,1971-01-31,x\n"), "header = false")
    refused(file(tmp_path, f",a\n{MARKER},2\n"), "1 column without a name", "name: column 1", "index")
    refused(file(tmp_path, f"a, \n{MARKER},2\n"), "without a name")


HEADLESS = f"39,{MARKER},1970-01-31\n\n40,x,1971-02-01\n39,{MARKER},\n"


def test_a_table_without_a_header_line_is_refused_unless_the_plan_says_so(tmp_path: Path) -> None:
    path = file(tmp_path, HEADLESS)
    refused(path, "no header line", "header = false", "--no-header")
    frame = read(path, header=False)
    assert frame.columns == ["column_1", "column_2", "column_3"]
    assert frame.rows() == [("39", MARKER, "1970-01-31"), ("40", "x", "1971-02-01"), ("39", MARKER, None)]
    assert read(path, header=True).columns == ["39", MARKER, "1970-01-31"]


@pytest.mark.parametrize("content", ["\n\n1,a\n2,b\n", '"1","a"\r\n2,b\r\n', "\ufeff1,a\n2,b", "1,a\n\n2,b\n\n"])
def test_every_line_is_a_row_without_a_header_line(tmp_path: Path, content: str) -> None:
    assert read(file(tmp_path, content), header=False).rows() == [("1", "a"), ("2", "b")]


def test_a_single_column_without_a_header_line_keeps_its_empty_rows(tmp_path: Path) -> None:
    assert read(file(tmp_path, "x\n\ny\n"), header=False).rows() == [("x",), (None,), ("y",)]


def test_short_rows_are_counted_without_a_header_line(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="1 rows with more or fewer fields than the 2 of the first row: records 3"):
        read(file(tmp_path, f"1,2\n3,4\n{MARKER}\n"), header=False)


@pytest.mark.parametrize(
    "content",
    [
        "country,2019,2020,2021\nx,2019,2,3\n",
        "age,sex\n39,m\n",
        "1,2,3\n5,6,7\n",
        "F\nF\nM\n",
        "id,flu,cold\n1,flu,x\n",
    ],
)
def test_names_are_not_taken_for_data(tmp_path: Path, content: str) -> None:
    assert read(file(tmp_path, content)).columns == content.splitlines()[0].split(",")


@pytest.mark.parametrize("first", ["39,13,2174,40", "F,39,flu,x", "1970-01-31,1971-02-28,x,y"])
def test_a_row_of_data_is_not_taken_for_names(tmp_path: Path, first: str) -> None:
    refused(file(tmp_path, f"{first}\nF,50,flu,{MARKER}\n"), "no header line")


@pytest.mark.parametrize(
    ("rows", "count", "records"),
    [
        (f"1,2,3\n{MARKER},2\n", 1, "3"),
        (f"1,2,3\n{MARKER},2,3,4\n1\n", 2, "3, 4"),
        (f"1,2,3\n1,2,{MARKER},", 1, "3"),
        (f'"x\n""y","1,2",3\n{MARKER},2\n', 1, "3"),
        (f"{MARKER}\n" * 7, 7, "2, 3, 4, 5, 6, …"),
    ],
)
def test_ragged_rows_are_counted(tmp_path: Path, rows: str, count: int, records: str) -> None:
    for start in ("", "\ufeff"):
        refused(file(tmp_path, f"{start}a,b,c\n{rows}"), f"{count} rows", f"records {records} of", "3 fields")


@pytest.mark.parametrize(
    "rows", ['"x" y,1\n', '"x"y"z",1\n', 'a"b,"c"\n', f'1,"{MARKER}\n2,3\n', '"x""\n1,2\n', 'a"b,c"d\n"1",2\n']
)
def test_misplaced_quotes_are_refused(tmp_path: Path, rows: str) -> None:
    refused(file(tmp_path, f"a,b\n{MARKER},0\n{rows}"), "misplaced quotes", "is doubled")


def test_an_unclosed_quote_in_the_header_is_refused(tmp_path: Path) -> None:
    refused(file(tmp_path, f'"a,b\n{MARKER},2\n'), "misplaced quotes")


def test_old_line_ends_are_refused(tmp_path: Path) -> None:
    refused(file(tmp_path, f"a,b\r1,{MARKER}\r"), "1 CR", "LF")
    refused(file(tmp_path, f"a,b\n1\r,{MARKER}\n"), "1 CR", "LF")


def test_nul_bytes_are_refused(tmp_path: Path) -> None:
    refused(file(tmp_path, f"a,b\n1,2\n{MARKER},\0\n"), "NUL", "line 3")
    refused(file(tmp_path, f"a,b\n{MARKER},1\n".encode("utf-16-le")), "NUL", "byte order mark")
    refused(file(tmp_path, f"a,b\n{MARKER},\0\n".encode("utf-16")), "NUL")


def test_invalid_utf8_is_counted(tmp_path: Path) -> None:
    refused(file(tmp_path, f"a,b\nMüller,{MARKER}\nZoë,".encode() + b"\xff\n"), "UTF-8 with 1 invalid")


def test_bytes_of_no_known_encoding_are_refused(tmp_path: Path) -> None:
    refused(file(tmp_path, f"a,b\n{MARKER},".encode() + b"\x81\x8d\n"), "neither UTF-8")
    refused(file(tmp_path, b"\xff\xfea\x00,\x00\x00\xd8"), "not valid UTF-16")


@pytest.mark.parametrize("damage", ["cut", "changed", "head only"])
def test_a_damaged_gzip_file_is_refused(tmp_path: Path, damage: str) -> None:
    packed = bytearray(gzip.compress(f"a,b\n{MARKER},2\n".encode() * 100, mtime=0))
    if damage == "changed":
        packed[len(packed) // 2] ^= 0xFF
    content = {"cut": packed[:-12], "changed": packed, "head only": packed[:2]}[damage]
    refused(file(tmp_path, bytes(content), "t.csv.gz"), "damaged gzip")


_cells = st.text(st.sampled_from(list('ab1 ,;|\t"\n\ré')), max_size=4)


@settings(max_examples=examples(200), deadline=None)
@given(
    rows=st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(_cells, min_size=width, max_size=width), min_size=1, max_size=6)
    ),
    separator=st.sampled_from([",", ";", "\t", "|"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    bom=st.booleans(),
)
@example(rows=[["\r", '"']], separator=",", quoting=csv.QUOTE_MINIMAL, bom=True)
def test_what_is_written_by_rule_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[list[str]],
    separator: str,
    quoting: int,
    bom: bool,
) -> None:
    text = io.StringIO(newline="")
    # The module quotes a CR only where it is part of its line terminator.
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator="\r\n")  # type: ignore[arg-type]
    writer.writerows([[f"c{number}" for number in range(len(rows[0]))], *rows])
    path = tmp_path_factory.getbasetemp() / "written.csv"
    path.write_bytes(("\ufeff" * bom + text.getvalue()).encode())
    expected = [tuple(cell or None for cell in row) for row in rows]
    assert read(path, separator=separator).rows() == expected


@settings(max_examples=examples(300), deadline=None)
@given(body=st.lists(st.sampled_from([*'a1,"\n\r', "\r\n"]), max_size=14).map("".join))
def test_any_text_is_read_as_the_csv_module_reads_it_or_refused(
    tmp_path_factory: pytest.TempPathFactory, body: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text(f"x,y\n{body}", newline="")
    try:
        frame = read(path, separator=",")
    except TableError:
        return
    rows = [row for row in csv.reader(io.StringIO(body, newline="")) if row]
    assert frame.rows() == [tuple(cell or None for cell in row) for row in rows]


def test_a_cell_without_end_is_refused(tmp_path: Path) -> None:
    cell = "x" * (1 << 20)
    assert read(file(tmp_path, f"a,b\n1,{cell}\n".encode())).height == 1
    refused(file(tmp_path, f"a,b\n1,{cell}x\n".encode()), "cells of more than 1,048,576 bytes (in 1 of 2 columns)")
    refused(file(tmp_path, f'a,b\n1,"{cell}\n,"\n'.encode()), "cells of more than")


@pytest.mark.parametrize(
    "first",
    ["1950-01-02,C50.9", "Anna Secret,1950-01-02,C50.9", "P00001,Smith,1950-01-02", "02.01.1950,Smith,Hamburg"],
)
def test_a_first_line_with_a_date_above_dates_is_no_header(tmp_path: Path, first: str) -> None:
    rows = [first.replace("1950", str(1951 + number % 40)).replace("Smith", f"S{number}") for number in range(60)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join([first, *rows]))
    with pytest.raises(TableError, match="no header line") as caught:
        read(path)
    assert "Secret" not in str(caught.value) and "1950" not in str(caught.value)
    assert read(path, header=False).height == 61


def test_columns_named_by_dates_are_a_header_if_they_hold_something_else(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,sex,dose,2020-01-02\n" + "".join(f"a{n},f,{n},{n + 1}\n" for n in range(9)))
    assert read(path).columns == ["id", "sex", "dose", "2020-01-02"]
