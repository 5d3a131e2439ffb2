"""Global against multidimensional recoding on wide tables: the information loss of the same promise, and of LKC's.

usage: python -m benchmarks.recoding
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from benchmarks import diabetes
from benchmarks.tables import ADULT, complete_rows
from shoal.algorithms import Mondrian, Optimal, Pais
from shoal.datasets import registry

RESULTS = Path(__file__).parent / "results" / "recoding.json"
K, L = 5, 3
SETTINGS: dict[str, tuple[Any, Any]] = {
    "k-anonymity, mondrian": (shoal.KAnonymity(k=K), Mondrian()),
    "k-anonymity, optimal": (shoal.KAnonymity(k=K), Optimal(budget=30)),
    "k-anonymity, pais": (shoal.KAnonymity(k=K), Pais()),
    "lkc, pais": (None, Pais()),
}


def tables() -> Iterator[tuple[str, pl.DataFrame, dict[str, Any], str]]:
    """Name, table, quasi-identifiers and sensitive column."""
    adult = complete_rows(ADULT)
    names = [name for name in adult.columns if name != adult.columns[-1]]
    yield "adult", adult, dict.fromkeys(names), adult.columns[-1]
    made = registry(20_000)
    yield "registry", made, dict.fromkeys(name for name in made.columns if name != "histology"), "histology"
    hospital = diabetes.frame().head(20_000)
    yield "diabetes130", hospital, dict.fromkeys(diabetes.QUASI), "readmitted"


def main() -> None:
    """Prints and writes the information loss of every setting on every table."""
    found = []
    for name, frame, quasi, sensitive in tables():
        for setting, (model, algorithm) in SETTINGS.items():
            plan = shoal.Plan(
                columns={**{column: shoal.quasi(tree) for column, tree in quasi.items()}, sensitive: shoal.sensitive()},
                models=[model or shoal.LKC(l=L, k=K, c=1, column=sensitive)],
                algorithm=algorithm,
                release=shoal.ReleaseSettings(categories="sets" if algorithm.kind != "optimal" else "hierarchy"),
            )
            began = time.perf_counter()
            release = shoal.anonymize(frame, plan)
            line = {
                "table": name,
                "rows": frame.height,
                "quasi-identifiers": len(quasi),
                "setting": setting,
                "ncp": round(release.measures["ncp"], 4),
                "classes": release.manifest.classes,
                "seconds": round(time.perf_counter() - began, 1),
            }
            found.append(line)
            print(line, flush=True)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
