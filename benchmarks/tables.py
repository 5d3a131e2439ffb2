"""The tables that benchmarks run on: UCI Adult as it is, and blown up to 300,000 and a million rows.

Every further copy of the 30,162 complete rows redraws each quasi-identifier value with probability 0.1 from its
column's distribution, with a fixed seed: the tables are the same everywhere, and the ones that others were measured on.
They are made once and kept in `benchmarks/tables/`.
"""

from __future__ import annotations

import gzip
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

ROOT = Path(__file__).resolve().parent
SHARED = ROOT.parent.parent / "shared"
ADULT = SHARED / "data" / "adult" / "adult.data.gz"
HIERARCHIES = SHARED / "data" / "adult" / "hierarchies"
KEPT = ROOT / "tables"

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
PLACES = dict(zip((*QUASI, "occupation", "salary-class"), (9, 0, 8, 5, 3, 13, 1, 6, 14), strict=True))
SIZES = {"adult_30k": 30_162, "adult_300k": 301_620, "adult_1m": 1_000_000}
SEPARATOR = ";"


def blowup(name: str, folder: Path = KEPT) -> Path:
    """The table `adult_30k`, `adult_300k` or `adult_1m` as a CSV file; made if it is not there yet."""
    path = folder / f"{name}.csv"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        frame = complete_rows(ADULT) if name == "adult_30k" else redrawn(complete_rows(ADULT))[name]
        part = path.with_suffix(".partial")
        frame.write_csv(part, separator=SEPARATOR)
        part.rename(path)
    return path


def complete_rows(source: Path) -> pl.DataFrame:
    """The rows of UCI Adult in which nothing is missing, with the columns of PLACES, as text."""
    with gzip.open(source, "rt") as lines:
        split = [[part.strip() for part in line.strip().split(",")] for line in lines]
    rows = [parts for parts in split if len(parts) == 15 and "?" not in parts]
    return pl.DataFrame({name: [parts[place] for parts in rows] for name, place in PLACES.items()})


def redrawn(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The larger tables. Both come from one stream of random numbers, so neither can be made without the other."""
    rng, n = np.random.default_rng(7), frame.height
    found = {}
    for name in ("adult_300k", "adult_1m"):
        rows = SIZES[name]
        copies = np.tile(np.arange(n), -(-rows // n))[:rows]
        columns = {}
        for column in PLACES:
            drawn = copies.copy()
            if column in QUASI:
                changed = rng.random(rows) < 0.1
                changed[:n] = False  # the first copy stays as it is
                drawn[changed] = rng.integers(0, n, changed.sum())
            columns[column] = frame[column].gather(drawn)
        found[name] = pl.DataFrame(columns)
    return found


def floor(path: Path) -> float:
    """Seconds that polars needs to read a table and write it again: less is not to be had. The best of three."""

    def read_and_write() -> None:
        with tempfile.NamedTemporaryFile(suffix=".csv") as copy:
            pl.read_csv(path, separator=SEPARATOR).write_csv(copy.name, separator=SEPARATOR)

    return best_of(3, read_and_write)


def best_of(times: int, work: Callable[[], object]) -> float:
    """The least seconds that some work took."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


if __name__ == "__main__":
    for each in SIZES:
        print(blowup(each))
