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
from shoal.plan import read_plan
from shoal.profiling import draft
from shoal.profiling.draft import draft_plan
from shoal.profiling.profile import profile


def drafted(frame: pl.DataFrame, source: str = "table.csv") -> dict[str, Any]:
    return tomllib.loads(draft_plan(frame, source, profile(frame)))


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
        "hierarchy": {"kind": "prefix"},
    }


def test_a_wide_table_is_offered_a_promise_that_it_can_keep(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What stands in the comment is a plan once it takes the place of what stands above it."""
    frame = patients(400)
    frame.write_csv(tmp_path / "table.csv")
    assert "lkc" not in draft_plan(frame, "table.csv", profile(frame))
    monkeypatch.setattr(draft, "_WIDE", 3)
    text = draft_plan(frame, "table.csv", profile(frame))
    above, comment = text.split("# [[models]]", 1)
    offered, below = comment.split("\n\n", 1)
    rest = above.split("[[models]]")[0] + "[[models]]" + offered.replace("\n# ", "\n") + "\n\n" + below
    (tmp_path / "plan.toml").write_text(rest, encoding="utf-8")
    plan = read_plan(tmp_path / "plan.toml")
    assert [model.kind for model in plan.models] == ["lkc"] and plan.algorithm.kind == "pais"
    assert shoal.anonymize(frame, plan).verification.holds


@pytest.mark.parametrize("rows", [0, 1, 2, 4])
def test_small_tables_are_drafted(rows: int) -> None:
    frame = patients(10).head(rows)
    assert list(drafted(frame)["columns"]) == frame.columns


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
    assert list(plan["columns"]) == AWKWARD
    assert plan["data"]["source"] == 'folder "x"\\table.csv'


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4, unique=True))
@settings(max_examples=60, deadline=None)
def test_any_column_name_survives_the_draft(names: list[str]) -> None:
    frame = pl.DataFrame({name: ["u", "v", "u"] for name in names})
    assert list(drafted(frame, names[0])["columns"]) == names
    assert drafted(frame, names[0])["data"]["source"] == names[0]


def test_draft_of_the_registry() -> None:
    registry = patients(5_000)
    found = profile(registry)
    text = draft_plan(registry, "patients.csv", found)
    plan = tomllib.loads(text)
    assert plan["data"] == {"source": "patients.csv"}
    assert {name: each["role"] for name, each in plan["columns"].items()} == {
        each.name: each.role for each in found.columns
    }
    assert plan["models"] == [
        {"kind": "k-anonymity", "k": 5},
        {"kind": "l-diversity", "column": "diagnosis", "l": 3, "variant": "distinct"},
    ]
    assert plan["columns"]["birth_date"]["hierarchy"]["levels"] == ["month", "quarter", "year", "decade"]
    assert "hierarchy" not in plan["columns"]["diagnosis"]  # an unknown code would stop the run; it is a comment
    assert all(each.reason in text for each in found.columns)


@pytest.mark.parametrize("rows", [1, 7, 500])
def test_drafts_are_plans(rows: int, tmp_path: Path) -> None:
    frame = patients(rows)
    for number, table in enumerate([frame, frame.select("diagnosis", "sex"), frame.head(1).select("job")]):
        path = tmp_path / f"{number}.toml"
        path.write_text(draft_plan(table, "table.csv", profile(table)), "utf-8")
        plan = read_plan(path)
        assert set(plan.columns) == set(table.columns)


def test_a_draft_says_that_no_quasi_identifier_was_recognized(tmp_path: Path) -> None:
    """It does not make a sensitive column one, which would publish it."""
    frame = patients(50).select("diagnosis", "name")
    text = draft_plan(frame, "table.csv", profile(frame))
    assert "No quasi-identifier was recognized" in text
    (tmp_path / "plan.toml").write_text(text, "utf-8")
    with pytest.raises(shoal.ShoalError, match="no quasi-identifier"):
        read_plan(tmp_path / "plan.toml")


@pytest.mark.parametrize(
    ("values", "l"),
    [
        (["a", "b", "c", "d"] * 50, 3),
        (["a", "b"] * 100, 2),
        (["a"] * 200, None),
        (["a"] * 1_999 + ["b"], None),  # one row of another value: one class could have both, no more
        (["a"] * 900 + ["b"] * 99 + ["c"], 2),
        (["a"] * 5 + [None] * 1_995, None),
        (["a", "b", "c"] * 20 + ["?"] * 100, 3),
        ([1, 2, 3] * 50, None),  # numbers: three different ones may be nearly the same
    ],
)
def test_l_is_what_the_column_allows(values: list[Any], l: int | None) -> None:
    plan = drafted(pl.DataFrame({"sex": ["f"] * len(values), "diagnosis": values}))
    found = [model["l"] for model in plan["models"] if model["kind"] == "l-diversity"]
    assert found == ([] if l is None else [l])


def test_the_first_column_that_allows_diversity_is_taken() -> None:
    frame = pl.DataFrame({"hiv": ["no"] * 300, "treatment": ["a", "b", "c"] * 100, "diagnosis": ["x", "y"] * 150})
    assert [model.get("column") for model in drafted(frame)["models"]] == [None, "treatment"]


def test_wide_tables_take_time_in_proportion() -> None:
    def seconds(columns: int) -> float:
        frame = pl.DataFrame({f"c{i}": ["a", "b", "c", "a", "b"] for i in range(columns)})
        start = time.process_time()
        draft_plan(frame, "wide.csv", profile(frame))
        return time.process_time() - start

    seconds(20)
    assert seconds(600) < 20 * seconds(100)
