"""The synthetic registry: its shape, that it repeats, and that it is as skewed and interdependent as real data."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal.datasets import knowledge, patient_hierarchies, patients, patients_plan_toml
from shoal.datasets.patients import REGISTRY_DATE
from shoal.hierarchies.base import Hierarchy
from shoal.plan import read_plan

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"
QUASI = ["birth_date", "sex", "race", "marital_status", "job", "zip"]


@pytest.fixture(scope="module")
def registry() -> pl.DataFrame:
    return patients(10_000, seed=0)


def share(frame: pl.DataFrame, condition: pl.Expr) -> float:
    return float(frame.select(condition.fill_null(False).mean()).item())


def test_columns_and_types(registry: pl.DataFrame) -> None:
    assert registry.schema == pl.Schema(
        {
            "record_number": pl.String,
            "name": pl.String,
            "birth_date": pl.Date,
            "sex": pl.String,
            "race": pl.String,
            "marital_status": pl.String,
            "job": pl.String,
            "zip": pl.String,
            "diagnosis": pl.String,
            "treatment": pl.String,
            "symptoms": pl.String,
            "stage": pl.String,
            "survival_months": pl.Int64,
            "cost": pl.Float64,
            "transfused": pl.String,
        }
    )
    assert registry.height == 10_000


@pytest.mark.parametrize("n", [0, 1, 2])
def test_any_number_of_patients(n: int) -> None:
    assert patients(n).height == n
    assert patients(n).schema == patients(5).schema


def test_same_seed_same_table() -> None:
    assert patients(500, seed=3).equals(patients(500, seed=3))
    assert not patients(500, seed=3).equals(patients(500, seed=4))


def test_same_table_in_another_process() -> None:
    script = "from shoal.datasets import patients; print(patients(300, seed=9).write_csv(), end='')"
    run = [sys.executable, "-c", script]
    other = subprocess.run(run, env={"PYTHONHASHSEED": "77"}, capture_output=True, text=True, check=True).stdout
    assert other == patients(300, seed=9).write_csv()


def test_record_numbers_are_unique_and_say_nothing(registry: pl.DataFrame) -> None:
    assert registry["record_number"].n_unique() == registry.height
    number = registry["record_number"].str.slice(1).cast(pl.Int64).to_numpy()
    age = registry["birth_date"].cast(pl.Int32).to_numpy()
    assert abs(np.corrcoef(number, np.arange(registry.height))[0, 1]) < 0.05
    assert abs(np.corrcoef(number, age)[0, 1]) < 0.05


def test_names_are_common_ones_that_many_share(registry: pl.DataFrame) -> None:
    parts = registry["name"].str.split(" ")
    assert parts.list.len().unique().to_list() == [2]
    assert registry["name"].n_unique() < 0.8 * registry.height
    assert parts.list.first().n_unique() > 100
    assert parts.list.last().n_unique() > 100


def test_values_are_plausible(registry: pl.DataFrame) -> None:
    assert registry["birth_date"].max() <= REGISTRY_DATE
    assert registry["birth_date"].min() > date(1918, 1, 1)
    assert registry["zip"].str.contains(r"^[0-9]{5}$").all()
    assert registry["zip"].str.starts_with("0").mean() > 0.1
    assert registry["zip"].n_unique() > 140
    assert registry["diagnosis"].str.contains(r"^[A-Z][0-9]{2}(\.[0-9A-Z]{1,4})?$").all()
    assert 60 <= registry["diagnosis"].n_unique() <= 80
    assert registry["cost"].min() > 0
    assert registry["survival_months"].is_between(0, 180).all()
    assert set(registry["transfused"].unique()) == {"yes", "no"}


def test_only_some_columns_have_gaps(registry: pl.DataFrame) -> None:
    gaps = {name: registry[name].null_count() / registry.height for name in registry.columns}
    for name in ("race", "marital_status", "job"):
        assert 0.01 < gaps.pop(name) < 0.06
    assert gaps.pop("stage") > 0.8
    assert 0 < gaps.pop("symptoms") < 0.05
    assert set(gaps.values()) == {0.0}


def test_skewed_as_real_data_is(registry: pl.DataFrame) -> None:
    codes = registry["diagnosis"].value_counts(sort=True)["count"]
    assert codes.head(10).sum() > 0.4 * registry.height
    assert codes[0] > 15 * codes.median()
    zips = registry["zip"].value_counts(sort=True)["count"]
    assert zips[0] > 5 * zips.median()
    assert registry["cost"].mean() > 3 * registry["cost"].median()


def test_nearly_everybody_is_unique_before_anonymization(registry: pl.DataFrame) -> None:
    alone = registry.filter(pl.struct(QUASI).is_unique()).height
    assert alone > 0.99 * registry.height
    coarse = registry.with_columns(pl.col("birth_date").dt.year(), pl.col("zip").str.slice(0, 3))
    assert 0.02 < coarse.filter(pl.struct("birth_date", "sex", "zip").is_unique()).height / registry.height < 0.6


def test_disease_follows_sex_and_age(registry: pl.DataFrame) -> None:
    birth = registry.filter(pl.col("diagnosis").is_in(["O80", "O72.1"]))
    assert set(birth["sex"]) == {"female"}
    assert set(registry.filter(pl.col("diagnosis") == "C61")["sex"]) == {"male"}
    born = registry.group_by("diagnosis").agg(pl.col("birth_date").dt.year().mean().alias("year"))
    year = dict(born.iter_rows())
    assert year["G30.9"] < year["I10"] < year["G43.909"] < year["J06.9"]


def test_treatment_depends_on_the_diagnosis(registry: pl.DataFrame) -> None:
    options = registry.group_by("diagnosis").agg(pl.col("treatment").n_unique().alias("n"))["n"]
    assert options.max() <= 5
    best = registry.group_by("diagnosis", "treatment").len().group_by("diagnosis").agg(pl.col("len").max())["len"].sum()
    commonest = registry["treatment"].value_counts()["count"].max()
    assert best > 4 * commonest


def test_symptoms_are_those_of_the_disease(registry: pl.DataFrame) -> None:
    noted = registry.select(label="diagnosis", item=pl.col("symptoms").str.split("|")).explode("item").drop_nulls()
    assert noted.join(knowledge(), on=["label", "item"], how="anti").is_empty()
    assert registry["symptoms"].drop_nulls().str.split("|").list.len().mean() > 2


def test_stage_only_where_a_cancer_has_one(registry: pl.DataFrame) -> None:
    staged = registry.filter(pl.col("stage").is_not_null())
    assert staged["diagnosis"].str.starts_with("C").all()
    assert set(staged["stage"]) == {"I", "II", "III", "IV"}
    months = dict(patients(40_000).group_by("stage").agg(pl.col("survival_months").mean()).iter_rows())
    assert months["I"] > months["III"] > months["IV"]


def test_jobs_follow_age_and_sex(registry: pl.DataFrame) -> None:
    young = registry.filter(pl.col("birth_date") > date(2010, 1, 1))
    old = registry.filter(pl.col("birth_date") < date(1945, 1, 1))
    assert set(young["job"].drop_nulls()) == {"Child", "Student"}
    assert share(old, pl.col("job") == "Retired") > 0.85
    women = dict(registry.group_by("job").agg((pl.col("sex") == "female").mean()).iter_rows())
    assert women["Nurse"] > 0.7 > 0.3 > women["Electrician"]


def test_transfusion_can_be_predicted_but_not_for_sure() -> None:
    large = patients(40_000, seed=5).with_columns(yes=pl.col("transfused") == "yes", row=pl.int_range(pl.len()) % 2)
    rate = large.filter(row=0).group_by("diagnosis", "treatment").agg(score=pl.col("yes").mean())
    judged = large.filter(row=1).join(rate, on=["diagnosis", "treatment"]).with_columns(rank=pl.col("score").rank())
    positives, n = judged["yes"].sum(), judged.height
    area = (judged.filter("yes")["rank"].sum() - positives * (positives + 1) / 2) / (positives * (n - positives))
    assert 0.8 < area < 0.97
    assert 0.08 < positives / n < 0.3


def test_age_and_sex_alone_tell_something_of_the_target() -> None:
    large = patients(40_000, seed=6).with_columns(yes=pl.col("transfused") == "yes")
    older = share(large.filter(pl.col("birth_date") < date(1960, 1, 1)), pl.col("yes"))
    younger = share(large.filter(pl.col("birth_date") >= date(1960, 1, 1)), pl.col("yes"))
    assert older > 1.5 * younger


@pytest.mark.parametrize("column", ["job", "race", "marital_status"])
def test_hierarchies_cover_their_column(registry: pl.DataFrame, column: str) -> None:
    lines = patient_hierarchies()[f"{column}.csv"].splitlines()
    hierarchy = Hierarchy.from_paths([line.split(";") for line in lines])
    assert set(registry[column].drop_nulls()) <= set(hierarchy.leaves)
    assert hierarchy.levels[-1].labels == ("*",)
    assert hierarchy.height >= 2


def test_knowledge_has_a_row_per_pair(registry: pl.DataFrame) -> None:
    pairs = knowledge()
    assert pairs.columns == ["label", "item"]
    assert pairs.is_unique().all()
    assert set(registry["diagnosis"]) <= set(pairs["label"])
    shared_by = pairs["item"].value_counts()["count"]
    assert shared_by.max() > 10  # a symptom alone must not give the disease away


def test_the_plan_gives_every_column_a_role_and_publishes_nothing_near_unique(registry: pl.DataFrame) -> None:
    plan = tomllib.loads(patients_plan_toml())
    roles = {name: column["role"] for name, column in plan["columns"].items()}
    assert list(roles) == [name for name in roles if name in registry.columns]
    assert set(roles) == set(registry.columns)
    for name, role in roles.items():
        if role in ("sensitive", "target", "insensitive"):
            assert registry[name].n_unique() < 100
    files = {c["hierarchy"]["path"] for c in plan["columns"].values() if c.get("hierarchy", {}).get("kind") == "file"}
    assert files == set(patient_hierarchies())
    assert {"kind": "k-anonymity", "k": 5} in plan["models"]
    assert {"kind": "l-diversity", "column": "diagnosis", "l": 3, "variant": "distinct"} in plan["models"]


def test_the_plan_is_one(tmp_path: Path) -> None:
    for name, text in {"plan.toml": patients_plan_toml(), **patient_hierarchies()}.items():
        (tmp_path / name).write_text(text, "utf-8")
    plan = read_plan(tmp_path / "plan.toml")
    assert set(plan.quasi_identifiers) == set(QUASI)
    assert set(plan.reads) == set(plan.sensitive)  # no sensitive column without a model


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.exists(), reason="needs the ICD and ZIP data beside the project")
def test_codes_and_zips_exist() -> None:
    tree = pl.read_csv(SHARED / "data/icd/icd10cm_2026_hierarchy.csv.gz", infer_schema=False)
    leaves = set(tree.filter(pl.col("xml_leaf") == "1")["code"])
    assert set(knowledge()["label"]) <= leaves
    zips = pl.read_csv(SHARED / "data/zip/zcta_state_region.csv.gz", infer_schema=False)["zcta"]
    assert set(patients(20_000)["zip"]) <= set(zips)
