"""The experiments of Mohammed, Fung, Hung, Lee 2009, with the paper's numbers beside ours.

    python benchmarks/papers/lkc.py adult        CE and DR against K and L, and against traditional k-anonymity
    python benchmarks/papers/lkc.py confidence   CE and DR against C
    python benchmarks/papers/lkc.py blood        a table of 41 quasi-identifiers (diabetes130)
    python benchmarks/papers/lkc.py speed        seconds of the search, and of the whole path
    python benchmarks/papers/lkc.py page         writes docs/evidence/lkc.md and its figures from what was measured

Results are kept in docs/evidence/lkc.json. Needs the data sets beside the project and the extra `learn`.
"""

from __future__ import annotations

import gzip
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.algorithms import Pais
from shoal.hierarchies import File
from shoal.measures import classification
from shoal.models import LKC
from shoal.pipeline import fitted
from shoal.progress import silent

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
RESULTS = ROOT / "docs" / "evidence" / "lkc.json"
SEEDS = 5
SENSITIVE = ("Divorced", "Separated")
SCORES = ("paper", "weighted", "sparing")
KS, LS, CS = (20, 40, 60, 80, 100), (2, 4, 6), (0.14, 0.15, 0.2, 0.25, 0.3)


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


def errors(table: pl.DataFrame, target: str, *without: str, learner: str = "tree") -> dict[str, float]:
    found = classification.error(table.drop(target, *without), table[target], seeds=SEEDS, learner=learner)
    return {"error": found.mean, "low": found.low, "high": found.high}


def honest(table: pl.DataFrame, plan: shoal.Plan, target: str) -> dict[str, float]:
    """The error where the test rows have no part in the recoding: it is learnt on the training rows alone."""
    found = []
    for seed in range(SEEDS):
        train, test = (table[rows] for rows in classification.split(len(table), seed))
        try:
            release = shoal.anonymize(train, plan)
        except shoal.errors.CannotBeMet:
            return {}
        columns = [name for name in table.columns if name != target]
        raw = train[release.released.row].select(columns)
        recoding = classification.Recoding.learnt(raw, release.frame.select(columns))
        found.append(
            classification.held_out_error(
                release.frame.select(columns),
                release.frame[target],
                recoding.applied(test.select(columns)),
                test[target],
                learner="tree",
                seed=seed,
            )
        )
    mean = classification.Error.over(found)
    return {"error": mean.mean, "low": mean.low, "high": mean.high}


def run_adult() -> Iterator[dict[str, Any]]:
    table = adult()
    quasi = [name for name, column in adult_columns().items() if column.role == "quasi-identifier"]
    for learner in classification.LEARNERS:
        yield {"what": "BE", "learner": learner, **errors(table, "income", learner=learner)}
        yield {"what": "UE", "learner": learner, **errors(table, "income", *quasi, learner=learner)}
    yield {"what": "BE without marital-status", "learner": "tree", **errors(table, "income", "marital-status")}
    for l in LS:
        for k in KS:
            for score in SCORES:
                cell = {"l": l, "k": k, "c": 0.2, "score": score}
                plan = adult_plan(l, k, 0.2, goal="classification", score=score)
                release, more = shoal.anonymize(table, plan), k == 20 and l < 6
                yield {
                    "what": "CE",
                    **cell,
                    **errors(release.frame, "income"),
                    "steps": len(release.manifest["steps"]),
                    "dr": release.measures["discernibility_ratio"],
                    "boosting": errors(release.frame, "income", learner="boosting") if more else {},
                    "without": errors(release.frame, "income", "marital-status") if more else {},
                    "honest": honest(table, plan, "income") if more else {},
                }
                general = shoal.anonymize(table, adult_plan(l, k, 0.2, goal="general", score=score))
                yield {
                    "what": "DR",
                    **cell,
                    "dr": general.measures["discernibility_ratio"],
                    "ncp": general.measures["ncp"],
                }
    for k in KS:
        release = shoal.anonymize(table, adult_plan(13, k, 1, goal="general"))
        yield {
            "what": "DR traditional",
            "k": k,
            "dr": release.measures["discernibility_ratio"],
            "ncp": release.measures["ncp"],
        }


def run_confidence() -> Iterator[dict[str, Any]]:
    table = adult()
    for l in LS:
        for c in CS:
            release = shoal.anonymize(table, adult_plan(l, 100, c, goal="classification"))
            general = shoal.anonymize(table, adult_plan(l, 100, c, goal="general"))
            dr = general.measures["discernibility_ratio"]
            yield {"what": "against C", "l": l, "c": c, **errors(release.frame, "income"), "dr": dr}
    try:
        shoal.anonymize(table, adult_plan(2, 100, 0.05, goal="general"))
    except shoal.errors.CannotBeMet as error:
        yield {"what": "C of 5 %", "refused": str(error)}


def diabetes(rows: int | None = 10_000) -> tuple[pl.DataFrame, dict[str, Any]]:
    """One row per patient, 41 quasi-identifiers, the diagnosis chapter sensitive, readmission to be predicted."""
    raw = gzip.decompress((DATA / "diabetes130" / "diabetic_data.csv.gz").read_bytes())
    table = (
        pl.read_csv(raw, infer_schema_length=None, null_values=["?"])
        .unique("patient_nbr", keep="first")
        .sort("patient_nbr")
    )
    code = pl.col("diag_1").str.extract(r"^(\d+)").cast(pl.Int64)
    chapter = pl.when(code.is_null()).then(pl.lit("other")).otherwise((code // 100).cast(pl.String)).alias("diagnosis")
    table = table.with_columns(chapter).drop(
        "encounter_id", "patient_nbr", "diag_1", "diag_2", "diag_3", "weight", "payer_code"
    )
    constant = [name for name in table.columns if table[name].n_unique() == 1]
    table = table.drop(constant)
    quasi = [name for name in table.columns if name not in ("diagnosis", "readmitted")][:41]
    table = table.select(*quasi, "diagnosis", "readmitted").fill_null("missing")
    columns = {name: shoal.quasi() for name in quasi} | {"diagnosis": shoal.sensitive(), "readmitted": shoal.target()}
    return (table if rows is None else table.sample(rows, seed=0)), columns


def run_blood() -> Iterator[dict[str, Any]]:
    table, columns = diabetes()
    quasi = [name for name in columns if name not in ("diagnosis", "readmitted")]
    yield {"what": "blood columns", "quasi": len(quasi), "rows": len(table)}
    yield {"what": "blood BE", **errors(table, "readmitted")}
    yield {"what": "blood UE", **errors(table, "readmitted", *quasi)}
    share = table["diagnosis"].value_counts()["count"].max() / len(table)  # type: ignore[operator]
    c = max(0.2, round(share + 0.2, 2))
    for l in (2, 3, 4):
        for k in (20, 60, 100):
            model = LKC(l=l, k=k, c=c, column="diagnosis")
            for goal in ("classification", "general"):
                for score in SCORES:
                    plan = shoal.Plan(columns=columns, models=[model], algorithm=Pais(goal=goal, score=score))
                    began = time.perf_counter()
                    release = shoal.anonymize(table, plan)
                    seconds = time.perf_counter() - began
                    found = {"dr": release.measures["discernibility_ratio"], "seconds": seconds, "c": c}
                    found |= {"search": release.timings["search"], "steps": len(release.manifest["steps"])}
                    found |= errors(release.frame, "readmitted") if goal == "classification" else {}
                    yield {"what": "blood", "l": l, "k": k, "goal": goal, "score": score, **found}
    plan = shoal.Plan(columns=columns, models=[LKC(len(quasi), 20, 1, "diagnosis")], algorithm=Pais())
    yield {"what": "blood traditional", "k": 20, "dr": shoal.anonymize(table, plan).measures["discernibility_ratio"]}


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


def searched(name: str, table: pl.DataFrame, plan: shoal.Plan, times: int = 3) -> dict[str, Any]:
    """The search alone, after warm-up: best of several."""
    _, encoded = fitted(table, plan)
    walls, cpus, steps = [], [], 0
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        steps = len(plan.algorithm.partition(encoded, plan.enforced, 0.0, silent).facts["steps"])
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    found = {"rows": len(table), "distinct": len(encoded.codes), "steps": steps, "peak_gb": round(peak, 2)}
    return {"what": "search", "case": name, "wall": min(walls), "cpu": min(cpus), **found}


def run_speed() -> Iterator[dict[str, Any]]:
    table = adult()
    for goal in ("classification", "general"):
        searched("warm-up", table, adult_plan(4, 20, 0.2, goal=goal), 1)
    for score in SCORES:
        yield searched(
            f"45 k, L=4, K=20, C=20 %, classification, {score}",
            table,
            adult_plan(4, 20, 0.2, goal="classification", score=score),
            5,
        )
    million = blown_up(1_000_000)
    for goal in ("classification", "general"):
        for score in SCORES:
            yield searched(
                f"1 M, L=4, K=20, C=100 %, {goal}, {score}", million, adult_plan(4, 20, 1, goal=goal, score=score)
            )
    for goal in ("classification", "general"):
        yield searched(f"45 k, L=4, K=1, every step allowed, {goal}", table, adult_plan(4, 1, 1, goal=goal), 1)
    copies = pl.concat([table] * 23).head(1_000_000)
    yield searched(
        "1 M exact copies, L=4, K=20, classification", copies, adult_plan(4, 20, 1, goal="classification"), 1
    )
    for rows in (200_000, 400_000, 600_000, 800_000, 1_000_000):
        yield whole_path(million.head(rows))


def whole_path(table: pl.DataFrame) -> dict[str, Any]:
    """CSV to verified CSV, split as the paper does, and the floor: polars reading and writing the same table."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "adult.csv", Path(folder) / "out"
        table.write_csv(source)
        began = time.perf_counter()
        pl.read_csv(source, infer_schema=False).write_csv(Path(folder) / "floor.csv")
        floor = time.perf_counter() - began
        plan = adult_plan(4, 20, 1, goal="classification").changed(data=shoal.plan.Data(source=str(source)))
        began = time.perf_counter()
        shoal.anonymize_to(plan, out)
        seconds = time.perf_counter() - began
        timings = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["timings"]
    return {"what": "whole path", "rows": len(table), "floor": floor, "seconds": seconds, "timings": timings}


STAGES = {"adult": run_adult, "confidence": run_confidence, "blood": run_blood, "speed": run_speed}


def main() -> None:
    stage = sys.argv[1] if len(sys.argv) > 1 else "page"
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if stage == "page":
        from lkc_page import write

        write(results, RESULTS.parent)
        return
    found = []
    for line in STAGES[stage]():
        print(json.dumps(line), flush=True)
        found.append(line)
        results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        results[stage] = found
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
