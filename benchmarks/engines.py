"""The engines on UCI Adult blown up with noise, as Parquet: seconds, CPU seconds and memory of the whole command.

    python -m benchmarks.engines 10m:local:mondrian 100m:stream:mondrian 10m:spark:mondrian

Each run is rows:engine:algorithm; k = 5. Memory is the largest sum over all processes of a run, without what they share
counted twice; `spark` runs on two cores of this machine. Tables are made once and kept in `benchmarks/tables/`; that of
100,000,000 rows takes 0.6 GB. Results are merged into `results/engines.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from benchmarks import history
from benchmarks.tables import ADULT, HIERARCHIES, KEPT, PLACES, QUASI, complete_rows

RESULTS = Path(__file__).parent / "results" / "engines.json"
ROWS = {"1m": 1_000_000, "3m": 3_000_000, "10m": 10_000_000, "30m": 30_000_000, "100m": 100_000_000}
_AT_ONCE = 2_000_000
_POLL = 0.25
_TICKS = os.sysconf("SC_CLK_TCK")
_ALGORITHMS = {
    "mondrian": "",
    "optimal": '[algorithm]\nkind = "optimal"\n[release]\nsuppression = 0.05\n',
    "pais": '[algorithm]\nkind = "pais"\n[release]\nformat = "parquet"\n',
}


def table(rows: int, folder: Path = KEPT) -> Path:
    """The blown-up table as a Parquet file; made in parts if it is not there yet."""
    path = folder / f"adult_{rows}.parquet"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        adult = complete_rows(ADULT)
        part = path.with_suffix(".partial")
        source = register_io_source(lambda *_: _redrawn(adult, rows), schema=adult.schema)
        source.sink_parquet(part, maintain_order=True)
        part.rename(path)
    return path


def _redrawn(adult: pl.DataFrame, rows: int) -> Iterator[pl.DataFrame]:
    """Copies of all rows, in which each quasi-identifier is drawn anew with probability 0.1, but in the first copy."""
    rng = np.random.default_rng(7)
    for begin in range(0, rows, _AT_ONCE):
        size = min(_AT_ONCE, rows - begin)
        copies, columns = np.arange(begin, begin + size) % adult.height, {}
        for name in PLACES:
            drawn = copies.copy()
            if name in QUASI:
                changed = rng.random(size) < 0.1
                changed[: max(adult.height - begin, 0)] = False
                drawn[changed] = rng.integers(0, adult.height, changed.sum())
            columns[name] = adult[name].gather(drawn)
        yield pl.DataFrame(columns)


def plan_text(source: Path, algorithm: str) -> str:
    """Seven quasi-identifiers, k = 5; global recodings have the published hierarchies."""
    files = {name: HIERARCHIES / f"adult_hierarchy_{name}.csv" for name in QUASI}
    trees = {name: f'\nhierarchy = {{ kind = "file", path = "{path}" }}' for name, path in files.items()}
    of_column = {} if algorithm == "mondrian" else trees
    columns = [f'[columns.{name}]\nrole = "quasi-identifier"{of_column.get(name, "")}\n' for name in QUASI]
    target = "target" if algorithm == "pais" else "insensitive"
    return "\n".join(
        [
            f'[data]\nsource = "{source}"\n',
            *columns,
            '[columns.occupation]\nrole = "sensitive"\n',
            f'[columns.salary-class]\nrole = "{target}"\n',
            '[[models]]\nkind = "k-anonymity"\nk = 5\n',
            _ALGORITHMS[algorithm],
        ]
    )


def measured(command: list[str]) -> dict[str, float]:
    """Seconds, CPU seconds and the largest memory of a command and of all processes that it starts."""
    began, cpu, peak = time.perf_counter(), dict[str, float](), 0
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    while running.poll() is None:
        memory = 0
        for process in _processes(running.pid):
            try:
                cpu[process] = _cpu(process)
                memory += _memory(process)
            except (OSError, IndexError):
                continue  # it has ended meanwhile
        peak = max(peak, memory)
        time.sleep(_POLL)
    if running.returncode:
        sys.exit(running.stderr.read().decode() if running.stderr else "The command failed.")
    return {"seconds": time.perf_counter() - began, "cpu": sum(cpu.values()), "gigabytes": peak / 1e6}


def _processes(session: int) -> Iterator[str]:
    """The processes of a session."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if int(_fields(path.name)[3]) == session:
                yield path.name
        except (OSError, IndexError):
            continue


def _fields(process: str) -> list[str]:
    """The fields of /proc/PID/stat after the name, which may have spaces."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def _cpu(process: str) -> float:
    return sum(int(ticks) for ticks in _fields(process)[11:13]) / _TICKS


def _memory(process: str) -> int:
    """Kilobytes; a page that several processes share counts once in all."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def run(rows: str, engine: str, algorithm: str) -> dict[str, Any]:
    """One run of the command line, from its start to the verified release."""
    source = table(ROWS[rows])
    with tempfile.TemporaryDirectory(dir=KEPT) as folder:
        plan, out = Path(folder) / "plan.toml", Path(folder) / "out"
        plan.write_text(plan_text(source, algorithm), encoding="utf-8")
        where = ["--master", "local[2]"] if engine == "spark" else []
        command = [sys.executable, "-m", "shoal", "anonymize", plan, "--out", out, "--engine", engine, *where]
        found = measured([*map(str, command), "--quiet"])
        steward = json.loads((Path(folder) / "out.private" / "steward.json").read_text(encoding="utf-8"))
    per_row = 1e6 * found["cpu"] / ROWS[rows]
    load = os.getloadavg()[0]
    return {**found, "cpu_microseconds_per_row": per_row, "load": load, "timings": steward["timings"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", default=["1m:local:mondrian", "1m:stream:mondrian", "1m:spark:mondrian"])
    found = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    figures = {}
    for name in parser.parse_args().runs:
        found[name] = row = run(*name.split(":"))
        figures[f"{name}: s"], figures[f"{name}: GB"] = row["seconds"], row["gigabytes"]
        print(f"{name:22} {row['seconds']:7.1f} s {row['cpu']:7.1f} CPU s {row['gigabytes']:6.2f} GB", flush=True)
        RESULTS.write_text(json.dumps(dict(sorted(found.items())), indent=2) + "\n", encoding="utf-8")
    history.record("engines", figures)


if __name__ == "__main__":
    main()
