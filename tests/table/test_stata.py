"""Stata files as Stata would describe them: read with pyreadstat, whatever the names of their columns."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from shoal.table import read, write
from shoal.table.stata import short_names
from shoal.verification.faithful import same_content

pyreadstat = pytest.importorskip("pyreadstat")


def written(frame: pl.DataFrame, folder: Path) -> tuple[pl.DataFrame, dict[str, str]]:
    """The stored values of a table, and the names of its sets of value labels by column."""
    write(frame, folder / "t.dta", "dta")
    stored, facts = pyreadstat.read_dta(folder / "t.dta", output_format="polars")
    assert same_content(frame, read(folder / "t.dta"))
    return stored, facts.variable_to_label


@pytest.mark.parametrize("letter", ["x", "é", "\U00020000"])  # up to four bytes each
def test_a_name_of_32_characters_names_its_labels_too(letter: str, tmp_path: Path) -> None:
    name, other = letter * 32, letter * 31 + "y"
    stored, sets = written(pl.DataFrame({name: ["a", "b"] * 2, "n": [1, 2, 3, 4], other: ["c", "d"] * 2}), tmp_path)
    assert stored.columns == [name, "n", other]
    assert sets == {name: name, other: other}


def test_no_two_columns_share_their_labels(tmp_path: Path) -> None:
    names = ["x1", *(f"y{n}" for n in range(9)), "x", "x10", "c0", "c1"]  # a name and a number may read as another
    frame = pl.DataFrame({name: [f"{name} yes", f"{name} no"] * 2 for name in names})
    assert written(frame, tmp_path)[1] == {name: name for name in names}


def test_another_reader_finds_the_same(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pl.DataFrame({"x" * 32: ["b", "a", None, "b", "a"], "né": ["1", "2.5", "", "3", "4"], "t": [*"vwxyz"]})
    write(frame, tmp_path / "t.dta", "dta")
    found = pandas.read_stata(tmp_path / "t.dta")
    assert [*found.columns] == frame.columns and [*found["t"]] == [*"vwxyz"]
    assert [*found["x" * 32].cat.categories] == ["a", "b"] and [*found["x" * 32].cat.codes] == [1, 0, -1, 1, 0]
    assert found["né"].fillna(-1).to_list() == [1, 2.5, -1, 3, 4]


def test_short_names_are_distinct() -> None:
    assert short_names(3) == ["c0", "c1", "c2"]


def test_a_file_has_no_time(tmp_path: Path) -> None:
    write(pl.DataFrame({"q": ["a"]}), tmp_path / "t.dta", "dta")
    assert pyreadstat.read_dta(tmp_path / "t.dta")[1].creation_time == datetime(1970, 1, 1)


def test_every_edition_of_stata_can_open_it(tmp_path: Path) -> None:
    """Format 119 is for more than 32,767 columns, and only Stata/MP reads it."""
    written(pl.DataFrame({"a": ["x", "y"] * 2}), tmp_path)
    assert b"<release>118</release>" in (tmp_path / "t.dta").read_bytes()[:64]
