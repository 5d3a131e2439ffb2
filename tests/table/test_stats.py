"""Statistics files, written by pyreadstat. It cannot write .sas7bdat, so no test reads one: see the last test."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import MissingExtra, OutputError, TableError
from shoal.table import as_text, read, write
from shoal.table.stats import FORMATS, check_columns
from shoal.verification.faithful import same_content

pyreadstat = pytest.importorskip("pyreadstat")

MARKER = "Zebulon-4711"
ROWS = pl.DataFrame(
    {
        "sex": [1, 2, 1, None],
        "age": [30, 41, 99, 7],
        "weight": [70.5, None, 81.25, 90.0],
        "note": ["a", "", "çé", None],
        "born": [date(1970, 1, 1), None, date(2000, 2, 3), date(1, 1, 1)],
        "at": [datetime(2020, 1, 1, 5, 6, 7), None, datetime(1900, 1, 1), datetime(2020, 1, 1)],
    }
)
WRITERS = {"dta": pyreadstat.write_dta, "sav": pyreadstat.write_sav, "xpt": pyreadstat.write_xport}


def given(folder: Path, kind: str, frame: pl.DataFrame = ROWS, **options: Any) -> Path:
    WRITERS[kind](frame, folder / f"t.{kind}", **options)
    return folder / f"t.{kind}"


@pytest.mark.parametrize("kind", WRITERS)
def test_numbers_dates_and_texts_are_read(kind: str, tmp_path: Path) -> None:
    frame = read(given(tmp_path, kind))
    assert frame["sex"].to_list() == [1, 2, 1, None]
    assert frame.schema["age"] == pl.Int64
    assert frame["weight"].to_list() == [70.5, None, 81.25, 90.0]
    assert frame["note"].to_list() == ["a", None, "çé", None]
    assert frame["born"].to_list() == ROWS["born"].to_list()
    assert frame["at"].to_list() == ROWS["at"].to_list()


@pytest.mark.parametrize("kind", ["dta", "sav"])
def test_coded_values_become_their_labels(kind: str, tmp_path: Path) -> None:
    labels = {"sex": {1: "male", 2: "female", 3: "other"}, "age": {99: "unknown"}, "weight": {70.5: "x", 81.25: "x"}}
    if kind == "dta":
        labels.pop("weight")  # Stata has labels of whole numbers only
    frame = read(given(tmp_path, kind, variable_value_labels=labels))
    assert frame["sex"].cast(pl.String).to_list() == ["male", "female", "male", None]
    assert frame.schema["sex"] == pl.Enum(["male", "female"])  # in the order of the codes, and only those that occur
    assert frame["age"].to_list() == [30, 41, 99, 7]  # some values have no label
    assert frame["weight"].to_list() == [70.5, None, 81.25, 90.0]


def test_labels_of_texts_are_read(tmp_path: Path) -> None:
    frame = pl.DataFrame({"code": ["A", "B", "A"]})
    path = given(tmp_path, "sav", frame, variable_value_labels={"code": {"A": "Alpha", "B": "Beta"}})
    assert read(path)["code"].cast(pl.String).to_list() == ["Alpha", "Beta", "Alpha"]


def test_two_codes_with_one_label_stay_codes(tmp_path: Path) -> None:
    path = given(tmp_path, "sav", pl.DataFrame({"q": [1, 2]}), variable_value_labels={"q": {1: "other", 2: "other"}})
    assert read(path)["q"].to_list() == [1, 2]


def test_user_missing_values_are_missing(tmp_path: Path) -> None:
    options = {"missing_ranges": {"age": [99, {"lo": 0, "hi": 9}]}}
    assert read(given(tmp_path, "sav", **options))["age"].to_list() == [30, 41, None, None]


@pytest.mark.parametrize("format", FORMATS)
def test_what_was_written_is_read_back(format: str, tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "label": pl.Series(["[20, 29]", "*", None, "[20, 29]"], dtype=pl.Enum(["[20, 29]", "*", "never"])),
            "sex": pl.Series(["f", "m", "f", None], dtype=pl.Categorical),
            "flag": [True, False, None, True],
            "text": ["Zoë", None, "", " x"],
            "whole": [2**53, -5, None, 0],
            "tiny": pl.Series([0.1, -0.0, None, 2.0], dtype=pl.Float32),
            "real": [0.1, 1e300, None, -2.0],
            "day": [date(1, 1, 1), date(9999, 12, 31), None, date(2020, 2, 29)],
            "at": [datetime(2020, 1, 1, 5, 6, 7), datetime(1900, 1, 1), None, datetime(9999, 12, 31, 23, 59, 59)],
            "fine": [datetime(2020, 1, 1, 5, 6, 7, 1), None, None, datetime(2020, 1, 1)],
            "nothing": pl.Series([None] * 4, dtype=pl.String),
        }
    )
    path = tmp_path / f"t.{format}"
    write(frame, path, format)
    back = read(path)
    assert same_content(frame, back)
    assert back.schema["label"] == pl.Enum(["*", "[20, 29]"])  # rebuilt from the values that occur
    assert back["text"].to_list() == ["Zoë", None, None, " x"]
    assert back.schema["at"] == pl.Datetime("us") and back.schema["day"] == pl.Date


@pytest.mark.parametrize("format", FORMATS)
def test_bytes_depend_on_the_content_alone(format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(ROWS, tmp_path / f"a.{format}", format)
    content = (tmp_path / f"a.{format}").read_bytes()
    now = datetime.now()
    assert f"{now:%Y}".encode() not in content and f"{now:%H:%M}".encode() not in content
    assert f"{now:%d %b %y}".encode() not in content
    write(ROWS, tmp_path / f"b.{format}", format)
    assert (tmp_path / f"b.{format}").read_bytes() == content


@pytest.mark.parametrize(
    ("format", "name"),
    [
        ("dta", "x" * 33),
        ("dta", "a b"),
        ("dta", "1a"),
        ("dta", "if"),
        ("dta", "str12"),
        ("dta", "a.b"),
        ("sav", "é" * 33),
        ("sav", "a b"),
        ("sav", "_a"),
        ("sav", "With"),
        ("sav", "a."),
    ],
)
def test_names_that_a_format_does_not_allow_are_refused(format: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not allow"):
        check_columns(["fine", name], format)
    with pytest.raises(OutputError, match="does not allow"):
        write(pl.DataFrame({name: [1]}), tmp_path / f"t.{format}", format)
    assert not list(tmp_path.iterdir())
    check_columns([name], "csv")


def test_names_that_differ_in_case_only_are_refused_in_spss() -> None:
    with pytest.raises(OutputError, match="upper and lower case"):
        check_columns(["Age", "age"], "sav")
    check_columns(["Age", "age"], "dta")


@pytest.mark.parametrize(
    ("format", "values", "words"),
    [
        ("sav", ["x" * 32_768], "longer than"),
        ("sav", ["ends in a blank "], "blank"),
        ("sav", [2**53 + 1], "numbers"),
        ("dta", [2**53 + 1], "numbers"),
        ("dta", [9e307], "numbers"),
        ("dta", [float("inf")], "numbers"),
    ],
)
def test_values_that_a_format_cannot_hold_are_counted(
    format: str, values: list[Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(OutputError, match=words) as caught:
        write(pl.DataFrame({"x": [*values, None]}), tmp_path / f"t.{format}", format)
    assert "Column 'x'" in str(caught.value) and "1 value" in str(caught.value)
    assert str(values[0]) not in str(caught.value) and not list(tmp_path.iterdir())


def test_labels_that_spss_would_cut_off_are_written_as_text(tmp_path: Path) -> None:
    labels = ["{" + ", ".join(f"value {n}" for n in range(20)) + "}", "a"]
    write(pl.DataFrame({"q": pl.Series(labels, dtype=pl.Categorical)}), tmp_path / "t.sav", "sav")
    assert read(tmp_path / "t.sav")["q"].to_list() == labels


def test_many_labels_are_written_as_text_in_stata(tmp_path: Path) -> None:
    labels = pl.Series("q", [f"n{n}" for n in range(65_537)], dtype=pl.Categorical)
    write(labels.to_frame(), tmp_path / "t.dta", "dta")
    assert same_content(labels.to_frame(), read(tmp_path / "t.dta"))


@pytest.mark.parametrize("name", ["t.dta", "t.sav", "t.zsav", "t.xpt", "t.sas7bdat"])
def test_damaged_files_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(f"a,b\n{MARKER},1\n")
    with pytest.raises(TableError, match="is not a valid") as caught:
        read(tmp_path / name)
    assert MARKER not in str(caught.value)


def test_the_extra_is_named_if_it_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = given(tmp_path, "dta")
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(MissingExtra, match=r"shoal\[stats\]"):
        read(path)
    with pytest.raises(MissingExtra, match=r"shoal\[stats\]"):
        write(ROWS, tmp_path / "u.dta", "dta")


def test_text_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="takes no separator"):
        read(given(tmp_path, "dta"), separator=";")


def test_sas7bdat_is_read_by_the_same_reader_but_no_library_can_write_one_for_a_test() -> None:
    from shoal.table.stats import EXTENSIONS

    assert ".sas7bdat" in EXTENSIONS
    assert as_text(pl.Series([1.0])).to_list() == ["1"]
