"""Profiles: right roles, and no values of the table."""

from __future__ import annotations

import time
import tomllib
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.datasets import patients
from shoal.profiling.draft import draft_text
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
        "cost": "sensitive",
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
    found = profile(frame)
    shown = repr(found) + str(found.figures()) + draft_text(found.plan(), found, "t.csv")
    assert not [value for values in secrets.values() for value in values if value in shown]


def test_a_repeated_patient_number_suggests_a_person_column() -> None:
    frame = pl.DataFrame({"patient_id": [1, 1, 2, 3], "encounter_id": [10, 11, 12, 13], "sex": ["f", "f", "m", "m"]})
    assert profile(frame).person == "patient_id"
    once = frame.with_columns(patient_id=pl.Series([1, 5, 2, 3]))
    assert profile(once).person is None


def test_visits_stand_for_persons_where_nothing_better_is_there() -> None:
    frame = pl.DataFrame({"stay_no": [1, 1, 2, 3] * 9, "sex": ["f", "f", "m", "m"] * 9})
    assert profile(frame).person is None  # three categories are no stays
    stays = pl.DataFrame({"stay_no": [row // 2 for row in range(100)], "sex": ["f", "m"] * 50})
    assert profile(stays).person == "stay_no"
    assert roles(profile(stays))["stay_no"] == "identifier"


def test_a_number_with_which_sex_and_birth_repeat_is_a_person_whatever_its_name() -> None:
    owner = [row // 3 for row in range(150)]
    frame = pl.DataFrame(
        {
            "zzq": [1_000 + 7 * person for person in owner],
            "sex": ["fm"[person * 7 % 3 % 2] for person in owner],
            "dob": [date(1950, 1 + person % 12, 1 + person % 28) for person in owner],
            "blip": [(row * 31) % 97 for row in range(150)],
        }
    )
    found = profile(frame)
    assert found.person == "zzq"
    assert roles(found) == {"zzq": "identifier", "sex": "quasi-identifier", "dob": "quasi-identifier", "blip": "drop"}


def test_ages_are_top_coded_at_a_constant_whatever_the_data() -> None:
    """A bound from the data would disclose the oldest individual."""
    for oldest in (40, 89, 97):
        age = column(pl.DataFrame({"age": [30, oldest]}), "age")
        assert age.top == 90 and age.hierarchy["widths"] == [5, 10, 20]
    assert column(pl.DataFrame({"age_months": [30, 200]}), "age_months").top is None
    assert column(pl.DataFrame({"hours": [30, 97]}), "hours").top is None


def test_unrecognized_columns_are_dropped_and_say_so() -> None:
    found = column(pl.DataFrame({"blorp": ["a", "b"] * 10}), "blorp")
    assert (found.role, found.confidence, found.distinct) == ("drop", "low", 2)
    assert "not recognized, 2 distinct values" in found.reason
    assert column(pl.DataFrame({"sex": ["a", "b"] * 10}), "sex").confidence == "high"


def test_what_never_differs_is_dropped() -> None:
    """It may be what all individuals of the table have, and nothing is lost with it."""
    frame = pl.DataFrame({"sex": ["f", "m"] * 5, "blorp": ["x"] * 10, "empty": [None] * 10})
    assert [each.role for each in profile(frame).columns] == ["quasi-identifier", "drop", "drop"]
    assert "the same in every row" in column(frame, "blorp").reason


def test_a_sensitive_column_never_becomes_a_quasi_identifier_for_want_of_one() -> None:
    assert column(pl.DataFrame({"hiv": ["yes", "no"] * 10}), "hiv").role == "sensitive"
    assert column(pl.DataFrame({"ssn": ["1", "2"]}), "ssn").role == "identifier"


def test_threads_give_the_same_profile(registry: pl.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = profile(registry)
    monkeypatch.setattr("shoal.profiling.profile._ROWS_WORTH_THREADS", 0)
    assert profile(registry) == alone


@pytest.mark.parametrize("rows", [0, 1, 2, 4])
def test_small_tables(rows: int) -> None:
    frame = patients(10).head(rows)
    found = profile(frame)
    assert found.rows == rows
    assert not found.of_role("insensitive")


@pytest.mark.shared
@pytest.mark.skipif(not ADULT.exists(), reason="needs the data sets beside the project")
def test_adult() -> None:
    frame = pl.read_csv(ADULT, infer_schema=False)
    found = profile(frame)
    assert [each.name for each in found.of_role("sensitive")] == ["capital-gain", "capital-loss", "income"]
    assert not found.of_role("identifier")
    assert [each.name for each in found.of_role("drop")] == ["fnlwgt"]
    assert found.together is not None and found.together.unique > 0.7
    assert len(found.riskiest) == 3
    plan = tomllib.loads(draft_text(found.plan(), found, "adult.csv"))
    assert list(plan["columns"]) == frame.columns
    assert plan["columns"]["age"]["top"] == 90
    guarded = [name for model in plan["models"] for name in (model.get("column"), *model.get("columns", ()))]
    assert {"income", "capital-gain", "capital-loss"} <= set(guarded)


@pytest.mark.shared
@pytest.mark.skipif(not DIABETES.exists(), reason="needs the data sets beside the project")
def test_diabetes_encounters_are_of_repeated_patients() -> None:
    frame = pl.read_csv(DIABETES, infer_schema=False)
    found = profile(frame)
    assert found.person == "patient_nbr"
    assert {each.name for each in found.of_role("identifier")} == {"encounter_id", "patient_nbr"}
    assert not found.of_role("drop")
    assert {"diag_1", "diag_2", "diag_3", "insulin", "A1Cresult"} <= {each.name for each in found.of_role("sensitive")}


OWNERS = [row // 2 for row in range(400)]


def repeated(name: str, **others: list[Any]) -> pl.DataFrame:
    """Two rows for each of 200 individuals; sex and age are those of the individual unless given otherwise."""
    columns = {
        name: [f"{40_000 + 17 * owner}" for owner in OWNERS],
        "sex": ["fm"[owner * 7 % 3 % 2] for owner in OWNERS],
        "age": [20 + owner * 31 % 60 for owner in OWNERS],
        "diagnosis": ["I10", "E11", "C50", "J45"] * 100,
    }
    return pl.DataFrame(columns | others)


@pytest.mark.parametrize(
    "name", ["Klientnr", "client_no", "Kundennummer", "nr_klienta", "asiakasnumero", "cislo_klienta", "kundnr", "zzq"]
)
def test_numbers_of_clients_are_persons_in_many_languages(name: str) -> None:
    assert profile(repeated(name)).person == name


@pytest.mark.parametrize("name", ["Klientnr", "patient_id"])
def test_a_word_for_individuals_is_enough(name: str) -> None:
    mixed = repeated(name, sex=["f", "m"] * 200, age=[20 + row * 7 % 50 for row in range(400)])
    assert profile(mixed).person == name


@pytest.mark.parametrize("name", ["LANR", "npi", "ssn_last4", "passport", "policy_no", "barcode"])
def test_numbers_that_repeat_by_chance_are_no_persons(name: str) -> None:
    by_chance = repeated(name, sex=["f", "m"] * 200, age=[20 + row * 7 % 50 for row in range(400)])
    assert profile(by_chance).person is None
    assert profile(by_chance).columns[0].role == "identifier"


def test_without_any_trait_the_best_number_counts() -> None:
    assert profile(repeated("ssn").select("ssn", "diagnosis")).person == "ssn"


def test_a_dropped_column_that_fixes_age_or_sex_is_warned_of() -> None:
    frame = repeated("zzq", sex=["f", "m"] * 200)
    found = profile(frame)
    assert found.person is None
    (warning,) = found.warnings
    assert warning.serious and "'zzq'" in str(warning) and "'age'" in str(warning)
    assert "'zzq'" in draft_text(found.plan(), found, "t.csv").split("[data]")[0]


def test_a_recoded_age_is_not_warned_of() -> None:
    frame = repeated("zzq", sex=["f", "m"] * 200)
    recoded = frame.with_columns(zzq=pl.col("age") * 3 + 100)
    assert not profile(recoded).warnings


def test_the_work_grows_with_the_number_of_columns_and_not_with_its_square() -> None:
    """Each of many columns is compared with a few traits, not with all of them."""

    def seconds(columns: int) -> float:
        rng = np.random.default_rng(1)
        frame = pl.DataFrame({f"{'age' if a % 3 else 'zq'}_{a}": rng.integers(0, 40, 60) for a in range(columns)})
        began = time.process_time()
        profile(frame)
        return time.process_time() - began

    seconds(50)
    assert seconds(2_000) < 3 * 4 * seconds(500)


@pytest.mark.parametrize("known", [{"age": [30, 40, 50] * 20}, {"birth_yr": [1950, 1960, 1970] * 20}])
@pytest.mark.parametrize("name", ["age_at_dx", "DIAGAGE"])
def test_the_age_at_a_diagnosis_is_dropped_beside_another_age(name: str, known: dict[str, list[int]]) -> None:
    ages = {name: [20, 35, 45] * 20}
    alone = profile(pl.DataFrame(ages | {"sex": ["f", "m"] * 30}))
    beside = profile(pl.DataFrame(known | ages))
    assert alone.columns[0].role == "quasi-identifier"
    assert [column.role for column in beside.columns] == ["quasi-identifier", "drop"]


def test_dates_of_death_number_no_individuals() -> None:
    days = [20_180_101 + i // 2 if i < 50 else None for i in range(60)]
    table = pl.DataFrame({"sex": [i // 2 % 2 for i in range(60)], "DODSDAT": days})
    assert profile(table).columns[1].role == "drop"
