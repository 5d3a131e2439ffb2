"""Labels keep their meaning: a hierarchy file that moves a value of the earlier release is refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.applying.earlier import read_earlier
from shoal.errors import HierarchyError, PromiseBroken

TREE = (
    "ant;insect;small;*\nbee;insect;small;*\ncat;mammal;large;*\n"
    "dog;mammal;large;*\nemu;bird;large;*\nfly;insect;small;*\n"
)
SWAPPED = TREE.replace("ant;insect;small", "ant;mammal;large").replace("cat;mammal;large", "cat;insect;small")


def plan(folder: Path, algorithm: Any = None, **columns: shoal.Column) -> shoal.Plan:
    (folder / "pets.csv").write_text(TREE, encoding="utf-8")
    return shoal.Plan(
        columns={"pet": shoal.quasi(shoal.tree(str(folder / "pets.csv"))), **columns},
        models=[shoal.KAnonymity(k=6)],
        algorithm=algorithm or shoal.Optimal(),
    )


def frame(*pets: str) -> pl.DataFrame:
    return pl.DataFrame({"pet": [*(pets or ("ant", "bee", "cat", "dog", "emu")) * 3]})


@pytest.fixture(params=[shoal.Optimal(), shoal.Pais()], ids=["optimal", "pais"])
def old(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A release that shows the animals that are large, and the others as insects or as small."""
    release = shoal.anonymize(frame(), plan(tmp_path, request.param))
    assert set(release.frame["pet"]) in ({"small", "large"}, {"insect", "large"})
    release.save(tmp_path / "old")
    return tmp_path / "old"


def changed(folder: Path, text: str) -> None:
    (folder.parent / "pets.csv").write_text(text, encoding="utf-8")


def test_a_file_that_says_the_same_in_other_words_is_applied(old: Path) -> None:
    first = shoal.apply(old, frame()).frame
    changed(old, "\n".join(reversed(TREE.replace(";", "\t").splitlines())) + "\n")
    assert shoal.apply(old, frame()).frame.equals(first)


def test_a_value_that_was_moved_is_refused(old: Path) -> None:
    changed(old, SWAPPED)
    with pytest.raises(HierarchyError, match=r"'pet' in '.*pets\.csv' is not .* 2 values have another place") as raised:
        shoal.apply(old, frame())
    assert not any(value in raised.value.fact.split("is not that")[1] for value in ("ant", "cat", "mammal", "small"))
    assert f"{old}.private/hierarchies/pet.csv" in raised.value.hint


def test_one_moved_value_is_refused_and_the_release_is_not_blamed(old: Path) -> None:
    changed(old, TREE.replace("emu;bird;large", "emu;bird;small"))
    with pytest.raises(HierarchyError, match="1 value has another place"):
        shoal.apply(old, frame())


def test_a_value_that_only_moves_below_the_released_level_may_move(old: Path) -> None:
    changed(old, TREE.replace("dog;mammal;large", "dog;beast;large"))
    assert shoal.apply(old, frame()).frame.height == 15


def test_a_file_may_have_further_values(old: Path) -> None:
    changed(old, TREE + "gnu;mammal;large;*\n")
    released = shoal.apply(old, frame("gnu", "cat")).frame
    assert released["pet"].n_unique() == 1 and set(released["pet"]) <= {"large", "*"}


def test_a_file_may_lack_values_that_the_new_table_does_not_have(old: Path) -> None:
    changed(old, TREE.replace("fly;insect;small;*\n", ""))
    assert shoal.apply(old, frame()).frame.height == 15


DEEPER = "".join(f"{row.partition(';')[0]};{row}\n" for row in TREE.splitlines())
"""The same hierarchy with a level between the values and the lowest nodes."""


def test_levels_count_where_the_recoding_is_one_of_levels(tmp_path: Path) -> None:
    shoal.anonymize(frame(), plan(tmp_path)).save(tmp_path / "old")
    changed(tmp_path / "old", DEEPER)
    with pytest.raises(HierarchyError, match="6 values have another place"):
        shoal.apply(tmp_path / "old", frame())


def test_levels_do_not_count_where_labels_are_found_by_name(tmp_path: Path) -> None:
    shoal.anonymize(frame(), plan(tmp_path, shoal.Pais())).save(tmp_path / "old")
    changed(tmp_path / "old", DEEPER)
    assert shoal.apply(tmp_path / "old", frame()).frame.height == 15


def test_a_file_that_is_no_hierarchy_any_more_is_named_with_its_column(old: Path) -> None:
    changed(old, TREE + TREE)
    with pytest.raises(HierarchyError, match="Column 'pet': 6 leaves occur more than once"):
        shoal.apply(old, frame())


def test_the_kept_hierarchy_is_needed(old: Path) -> None:
    shutil.rmtree(old.parent / "old.private" / "hierarchies")
    with pytest.raises(PromiseBroken, match="does not have the hierarchy of column 'pet'"):
        shoal.apply(old, frame())


def test_a_file_that_is_gone_is_an_error_of_the_file(old: Path) -> None:
    (old.parent / "pets.csv").unlink()
    with pytest.raises(HierarchyError, match=r"pets\.csv' cannot be read"):
        read_earlier(old)


def test_numbers_may_be_written_in_several_ways(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("1;low;*\n2;low;*\n3;high;*\n4;high;*\n", encoding="utf-8")
    columns = {"code": shoal.quasi(shoal.tree(str(path)))}
    made = shoal.Plan(columns=columns, models=[shoal.KAnonymity(k=6)], algorithm=shoal.Optimal())
    table = pl.DataFrame({"code": [1, 2, 3, 4] * 3})
    shoal.anonymize(table, made).save(tmp_path / "old")
    path.write_text("01;low;*\n02.0;low;*\n3;high;*\n4;high;*\n", encoding="utf-8")
    assert shoal.apply(tmp_path / "old", table).frame.height == 12
    path.write_text("01;high;*\n2;low;*\n03;low;*\n4;high;*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="2 values have another place"):
        shoal.apply(tmp_path / "old", table)


@pytest.mark.parametrize("role", ["sensitive", "quasi-sensitive"])
def test_hierarchies_of_other_columns_are_part_of_the_promise(tmp_path: Path, role: str) -> None:
    path = tmp_path / "ill.csv"
    path.write_text("flu;resp;*\ncold;resp;*\ngout;other;*\nmig;other;*\n", encoding="utf-8")
    ill = (
        shoal.sensitive(shoal.tree(str(path))) if role == "sensitive" else shoal.quasi_sensitive(shoal.tree(str(path)))
    )
    models = [shoal.KAnonymity(k=2), *([] if role == "sensitive" else [shoal.KmAnonymity("ill", k=2, m=1)])]
    made = shoal.Plan(columns={"age": shoal.quasi(), "ill": ill}, models=models, algorithm=shoal.Optimal())
    table = pl.DataFrame({"age": [1, 2] * 8, "ill": ["flu", "cold", "gout", "mig"] * 4})
    shoal.anonymize(table, made).save(tmp_path / "old")
    assert shoal.apply(tmp_path / "old", table).frame.height == 16
    path.write_text("flu;resp;*\ncold;other;*\ngout;other;*\nmig;resp;*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="hierarchy of column 'ill'"):
        shoal.apply(tmp_path / "old", table)


def test_only_the_owner_reads_the_kept_hierarchy(old: Path) -> None:
    kept = old.parent / "old.private" / "hierarchies"
    assert (kept / "pet.csv").read_text(encoding="utf-8").splitlines() == TREE.splitlines()
    assert oct(kept.stat().st_mode)[-3:] == "700" and oct((kept / "pet.csv").stat().st_mode)[-3:] == "600"
    shoal.anonymize(frame(), plan(old.parent)).save(old, force=True)
    assert not (old / "hierarchies").exists()
