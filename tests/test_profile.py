"""Profiles and draft plans: right roles, exact uniqueness, no values of the table, and TOML that parses."""

from __future__ import annotations

import time
import tomllib
from collections import Counter
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.datasets import patients
from shoal.plan import read_plan
from shoal.profile import ColumnProfile, Profile, draft_plan, profile

SHARED = Path(__file__).resolve().parents[1] / ".." / "shared"
ADULT = SHARED / "data/adult/adult_complete.csv.gz"
DIABETES = SHARED / "data/diabetes130/diabetic_data.csv.gz"


def column(frame: pl.DataFrame, name: str) -> ColumnProfile:
    return next(found for found in profile(frame).columns if found.name == name)


def roles(found: Profile) -> dict[str, str]:
    return {each.name: each.role for each in found.columns}


def drafted(frame: pl.DataFrame, source: str = "table.csv") -> dict[str, Any]:
    return tomllib.loads(draft_plan(frame, source, profile(frame)))


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


@given(
    st.lists(st.tuples(*[st.one_of(st.none(), st.sampled_from("ab?"))] * 4, st.integers(0, 3)), min_size=1, max_size=12)
)
@settings(max_examples=60, deadline=None)
def test_uniqueness_is_exact(rows: list[tuple[Any, ...]]) -> None:
    """Against plain counting; all tokens of a missing value are one value."""
    names = ["sex", "race", "job", "state", "age"]
    schema = dict.fromkeys(names[:4], pl.String) | {"age": pl.Int64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    found = profile(frame)
    plain = [tuple(None if value == "?" else value for value in row) for row in rows]

    def alone(columns: tuple[int, ...]) -> float:
        counts = Counter(tuple(row[place] for place in columns) for row in plain)
        return sum(times == 1 for times in counts.values()) / len(rows)

    assert found.together is not None
    assert found.together.columns == tuple(names)
    assert found.together.unique == alone((0, 1, 2, 3, 4))
    assert found.together.smallest == min(Counter(plain).values())
    for worst in found.riskiest:
        size = len(worst.columns)
        assert worst.unique == alone(tuple(names.index(name) for name in worst.columns))
        assert worst.unique == max(alone(places) for places in combinations(range(5), size))
    assert [len(worst.columns) for worst in found.riskiest] == [1, 2, 3]


def test_keys_too_wide_for_one_integer_stay_exact() -> None:
    wide = {f"age{i}": [(row * (i + 3)) % 4_001 for row in range(5_000)] for i in range(8)}  # 4,001 ** 8 > 2 ** 64
    frame = pl.DataFrame({**wide, "sex": [row % 2 for row in range(5_000)]})
    found = profile(pl.concat([frame, frame.head(1_000)]))
    assert found.together is not None
    assert found.together.unique == pytest.approx(4_000 / 6_000)
    assert found.together.smallest == 1


def test_a_repeated_patient_number_suggests_a_person_column() -> None:
    frame = pl.DataFrame({"patient_id": [1, 1, 2, 3], "encounter_id": [10, 11, 12, 13], "sex": ["f", "f", "m", "m"]})
    assert profile(frame).person == "patient_id"
    assert drafted(frame)["data"]["person"] == "patient_id"
    once = frame.with_columns(patient_id=pl.Series([1, 5, 2, 3]))
    assert profile(once).person is None
    assert "person" not in drafted(once)["data"]


def test_ages_over_89_are_top_coded() -> None:
    assert column(pl.DataFrame({"age": [30, 89]}), "age").top is None
    assert column(pl.DataFrame({"age": [30, 90]}), "age").top == 90
    assert drafted(pl.DataFrame({"age": [30, 97], "sex": ["f", "m"]}))["columns"]["age"]["top"] == 90
    assert column(pl.DataFrame({"hours": [30, 97]}), "hours").top is None


def test_a_zip_read_as_a_number_is_declared_text() -> None:
    frame = pl.DataFrame({"zip": [2139, 10001, 94110]})
    assert drafted(frame)["columns"]["zip"] == {
        "role": "quasi-identifier",
        "type": "text",
        "hierarchy": {"kind": "prefix"},
    }


def test_unrecognised_columns_are_quasi_identifiers_and_say_so() -> None:
    found = column(pl.DataFrame({"blorp": ["a", "b"] * 10}), "blorp")
    assert (found.role, found.sure) == ("quasi-identifier", False)
    assert "not recognised" in found.reason
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
    assert set(drafted(frame)["columns"]) == set(frame.columns)
    assert not [each for each in found.columns if each.role == "insensitive" and each.distinct > 0]


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


def test_draft_of_the_registry(registry: pl.DataFrame, registry_profile: Profile) -> None:
    text = draft_plan(registry, "patients.csv", registry_profile)
    plan = tomllib.loads(text)
    assert plan["data"] == {"source": "patients.csv"}
    assert {name: each["role"] for name, each in plan["columns"].items()} == roles(registry_profile)
    assert plan["models"] == [
        {"kind": "k-anonymity", "k": 5},
        {"kind": "l-diversity", "column": "diagnosis", "l": 3, "variant": "distinct"},
    ]
    assert plan["columns"]["birth_date"]["hierarchy"]["levels"] == ["month", "quarter", "year", "decade"]
    assert "hierarchy" not in plan["columns"]["diagnosis"]  # an unknown code would stop the run; it is a comment
    assert all(each.reason in text for each in registry_profile.columns)


@pytest.mark.parametrize("rows", [1, 7, 500])
def test_drafts_are_plans(rows: int, tmp_path: Path) -> None:
    frame = patients(rows)
    for number, table in enumerate([frame, frame.select("diagnosis", "name"), frame.head(1).select("cost")]):
        path = tmp_path / f"{number}.toml"
        path.write_text(draft_plan(table, "table.csv", profile(table)), "utf-8")
        plan = read_plan(path)
        assert set(plan.columns) == set(table.columns)


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


@pytest.mark.shared
@pytest.mark.skipif(not ADULT.exists(), reason="needs the shared data sets")
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
@pytest.mark.skipif(not DIABETES.exists(), reason="needs the shared data sets")
def test_diabetes_encounters_are_of_repeated_patients() -> None:
    frame = pl.read_csv(DIABETES, infer_schema=False)
    found = profile(frame)
    assert found.person == "patient_nbr"
    assert {each.name for each in found.of_role("identifier")} == {"encounter_id", "patient_nbr"}
    assert {"diag_1", "diag_2", "diag_3", "insulin", "A1Cresult"} <= {each.name for each in found.of_role("sensitive")}
