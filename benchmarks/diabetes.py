"""Twenty quasi-identifiers: the lattice of diabetes130 is far too large to list, and is searched for a minute."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl

import shoal
from benchmarks.tables import SHARED
from shoal.algorithms import Optimal
from shoal.models import KAnonymity, LDiversity

SOURCE = SHARED / "data" / "diabetes130" / "diabetic_data.csv.gz"
TENS = shoal.intervals(10, 50)
COUNTS = shoal.intervals(2, 4, 16)
QUASI = {
    "race": None,
    "gender": None,
    "age": None,
    "admission_type_id": None,
    "discharge_disposition_id": None,
    "admission_source_id": None,
    "time_in_hospital": shoal.intervals(2, 4, 8),
    "payer_code": None,
    "medical_specialty": None,
    "num_lab_procedures": TENS,
    "num_procedures": COUNTS,
    "num_medications": TENS,
    "number_outpatient": COUNTS,
    "number_emergency": COUNTS,
    "number_inpatient": COUNTS,
    "number_diagnoses": COUNTS,
    "max_glu_serum": None,
    "A1Cresult": None,
    "insulin": None,
    "change": None,
}


def frame() -> pl.DataFrame:
    """The twenty quasi-identifiers, and whether the patient was readmitted."""
    with gzip.open(SOURCE, "rb") as file:
        return pl.read_csv(file.read(), infer_schema=False).select(*QUASI, "readmitted")


def plan(budget: float, suppression: float = 0.05, source: Path | None = None) -> shoal.Plan:
    """k = 5 and two outcomes in every class."""
    return shoal.Plan(
        data=shoal.Data(source=None if source is None else str(source)),
        columns={
            **{
                name: shoal.quasi(hierarchy, **({} if hierarchy else {"type": "text"}))
                for name, hierarchy in QUASI.items()
            },
            "readmitted": shoal.sensitive(),
        },
        models=[KAnonymity(k=5), LDiversity("readmitted", l=2)],
        algorithm=Optimal(budget=budget),
        release=shoal.ReleaseSettings(suppression=suppression),
    )
