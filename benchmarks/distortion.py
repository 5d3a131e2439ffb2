"""Information loss, classification error and time of every algorithm, on tables of different width.

usage: python -m benchmarks.distortion [--table NAME]

The results become the comparison in the guide to algorithms. Adult and the patients have fewer than 30 columns that
could be quasi-identifiers; there, the widest table has all of them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

import shoal
from benchmarks import diabetes
from benchmarks.tables import SHARED
from shoal.algorithms import KMember, Mondrian, Optimal, Pais
from shoal.datasets import patients

RESULTS = Path(__file__).parent / "results" / "distortion.json"
FIGURE = Path(__file__).parents[1] / "docs" / "guide" / "distortion.svg"
ROWS = 10_000
SEEDS = 3
ALGORITHMS: dict[str, Any] = {
    "mondrian": Mondrian(),
    "mondrian, refine": Mondrian(refine=True),
    "mondrian, target": Mondrian(cut="target"),
    "k-member": KMember(),
    "k-member, refine": KMember(refine=True),
    "optimal": Optimal(budget=5),
    "pais": Pais(),
    "pais, classification": Pais(goal="classification"),
}


class Case(NamedTuple):
    """A table with its quasi-identifiers, most identifying first, a sensitive column and a target."""

    name: str
    frame: pl.DataFrame
    quasi: tuple[str, ...]
    sensitive: str
    target: str
    l: int

    @property
    def widths(self) -> tuple[int, ...]:
        """5, 12 and 30 quasi-identifiers, as far as the table has so many."""
        return tuple(sorted({min(width, len(self.quasi)) for width in (5, 12, 30)}))


def cases() -> Iterator[Case]:
    """The tables, 10,000 rows of each."""
    with gzip.open(SHARED / "data" / "adult" / "adult_complete.csv.gz", "rb") as file:
        adult = pl.read_csv(file.read())
    order = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass", "relationship")
    order += ("hours-per-week", "capital-gain", "capital-loss", "education-num")
    yield Case("adult", adult.head(ROWS), order, "occupation", "income", 3)
    with gzip.open(diabetes.SOURCE, "rb") as file:
        stays = pl.read_csv(file.read(), infer_schema=False).head(ROWS)
    known = [*diabetes.QUASI]
    drugs = [name for name in stays.columns if name not in known and stays[name].n_unique() > 1]
    left_out = ("encounter_id", "patient_nbr", "readmitted", "A1Cresult", "diag_1", "diag_2", "diag_3", "weight")
    numbers = [pl.col(name).cast(pl.Int64) for name in known if name.startswith(("num", "time"))]
    quasi = tuple(name for name in (*known, *drugs) if name not in left_out)
    yield Case("diabetes130", stays.with_columns(numbers), quasi, "A1Cresult", "readmitted", 2)
    made = patients(ROWS)
    order = ("birth_date", "sex", "race", "marital_status", "zip", "job", "stage", "survival_months", "cost")
    yield Case("patients", made, order, "diagnosis", "transfused", 3)


def plans(case: Case) -> Iterator[tuple[dict[str, Any], shoal.Plan]]:
    """What is varied, and the plan."""
    for width in case.widths:
        for k in (5, 20):
            for diverse in (False, True):
                models: list[Any] = [shoal.KAnonymity(k=k)]
                models += [shoal.LDiversity(case.sensitive, l=case.l)] if diverse else []
                for name, algorithm in ALGORITHMS.items():
                    line = {"quasi-identifiers": width, "k": k, "l": case.l if diverse else None, "algorithm": name}
                    yield line, _plan(case, width, models, algorithm)


def _plan(case: Case, width: int, models: list[Any], algorithm: Any) -> shoal.Plan:
    columns = {name: shoal.quasi() for name in case.quasi[:width]}
    columns |= {case.sensitive: shoal.sensitive(), case.target: shoal.target()}
    sets = "hierarchy" if algorithm.kind == "optimal" else "sets"
    return shoal.Plan(
        columns=columns,
        models=models,
        algorithm=algorithm,
        data=shoal.Data(unlisted="drop"),
        release=shoal.ReleaseSettings(categories=sets),
    )


def measured(case: Case, line: dict[str, Any], plan: shoal.Plan) -> dict[str, Any]:
    """One line of the results. The first release compiles kernels, so it is made of few rows and not measured."""
    shoal.anonymize(case.frame.head(500), plan)
    began = time.perf_counter()
    release = shoal.anonymize(case.frame, plan)
    seconds = time.perf_counter() - began
    error = shoal.classification_error(case.frame, plan, seeds=SEEDS)
    found = {
        "ncp": round(release.measures["ncp"], 4),
        "classes": release.manifest.classes,
        "error": round(error.released.mean, 4),
        "error_raw": round(error.raw.mean, 4),
        "error_removed": round(error.removed.mean, 4),
        "search_seconds": round(release.steward.timings["search"], 2),
        "seconds": round(seconds, 1),
    }
    return {"table": case.name, "rows": case.frame.height, **line, **found}


def draw(found: list[dict[str, Any]], path: Path) -> None:
    """Information loss against added error, one panel per table and width. Needs altair and vl-convert-python."""
    import altair

    shown = [
        {**line, "panel": f"{line['table']}, {line['quasi-identifiers']}", "added": line["error"] - line["error_raw"]}
        for line in found
        if line["k"] == 5 and line["l"] is None
    ]
    panels = list(dict.fromkeys(line["panel"] for line in shown))
    chart = (
        altair.Chart(altair.Data(values=shown), width=200, height=150)
        .mark_point(filled=True, size=80)
        .encode(
            x=altair.X("ncp:Q", title="information loss (NCP)", axis=altair.Axis(format="%")),
            y=altair.Y("added:Q", title="added classification error", axis=altair.Axis(format="%")),
            color=altair.Color("algorithm:N", sort=list(ALGORITHMS)),
            shape=altair.Shape("algorithm:N", sort=list(ALGORITHMS)),
        )
        .facet(altair.Facet("panel:N", title=None, sort=panels), columns=3)
    )
    chart.save(str(path))


def main() -> None:
    """Prints every line as it is measured; a complete run writes the results and the figure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--table")
    chosen = parser.parse_args().table
    found = []
    for case in cases():
        if chosen not in (None, case.name):
            continue
        for line, plan in plans(case):
            found.append(measured(case, line, plan))
            print(json.dumps(found[-1]), flush=True)
    if chosen is None:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        draw(found, FIGURE)


if __name__ == "__main__":
    main()
