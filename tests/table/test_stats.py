"""Statistics files, written by pyreadstat. It cannot write .sas7bdat, so no test reads one: see the last test."""

from __future__ import annotations

import tempfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.errors import MissingExtra, OutputError, TableError
from shoal.table import as_text, read, write
from shoal.table.stats import FORMATS, check_columns, extra_entries
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


def made(folder: Path, kind: str, frame: pl.DataFrame = ROWS, **options: Any) -> Path:
    WRITERS[kind](frame, folder / f"t.{kind}", **options)
    return folder / f"t.{kind}"


@pytest.mark.parametrize("kind", WRITERS)
def test_numbers_dates_and_texts_are_read(kind: str, tmp_path: Path) -> None:
    frame = read(made(tmp_path, kind))
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
    frame = read(made(tmp_path, kind, variable_value_labels=labels))
    assert frame["sex"].cast(pl.String).to_list() == ["male", "female", "male", None]
    assert frame.schema["sex"] == pl.Enum(["male", "female"])  # in the order of the codes, and only those that occur
    assert frame["age"].to_list() == [30, 41, 99, 7]  # some values have no label
    assert frame["weight"].to_list() == [70.5, None, 81.25, 90.0]


def test_labels_of_texts_are_read(tmp_path: Path) -> None:
    frame = pl.DataFrame({"code": ["A", "B", "A"]})
    path = made(tmp_path, "sav", frame, variable_value_labels={"code": {"A": "Alpha", "B": "Beta"}})
    assert read(path)["code"].cast(pl.String).to_list() == ["Alpha", "Beta", "Alpha"]


def test_two_codes_with_one_label_stay_codes(tmp_path: Path) -> None:
    path = made(tmp_path, "sav", pl.DataFrame({"q": [1, 2]}), variable_value_labels={"q": {1: "other", 2: "other"}})
    assert read(path)["q"].to_list() == [1, 2]


def test_user_missing_values_are_missing(tmp_path: Path) -> None:
    options = {"missing_ranges": {"age": [99, {"lo": 0, "hi": 9}]}}
    assert read(made(tmp_path, "sav", **options))["age"].to_list() == [30, 41, None, None]


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
    path, frame = tmp_path / f"t.{format}", pl.concat([frame, frame])
    write(frame, path, format)
    back = read(path)
    assert same_content(frame, back)
    assert back.schema["label"] == pl.Enum(["*", "[20, 29]"])  # rebuilt from the values that occur
    assert back["text"].to_list() == ["Zoë", None, None, " x"] * 2
    assert back.schema["at"] == pl.Datetime("us") and back.schema["day"] == pl.Date


def opened(frame: pl.DataFrame, folder: Path, format: str) -> tuple[pl.DataFrame, dict[str, dict[int, str]]]:
    """What pyreadstat finds in the file of a table: the stored values, and the labels of each column."""
    write(frame, folder / f"t.{format}", format)
    stored, facts = getattr(pyreadstat, f"read_{format}")(folder / f"t.{format}", output_format="polars")
    assert same_content(frame, read(folder / f"t.{format}"))
    return stored, facts.variable_value_labels


@pytest.mark.parametrize("format", FORMATS)
def test_repeated_texts_are_codes_with_labels_in_the_order_of_the_labels(format: str, tmp_path: Path) -> None:
    texts = {
        "ill": ["flu", "asthma", "flu", "", "asthma", None],
        "age": ["[30, 39]", "*", "{a, b}", "*", "[30, 39]", "{a, b}"],
    }
    stored, labels = opened(pl.DataFrame(texts), tmp_path, format)
    assert labels == {
        "ill": {1: "asthma", 2: "flu"},
        "age": {1: "*", 2: "[30, 39]", 3: "{a, b}"},
    }
    assert stored["ill"].to_list() == [2, 1, 2, None, 1, None]
    assert stored["age"].to_list() == [2, 1, 3, 1, 2, 3]


@pytest.mark.parametrize("format", FORMATS)
def test_texts_that_rarely_repeat_are_texts(format: str, tmp_path: Path) -> None:
    stored, labels = opened(pl.DataFrame({"q": ["a", "b", "c", "a", None, None]}), tmp_path, format)
    assert stored.schema["q"] == pl.String and not labels


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "texts",
    [
        ["70.5", None, "81", "", "-0.001"],
        ["1", "2", "1", "2", None],
        ["9007199254740992", "-5", "0"],
        ["1e+300", "5e-324", "-0", "0.1"],
        [None, None],
    ],
)
def test_texts_that_are_canonical_numbers_are_numbers(format: str, texts: list[str | None], tmp_path: Path) -> None:
    stored, labels = opened(pl.DataFrame({"q": pl.Series(texts, dtype=pl.String)}), tmp_path, format)
    assert stored["q"].to_list() == [float(text) if text else None for text in texts]
    assert (stored.schema["q"].is_numeric() or stored["q"].is_null().all()) and not labels


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "odd",
    [
        "01",
        "+1",
        "1.0",
        "1.",
        ".5",
        "1e3",
        "1E300",
        "1e300",
        " 1",
        "9007199254740993",
        "-0",
        "inf",
        "NaN",
        "9e+307",
        "1,5",
        "0x1",
    ],
)
def test_numbers_in_another_notation_are_texts_or_labels(format: str, odd: str, tmp_path: Path) -> None:
    stored, labels = opened(pl.DataFrame({"q": [odd, "2", None]}), tmp_path, format)
    assert stored.schema["q"] == pl.String and not labels
    stored, labels = opened(pl.DataFrame({"q": [odd, "2", None] * 3}), tmp_path, format)
    assert sorted(labels["q"].values()) == sorted([odd, "2"]) and stored.schema["q"].is_numeric()


@pytest.mark.parametrize(("format", "whole", "real"), [("dta", "int32", "double"), ("sav", "F8.0", "F8.2")])
def test_whole_numbers_are_shown_without_decimals(format: str, whole: str, real: str, tmp_path: Path) -> None:
    # Stata takes the 27 largest integers of 32 bits for missing values.
    numbers = {"n": [34, -2_147_483_620, 2_147_483_620], "large": [2_147_483_621, 1, None], "w": [0.5, 1.0, None]}
    opened(pl.DataFrame(numbers), tmp_path, format)
    facts = getattr(pyreadstat, f"read_{format}")(tmp_path / f"t.{format}")[1]
    shown = facts.readstat_variable_types if format == "dta" else facts.original_variable_types
    assert shown == {"n": whole, "large": real, "w": real}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("number", [2**53 + 1, 9e307, float("inf")])
def test_numbers_that_would_change_are_texts(format: str, number: float, tmp_path: Path) -> None:
    stored, _ = opened(pl.DataFrame({"q": [number, None]}), tmp_path, format)
    assert stored["q"].to_list() == [as_text(pl.Series([number])).item(), ""]


@pytest.mark.parametrize(("format", "longest"), [("dta", 32_000), ("sav", 120)])
def test_labels_that_are_too_long_are_texts(format: str, longest: int, tmp_path: Path) -> None:
    for letter, size in (("x", 1), ("é", 2)):  # lengths are in bytes
        fits = letter * (longest // size)
        assert opened(pl.DataFrame({"q": [fits, "a"] * 2}), tmp_path, format)[1] == {"q": {1: "a", 2: fits}}
        stored, labels = opened(pl.DataFrame({"q": [fits + "x", "a"] * 2}), tmp_path, format)
        assert stored["q"].to_list() == [fits + "x", "a"] * 2 and not labels


def test_labels_that_end_in_a_blank_are_texts_in_stata(tmp_path: Path) -> None:
    texts = ["a ", "a", " ", " a"] * 2
    stored, labels = opened(pl.DataFrame({"q": pl.Series(texts, dtype=pl.Categorical)}), tmp_path, "dta")
    assert stored["q"].to_list() == texts and not labels
    with pytest.raises(OutputError, match="blank"):
        write(pl.DataFrame({"q": texts}), tmp_path / "t.sav", "sav")


@pytest.mark.parametrize(("format", "prefix"), [("dta", "é" * 31), ("dta", "x" * 31), ("sav", "x" * 63)])
def test_long_names_keep_their_labels_numbers_and_texts(format: str, prefix: str, tmp_path: Path) -> None:
    cells = {"a": ["f", "m"] * 2, "b": ["u", "v"] * 2, "c": ["1", "2.5"] * 2, "d": ["y" * 600, "z" * 3_000, "", "x"]}
    frame = pl.DataFrame({f"{prefix}{name}": values for name, values in cells.items()})
    stored, labels = opened(frame, tmp_path, format)
    assert [*labels.values()] == [{1: "f", 2: "m"}, {1: "u", 2: "v"}]
    assert stored.columns == frame.columns and stored.dtypes[2:] == [pl.Float64, pl.String]


@pytest.mark.parametrize("format", FORMATS)
def test_the_type_of_a_column_in_memory_does_not_change_the_file(format: str, tmp_path: Path) -> None:
    texts = pl.DataFrame(
        {"q": ["b", "a", "b", "a", None], "n": ["7", "3", "7", None, "10"], "r": ["1", "2.5"] * 2 + [""]}
    )
    types = {"q": pl.Enum(["never", "b", "a"]), "n": pl.Int16(), "r": pl.Float32()}
    typed = texts.with_columns(pl.col("r").replace("", None)).cast(types)
    coded = texts.cast(pl.Categorical)
    files = []
    for number, frame in enumerate((texts, typed, coded)):
        write(frame, tmp_path / f"{number}.{format}", format)
        files.append((tmp_path / f"{number}.{format}").read_bytes())
    write(read(tmp_path / f"0.{format}"), tmp_path / f"again.{format}", format)
    assert {*files, (tmp_path / f"again.{format}").read_bytes()} == {files[0]}
    assert b"never" not in files[1]


ODD = [
    *("", " ", "a", "a ", " a", "\t", "a\n", "\r\n", "é", "\u00a0", "\ufeff", "\U0001f600", "\x85", "\x1a", "'", '"'),
    *(
        "*",
        "[30, 39]",
        "{a, b}",
        "\\*",
        "1",
        "01",
        "-0",
        "0.1",
        "2.0",
        "1e16",
        "1e-7",
        "9007199254740993",
        "NaN",
        "inf",
    ),
    *("x" * 119, "x" * 120, "x" * 121, "é" * 128, "x" * 255, "x" * 256, "é" * 1_023, "x" * 2_046, "."),
]
CELLS = st.none() | st.sampled_from(ODD) | st.text(max_size=12) | st.floats(width=32).map(str) | st.integers().map(str)
COLUMN = st.lists(CELLS, min_size=1, max_size=4).flatmap(
    lambda cells: st.lists(st.sampled_from(cells), min_size=1, max_size=12)
)


@pytest.mark.parametrize("format", FORMATS)
@given(columns=st.lists(COLUMN, min_size=1, max_size=4))
@example(columns=[ODD])
@example(columns=[[text, text] for text in ODD])
def test_all_texts_come_back_or_are_refused(format: str, columns: list[list[str | None]]) -> None:
    height = min(map(len, columns))
    cells = {f"c{n}": pl.Series(column[:height], dtype=pl.String) for n, column in enumerate(columns)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{format}"
        kept = {name: column for name, column in cells.items() if is_held(column, format)}
        for name in cells.keys() - kept.keys():
            with pytest.raises(OutputError, match=r"null character|blank"):
                write(cells[name].to_frame(name), path, format)
        if kept:
            write(pl.DataFrame(kept), path, format)
            assert same_content(pl.DataFrame(kept), read(path))


def is_held(column: pl.Series, format: str) -> bool:
    """Whether the format has every text of a column: none has null characters, and SPSS no blanks at the end."""
    texts = column.drop_nulls().to_list()
    return not any("\x00" in text or (format == "sav" and text.endswith(" ")) for text in texts)


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


def test_refused_names_are_listed_with_the_rule_that_they_break() -> None:
    names = ["age", "blood pressure", "1st", "with", "x" * 65, "a.", "b c", "sex", "d e", "f g"]
    with pytest.raises(OutputError) as raised:
        check_columns(names, "sav")
    message = str(raised.value)
    assert "'blood pressure' (a blank)" in message
    assert "'1st' (does not begin with a letter)" in message
    assert "'with' (a reserved word)" in message
    assert f"'{'x' * 65}' (longer than 64 bytes)" in message
    assert "'a.' (ends in a point)" in message
    assert "and 3 more" in message and "'b c'" not in message
    assert "letters, digits and _ . $ # @" in message
    with pytest.raises(OutputError, match=r"'a-b' \(the character '-'\)"):
        check_columns(["a-b"], "sav")
    with pytest.raises(OutputError, match=r"'str5' \(a reserved word\), 'a\.b' \(the character '\.'\)"):
        check_columns(["str5", "a.b"], "dta")
    with pytest.raises(OutputError, match="longer than 32 characters"):
        check_columns(["x" * 33], "dta")


def test_names_that_differ_in_case_only_are_refused_in_spss() -> None:
    with pytest.raises(OutputError, match="upper and lower case"):
        check_columns(["Age", "age"], "sav")
    check_columns(["Age", "age"], "dta")


@pytest.mark.parametrize(
    ("format", "values", "words"),
    [
        ("sav", ["x" * 32_768], "longer than"),
        ("sav", ["ends in a blank "], "blank"),
        ("sav", ["a\x00b"], "null character"),
        ("dta", ["a\x00b"], "null character"),
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


def test_entries_that_cells_do_not_show_are_counted(tmp_path: Path) -> None:
    frame = pl.DataFrame({"sex": [1, 2], "age": [30, 40]})
    labels = {"sex": {1: "m", 2: "f", 3: "x"}, "age": {30: "thirty"}}
    path = made(tmp_path, "sav", frame, variable_value_labels=labels, column_labels={"age": "Age"}, note=["a", "b"])
    assert extra_entries(path) == 1 + 1 + 2
    write(pl.DataFrame({"sex": ["m", "f"] * 2, "age": [30, 40, None, 1]}), path, "sav")
    assert extra_entries(path) == 0


@pytest.mark.parametrize("name", ["t.dta", "t.sav", "t.zsav", "t.xpt", "t.sas7bdat"])
def test_damaged_files_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(f"a,b\n{MARKER},1\n")
    with pytest.raises(TableError, match="is not a valid") as caught:
        read(tmp_path / name)
    assert MARKER not in str(caught.value)


def test_the_extra_is_named_if_it_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path, "dta")
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(MissingExtra, match=r"shoal\[stats\]"):
        read(path)
    with pytest.raises(MissingExtra, match=r"shoal\[stats\]"):
        write(ROWS, tmp_path / "u.dta", "dta")


def test_text_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="takes no separator"):
        read(made(tmp_path, "dta"), separator=";")


def test_sas7bdat_is_read_by_the_same_reader_but_no_library_can_write_one_for_a_test() -> None:
    from shoal.table.stats import EXTENSIONS

    assert ".sas7bdat" in EXTENSIONS
    assert as_text(pl.Series([1.0])).to_list() == ["1"]
