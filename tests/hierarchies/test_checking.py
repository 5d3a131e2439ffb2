from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import HierarchyError, OutputError
from shoal.hierarchies import File, Flat, Hierarchy, Icd9, Icd10Cm, Intervals, check, write
from tests.hierarchies.test_base import all_paths

JOBS = Hierarchy.from_paths([("nurse", "care", "*"), ("smith", "craft", "*"), ("baker", "craft", "*")])


def test_counts_what_does_not_fit() -> None:
    coverage = check(JOBS, pl.Series(["nurse", "nurse", "secret", None]))
    assert (coverage.leaves, coverage.levels, coverage.values) == (3, 3, 2)
    assert (coverage.uncovered, coverage.unused, coverage.ambiguous) == (1, 2, 0)
    assert not coverage.covers
    assert coverage.uncovered_values == ("secret",)


def test_the_uncovered_values_are_for_the_steward_alone() -> None:
    coverage = check(JOBS, pl.Series(["secret"]))
    assert "secret" not in repr(coverage) + str(coverage)


def test_a_tree_of_its_own_is_checked_without_failing(tmp_path: Path) -> None:
    write(JOBS, tmp_path / "job.csv")
    assert check(File(str(tmp_path / "job.csv")), pl.Series(["smith", "x"])).uncovered == 1
    assert check(Icd9(), pl.Series(["250.83", "x"])).uncovered_values == ("x",)


def test_what_is_made_from_the_data_always_covers_it() -> None:
    assert check(Flat(), pl.Series(["a", "b", "a"])).covers
    assert check(Intervals((5,)), pl.Series([3, 1, 2])).unused == 0


def test_a_malformed_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("a;x\na;y\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="more than once"):
        check(File(str(tmp_path / "job.csv")), pl.Series(["a"]))


@pytest.mark.parametrize(
    ("paths", "ambiguous"),
    [
        ([("a", "low", "all"), ("b", "high", "all")], 0),
        ([("a", "x", "x", "*"), ("b", "y", "z", "*")], 0),  # repeated to fill a level
        ([("x", "x", "*"), ("a", "x", "*")], 0),  # the name of its own parent
        ([("a", "x", "y", "*"), ("b", "y", "z", "*")], 1),
        ([("x", "p", "*"), ("a", "x", "*")], 1),
        ([("x", "y", "*"), ("y", "x", "*")], 2),
    ],
)
def test_labels_with_several_meanings_are_counted(paths: list[tuple[str, ...]], ambiguous: int) -> None:
    assert check(Hierarchy.from_paths(paths), pl.Series(["a"])).ambiguous == ambiguous


@pytest.mark.parametrize("spec", [Icd9(), Icd10Cm()])
def test_the_bundled_trees_have_one_meaning_per_label(spec) -> None:
    assert check(spec, pl.Series([], dtype=pl.String)).ambiguous == 0


labels = st.one_of(
    st.sampled_from(
        [";", ",", "\t", '"', "a;b", 'say "x"', "line\nbreak", "\r", "\r\n", "\ufeff", " a ", "{a, b}", "[1, 2]", "'"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    leaves=st.lists(labels, min_size=1, max_size=12, unique=True), parents=st.lists(labels, min_size=12, max_size=12)
)
def test_what_is_written_reads_back_the_same(tmp_path: Path, leaves: list[str], parents: list[str]) -> None:
    hierarchy = Hierarchy.from_paths([(leaf, parent, "*") for leaf, parent in zip(leaves, parents, strict=False)])
    write(hierarchy, tmp_path / "h.csv")
    found = File(str(tmp_path / "h.csv")).build(pl.Series(leaves))
    assert all_paths(found) == all_paths(hierarchy)


def test_missing_leaves_and_numbers_read_back_and_the_separator_is_found(tmp_path: Path) -> None:
    hierarchy = Intervals((5, 10)).build(pl.Series([1, 7, 12])).with_missing()
    write(hierarchy, tmp_path / "h.csv")
    assert all_paths(File(str(tmp_path / "h.csv")).build(pl.Series([1, 7, 12]))) == all_paths(hierarchy)


def test_rows_are_as_documented(tmp_path: Path) -> None:
    write(JOBS, tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_bytes() == b"nurse;care;*\nsmith;craft;*\nbaker;craft;*\n"


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        write(JOBS, tmp_path / "absent" / "h.csv")
