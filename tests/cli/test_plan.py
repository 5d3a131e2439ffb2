from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from shoal.datasets import patients_plan_toml
from tests.cli.conftest import DIAGNOSES, PLAN, SECRET, Shoal, names


def test_a_plan_that_fits(shoal: Shoal, plan: Path) -> None:
    before = names(plan.parent)
    answer = shoal("plan", "check", plan)
    assert (answer.code, answer.err) == (0, "")
    assert "The plan fits" in answer.out and SECRET not in answer.out
    assert names(plan.parent) == before


def test_a_search_in_blocks_is_announced_and_told_to_the_steward(shoal: Shoal, tmp_path: Path) -> None:
    rows = [f"{20 + row % 60},{row},{'xy'[row % 2]}" for row in range(1500)]
    (tmp_path / "many.csv").write_text("\n".join(["age,cost,d", *rows]), encoding="utf-8")
    roles = {"age": "quasi-identifier", "cost": "quasi-identifier", "d": "sensitive"}
    columns = "".join(f'[columns.{name}]\nrole = "{role}"\n' for name, role in roles.items())
    head = '[data]\nsource = "many.csv"\n[engine]\ndistinct_limit = 1000\n[[models]]\nkind = "k-anonymity"\nk = 3\n'
    plan = tmp_path / "many.toml"
    plan.write_text(head + columns, encoding="utf-8")
    assert "1,500 distinct rows, in blocks of at most 1,000." in shoal("plan", "check", plan).out
    answer = shoal("anonymize", plan, "--out", tmp_path / "out", "--json")
    assert (record := json.loads(answer.out)["blocks"])["blocks"] > 1 and record["distinct_limit"] == 1000
    told = " ".join(shoal("anonymize", plan, "--out", tmp_path / "out", "--force").out.split())
    assert "The 1,500 distinct rows were searched in 2 blocks of at most 1,000." in told


def test_json(shoal: Shoal, plan: Path) -> None:
    found = json.loads(shoal("plan", "check", plan, "--json").out)
    assert found["fits"] and found["rows"] == 120
    assert found["columns"]["city"]["values"] == 4 and found["columns"]["city"]["levels"] == 3


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("k = 4", "k = 121", 3, "cannot be met"),
        ("l = 2", "l = 4", 3, "'diagnosis'"),
        ("k = 4", "k = 1", 2, "at least 2"),
        ("columns.age", "columns.agee", 2, "did you mean 'age'?"),
        ("city.csv", "town.csv", 2, "town.csv"),
        ("clinic.csv", "clinc.csv", 2, "did you mean 'clinic.csv'?"),
        ("[data]", "[dat]", 2, "did you mean 'data'?"),
        ("k = 4", "k = ", 2, "not valid TOML"),
    ],
)
def test_a_plan_that_does_not(shoal: Shoal, plan: Path, old: str, new: str, code: int, said: str) -> None:
    plan.write_text(PLAN.replace(old, new))
    answer = shoal("plan", "check", plan)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err and answer.err.count("\n") == 1


def test_warnings_that_need_no_search(shoal: Shoal, plan: Path) -> None:
    plan.write_text(PLAN.split('[[models]]\nkind = "l-diversity"')[0])
    assert "Serious warning: No model covers sensitive column 'diagnosis'" in shoal("plan", "check", plan).out
    plan.write_text(plan.read_text() + "[release]\nstrict = true\n")
    assert shoal("plan", "check", plan).code == 2


def test_a_limit_that_forbids_a_single_class_is_no_failure_of_a_model(shoal: Shoal, plan: Path) -> None:
    """All models hold with all rows in one class here, but `coarsest` does not allow that class."""
    assert "All of them hold with all rows in one class" in shoal("plan", "check", plan).out
    plan.write_text(PLAN.replace('path = "city.csv" }', 'path = "city.csv" }\ncoarsest = 1'))
    assert "or the plan does not allow such a class" in shoal("plan", "check", plan).out


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ('kind = "qs-closeness"\nt = 0.01', "only the removal of items can decide whether qs-closeness can be met"),
        ('kind = "qs-diversity"\nc = 1\nl = 2', "Removing items satisfies qs-diversity"),
    ],
)
def test_a_release_with_a_model_of_items_is_promised_only_if_removal_suffices(
    shoal: Shoal, plan: Path, model: str, said: str
) -> None:
    (plan.parent / "known.csv").write_text(f"label,item\nx,{DIAGNOSES[0]}\ny,{DIAGNOSES[1]}\nz,{DIAGNOSES[2]}\n")
    text = PLAN.split('[[models]]\nkind = "l-diversity"')[0].replace(
        '"sensitive"', '"quasi-sensitive"\nknowledge = "known.csv"'
    )
    plan.write_text(f'{text}[[models]]\ncolumn = "diagnosis"\n{model}\n')
    answer = shoal("plan", "check", plan)
    assert answer.code == 0 and said in answer.out
    assert ("so a release exists" in answer.out) == ("diversity" in model)


def test_the_schema_takes_an_argument_it_does_not_need(shoal: Shoal) -> None:
    assert shoal("plan", "schema") == shoal("plan", "schema", "plan.toml")


@pytest.fixture
def validator(shoal: Shoal) -> jsonschema.Draft202012Validator:
    schema = json.loads(shoal("plan", "schema").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


GOOD = {
    "clinic": PLAN,
    "patients": patients_plan_toml(),
    "everything": """
[data]
source = "patients.csv"
separator = ","
missing = ["", "?", "NA"]
missing_rows = "drop"
unlisted = "drop"
person = "patient_id"
[columns.age]
role = "quasi-identifier"
type = "integer"
top = 90
weight = 2
hierarchy = { kind = "intervals", widths = [5, 10, 20], origin = 0 }
[columns.zip]
role = "quasi-identifier"
hierarchy = { kind = "prefix" }
[columns.birth]
role = "quasi-identifier"
hierarchy = { kind = "date", levels = ["month", "year"] }
[columns.diagnosis]
role = "sensitive"
hierarchy = { kind = "icd9" }
protected = ["140-239"]
missing_counts = false
[[models]]
kind = "t-closeness"
column = "diagnosis"
t = 0.2
distance = "hierarchical"
[algorithm]
kind = "mondrian"
cut = "median"
seed = 3
[release]
categories = "sets"
ranges = "cut"
suppression = 0
format = "parquet"
strict = true
""",
}


@pytest.mark.parametrize("plan", GOOD)
def test_good_plans_pass_the_schema(validator: Any, plan: str) -> None:
    validator.validate(tomllib.loads(GOOD[plan]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[data]", "[dat]"),
        ("k = 4", 'k = "4"'),
        ("k = 4", "kk = 4"),
        ('"k-anonymity"', '"k-anonimity"'),
        ('role = "identifier"', 'role = "identity"'),
        ('role = "identifier"', ""),
        ('role = "identifier"', 'role = "identifier"\ncolour = "red"'),
        ('kind = "file", path = "city.csv"', 'kind = "file"'),
        ('kind = "file", path = "city.csv"', 'kind = "fil"'),
        ('source = "clinic.csv"', 'source = "clinic.csv"\nunlisted = "keep"'),
        ("[[models]]", "[models]"),
    ],
)
def test_bad_plans_fail_the_schema(validator: Any, old: str, new: str) -> None:
    changed = PLAN.split('[[models]]\nkind = "l')[0].replace(old, new)
    assert list(validator.iter_errors(tomllib.loads(changed)))


def test_a_serious_warning_is_the_headline(shoal: Shoal, plan: Path) -> None:
    assert "Do not publish" not in shoal("plan", "check", plan).out
    plan.write_text(PLAN.split('[[models]]\nkind = "l-diversity"')[0])
    assert shoal("plan", "check", plan).out.startswith("1 serious warning: see below.")
    found = json.loads(shoal("plan", "check", plan, "--json").out)
    first, *_ = found["warnings"]
    assert first["serious"] and first["public"]
