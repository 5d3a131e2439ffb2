"""Draft plans: TOML that parses whatever the columns are called, and that is a plan."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.datasets import patients
from shoal.hierarchies import Icd10Cm
from shoal.plan import read_plan
from shoal.profiling.draft import draft_text
from shoal.profiling.profile import profile
from shoal.profiling.protected_nodes import PROTECTED, proposed
from shoal.profiling.suggesting import suggested_plan
from tests.effort import examples


def text_of(frame: pl.DataFrame, source: str = "table.csv", **options: Any) -> str:
    found = profile(frame)
    return draft_text(suggested_plan(frame, found, **options), found, source)


def drafted(frame: pl.DataFrame, source: str = "table.csv") -> dict[str, Any]:
    return tomllib.loads(text_of(frame, source))


def named(plan: dict[str, Any]) -> list[str]:
    """All columns that a draft names."""
    return [*plan.get("columns", {}), *(name for names in plan.get("roles", {}).values() for name in names)]


def test_a_person_column_is_drafted() -> None:
    frame = pl.DataFrame({"patient_id": [1, 1, 2, 3], "encounter_id": [10, 11, 12, 13], "sex": ["f", "f", "m", "m"]})
    assert drafted(frame)["data"]["person"] == "patient_id"
    assert "person" not in drafted(frame.with_columns(patient_id=pl.Series([1, 5, 2, 3])))["data"]


def test_ages_over_89_are_top_coded() -> None:
    assert drafted(pl.DataFrame({"age": [30, 97], "sex": ["f", "m"]}))["columns"]["age"]["top"] == 90


def test_a_zip_read_as_a_number_is_declared_text() -> None:
    frame = pl.DataFrame({"zip": [2139, 10001, 94110]})
    assert drafted(frame)["columns"]["zip"] == {
        "role": "quasi-identifier",
        "type": "text",
        "hierarchy": {"kind": "prefix", "steps": [3, 2, 1]},
        "finest": 1,
    }


@pytest.mark.parametrize("rows", [0, 1, 2, 4])
def test_small_tables_are_drafted(rows: int) -> None:
    frame = patients(10).head(rows)
    assert set(named(drafted(frame))) == set(frame.columns)


AWKWARD = [
    "a.b",
    "a b",
    'say "x"',
    "it's",
    "new\nline",
    "tab\t",
    "back\\slash",
    "Größe",
    "日本",
    "#",
    "[x]",
    "=",
    "\x7f",
    "a-b_1",
]


def test_awkward_column_names() -> None:
    frame = pl.DataFrame({name: ["u", "v", "u", "v", "u"] for name in AWKWARD})
    plan = drafted(frame, 'folder "x"\\table.csv')
    assert set(named(plan)) == set(AWKWARD)
    assert plan["data"]["source"] == 'folder "x"\\table.csv'


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0*^")).filter(str.strip),
        min_size=1,
        max_size=4,
        unique=True,
    )
)
@settings(max_examples=examples(60), deadline=None)
def test_any_column_name_survives_the_draft(names: list[str]) -> None:
    frame = pl.DataFrame({name: ["u", "v", "u"] for name in names})
    assert set(named(drafted(frame, names[0]))) == set(names)
    assert drafted(frame, names[0])["data"]["source"] == names[0]


def test_draft_of_the_registry() -> None:
    registry = patients(5_000)
    found = profile(registry)
    text = text_of(registry, "patients.csv")
    plan = tomllib.loads(text)
    assert plan["data"] == {"source": "patients.csv"}
    assert {name: each["role"] for name, each in plan["columns"].items()} == {
        each.name: "drop" if each.has_sets else each.role for each in found.columns
    }
    assert '"symptoms": sets of items, which no model of a draft guards' in text
    assert plan["models"][0] == {"kind": "k-anonymity", "k": 5}
    assert "hierarchy" not in plan["columns"]["birth_date"], "dates lose less as ranges"
    assert '# hierarchy = { kind = "date"' in text and plan["columns"]["zip"]["finest"] == 1
    assert plan["columns"]["diagnosis"]["hierarchy"] == {"kind": "icd10cm"}, "all codes are known"
    assert plan["columns"]["diagnosis"]["protected"] == list(proposed("icd10cm"))
    assert all(each.reason in text for each in found.columns)
    assert not [line for line in text.splitlines() if line.startswith("# [")], "no commented blocks"


@pytest.mark.parametrize("rows", [1, 7, 500])
def test_drafts_are_plans(rows: int, tmp_path: Path) -> None:
    frame = patients(rows)
    for number, table in enumerate([frame, frame.select("diagnosis", "sex"), frame.head(1).select("job")]):
        path = tmp_path / f"{number}.toml"
        path.write_text(text_of(table), "utf-8")
        plan = read_plan(path)
        assert set(plan.columns) == set(table.columns)


def test_a_draft_says_what_was_not_recognized(tmp_path: Path) -> None:
    frame = patients(50).select("diagnosis", "name").with_columns(zzqx=pl.Series(range(7, 57)) % 9 / 7)
    text = text_of(frame)
    assert "No quasi-identifier was recognized" in text
    assert '#   "zzqx": not recognized, 9 distinct values' in text
    (tmp_path / "plan.toml").write_text(text, "utf-8")
    assert read_plan(tmp_path / "plan.toml").having("drop") == ("zzqx",)


def test_a_draft_of_nothing_that_is_recognized_is_a_start(tmp_path: Path) -> None:
    text = text_of(pl.DataFrame({"zzqx": [0.5, 0.25, 1.75] * 9, "qqzw": [1.5, 2.5, 3.5] * 9}))
    assert "No column is released yet" in text
    (tmp_path / "plan.toml").write_text(text, "utf-8")
    plan = read_plan(tmp_path / "plan.toml")
    with pytest.raises(shoal.ShoalError, match="releases no column"):
        plan.for_table(["zzqx", "qqzw"])


def test_columns_without_settings_of_a_wide_table_are_listed_by_role(tmp_path: Path) -> None:
    flags = {f"diagnosis_{number}": ["yes", "no"] * 20 for number in range(45)}
    frame = pl.DataFrame({"age": [30, 40] * 20, "sex": ["f", "m"] * 20, **flags})
    text = text_of(frame)
    assert text.count("[columns.") == 1 and "[roles]" in text
    (tmp_path / "plan.toml").write_text(text, "utf-8")
    frame.write_csv(tmp_path / "table.csv")
    plan = read_plan(tmp_path / "plan.toml").for_table(frame.columns)
    assert plan == suggested_plan(frame, profile(frame)).changed(data=plan.data)


def test_wide_tables_take_time_in_proportion() -> None:
    def seconds(columns: int) -> float:
        frame = pl.DataFrame({f"c{i}": ["a", "b", "c", "a", "b"] for i in range(columns)})
        start = time.process_time()
        text_of(frame, "wide.csv")
        return time.process_time() - start

    seconds(20)
    assert seconds(600) < 20 * seconds(100)


def test_the_offered_hierarchies_work_when_uncommented(tmp_path: Path) -> None:
    frame = patients(400).with_columns(age=pl.int_range(400) % 70 + 20)
    text = text_of(frame)
    assert text.count("\n# hierarchy = ") == 2
    (tmp_path / "plan.toml").write_text(text.replace("\n# hierarchy = ", "\nhierarchy = "), "utf-8")
    assert shoal.anonymize(frame, read_plan(tmp_path / "plan.toml")).verification.holds


def test_a_draft_gives_the_name_of_every_protected_node_and_the_reason_once() -> None:
    codes = ["C50.911", "C18.9", "I10", "E11.9", "J45.909"]
    frame = pl.DataFrame({f"diag_{n}": [codes[(row + n) % 5] for row in range(200)] for n in (1, 2)})
    text = text_of(frame)
    names = Icd10Cm().names()
    for label, reason in PROTECTED["icd10cm"]:
        assert text.count(f'"{label}",  # {names[label]}: {reason}') == 1
    assert text.count('"C00-D49"') == 2 and text.count('# for the reasons given at column "diag_1"') == 1
    plan = tomllib.loads(text)
    assert plan["columns"]["diag_1"] == plan["columns"]["diag_2"]
    assert plan["models"][1]["kind"] == "extended-p-sensitive"
