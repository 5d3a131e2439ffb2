from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from shoal import hierarchies
from tests.cli.conftest import CITIES, SECRET, Shoal, names


@pytest.fixture
def wanting(plan: Path) -> Path:
    """A hierarchy file that lacks a city."""
    file = plan.parent / "city.csv"
    file.write_text("".join(f"{city};*\n" for city in [*CITIES[1:], "Nowhere"]))
    return file


def test_the_hierarchies_of_a_plan(shoal: Shoal, plan: Path) -> None:
    answer = shoal("hierarchy", "check", plan)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.splitlines()[1].split() == ["city", "4", "0", "4", "0", "3", "0"]


def test_uncovered_values_are_counted_and_not_shown(shoal: Shoal, plan: Path, wanting: Path) -> None:
    answer = shoal("hierarchy", "check", plan)
    assert answer.code == 2 and "'city' (1 values)" in answer.err
    assert SECRET not in answer.out + answer.err
    assert json.loads(shoal("hierarchy", "check", plan, "--json").out)["city"] == {
        "leaves": 4,
        "levels": 2,
        "values": 4,
        "uncovered": 1,
        "unused": 1,
        "ambiguous": 0,
    }


def test_the_steward_may_see_them(shoal: Shoal, plan: Path, wanting: Path) -> None:
    answer = shoal("hierarchy", "check", plan, "--show-values", "--column", "city")
    assert answer.code == 2
    assert f"\n  {CITIES[0]}\n" in answer.out and CITIES[1] not in answer.out and SECRET not in answer.err


def test_a_file_against_a_table(shoal: Shoal, plan: Path, wanting: Path) -> None:
    data = plan.parent / "clinic.csv"
    assert shoal("hierarchy", "check", wanting, data, "--column", "city").code == 2
    wanting.write_text("".join(f"{city};*\n" for city in CITIES))
    assert shoal("hierarchy", "check", wanting, data, "--column", "city").code == 0


def test_values_beyond_the_top_need_no_leaf(shoal: Shoal, plan: Path) -> None:
    (plan.parent / "age.csv").write_text("".join(f"{age};*\n" for age in range(20, 41)))
    hierarchy = '[columns.age]\nhierarchy = { kind = "file", path = "age.csv" }\n'
    plan.write_text(plan.read_text().replace("[columns.age]\n", hierarchy))
    assert shoal("hierarchy", "check", plan, "--column", "age").code == 2
    plan.write_text(plan.read_text().replace("[columns.age]\n", "[columns.age]\ntop = 40\n"))
    assert shoal("hierarchy", "check", plan, "--column", "age").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan.toml", "--column", "citty"], "did you mean 'city'?"),
        (["plan.toml", "--type", "text"], "--type applies to a hierarchy file only"),
        (["city.csv"], "FILE DATA --column NAME"),
        (["city.csv", "clinic.csv"], "--column"),
        (["city.csv", "clinic.csv", "--column", "citty"], "did you mean 'city'?"),
        (["city.csv", "clinic.csv", "--column", "city", "--type", "number"], "integer"),
        (["gone.csv", "clinic.csv", "--column", "city"], "gone.csv"),
    ],
)
def test_bad_usage(shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str) -> None:
    monkeypatch.chdir(plan.parent)
    answer = shoal("hierarchy", "check", *words)
    assert (answer.code, answer.out) == (2, "") and said in answer.err and "Internal" not in answer.err


def _first(file: Path) -> str:
    return file.read_text(encoding="utf-8").splitlines()[0]


@pytest.mark.parametrize(
    ("column", "options", "first"),
    [
        ("age", ["--kind", "intervals", "--widths", "5,10"], "20;[20, 24];[20, 29];*"),
        ("age", ["--kind", "intervals", "--widths=2.5", "--origin", "1", "--type", "real"], "20;[18.5, 21];*"),
        ("age", ["--kind", "learned", "--fanout", "2"], "20;[20, 23];[20, 26];[20, 34];*"),
        ("age", ["--kind", "prefix", "--steps", "1", "--type", "text"], "20;2*;*"),
        ("city", ["--kind", "flat"], f"{CITIES[2]};*"),
        ("city", ["--kind", "file", "--path", "city.csv"], f"{CITIES[0]};North;*"),
        ("day", ["--kind", "date", "--levels", "month,year"], "2024-03-09;2024-03;2024;*"),
    ],
)
def test_build(
    shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch, column: str, options: list[str], first: str
) -> None:
    monkeypatch.chdir(plan.parent)
    Path("days.csv").write_text("day\n2024-03-09\n2024-03-10\n")
    data = "days.csv" if column == "day" else "clinic.csv"
    answer = shoal("hierarchy", "build", data, "--column", column, *options, "--out", "built.csv")
    assert (answer.code, answer.err) == (0, "")
    assert _first(Path("built.csv")) == first
    assert SECRET not in answer.out
    again = ["--type", options[-1]] if "--type" in options else []
    assert shoal("hierarchy", "check", "built.csv", data, "--column", column, *again).code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--kind", "interval"], "did you mean 'intervals'?"),
        (["--kind", "intervals"], "needs 'widths'"),
        (["--kind", "intervals", "--widths", "five"], "widths"),
        (["--kind", "intervals", "--width", "5"], "did you mean 'widths'?"),
        (["--kind", "intervals", "--widths"], "--name value"),
        (["--kind", "intervals", "5"], "--name value"),
        (["--kind", "date"], "date"),
    ],
)
def test_bad_options_of_a_kind(shoal: Shoal, plan: Path, options: list[str], said: str) -> None:
    before = names(plan.parent)
    data = plan.parent / "clinic.csv"
    answer = shoal("hierarchy", "build", data, "--column", "age", "--out", plan.parent / "built.csv", *options)
    assert (answer.code, answer.out) == (2, "") and said in answer.err and "Internal" not in answer.err
    assert names(plan.parent) == before


def test_a_file_is_replaced_only_with_force(shoal: Shoal, plan: Path) -> None:
    words = ["hierarchy", "build", plan.parent / "clinic.csv", "--column", "age", "--kind", "learned", "--out"]
    before = (plan.parent / "city.csv").read_text()
    assert shoal(*words, plan.parent / "city.csv").code == 2
    assert (plan.parent / "city.csv").read_text() == before
    assert shoal(*words, plan.parent / "city.csv", "--force").code == 0


@pytest.mark.parametrize(
    ("out", "options"),
    [("clinic.csv", ["--kind", "flat"]), ("city.csv", ["--kind", "file", "--path", "city.csv"])],
)
def test_a_file_that_is_read_is_not_replaced(
    shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch, out: str, options: list[str]
) -> None:
    monkeypatch.chdir(plan.parent)
    before = Path(out).read_text()
    answer = shoal("hierarchy", "build", "clinic.csv", "--column", "city", *options, "--out", f"./{out}", "--force")
    assert answer.code == 2 and "is read by this command" in answer.err
    assert Path(out).read_text() == before


def test_help_names_every_kind_and_every_field(shoal: Shoal) -> None:
    """It is written by hand, so that --help need not import the kinds."""
    told = shoal("hierarchy", "build", "--help").out
    for kind in hierarchies.ALL:
        assert kind.kind in told
        for item in fields(kind):
            assert f"--{item.name}" in told


def test_the_nodes_of_a_code_tree(shoal: Shoal) -> None:
    answer = shoal("hierarchy", "nodes", "--kind", "icd10cm", "--find", "immunodeficiency virus")
    assert (answer.code, answer.err) == (0, "")
    assert [line.split()[:2] for line in answer.out.splitlines()] == [
        ["label", "level"],
        ["B20", "block"],
        ["R75", "category"],
        ["Z21", "category"],
    ]


def test_nodes_of_one_level_as_json(shoal: Shoal) -> None:
    answer = shoal("hierarchy", "nodes", "--kind", "icd9", "--level", "chapter", "--json")
    chapters = json.loads(answer.out)
    assert len(chapters) == 19
    assert chapters[1] == {"label": "140-239", "level": "chapter", "name": "Neoplasms"}


def test_nothing_found_is_said(shoal: Shoal) -> None:
    answer = shoal("hierarchy", "nodes", "--kind", "icd10cm", "--find", "cancr")
    assert answer.code == 0 and "No node of icd10cm" in answer.out


def test_nodes_that_depend_on_the_data_are_not_listed(shoal: Shoal) -> None:
    answer = shoal("hierarchy", "nodes", "--kind", "prefix")
    assert answer.code == 2 and "icd9, icd10, icd10cm" in answer.err and "hierarchy build" in answer.err
    assert shoal("hierarchy", "nodes", "--kind", "icd11").code == 2
    wrong = shoal("hierarchy", "nodes", "--kind", "icd9", "--level", "chapters")
    assert wrong.code == 2 and "did you mean 'chapter'" in wrong.err
