"""Samples of real and generated tables, and the one body by which every engine is compared with the local one."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal import datasets
from shoal.algorithms import ALL
from shoal.engines import spark_rows
from shoal.errors import ShoalError
from shoal.hierarchies import File
from shoal.pipeline import anonymize_to
from shoal.table import batches
from tests.golden.test_adult import ADULT, TREES

DIABETES = ADULT.parent / "diabetes130" / "diabetic_data.csv.gz"
KINDS = tuple(algorithm.kind for algorithm in ALL)
DIFFERENT = ("timings", "source", "input_sha256", "files")
"""What differs between runs of one plan on several files."""


@dataclass(frozen=True)
class Sample:
    """A table of which some rows are taken; `high`: values that sensitivity classes protect more."""

    source: Path | None
    rows: Callable[[int, int], pl.DataFrame]
    columns: Mapping[str, shoal.Column]
    sensitive: str
    high: tuple[str, ...]
    person: str | None = None

    def frame(self, rows: int, seed: int) -> pl.DataFrame:
        """About this many rows."""
        return self.rows(rows, seed)

    def plan(self, algorithm: str, seed: int, form: str = "generalized") -> shoal.Plan:
        """A plan for it, by an algorithm of this kind, with two models."""
        extra = {"column": self.sensitive, "high": list(self.high)} if algorithm == "scba" else {}
        models = [shoal.LDiversity(self.sensitive, l=2)]
        search = next(each for each in ALL if each.kind == algorithm)(**extra)
        return shoal.Plan(
            columns=self.columns,
            models=models if form == "anatomy" else [shoal.KAnonymity(k=4), *models],
            algorithm=search,
            data=shoal.Data(person=self.person, missing=["?"]),
            release=shoal.ReleaseSettings(form=form, suppression=0.0 if form == "anatomy" else 0.1),
            seed=seed,
        )


def _read(source: Path) -> pl.DataFrame:
    with gzip.open(source, "rb") as file:
        return pl.read_csv(file.read(), infer_schema=False)


def _adult(rows: int, seed: int) -> pl.DataFrame:
    names = [*TREES, "occupation", "income"]
    return _read(ADULT / "adult_complete.csv.gz").select(names).sample(rows, seed=seed, shuffle=True)


def _diabetes(rows: int, seed: int) -> pl.DataFrame:
    """All stays of some patients, of whom many have several."""
    stays = _read(DIABETES).select(*_DIABETES)
    patients = stays["patient_nbr"].value_counts(sort=True).head(rows)["patient_nbr"]
    some = patients.sample(rows // 4, seed=seed)
    return stays.filter(pl.col("patient_nbr").is_in(some.implode())).head(rows)


_DIABETES = {
    "patient_nbr": shoal.identifier(),
    "gender": shoal.quasi(type="text"),
    "age": shoal.quasi(type="text"),
    "time_in_hospital": shoal.quasi(shoal.intervals(2, 4, 8)),
    "num_medications": shoal.quasi(shoal.intervals(10, 50)),
    "payer_code": shoal.insensitive(),
    "readmitted": shoal.sensitive(),
}
_TREES = ADULT / "hierarchies"
SAMPLES = {
    "adult": Sample(
        ADULT,
        _adult,
        {
            **{
                name: shoal.quasi(File(str(ADULT / "hierarchies" / f"adult_hierarchy_{name}.csv")))
                for name in TREES[:5]
            },
            **{name: shoal.insensitive() for name in (*TREES[5:], "income")},
            "occupation": shoal.sensitive(),
        },
        "occupation",
        ("Sales", "Craft-repair"),
    ),
    "diabetes130": Sample(DIABETES, _diabetes, _DIABETES, "readmitted", ("<30",), "patient_nbr"),
    "patients": Sample(
        None,
        lambda rows, seed: datasets.patients(rows, seed).with_columns(pl.col("zip").str.slice(0, 2)),
        {
            **{name: shoal.identifier() for name in ("record_number", "name")},
            "birth_date": shoal.quasi(shoal.dates()),
            "sex": shoal.quasi(type="text"),
            "zip": shoal.quasi(shoal.prefixes(), type="text"),
            "treatment": shoal.sensitive(),
            **{name: shoal.insensitive() for name in ("race", "stage", "cost", "transfused", "survival_months")},
            **{name: shoal.drop() for name in ("marital_status", "job", "diagnosis", "symptoms")},
        },
        "treatment",
        ("Chemotherapy", "Surgery"),
    ),
}


def outcome(plan: shoal.Plan, frame: pl.DataFrame, engine: str, folder: Path, parts: int, batch: int) -> dict[str, Any]:
    """What an engine releases of a table in several files, and what it says of it; or the error."""
    source = folder / f"{engine}-source"
    source.mkdir(parents=True)
    shuffled = frame if engine == "local" else frame.sample(fraction=1, shuffle=True, seed=parts)
    for number in range(parts):
        shuffled[number::parts].write_parquet(source / f"part-{number}.parquet")
    file = next(source.iterdir()) if engine == "local" else source
    plan = plan.changed(data=plan.data.model_copy(update={"source": str(file)}))
    (folder / engine).mkdir()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batches, "_ROWS", batch)
        patched.setattr(spark_rows, "_ROWS_OF_PARTITION", batch)
        try:
            release = anonymize_to(plan, folder / engine / "out", engine=engine)
        except ShoalError as error:
            return {"error": f"{type(error).__name__}: {error}"}
    said = {name: value for name, value in release.steward.to_json().items() if name not in DIFFERENT}
    tables = {name: (runs.rows, runs.times.tolist()) for name, runs in release.draft.tables.items()}
    return {**said, "warnings in full": release.warnings, "verdicts": release.verification.verdicts, **tables}


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The names of what two engines release or say differently."""
    return [name for name in {**one, **other} if not _same(one.get(name), other.get(name))]


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and one and isinstance(one[0], pl.DataFrame):
        return bool(one[0].equals(other[0]) and one[1] == other[1])
    return bool(one == other)
