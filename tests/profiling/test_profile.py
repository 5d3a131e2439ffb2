"""Profiles: right roles, and no values of the table."""

from __future__ import annotations

import tomllib
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.datasets import patients
from shoal.profiling.draft import draft_plan
from shoal.profiling.profile import ColumnProfile, Profile, profile

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"
ADULT = SHARED / "data/adult/adult_complete.csv.gz"
DIABETES = SHARED / "data/diabetes130/diabetic_data.csv.gz"


def column(frame: pl.DataFrame, name: str) -> ColumnProfile:
    return next(found for found in profile(frame).columns if found.name == name)


def roles(found: Profile) -> dict[str, str]:
    return {each.name: each.role for each in found.columns}


@pytest.fixture(scope="module")
def registry() -> pl.DataFrame:
    return patients(5_000)


@pytest.fixture(scope="module")
def registry_profile(registry: pl.DataFrame) -> Profile:
    return profile(registry)


def test_roles_of_the_registry(registry_profile: Profile) -> None:
    assert roles(registry_profile) == {
        "record_number": "identifier",
        "name": "identifier",
        "birth_date": "quasi-identifier",
        "sex": "quasi-identifier",
        "race": "quasi-identifier",
        "marital_status": "quasi-identifier",
        "job": "quasi-identifier",
        "zip": "quasi-identifier",
        "diagnosis": "sensitive",
        "treatment": "sensitive",
        "symptoms": "sensitive",
        "stage": "sensitive",
        "survival_months": "sensitive",
        "cost": "quasi-identifier",  # exact amounts are nearly unique: released as they are they would single out
        "transfused": "sensitive",
    }
    assert registry_profile.person is None


def test_statistics_of_the_registry(registry: pl.DataFrame, registry_profile: Profile) -> None:
    found = {each.name: each for each in registry_profile.columns}
    assert [each.name for each in registry_profile.columns] == registry.columns
    assert registry_profile.rows == 5_000
    assert {name: found[name].type for name in ("birth_date", "zip", "survival_months", "cost")} == {
        "birth_date": "date",
        "zip": "text",
        "survival_months": "integer",
        "cost": "real",
    }
    for name in ("job", "zip", "name", "stage"):
        counts = Counter(registry[name].drop_nulls())
        assert found[name].distinct == len(counts)
        assert found[name].unique == sum(times == 1 for times in counts.values()) / 5_000
        assert found[name].missing == pytest.approx(registry[name].null_count() / 5_000)
    assert found["birth_date"].hierarchy["kind"] == "date"
    assert found["zip"].hierarchy["kind"] == "prefix"
    assert found["diagnosis"].hierarchy["kind"] == "icd10cm"


def test_text_gives_the_profile_that_typed_columns_give(registry: pl.DataFrame, registry_profile: Profile) -> None:
    assert profile(registry.select(pl.all().cast(pl.String))) == registry_profile


def test_a_profile_holds_no_value_of_the_table() -> None:
    rows = 150
    secrets = {
        "Nachname": [f"Zyx{i}" for i in range(rows)],
        "diagnosis": [f"qqdx{i % 7}" for i in range(rows)],
        "age": [str(300_000 + i % 97) for i in range(rows)],
        "x": [f"vv{i % 11}" for i in range(rows)],
        "born": [f"19{i % 90 + 10}-07-23" for i in range(rows)],
        "cost": [f"{77_000 + i}.125" for i in range(rows)],
    }
    frame = pl.DataFrame(secrets)
    shown = repr(profile(frame)) + draft_plan(frame, "t.csv", profile(frame))
    assert not [value for values in secrets.values() for value in values if value in shown]


def test_a_repeated_patient_number_suggests_a_person_column() -> None:
    frame = pl.DataFrame({"patient_id": [1, 1, 2, 3], "encounter_id": [10, 11, 12, 13], "sex": ["f", "f", "m", "m"]})
    assert profile(frame).person == "patient_id"
    once = frame.with_columns(patient_id=pl.Series([1, 5, 2, 3]))
    assert profile(once).person is None


def test_ages_over_89_are_top_coded() -> None:
    assert column(pl.DataFrame({"age": [30, 89]}), "age").top is None
    assert column(pl.DataFrame({"age": [30, 90]}), "age").top == 90
    assert column(pl.DataFrame({"hours": [30, 97]}), "hours").top is None


def test_unrecognised_columns_are_quasi_identifiers_and_say_so() -> None:
    found = column(pl.DataFrame({"blorp": ["a", "b"] * 10}), "blorp")
    assert (found.role, found.sure) == ("quasi-identifier", False)
    assert "not recognized" in found.reason
    assert column(pl.DataFrame({"sex": ["a", "b"] * 10}), "sex").sure


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("blorp", [f"w{i}" for i in range(200)], "identifier"),  # text that is nearly unique cannot be grouped
        ("job", [f"w{i}" for i in range(200)], "identifier"),
        ("blorp", list(range(200)), "identifier"),  # a running number
        ("blorp", [i / 7 for i in range(200)], "quasi-identifier"),  # a measurement: becomes ranges
        ("visit_id", list(range(200)), "identifier"),
        ("admission_type_id", [i % 4 for i in range(200)], "quasi-identifier"),  # a code, not a number of a row
        ("remarks", ["ok"] * 199 + ["x"], "identifier"),
        ("blorp", [f"She came on day {i} and was seen by the doctor of the ward" for i in range(200)], "identifier"),
        ("blorp", ["x"] * 4, "quasi-identifier"),  # too few rows to say it is always so
        ("blorp", ["x"] * 3 + [None] * 197, "quasi-identifier"),  # who has a value at all stands out
        ("hiv", ["yes"] * 200, "sensitive"),
        ("surgery", [date(2020, 1, 1 + i % 28) for i in range(200)], "quasi-identifier"),  # a date, whatever of
        ("glucose", [i * 1.01 for i in range(200)], "quasi-identifier"),  # exact enough to single out
        ("glucose", [i % 9 for i in range(200)], "sensitive"),
        ("blorp", ["a@example.org", "b@example.org"] * 100, "identifier"),
        ("diagnosis", ["Malignant neoplasm of the upper lobe of the right lung", "Influenza"] * 100, "sensitive"),
    ],
)
def test_role_by_name_and_statistics(name: str, values: list[Any], role: str) -> None:
    frame = pl.DataFrame({name: values, "sex": ["f"] * len(values)}, strict=False)
    assert column(frame, name).role == role


def test_what_never_differs_is_insensitive() -> None:
    frame = pl.DataFrame({"sex": ["f", "m"] * 5, "blorp": ["x"] * 10, "empty": [None] * 10})
    assert [each.role for each in profile(frame).columns] == ["quasi-identifier", "insensitive", "insensitive"]


def test_there_is_always_a_quasi_identifier_as_a_plan_needs_one() -> None:
    equal = pl.DataFrame({"hiv": ["yes"] * 10, "blorp": ["x"] * 10, "blip": ["y"] * 10})
    assert [each.role for each in profile(equal).columns] == ["sensitive", "quasi-identifier", "insensitive"]
    assert column(pl.DataFrame({"hiv": ["yes", "no"] * 10}), "hiv").role == "quasi-identifier"
    assert column(pl.DataFrame({"ssn": ["1", "2"]}), "ssn").role == "identifier"


@pytest.mark.parametrize("rows", [0, 1, 2, 4])
def test_small_tables(rows: int) -> None:
    frame = patients(10).head(rows)
    found = profile(frame)
    assert found.rows == rows
    assert not [each for each in found.columns if each.role == "insensitive" and each.distinct > 0]


@pytest.mark.shared
@pytest.mark.skipif(not ADULT.exists(), reason="needs the data sets beside the project")
def test_adult() -> None:
    frame = pl.read_csv(ADULT, infer_schema=False)
    found = profile(frame)
    assert [each.name for each in found.of_role("sensitive")] == ["capital-gain", "capital-loss", "income"]
    assert not found.of_role("identifier")
    assert found.together is not None and found.together.unique > 0.9
    assert found.riskiest[0].columns == ("fnlwgt",)
    plan = tomllib.loads(draft_plan(frame, "adult.csv", found))
    assert list(plan["columns"]) == frame.columns
    assert plan["columns"]["age"]["top"] == 90
    assert plan["models"][1] == {"kind": "l-diversity", "column": "income", "l": 2, "variant": "distinct"}


@pytest.mark.shared
@pytest.mark.skipif(not DIABETES.exists(), reason="needs the data sets beside the project")
def test_diabetes_encounters_are_of_repeated_patients() -> None:
    frame = pl.read_csv(DIABETES, infer_schema=False)
    found = profile(frame)
    assert found.person == "patient_nbr"
    assert {each.name for each in found.of_role("identifier")} == {"encounter_id", "patient_nbr"}
    assert {"diag_1", "diag_2", "diag_3", "insulin", "A1Cresult"} <= {each.name for each in found.of_role("sensitive")}
