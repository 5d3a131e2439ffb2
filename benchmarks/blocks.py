"""Searches in blocks: tables of distinct rows, searched in one piece and in blocks of a tenth of them.

The rows are made up: age, postal code, date of admission, weight and sex of patients, and a diagnosis. All of them are
distinct. Each release is made by the command, process start to verified release, by Mondrian with k = 5. The extra loss
is that of the NCP of the release in blocks over the other one; the estimate is what the steward is told.

usage: python -m benchmarks.blocks [--engine stream] [100k] [1m] [10m] ["1m numbers"]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import history

RESULTS = Path(__file__).parent / "results" / "blocks.json"
SIZES = {"100k": 100_000, "1m": 1_000_000, "10m": 10_000_000}
BLOCKS = 10
"""The distinct rows of a table for each one that is searched at a time."""
TREE = 'type = "text"\nhierarchy = { kind = "prefix", steps = [4, 3, 2, 1] }'
NUMBERS = 'type = "integer"'
"""Postal codes as prefixes, and as numbers. Blocks are cut at prefixes, which cuts of all codes often miss."""
CASES = {
    f"{name}{kind}": (rows, text) for kind, text in (("", TREE), (" numbers", NUMBERS)) for name, rows in SIZES.items()
}
PLAN = """
[data]
source = "{source}"

[columns.age]
role = "quasi-identifier"

[columns.zip]
role = "quasi-identifier"
{zip}

[columns.admitted]
role = "quasi-identifier"

[columns.weight]
role = "quasi-identifier"

[columns.sex]
role = "quasi-identifier"

[columns.diagnosis]
role = "sensitive"

[[models]]
kind = "k-anonymity"
k = 5

[[models]]
kind = "l-diversity"
column = "diagnosis"
l = 2

[engine]
distinct_limit = {limit}

[release]
format = "parquet"
"""


def write_table(path: Path, rows: int, seed: int = 1) -> None:
    """Distinct rows of patients, as Parquet."""
    rng, found = np.random.default_rng(seed), pl.DataFrame()
    while found.height < rows:
        found = pl.concat([found, _drawn(rng, rows - found.height + 1000)]).unique(maintain_order=True)
    found[:rows].write_parquet(path)


def _drawn(rng: np.random.Generator, rows: int) -> pl.DataFrame:
    """Patients with values that are skewed as real ones are: towns, old age, a few frequent diagnoses."""
    town = np.minimum(rng.zipf(1.3, rows), 900) + 99
    zips = pl.Series(town * 100 + rng.integers(0, 100, rows)).cast(pl.String)
    days = np.datetime64("2015-01-01") + rng.integers(0, 3650, rows).astype("timedelta64[D]")
    return pl.DataFrame(
        {
            "age": np.clip(rng.gamma(9, 7, rows), 0, 104).astype(np.int32),
            "zip": zips,
            "admitted": pl.Series(days).cast(pl.Date),
            "weight": np.round(np.clip(rng.normal(76, 15, rows), 2, 250)).astype(np.int32),
            "sex": pl.Series(rng.choice(["f", "m"], rows)),
            "diagnosis": pl.Series(rng.zipf(1.5, rows) % 40).cast(pl.String),
        }
    )


def measured(source: Path, settings: Mapping[str, Any], engine: str) -> dict[str, Any]:
    """Seconds, memory and information loss of the command, and what it says about blocks."""
    plan, out = source.with_suffix(".toml"), source.with_suffix(".out")
    plan.write_text(PLAN.format(source=source, **settings), encoding="utf-8")
    began, before = time.perf_counter(), os.times()
    words = [sys.executable, "-m", "shoal", "anonymize", plan, "--out", out, "--force", "--quiet", "--engine", engine]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - began, os.times()
    steward = json.loads((out.with_name(f"{out.name}.private") / "steward.json").read_text(encoding="utf-8"))
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(
            after.children_user + after.children_system - before.children_user - before.children_system, 1
        ),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024),
        "ncp": steward["measures"]["ncp"],
        "classes": steward["classes"],
        "holds": all(model["holds"] for model in steward["models"]),
        "blocks": steward.get("blocks"),
        "timings": steward["timings"],
    }


def compared(folder: Path, rows: int, zips: str, engine: str) -> dict[str, Any]:
    """A table in blocks and in one piece. Blocks come first: the largest memory is that of both commands so far."""
    source = folder / "rows.parquet"
    write_table(source, rows)
    in_blocks = measured(source, {"limit": rows // BLOCKS, "zip": zips}, engine)
    whole = measured(source, {"limit": 50_000_000, "zip": zips}, engine)
    return {"extra_loss": in_blocks["ncp"] / whole["ncp"] - 1, "in_blocks": in_blocks, "whole": whole}


def line(name: str, found: dict[str, Any]) -> str:
    """A case in one line."""
    blocks, whole = found["in_blocks"], found["whole"]
    told = blocks["blocks"]
    pairs = {
        "CPU s": (blocks["cpu_seconds"], whole["cpu_seconds"]),
        "s of search": (blocks["timings"]["search"], whole["timings"]["search"]),
        "MB": (blocks["peak_megabytes"], whole["peak_megabytes"]),
    }
    costs = ", ".join(f"{one:,.0f} and {other:,.0f} {unit}" for unit, (one, other) in pairs.items())
    return (
        f"{name:12} NCP {blocks['ncp']:.5f} in {told['blocks']} blocks, {whole['ncp']:.5f} in one piece: "
        f"{found['extra_loss']:+.2%} (estimated {told['extra_loss']:+.2%}); {costs}"
    )


def main() -> None:
    """Prints and stores the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"which of {', '.join(CASES)} to measure; all by default")
    parser.add_argument("--engine", default="local")
    given = parser.parse_args()
    found = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for name in given.cases or CASES:
        with tempfile.TemporaryDirectory() as folder:
            found[name] = compared(Path(folder), *CASES[name], given.engine)
        print(line(name, found[name]), flush=True)
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        history.record("blocks", {f"{name}: extra loss": found[name]["extra_loss"]})


if __name__ == "__main__":
    main()
