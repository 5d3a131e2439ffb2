"""Full-domain search against ARX 3.9.2 on the same tables, and twenty quasi-identifiers within a minute.

ARX's figures were measured elsewhere; polars reads and writes the table of a million rows on both machines, and the
ratio of these floors, measured just before and after each row, scales ARX's figures to this one. Searches are timed on
later calls in one process, as ARX's warm figures are; whole commands from process start to verified files, and also in
seconds of the processor, which other work on the machine does not change.

usage: python -m benchmarks.full_domain [--quick]     --quick: the smallest table only, and ten seconds for diabetes130
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

import shoal
from benchmarks import diabetes, history
from benchmarks.tables import HIERARCHIES, QUASI, ROOT, SEPARATOR, SIZES, best_of, blowup, floor
from shoal.algorithms import Optimal
from shoal.coded import Coded, Partition
from shoal.hierarchies import File
from shoal.models import ClassModel, KAnonymity, LDiversity, TCloseness
from shoal.pipeline import fitted
from shoal.progress import silent
from shoal.search.lattice import Lattice
from shoal.search.objectives import objective

ARX_FLOOR = 0.55
"""Seconds polars took for the million rows where ARX was measured."""
TABLES = tuple(SIZES)
K, T = KAnonymity(k=5), TCloseness("occupation", t=0.2, reference="input")


@dataclass(frozen=True)
class Case:
    """A row of ARX's table: seconds and NCP for each of TABLES; and of whole programs, where they were measured."""

    name: str
    models: tuple[ClassModel, ...]
    suppression: float
    arx: tuple[float, float, float]
    ncp: tuple[float, float, float] | None = None
    algorithm: Optimal = field(default_factory=Optimal)
    arx_whole: tuple[float | None, float | None, float | None] = (None, None, None)


CASES = (
    Case("k, 0 %", (K,), 0.0, (0.05, 0.10, 0.29), (0.633, 0.556, 0.518)),
    Case("k, 5 %", (K,), 0.05, (0.23, 0.46, 0.53), (0.177, 0.056, 0.043), arx_whole=(2.6, 3.1, 4.1)),
    Case("k + l, 5 %", (K, LDiversity("occupation", l=3)), 0.05, (0.44, 1.4, 3.1), (0.190, 0.121, 0.091)),
    Case("k + t, 0 %", (K, T), 0.0, (0.02, 0.14, 0.37), (0.919, 0.857, 0.857)),
    Case("k + t, 5 %", (K, T), 0.05, (0.66, 5.6, 7.2), (0.817, 0.756, 0.756), arx_whole=(None, None, 10.9)),
    Case("k, discernibility, 5 %", (K,), 0.05, (0.38, 1.2, 2.3), algorithm=Optimal("discernibility")),
    Case(
        "k, local, 5 %",
        (K,),
        0.05,
        (0.65, 1.0, 1.8),
        (0.0305, 0.0101, 0.0061),
        Optimal(local=True),
        (None, None, 5.6),
    ),
)


def plan_of(case: Case, table: Path) -> shoal.Plan:
    columns = {name: shoal.quasi(File(str(HIERARCHIES / f"adult_hierarchy_{name}.csv"))) for name in QUASI}
    return shoal.Plan(
        data=shoal.Data(source=str(table), separator=SEPARATOR),
        columns={**columns, "occupation": shoal.sensitive(), "salary-class": shoal.insensitive()},
        models=case.models,
        algorithm=case.algorithm,
        release=shoal.ReleaseSettings(suppression=case.suppression),
    )


def searched(case: Case, coded: Coded) -> Partition:
    return case.algorithm.partition(coded, case.models, case.suppression, 0, silent)


def ncp_of(case: Case, coded: Coded, partition: Partition) -> float:
    return objective("loss", Lattice(coded, case.models, case.suppression)).cost_of(partition)


def search_row(case: Case, place: int) -> dict[str, Any]:
    """One case on one table: our warm search, how that compares with ARX's, and how good the result is."""
    before = floor(blowup("adult_1m"))
    plan = plan_of(case, blowup(TABLES[place]))
    frame = pl.read_csv(blowup(TABLES[place]), separator=SEPARATOR, infer_schema=False)
    coded = fitted(frame, plan).coded
    partition = searched(case, coded)
    seconds = best_of(3, lambda: searched(case, coded))
    with_encoding = best_of(2, lambda: searched(case, fitted(frame, plan).coded))
    scale = (before + floor(blowup("adult_1m"))) / 2 / ARX_FLOOR
    allowed = case.arx[place] * scale
    return {
        "case": case.name,
        "table": TABLES[place],
        "search_s": round(seconds, 4),
        "encode_and_search_s": round(with_encoding, 4),
        "arx_warm_s": case.arx[place],
        "arx_scaled_s": round(allowed, 4),
        "ratio": round(seconds / allowed, 3),
        "ncp": round(ncp_of(case, coded, partition), 4),
        "arx_ncp": case.ncp[place] if case.ncp else None,
        "classes": partition.classes,
        "nodes_checked": partition.record.nodes_checked,
        "proven_optimal": partition.record.proven_optimal,
    }


def whole_row(case: Case, place: int) -> dict[str, Any] | None:
    """The whole command, from process start to verified files."""
    arx = case.arx_whole[place]
    if arx is None:
        return None
    before = floor(blowup("adult_1m"))
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan.toml"
        plan.write_text(plan_of(case, blowup(TABLES[place])).to_toml(), encoding="utf-8")
        command = [Path(sys.executable).with_name("shoal"), "anonymize", plan, "--quiet", "--force", "--out"]

        def run() -> None:
            subprocess.run([*command, Path(folder) / "out"], check=True, capture_output=True)

        seconds = best_of(3, run)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        run()
        processor = _seconds(resource.getrusage(resource.RUSAGE_CHILDREN)) - _seconds(used)
    scale = (before + floor(blowup("adult_1m"))) / 2 / ARX_FLOOR
    return {
        "case": case.name,
        "table": TABLES[place],
        "command_s": round(seconds, 3),
        "processor_s": round(processor, 3),
        "arx_program_s": arx,
        "arx_scaled_s": round(arx * scale, 3),
        "ratio": round(seconds / (arx * scale), 3),
    }


def _seconds(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def diabetes_row(budget: float, suppression: float) -> dict[str, Any]:
    """Twenty quasi-identifiers, released and verified."""
    began = time.perf_counter()
    manifest = shoal.anonymize(diabetes.frame(), diabetes.plan(budget, suppression)).steward
    search = manifest.search
    assert search.cost is not None
    assert search.lower_bound is not None
    return {
        "budget_s": budget,
        "suppression": suppression,
        "search_s": manifest.timings["search"],
        "total_s": round(time.perf_counter() - began, 2),
        "lattice_nodes": search.lattice_nodes,
        "nodes_checked": search.nodes_checked,
        "cost": round(search.cost, 5),
        "lower_bound": round(search.lower_bound, 5),
        "gap": round(search.cost - search.lower_bound, 5),
        "proven_optimal": search.proven_optimal,
        "verified": manifest.holds,
    }


def show(title: str, rows: list[dict[str, Any]]) -> None:
    print(f"\n{title}")
    plain = {"tbl_hide_column_data_types": True, "tbl_hide_dataframe_shape": True}
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, **plain):
        print(pl.DataFrame(rows))


def figures(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, float]:
    """What the history keeps of a run."""
    ratios = {
        f"{row['table']}, {row['case']}: {part} / ARX": row["ratio"]
        for part, rows in (("search", found["searches"]), ("command", found["commands"]))
        for row in rows
    }
    gaps = {f"diabetes130, {100 * row['suppression']:g} %: gap": row["gap"] for row in found["twenty_columns"]}
    return ratios | gaps


def main(quick: bool) -> None:
    places = range(1 if quick else len(TABLES))
    searches, wholes = [], []
    for place in places:
        for case in CASES:
            searches.append(search_row(case, place))
            found = whole_row(case, place)
            wholes += [found] if found else []
    budget = 10.0 if quick else 60.0
    wide = [diabetes_row(budget, suppression) for suppression in (0.0, 0.05)] if diabetes.SOURCE.exists() else []
    show("Search, second call in one process", searches)
    show("Whole command", wholes)
    show("Twenty quasi-identifiers", wide)
    results = ROOT / "results" / f"full_domain{'.local' if quick else ''}.json"
    results.parent.mkdir(exist_ok=True)
    found = {"searches": searches, "commands": wholes, "twenty_columns": wide}
    results.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if not quick:
        history.record("full_domain", figures(found))


if __name__ == "__main__":
    main(quick="--quick" in sys.argv[1:])
