"""Item models at scale: 100,000 rows whose classes fail, and a million rows of which few do.

The rows have nine items each, drawn from those of one of 500 labels, so nearly all sets are distinct. A command is
measured from process start to verified release, with compiled code in the cache. The plans have QS (1,5)-diversity
with a budget of 60 seconds, and k-anonymity with k = 5 or none: then rows with equal quasi-identifiers form a class,
and nearly all classes are one row and fail. For the million rows, there is also the same plan without the item model.

usage: python -m benchmarks.items [--small] [100k] [1m]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import history

RESULTS = Path(__file__).parent / "results" / "items.json"
LABELS, VOCABULARY, ITEMS_OF_LABEL, ITEMS_OF_ROW = 500, 200, 100, 9
WITHOUT, WITH = "1,000,000 rows, without items", "1,000,000 rows, k = 5"
Found = Iterator[tuple[str, dict[str, Any]]]
QUASI = {"age": 73, "sex": 2, "zip": 150, "job": 14, "education": 16}
"""Quasi-identifiers and how many values each has."""
K_ANONYMITY = """
[[models]]
kind = "k-anonymity"
k = 5
"""
DIVERSITY = """
[[models]]
kind = "qs-diversity"
column = "items"
c = 1
l = 5
budget = 60
"""


def write_tables(folder: Path, rows: int, seed: int = 1) -> None:
    """A table and its knowledge table, as `rows.csv` and `labels.csv`."""
    rng = np.random.default_rng(seed)
    items = np.array([f"s{number:03}" for number in range(VOCABULARY)])
    has = np.zeros((LABELS, VOCABULARY), np.bool_)
    for label in has:
        label[rng.choice(VOCABULARY, max(ITEMS_OF_ROW, rng.poisson(ITEMS_OF_LABEL)), replace=False)] = True
    texts: list[str] = []
    for begin in range(0, rows, 50_000):
        label_of = rng.integers(0, LABELS, min(50_000, rows - begin))
        drawn = np.where(has[label_of], rng.random((len(label_of), VOCABULARY)), 2.0)
        chosen = np.sort(np.argpartition(drawn, ITEMS_OF_ROW, axis=1)[:, :ITEMS_OF_ROW], axis=1)
        texts += ["|".join(each) for each in items[chosen].tolist()]
    columns = {name: rng.integers(0, size, rows) for name, size in QUASI.items()}
    as_text = [pl.format("{}{}", pl.lit(name[0]), name).alias(name) for name in ("sex", "zip", "job")]
    pl.DataFrame({**columns, "items": texts}).with_columns(as_text).write_csv(folder / "rows.csv")
    listed = {"label": [f"d{number:03}" for number in range(LABELS)], "items": ["|".join(items[each]) for each in has]}
    pl.DataFrame(listed).write_csv(folder / "labels.csv")


def plan_text(folder: Path, k_anonymity: bool, diversity: bool) -> str:
    """A plan for the tables of a folder."""
    role = f'role = "quasi-sensitive"\nknowledge = "{folder / "labels.csv"}"' if diversity else 'role = "insensitive"'
    columns = [f'[columns.{name}]\nrole = "quasi-identifier"\n' for name in QUASI] + [f"[columns.items]\n{role}\n"]
    models = (K_ANONYMITY if k_anonymity else "") + (DIVERSITY if diversity else "")
    return f'[data]\nsource = "{folder / "rows.csv"}"\n{"".join(columns)}{models}[release]\ncategories = "sets"\n'


def measured(folder: Path, k_anonymity: bool, diversity: bool) -> dict[str, Any]:
    """Seconds of the command, elapsed and of all cores, and what it says about the removal."""
    plan, out = folder / "plan.toml", folder / "out"
    plan.write_text(plan_text(folder, k_anonymity, diversity), encoding="utf-8")
    began, before = time.perf_counter(), os.times()
    words = [sys.executable, "-m", "shoal", "anonymize", str(plan), "--out", str(out), "--force", "--quiet"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - began, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    steward = json.loads((out.with_name("out.private") / "steward.json").read_text(encoding="utf-8"))
    public = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "rows": public["rows_released"],
        "classes": public["classes"],
        "holds": all(model["holds"] for model in public["models"]),
        "removal": steward.get("item_removal"),
        "timings": steward["timings"],
    }


def hundred_thousand(folder: Path, part: int) -> Found:
    """100,000 rows, with k = 5 and without generalization."""
    write_tables(folder, 100_000 // part)
    yield "100,000 rows, k = 5", measured(folder, k_anonymity=True, diversity=True)
    yield "100,000 rows, k = 1", measured(folder, k_anonymity=False, diversity=True)


def million(folder: Path, part: int) -> Found:
    """A million rows, without and with the item model."""
    write_tables(folder, 1_000_000 // part)
    yield WITHOUT, measured(folder, k_anonymity=True, diversity=False)
    yield WITH, measured(folder, k_anonymity=True, diversity=True)


TABLES = {"100k": hundred_thousand, "1m": million}


def main() -> None:
    """Prints and stores the figures; `--small` runs everything with a fiftieth of the rows and stores nothing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", help="which of 100k and 1m to measure; both by default")
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    part, found = 50 if given.small else 1, dict[str, dict[str, Any]]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder, 2_000)
        measured(folder, k_anonymity=False, diversity=True)  # compiles the kernels
        for table in given.tables or TABLES:
            for case, line in TABLES[table](folder, part):
                print(
                    f"{case:30} {line['seconds']:6.1f} s  (all cores: {line['cpu_seconds']:.1f} s)  {line['removal']}"
                )
                found[case] = line
    figures = {f"{case}, s": line["seconds"] for case, line in found.items()} | ratios(found)
    print(figures)
    if part == 1:
        stored = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps(stored | found, indent=1) + "\n", encoding="utf-8")
        history.record("items", figures)


def ratios(found: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """How many times the seconds without the item model it takes with it, elapsed and of all cores."""
    if WITH not in found:
        return {}
    names = {"with items / without": "seconds", "of all cores": "cpu_seconds"}
    return {name: round(found[WITH][key] / found[WITHOUT][key], 2) for name, key in names.items()}


if __name__ == "__main__":
    main()
