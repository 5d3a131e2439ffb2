"""Mondrian on Adult at 30,162, 301,620 and a million rows: quality, search time, and the whole command.

The floor is polars reading and writing the same file, measured in the same run. The command is the installed `shoal`,
process start to verified release, with compiled code in the cache. Run: `make bench BENCH=mondrian`.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import history
from benchmarks.tables import QUASI, SIZES, blowup, floor

RESULTS = Path(__file__).parent / "results" / "mondrian.json"

# The best public Python tools on the same tables and a machine of the same size, as measured for the comparison.
PEER_SEARCH = {"adult_30k": 0.34, "adult_300k": 2.4, "adult_1m": 10.6}
PEER_NCP = {"adult_30k": 0.0139, "adult_300k": 0.0047, "adult_1m": 0.0037}

PLAN = """
[data]
source = "{source}"

{columns}
[columns.occupation]
role = "sensitive"

[columns.salary-class]
role = "insensitive"

[[models]]
kind = "k-anonymity"
k = 5

[release]
categories = "{categories}"
"""


def plan_text(source: Path, categories: str) -> str:
    """Seven quasi-identifiers, k = 5."""
    columns = "\n".join(f'[columns.{name}]\nrole = "quasi-identifier"\n' for name in QUASI)
    return PLAN.format(source=source, columns=columns, categories=categories)


def command(plan: Path, out: Path) -> tuple[float, float, dict[str, object]]:
    """Seconds and peak megabytes of the whole command, and what it wrote for the steward."""
    shoal = Path(sys.executable).with_name("shoal")
    before = time.perf_counter()
    subprocess.run(
        [shoal, "anonymize", plan, "--out", out, "--force", "--quiet"], check=True, stdout=subprocess.DEVNULL
    )
    seconds = time.perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    written = {
        **json.loads((out / "manifest.json").read_text(encoding="utf-8")),
        **json.loads((out.with_name(f"{out.name}.private") / "steward.json").read_text(encoding="utf-8")),
    }
    return seconds, peak, written


def measure(name: str, repeats: int, folder: Path) -> dict[str, object]:
    """One table: floor and command taken in turn; the ratio is the median of the pairs, so that noise hits both."""
    source = blowup(name)
    plan = folder / f"{name}.toml"
    plan.write_text(plan_text(source, "sets"), encoding="utf-8")
    command(plan, folder / "warm")
    floors, seconds, searches, peak = [], [], [], 0.0
    for _ in range(repeats):
        floors.append(floor(source))
        taken, peak, manifest = command(plan, folder / "out")
        seconds.append(taken)
        searches.append(manifest["timings"]["search"])  # type: ignore[index]
    ncp = manifest["measures"]["ncp"]  # type: ignore[index]
    return {
        "rows": SIZES[name],
        "classes": manifest["classes"],
        "ncp": ncp,
        "peer_ncp": PEER_NCP[name],
        "floor_seconds": median(floors),
        "command_seconds": median(seconds),
        "command_over_floor": median(taken / least for taken, least in zip(seconds, floors, strict=True)),
        "search_seconds": min(searches),
        "peer_over_search": PEER_SEARCH[name] / min(searches),
        "peak_megabytes": peak,
        "timings": manifest["timings"],
    }


def figures(found: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """What the history keeps of a run."""
    kept = {"ncp": "NCP", "command_over_floor": "command / floor", "search_seconds": "search, s"}
    return {f"{table}: {name}": row[key] for table, row in found.items() for key, name in kept.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", choices=SIZES, nargs="*", default=list(SIZES))
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            found[name] = measure(name, options.repeats, Path(folder))
            row = found[name]
            print(
                f"{name:11} ncp {row['ncp']:.4f} (peer {row['peer_ncp']:.4f})  search {row['search_seconds']:.3f} s "
                f"({row['peer_over_search']:.0f}× the peer's speed)  command {row['command_seconds']:.2f} s = "
                f"{row['command_over_floor']:.1f} × floor {row['floor_seconds']:.2f} s  {row['peak_megabytes']:.0f} MB"
            )
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    history.record("mondrian", figures(found))


if __name__ == "__main__":
    main()
