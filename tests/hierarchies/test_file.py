from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies import File, Hierarchy

JOBS = "nurse;care;*\nsmith;craft;*\nbaker;craft;*\n"
ADULT = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "adult"


def saved(folder: Path, text: str, encoding: str = "utf-8") -> File:
    path = folder / "job.csv"
    path.write_bytes(text.encode(encoding))
    return File(str(path))


def built(spec: File, *values: object) -> Hierarchy:
    return spec.build(pl.Series(values))


def test_every_leaf_of_the_file_belongs_to_the_hierarchy(tmp_path: Path) -> None:
    hierarchy = built(saved(tmp_path, JOBS), "nurse")
    assert hierarchy.leaves == ("nurse", "smith", "baker")
    assert hierarchy.path(1) == ("smith", "craft", "*")


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_the_separator_is_found(tmp_path: Path, separator: str) -> None:
    assert built(saved(tmp_path, JOBS.replace(";", separator)), "baker").path(2) == ("baker", "craft", "*")


def test_semicolons_win_over_commas_inside_labels(tmp_path: Path) -> None:
    assert built(saved(tmp_path, "1;[1, 2];*\n2;[1, 2];*\n"), 1, 2).path(0) == ("1", "[1, 2]", "*")


def test_another_separator_can_be_named(tmp_path: Path) -> None:
    path = saved(tmp_path, "a|x;y\nb|x;y\n").path
    assert built(File(path, separator="|"), "a").path(0) == ("a", "x;y")


def test_quotes_line_ends_blank_lines_and_a_byte_order_mark(tmp_path: Path) -> None:
    text = '"a;b";"say ""x""";*\r\n\r\n"line\nbreak";"say ""x""";*\r\n'
    hierarchy = built(saved(tmp_path, text, "utf-8-sig"), "a;b", "line\nbreak")
    assert hierarchy.path(0) == ("a;b", 'say "x"', "*")


def test_one_column_is_a_list_of_leaves(tmp_path: Path) -> None:
    assert built(saved(tmp_path, "a\nb\n"), "a").path(0) == ("a", "*")


def test_an_empty_leaf_says_where_missing_values_go(tmp_path: Path) -> None:
    hierarchy = built(saved(tmp_path, ";unknown;*\na;known;*\n"), "a").with_missing()
    assert hierarchy.path(0) == ("", "unknown", "*")


def test_whole_numbers_match_by_value(tmp_path: Path) -> None:
    hierarchy = built(
        saved(tmp_path, "023;low\n 24.0;low\n1e2;high\nold;high\n9999999999999999999;high\n"), 23, 24, 100
    )
    assert hierarchy.leaves == ("23", "24", "100", "old", "9999999999999999999")


def test_real_numbers_match_by_value(tmp_path: Path) -> None:
    hierarchy = built(saved(tmp_path, "0.50;low\n07;low\ninf;high\n"), 0.5, 7.0)
    assert hierarchy.leaves == ("0.5", "7", "inf")


def test_dates_match_by_value(tmp_path: Path) -> None:
    assert built(saved(tmp_path, "2024-03-09;spring\nnever;*\n"), date(2024, 3, 9)).leaves == ("2024-03-09", "never")


def test_text_matches_character_by_character(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="does not cover 3 of the column's 4 distinct values"):
        built(saved(tmp_path, "023;low\n24;low\n"), "24", "23", "24 ", "24.0")


def test_numbers_equal_by_value_are_one_leaf_twice(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="1 leaves occur more than once"):
        built(saved(tmp_path, "023;low\n23;low\n"), 23)


def test_uncovered_values_are_counted_not_shown(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match=r"job\.csv' does not cover 2 of the column's 3 distinct values") as raised:
        built(saved(tmp_path, JOBS), "nurse", "secret1", "secret2")
    assert "secret" not in str(raised.value)
    assert "--show-values" in raised.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s1;x;*\ns2;*\ns3;x;*\n", "The number of fields of 1 of 3 rows of '.*' differs"),
        ("s1;x;*\ns2;;*\n", "1 of 2 rows of '.*' have an empty label"),
        ("s1;x;*\ns1;x;*\n", "1 leaves occur more than once"),
        ("s1;x;p\ns2;x;q\n", "Levels 1 and 2 do not nest: 1 labels"),
        ('"s1;x;*\ns2;x;*\n', "cannot be read as separated text"),
        ("", "is empty"),
        ("\n\n", "is empty"),
    ],
)
def test_malformed_files_are_described_without_their_values(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(HierarchyError, match=message) as raised:
        built(saved(tmp_path, text), "s1")
    assert "s1" not in str(raised.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match=r"No such file.*relative to the plan"):
        built(File(str(tmp_path / "absent.csv")), "a")
    with pytest.raises(HierarchyError, match="directory"):
        built(File(str(tmp_path)), "a")
    with pytest.raises(HierarchyError, match="not UTF-8"):
        built(saved(tmp_path, "é;*", "latin-1"), "a")


def test_paths_are_relative_to_the_plan(tmp_path: Path) -> None:
    assert File("job.csv").relative_to(tmp_path) == File(str(tmp_path / "job.csv"))
    assert File("/h/job.csv", ",").relative_to(tmp_path) == File("/h/job.csv", ",")


def test_fields_are_checked() -> None:
    with pytest.raises(PlanError, match="path"):
        File("")
    with pytest.raises(PlanError, match="null character"):
        File("job\x00.csv")
    for separator in ("", ";;", '"', "\n"):
        with pytest.raises(PlanError, match="separator"):
            File("job.csv", separator)


@pytest.mark.shared
@pytest.mark.skipif(not ADULT.exists(), reason="needs the Adult table")
@pytest.mark.parametrize("column", ["age", "education", "marital-status", "native-country", "occupation", "workclass"])
def test_the_adult_hierarchies_cover_adult(column: str) -> None:
    values = pl.read_csv(ADULT / "adult_complete.csv.gz")[column].unique().sort()
    hierarchy = File(str(ADULT / "hierarchies" / f"adult_hierarchy_{column}.csv")).build(values)
    assert len(hierarchy.leaves) >= len(values)
