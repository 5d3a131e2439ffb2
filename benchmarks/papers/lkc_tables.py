"""The tables and plans of the experiments in lkc.py."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.algorithms import Pais
from shoal.datasets import patient_hierarchies, patients
from shoal.hierarchies import File, Prefix
from shoal.models import LKC

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SENSITIVE = ("Divorced", "Separated")


def adult() -> pl.DataFrame:
    return pl.read_csv(gzip.decompress((DATA / "adult" / "adult_complete.csv.gz").read_bytes()))


def adult_columns() -> dict[str, Any]:
    """13 quasi-identifiers, marital-status sensitive, income to be predicted."""
    trees = DATA / "adult" / "hierarchies"
    names = {
        name: f"adult_hierarchy_{name}" for name in ("workclass", "education", "occupation", "race", "native-country")
    }
    names["relationship"] = "authored_relationship"
    columns = {name: shoal.quasi() for name in adult().columns}
    columns |= {name: shoal.quasi(File(str(trees / f"{file}.csv"))) for name, file in names.items()}
    return columns | {"marital-status": shoal.sensitive(), "income": shoal.target()}


def adult_plan(l: int, k: int, c: float, **algorithm: Any) -> shoal.Plan:
    model = LKC(l=l, k=k, c=c, column="marital-status", values=SENSITIVE)
    return shoal.Plan(columns=adult_columns(), models=[model], algorithm=Pais(**algorithm))


def diabetes(rows: int | None = 10_000) -> tuple[pl.DataFrame, dict[str, Any]]:
    """One row per patient, 41 quasi-identifiers, the hundreds of the diagnosis sensitive; is the patient readmitted?"""
    raw = gzip.decompress((DATA / "diabetes130" / "diabetic_data.csv.gz").read_bytes())
    table = (
        pl.read_csv(raw, infer_schema_length=None, null_values=["?"])
        .unique("patient_nbr", keep="first")
        .sort("patient_nbr")
    )
    code = pl.col("diag_1").str.extract(r"^(\d+)").cast(pl.Int64)
    chapter = pl.when(code.is_null()).then(pl.lit("other")).otherwise((code // 100).cast(pl.String)).alias("diagnosis")
    table = table.with_columns(chapter).drop("encounter_id", "patient_nbr", "diag_1", "diag_2", "diag_3")
    constant = [name for name in table.columns if table[name].n_unique() == 1]
    table = table.drop(constant)
    quasi = [name for name in table.columns if name not in ("diagnosis", "readmitted")][:41]
    table = table.select(*quasi, "diagnosis", "readmitted").fill_null("missing")
    columns = {name: shoal.quasi() for name in quasi} | {"diagnosis": shoal.sensitive(), "readmitted": shoal.target()}
    return (table if rows is None else table.sample(rows, seed=0)), columns


def blown_up(rows: int) -> pl.DataFrame:
    """Adult and copies of it in which every quasi-identifier is redrawn with probability 0.1 (seed 7)."""
    table, rng = adult(), np.random.default_rng(7)
    n = len(table)
    of = np.arange(rows) % n
    found = {}
    for name in table.columns:
        drawn = of.copy()
        if name not in ("income", "marital-status"):
            redrawn = rng.random(rows) < 0.1
            redrawn[:n] = False
            drawn[redrawn] = rng.integers(0, n, int(redrawn.sum()))
        found[name] = table[name].gather(drawn)
    return pl.DataFrame(found)


def own_patients(folder: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    """20,000 made-up patients, 8 quasi-identifiers, the diagnosis sensitive; does the patient die within five years?"""
    for name, text in patient_hierarchies().items():
        (folder / name).write_text(text, encoding="utf-8")
    columns = {name: shoal.quasi() for name in ("birth_year", "sex", "stage", "cost")}
    columns |= {name: shoal.quasi(File(str(folder / f"{name}.csv"))) for name in ("race", "marital_status", "job")}
    columns |= {"zip": shoal.quasi(Prefix()), "diagnosis": shoal.sensitive(), "died": shoal.target()}
    table = patients(20_000).with_columns(
        birth_year=pl.col("birth_date").dt.year(),
        died=(pl.col("survival_months") < 60).cast(pl.String),
        stage=pl.col("stage").fill_null("none"),
        cost=(pl.col("cost") // 100 * 100).cast(pl.Int64),
    )
    return table.select(*columns), columns


def forks(folder: Path, depth: int, left: float, rows: int = 100_000) -> tuple[pl.DataFrame, dict[str, Any]]:
    """41 quasi-identifiers whose taxonomies fork in two, `depth` times; `left` is the share of every left branch."""
    names = [format(leaf, f"0{depth}b") for leaf in range(2**depth)]
    tree = "\n".join(";".join([name, *(name[:n] + "-" for n in range(depth - 1, 0, -1)), "*"]) for name in names)
    (folder / "forks.csv").write_text(tree + "\n", encoding="utf-8")
    rng, leaves = np.random.default_rng(0), pl.Series(names)
    drawn = {
        f"q{a}": leaves[sum((rng.random(rows) > left).astype(np.int64) << n for n in range(depth))] for a in range(41)
    }
    columns = {name: shoal.quasi(File(str(folder / "forks.csv"))) for name in drawn}
    ill = pl.Series([f"ill {n}" for n in range(8)])[rng.integers(0, 8, rows)]
    return pl.DataFrame({**drawn, "ill": ill}), columns | {"ill": shoal.sensitive()}
