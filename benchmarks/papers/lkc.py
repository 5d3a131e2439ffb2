"""The experiments of Mohammed, Fung, Hung, Lee 2009, with the paper's numbers beside ours.

    python -m benchmarks.papers.lkc adult        CE and DR against K and L, and against traditional k-anonymity
    python -m benchmarks.papers.lkc age          the same with a taxonomy of age
    python -m benchmarks.papers.lkc gaps         Adult with missing numbers
    python -m benchmarks.papers.lkc confidence   CE and DR against C
    python -m benchmarks.papers.lkc blood        a table of 41 quasi-identifiers (diabetes130)
    python -m benchmarks.papers.lkc patients     the scores on synthetic patients
    python -m benchmarks.papers.lkc optimal      the optimal full-domain recoding under LKC, compared with PAIS
    python -m benchmarks.papers.lkc speed        seconds of the search
    python -m benchmarks.papers.lkc path         seconds and memory from CSV to verified CSV, up to ten million rows
    python -m benchmarks.papers.lkc page         write docs/evidence/lkc.md and its figures from the measurements

Results are stored in docs/evidence/lkc.json. Needs the data sets next to the project and the extra `learn`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks import history
from benchmarks.papers.lkc_tables import adult, adult_columns, adult_plan, blown_up, diabetes, forks, own_patients
from shoal.algorithms import Optimal, Pais
from shoal.estimating import classifiers
from shoal.evaluate.classification_error import honest_error
from shoal.models import LKC
from shoal.pipeline import fitted
from shoal.progress import silent

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs" / "evidence" / "lkc.json"
SEEDS = 10
SCORES = ("paper", "weighted", "sparing")
KS, LS, CS = (20, 40, 60, 80, 100), (2, 4, 6), (0.14, 0.15, 0.2, 0.25, 0.3)


def by_seed(table: pl.DataFrame, target: str, *without: str, learner: str = "tree") -> list[float]:
    """The error of predicting the target, for every split into rows to learn from and rows to judge by."""
    known, found = table.drop(target, *without), []
    for seed in range(SEEDS):
        train, test = classifiers.split(len(table), seed)
        sides = (known[train] if known.width else known, table[target][train])
        judged = (known[test] if known.width else known, table[target][test])
        found.append(classifiers.held_out_error(*sides, *judged, learner=learner, seed=seed))
    return found


def summary(errors: list[float]) -> dict[str, float]:
    """The mean, and a 95 % interval of it."""
    found = classifiers.Error.over(errors)
    return {"error": found.mean, "low": found.low, "high": found.high}


def above(found: list[float], other: list[float]) -> dict[str, float]:
    """By how much the errors are higher than others on the same splits."""
    return summary([one - another for one, another in zip(found, other, strict=True)])


def errors(table: pl.DataFrame, target: str, *without: str, learner: str = "tree") -> dict[str, float]:
    return summary(by_seed(table, target, *without, learner=learner))


def honest(table: pl.DataFrame, plan: shoal.Plan) -> dict[str, float]:
    """The error where the test rows have no part in the recoding; empty where too few are left to keep the promise."""
    try:
        found = honest_error(table, plan, seeds=SEEDS)
    except shoal.errors.CannotBeMet:
        return {}
    return {"error": found.mean, "low": found.low, "high": found.high}


def run_adult() -> Iterator[dict[str, Any]]:
    table = adult()
    quasi = [name for name, column in adult_columns().items() if column.role == "quasi-identifier"]
    for learner in classifiers.LEARNERS:
        yield {"what": "BE", "learner": learner, **errors(table, "income", learner=learner)}
        yield {"what": "UE", "learner": learner, **errors(table, "income", *quasi, learner=learner)}
    yield {"what": "BE without marital-status", "learner": "tree", **errors(table, "income", "marital-status")}
    for l in LS:
        for k in KS:
            yield from _cell(table, l, k)
    for k in KS:
        release = shoal.anonymize(table, adult_plan(13, k, 1, goal="general"))
        yield {
            "what": "DR traditional",
            "k": k,
            "dr": release.measures["discernibility_ratio"],
            "ncp": release.measures["ncp"],
        }


def run_age() -> Iterator[dict[str, Any]]:
    """Adult with a taxonomy of age, in place of the cuts that are best at the moment."""
    table = adult()
    base = by_seed(table, "income")
    columns = adult_columns() | {"age": shoal.quasi(shoal.intervals(5, 10, 20))}
    for l in LS:
        for k in KS:
            plans = [
                adult_plan(l, k, 0.2, goal="classification", score=score).changed(columns=columns)
                for score in ("paper", "sparing")
            ]
            releases = [shoal.anonymize(table, plan) for plan in plans]
            paper, own = (by_seed(release.frame, "income") for release in releases)
            ratios = [release.measures["discernibility_ratio"] for release in releases]
            yield {
                "what": "tree of age",
                "l": l,
                "k": k,
                **summary(paper),
                "above_base": above(paper, base),
                "above_paper": above(own, paper),
                "dr": ratios,
            }


def run_gaps() -> Iterator[dict[str, Any]]:
    """Adult with some of its numbers missing."""
    numbers = ["age", "education-num", "capital-gain", "hours-per-week"]
    for share in (0, 0.0005, 0.005, 0.05):
        rng, table = np.random.default_rng(1), adult()
        gaps = [pl.when(pl.Series(rng.random(len(table)) < share)).then(None).otherwise(pl.col(n)) for n in numbers]
        table = table.with_columns(gap.alias(name) for gap, name in zip(gaps, numbers, strict=True))
        for l in (2, 4):
            release = shoal.anonymize(table, adult_plan(l, 20, 0.2, goal="classification"))
            hidden = sum(float((release.frame[name] == "*").mean()) for name in numbers) / len(numbers)
            found = {"dr": release.measures["discernibility_ratio"], "hidden": hidden}
            yield {"what": "gaps", "share": share, "l": l, **errors(release.frame, "income"), **found}


def _cell(table: pl.DataFrame, l: int, k: int) -> Iterator[dict[str, Any]]:
    """All scores for one choice of L and K, for both goals; the errors are compared split by split."""
    papers: list[float] = []
    for score in SCORES:
        cell = {"l": l, "k": k, "c": 0.2, "score": score}
        plan = adult_plan(l, k, 0.2, goal="classification", score=score)
        release, more = shoal.anonymize(table, plan), k == 20 and l < 6
        found = by_seed(release.frame, "income")
        papers = papers or found
        yield {
            "what": "CE",
            **cell,
            **summary(found),
            "above_paper": above(found, papers),
            "steps": len(release.steps),
            "dr": release.measures["discernibility_ratio"],
            "boosting": errors(release.frame, "income", learner="boosting") if more else {},
            "without": errors(release.frame, "income", "marital-status") if more else {},
            "honest": honest(table, plan) if more else {},
        }
        general = shoal.anonymize(table, adult_plan(l, k, 0.2, goal="general", score=score))
        ratio, loss = general.measures["discernibility_ratio"], general.measures["ncp"]
        yield {"what": "DR", **cell, "dr": ratio, "ncp": loss}


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


def run_blood() -> Iterator[dict[str, Any]]:
    table, columns = diabetes()
    quasi = [name for name in columns if columns[name].role == "quasi-identifier"]
    yield {"what": "columns", "quasi": len(quasi), "rows": len(table)}
    share = table["diagnosis"].value_counts()["count"].max() / len(table)  # type: ignore[operator]
    c = max(0.2, round(share + 0.2, 2))
    yield from _scores(table, columns, "diagnosis", "readmitted", c, (2, 3, 4))
    plan = shoal.Plan(columns=columns, models=[LKC(len(quasi), 20, 1, "diagnosis")], algorithm=Pais())
    yield {"what": "traditional", "k": 20, "dr": shoal.anonymize(table, plan).measures["discernibility_ratio"]}


def run_patients() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        table, columns = own_patients(Path(folder))
        yield {"what": "columns", "quasi": len(columns) - 2, "rows": len(table)}
        yield from _scores(table, columns, "diagnosis", "died", 0.2, (2, 4))


def _scores(
    table: pl.DataFrame, columns: dict[str, Any], sensitive: str, target: str, c: float, ls: tuple[int, ...]
) -> Iterator[dict[str, Any]]:
    """BE, UE, and every score for both goals against L and K."""
    quasi = [name for name in columns if columns[name].role == "quasi-identifier"]
    yield {"what": "BE", **errors(table, target)}
    yield {"what": "UE", **errors(table, target, *quasi)}
    for l in ls:
        for k in (20, 60, 100):
            for goal in ("classification", "general"):
                papers: list[float] = []
                for score in SCORES:
                    model = LKC(l=l, k=k, c=c, column=sensitive)
                    plan = shoal.Plan(columns=columns, models=[model], algorithm=Pais(goal=goal, score=score))
                    began = time.perf_counter()
                    release = shoal.anonymize(table, plan)
                    found = {"dr": release.measures["discernibility_ratio"], "seconds": time.perf_counter() - began}
                    found |= {"search": release.steward.timings["search"], "steps": len(release.steps), "c": c}
                    if goal == "classification":
                        own = by_seed(release.frame, target)
                        papers = papers or own
                        found |= summary(own)
                        found["above_paper"] = above(own, papers)
                    yield {"what": "score", "l": l, "k": k, "goal": goal, "score": score, **found}


INTERVALS = {
    "age": (5, 10, 20, 40),
    "hours-per-week": (5, 10, 20, 40),
    "education-num": (2, 4, 8),
    "fnlwgt": (50_000, 200_000, 800_000),
    "capital-gain": (1_000, 5_000, 20_000),
    "capital-loss": (500, 1_000, 2_000),
}


def run_optimal() -> Iterator[dict[str, Any]]:
    """Adult at K = 20 with intervals for numbers, so that both may recode alike."""
    table = adult()
    columns = adult_columns() | {name: shoal.quasi(shoal.intervals(*widths)) for name, widths in INTERVALS.items()}
    for l, c in ((2, 0.2), (2, 1), (4, 1)):
        model = LKC(l=l, k=20, c=c, column="marital-status", values=("Divorced", "Separated"))
        for algorithm in (Optimal(budget=60), Pais()):
            plan = shoal.Plan(columns=columns, models=[model], algorithm=algorithm)
            release = shoal.anonymize(table, plan)
            proven = release.steward.search.proven_optimal
            found = {"ncp": release.measures["ncp"], "dr": release.measures["discernibility_ratio"], "proven": proven}
            yield {
                "what": "optimal",
                "l": l,
                "c": c,
                "by": algorithm.kind,
                "search": release.steward.timings["search"],
                **found,
            }


def searched(name: str, table: pl.DataFrame, plan: shoal.Plan, times: int = 3) -> dict[str, Any]:
    """The search alone, after warm-up: best of several."""
    coded = fitted(table, plan).coded
    walls, cpus, steps = [], [], 0
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        record = plan.algorithm.partition(coded, plan.enforced, 0.0, plan.seed, silent).record
        steps = len(record.steps or ())
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    found = {"rows": len(table), "distinct": len(coded.counted), "steps": steps, "peak_gb": round(peak, 2)}
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
    for l, depth, left in ((2, 3, 0.5), (3, 3, 0.5), (4, 1, 0.5), (4, 3, 0.8)):
        with tempfile.TemporaryDirectory() as folder:
            wide, columns = forks(Path(folder), depth, left)
            plan = shoal.Plan(columns=columns, models=[LKC(l, 20, 1, "ill")], algorithm=Pais())
            leaves = f"{2**depth} leaves, left branches {left:g}"
            yield searched(f"41 columns, 100 k, L={l}, K=20, general, {leaves}", wide, plan, 1)


def run_path() -> Iterator[dict[str, Any]]:
    """The whole command, and the floor, each in a process of its own so that memory can be told."""
    for rows in (200_000, 400_000, 600_000, 800_000, 1_000_000, 1_000_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000):
        yield whole_path(rows)


SHOAL = "import sys; from shoal.cli import main; sys.exit(main())"
FLOOR = "import polars, sys; polars.read_csv(sys.argv[1], infer_schema=False).write_csv(sys.argv[2])"


def whole_path(rows: int) -> dict[str, Any]:
    """CSV to verified CSV, split as the paper does, and the floor: polars reading and writing the same table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make = [sys.executable, "-m", "benchmarks.papers.lkc", "blown-up", str(rows), str(folder / "adult.csv")]
        subprocess.run(make, check=True, cwd=ROOT)
        plan = adult_plan(4, 20, 1, goal="classification").changed(data=shoal.Data(source="adult.csv"))
        (folder / "plan.toml").write_text(plan.to_toml(), encoding="utf-8")
        floor = _timed([sys.executable, "-c", FLOOR, str(folder / "adult.csv"), str(folder / "floor.csv")])
        ours = _timed(
            [sys.executable, "-c", SHOAL, "anonymize", str(folder / "plan.toml"), "--out", str(folder / "out")]
        )
        timings = json.loads((folder / "out.private" / "steward.json").read_text(encoding="utf-8"))["timings"]
    return {"what": "whole path", "rows": rows, "floor": floor, **ours, "timings": timings}


def _timed(command: list[str]) -> dict[str, Any]:
    """Seconds and peak memory of a command."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise RuntimeError(f"{command[2]} failed")
    return {"seconds": time.perf_counter() - began, "peak_gb": usage.ru_maxrss / 1e6}


STAGES = {
    "adult": run_adult,
    "age": run_age,
    "gaps": run_gaps,
    "confidence": run_confidence,
    "blood": run_blood,
    "patients": run_patients,
    "optimal": run_optimal,
    "speed": run_speed,
    "path": run_path,
}


def figures(lines: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """What the history keeps of a stage: error and discernibility of the default score, seconds, and ratios."""
    found = {}
    for line in lines:
        if line["what"] == "CE" and line["score"] == "sparing" and line["k"] == 20:
            found[f"Adult, L = {line['l']}, K = 20: CE"] = line["error"]
            found[f"Adult, L = {line['l']}, K = 20: DR"] = line["dr"]
        elif line["what"] == "search":
            found[f"{line['case']}: search, CPU s"] = line["cpu"]
        elif line["what"] == "whole path":
            found[f"{line['rows']:,} rows: command / floor"] = line["seconds"] / line["floor"]["seconds"]
    return found


def main() -> None:
    stage = sys.argv[1] if len(sys.argv) > 1 else "page"
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if stage == "blown-up":
        blown_up(int(sys.argv[2])).write_csv(sys.argv[3])
        return
    if stage == "page":
        from benchmarks.papers.lkc_page import write

        write(results, RESULTS.parent)
        return
    found = []
    for line in STAGES[stage]():
        print(json.dumps(line), flush=True)
        found.append(line)
        results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        results[stage] = found
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    history.record("lkc", figures(found))


if __name__ == "__main__":
    main()
