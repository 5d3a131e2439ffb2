"""Records counted on bytes, against the csv module; at every border between blocks."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import TableError
from shoal.table import text as blocks_of
from shoal.table.records import quoting_of, records_of, refuse_lone_returns
from shoal.table.text import Text
from tests.effort import examples


@pytest.fixture(params=[1, 2, 3, 1 << 20], ids=lambda size: f"blocks of {size}")
def _blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever is found must not depend on where a block ends."""
    monkeypatch.setattr(blocks_of, "_BLOCK", request.param)
    yield


def text(content: str) -> Text:
    data = content.encode()
    return Text("made.csv", data, data, quotes=True, lone_returns=True)


CELLS = st.text(st.sampled_from('ab,"\n'), max_size=4)
TABLES = st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=5)


@pytest.mark.usefixtures("_blocks")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("content", "fields", "blank"),
    [
        ("a,b\n1,2\n", [2, 2], [False, False]),
        ("a,b\n1,2", [2, 2], [False, False]),
        ("a\n\nb\n", [1, 1, 1], [False, True, False]),
        ('a,b\n"1,\n2",3\n', [2, 2], [False, False]),
        ('"a ""quoted"", b",c\n', [2], [False]),
        ("a,b,c\n1\n,,\n", [3, 1, 3], [False, False, False]),
        ("\n", [1], [True]),
        (",", [2], [False]),
    ],
)
def test_fields_and_empty_lines_are_counted(content: str, fields: list[int], blank: list[bool], end: str) -> None:
    found = records_of(content.replace("\n", end).encode(), ",", '"')
    assert (found.fields.tolist(), found.blank.tolist()) == (fields, blank)


@given(TABLES, st.integers(1, 6))
@settings(max_examples=examples(100), deadline=None)
def test_any_quoted_table_has_the_fields_that_it_was_written_with(rows: list[list[str]], block: int) -> None:
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(blocks_of, "_BLOCK", block)
        found = records_of(written.getvalue().encode(), ",", '"')
        quoting = quoting_of(text(written.getvalue()), ",")
    assert found.fields.tolist() == [len(row) for row in rows]
    assert not found.blank.any()
    assert (quoting.misplaced, quoting.encloses) == (0, True)


@pytest.mark.usefixtures("_blocks")
def test_without_quoting_every_separator_and_line_end_counts() -> None:
    assert records_of(b'a;"b;c\nd"\n', ";", None).fields.tolist() == [3, 1]


@pytest.mark.usefixtures("_blocks")
def test_records_are_counted_from_where_the_text_begins() -> None:
    assert records_of(b"\xef\xbb\xbfa,b\n1,2\n", ",", '"', begin=3).fields.tolist() == [2, 2]


@pytest.mark.usefixtures("_blocks")
@pytest.mark.parametrize(
    ("content", "misplaced", "encloses"),
    [
        ('a,"b"\n"c",d\n', 0, True),
        ('"a ""b"" c"\n', 0, True),
        ("a,b\n", 0, False),
        ('a,b"c\n', 2, False),  # it neither begins a field nor is it closed
        ('"a"b\n', 1, True),
        ('"a\n', 1, True),
        ('5" pipe,6" pipe\n', 2, False),
    ],
)
def test_quotes_that_allow_two_readings_are_counted(content: str, misplaced: int, encloses: bool) -> None:
    assert quoting_of(text(content), ",") == (misplaced, encloses)


@pytest.mark.usefixtures("_blocks")
def test_a_return_without_a_line_feed_is_refused_outside_quotes() -> None:
    refuse_lone_returns(text('a,b\r\n"one\rcell",2\r\n'), '"')
    with pytest.raises(TableError, match=r"made\.csv .*\b2 CR"):
        refuse_lone_returns(text("a,b\r1,2\r3,4\n"), '"')
    with pytest.raises(TableError, match=r"\b1 CR"):
        refuse_lone_returns(text('"one\rcell"\n'), None)


def test_the_number_of_quotes_before_a_byte_may_be_large(tmp_path: Path) -> None:
    content = '"a","b"\n' * 1000 + '"one,\ncell","c"\n'
    assert records_of(content.encode(), ",", '"').fields.tolist() == [2] * 1001
