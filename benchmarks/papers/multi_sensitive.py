"""Gal, Chen, Gangopadhyay 2008: discernability, query error and time of multi-sensitive diversity (Figures 9 to 14).

    python -m benchmarks.papers.multi_sensitive                 measure, then write tables and figures
    python -m benchmarks.papers.multi_sensitive --only time     one part; the others stay as they were measured last
    python -m benchmarks.papers.multi_sensitive --render        only write tables and figures

Two tables: a synthetic cancer registry shaped as the paper describes its own, and diabetes130 where it is at hand.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks import history
from shoal.attacks import trap
from shoal.attacks.elimination import evidence_of
from shoal.coded import ClassStats, Partition
from shoal.coded.recoding import Exact, shown_columns
from shoal.datasets import registry
from shoal.datasets.registry import SENSITIVE
from shoal.engines.fitting import Fitted, published_columns, sensitive_text
from shoal.errors import CannotBeMet
from shoal.estimating.query_error import query_error
from shoal.forms import Anatomy
from shoal.forms.base import Publishable
from shoal.pipeline import fitted
from shoal.progress import silent

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "multi_sensitive.json"
DIABETES = ROOT.parent / "shared" / "data" / "diabetes130" / "diabetic_data.csv.gz"

ROWS, SEED = 72_194, 0
K, L, M = 50, 10, 3
CHECKS = ("greedy", "exact")
LIMITED = ("topography", "histology", "recurrence_status")
QUASI = {
    "birth_date": shoal.quasi(type="date"),
    "gender": shoal.quasi(),
    "race": shoal.quasi(),
    "zip": shoal.quasi(type="integer"),
}
DIABETES_QUASI = (
    "age",
    "race",
    "gender",
    "time_in_hospital",
    "num_lab_procedures",
    "num_medications",
    "number_diagnoses",
)
DIABETES_SENSITIVE = ("diag_1", "diag_2", "diag_3", "medical_specialty", "discharge_disposition_id")

Result = dict[str, Any]


def plan(sensitive: tuple[str, ...], *models: Any, quasi: dict[str, Any] | None = None, **algorithm: Any) -> shoal.Plan:
    """A plan for a table of which only these columns are used; a missing value of diabetes130 is a value of its own."""
    columns = {**(quasi or QUASI), **{name: shoal.sensitive(missing_counts=quasi is not None) for name in sensitive}}
    return shoal.Plan(
        columns=columns,
        models=models,
        algorithm=shoal.Mondrian(**{"cut": "median", **algorithm}),
        data=shoal.Data(unlisted="drop"),
        release=shoal.ReleaseSettings(form="anatomy"),
    )


def partitioned(frame: pl.DataFrame, used: shoal.Plan) -> tuple[Fitted, Partition, float]:
    """The table as integers, the partition that was found, and the seconds that finding it took."""
    fit = fitted(frame, used)
    began = time.perf_counter()
    found = used.algorithm.partition(fit.coded, used.enforced, 0.0, used.seed, silent)
    return fit, found, time.perf_counter() - began


def discernibility(found: Partition) -> float:
    sizes = found.rows.astype(np.float64)
    return float((sizes**2).sum() / sizes.sum())


def run(frame: pl.DataFrame, used: shoal.Plan) -> Result:
    fit, found, seconds = partitioned(frame, used)
    model = used.enforced[0]
    decided = model.decisions(found.stats(fit.coded)) if hasattr(model, "decisions") else {}
    return {
        "discernibility_per_row": discernibility(found),
        "classes": found.classes,
        "search": seconds,
        "decided": decided,
    }


def exponential(frame: pl.DataFrame, sensitive: tuple[str, ...], k: int, l: int, **quasi: Any) -> Result:
    """The baseline; where even the whole table fails it, the single class that the paper would have published."""
    try:
        return run(frame, plan(sensitive, shoal.ExponentialL(l=l), shoal.MultiSensitive(l=2, k=k), **quasi))
    except CannotBeMet:
        return {"discernibility_per_row": float(frame.height), "classes": 1, "satisfies": False}


def compared(frame: pl.DataFrame, sensitive: tuple[str, ...], k: int, l: int, **quasi: Any) -> Result:
    """Greedy, exact and the baseline; null where the model cannot be met."""
    found: Result = {}
    for check in CHECKS:
        try:
            found[check] = run(frame, plan(sensitive, shoal.MultiSensitive(l=l, k=k, check=check), **quasi))
        except CannotBeMet as error:
            found[check] = {"reason": str(error)}
    found["exponential-l"] = exponential(frame, sensitive, k, l, **quasi)
    return found


# -- the parts ------------------------------------------------------------------------------------------------------


def varied(frame: pl.DataFrame, sensitive: tuple[str, ...], **quasi: Any) -> Result:
    """Figures 9, 10 and 11: discernibility per row against L, K and m."""
    most = min(len(sensitive), 7)
    return {
        "l": {l: compared(frame, sensitive[:M], K, l, **quasi) for l in (2, 4, 6, 8, 10, 12, 14)},
        "k": {k: compared(frame, sensitive[:M], k, L, **quasi) for k in (25, 50, 75, 100, 150, 200)},
        "m": {m: compared(frame, sensitive[:m], K, L, **quasi) for m in range(1, most + 1)},
    }


def discernibility_part() -> Result:
    return varied(registry(ROWS, SEED), SENSITIVE)


class _Watched:
    """A model that counts how the classes it is asked about are decided."""

    def __init__(self, model: Any) -> None:
        self.model, self.steps = model, Counter[str]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def passes(self, stats: ClassStats) -> Any:
        self.steps.update(self.model.decisions(stats))
        return self.model.passes(stats)


def steps_part() -> Result:
    """How every class that the exact search looks at is decided, tried cuts included."""
    frame = registry(ROWS, SEED)
    found: Result = {}
    for m in (3, 5, 7):
        used = plan(SENSITIVE[:m], shoal.MultiSensitive(l=L, k=K))
        watched = _Watched(used.enforced[0])
        used.algorithm.partition(fitted(frame, used).coded, (watched,), 0.0, used.seed, silent)
        found[str(m)] = dict(watched.steps)
    return found


def limits_part() -> Result:
    """Figure 12: the last of three columns has few values; its limit runs from 0 to L."""
    frame = registry(ROWS, SEED)
    found: Result = {}
    for limit in range(0, L + 1, 2):
        for check in CHECKS:
            model = shoal.MultiSensitive(l=L, k=K, check=check, limits={LIMITED[-1]: limit})
            found.setdefault(str(limit), {})[check] = run(frame, plan(LIMITED, model))
    return found


def queries_part() -> Result:
    """Table 1: the mean relative error of random queries on the anatomy, and on generalized tables."""
    frame = registry(ROWS, SEED)
    found: Result = {}
    sensitive = SENSITIVE[:M]
    for cut in ("median", "loss"):
        for check in CHECKS:
            used = plan(sensitive, shoal.MultiSensitive(l=L, k=K, check=check), cut=cut)
            found[f"{check}, cut = {cut}, anatomy"] = _error(frame, used, partitioned(frame, used))
    used = plan(sensitive, shoal.MultiSensitive(l=L, k=K), cut="loss")
    general = used.changed(release=shoal.ReleaseSettings(form="generalized"))
    found["exact, cut = loss, generalized"] = asdict(
        query_error(frame, shoal.anonymize(frame, general).frames, general, seed=SEED)
    )
    found["exponential-l (single class)"] = _error(frame, used, single_class(frame, used))
    for limit in (2, 10):
        used = plan(LIMITED, shoal.MultiSensitive(l=L, k=K, check="greedy", limits={LIMITED[-1]: limit}))
        found[f"limit of recurrence_status {limit}"] = _error(frame, used, partitioned(frame, used))
    return found


def single_class(frame: pl.DataFrame, used: shoal.Plan) -> tuple[Fitted, Partition, float]:
    """All rows in one class, as `partitioned` gives them."""
    fit = fitted(frame, used)
    weight = fit.coded.counted.weight
    return fit, Partition.of_rows(np.zeros(len(weight), np.int64), 1, weight, Exact()), 0.0


def _error(frame: pl.DataFrame, used: shoal.Plan, found: tuple[Fitted, Partition, float]) -> Result:
    fit, partition, _ = found
    columns = published_columns(fit.engine.columns, used)
    shown = shown_columns(Exact(), fit.coded, partition.members)
    sensitive = {name: sensitive_text(fit.engine, name, used) for name in used.sensitive}
    layout = Anatomy().layout(Publishable(columns, shown, fit.exact_text, sensitive))
    released = fit.engine.publish(partition, layout)
    began = time.perf_counter()
    return {**asdict(query_error(frame, released.tables, used, seed=SEED)), "seconds": time.perf_counter() - began}


def time_part() -> Result:
    """Figures 13 and 14: seconds against columns and rows, search alone and the whole of `anonymize`; best of two."""
    frame = registry(ROWS, SEED)
    kinds: dict[str, Callable[[int], shoal.MultiSensitive]] = {
        "greedy": lambda m: shoal.MultiSensitive(l=L, k=K, check="greedy"),
        "exact": lambda m: shoal.MultiSensitive(l=L, k=K),
        "greedy, last column limited to 2": lambda m: shoal.MultiSensitive(
            l=L, k=K, check="greedy", limits={SENSITIVE[m - 1]: 2}
        ),
    }
    by_columns: Result = {}
    for m in range(1, 8):
        for name, model in kinds.items():
            if m == 1 and "limited" in name:
                continue
            used = plan(SENSITIVE[:m], model(m))
            by_columns.setdefault(str(m), {})[name] = _best(frame, used)
    by_rows: Result = {}
    for share in (0.2, 0.4, 0.6, 0.8, 1.0):
        part = frame.head(round(share * ROWS))
        by_rows[str(part.height)] = {name: _best(part, plan(SENSITIVE[:7], model(7))) for name, model in kinds.items()}
    return {"m": by_columns, "rows": by_rows}


def growth_part() -> Result:
    """Seconds up to a million rows with all seven columns, best of two, and the exponent of a fitted power law.

    Seconds of the processor: the search runs on one core, and other work on the machine would show in wall time.
    """
    found: Result = {}
    for n in (62_500, 125_000, 250_000, 500_000, 1_000_000):
        frame = registry(n, SEED)
        for check in CHECKS:
            used = plan(SENSITIVE[:7], shoal.MultiSensitive(l=L, k=K, check=check))
            found.setdefault(check, {})[str(n)] = min(_processor_seconds(frame, used) for _ in range(2))
    return {"seconds": found, "exponent": {check: _exponent(of_rows) for check, of_rows in found.items()}}


def _processor_seconds(frame: pl.DataFrame, used: shoal.Plan) -> float:
    coded = fitted(frame, used).coded
    began = time.process_time()
    used.algorithm.partition(coded, used.enforced, 0.0, used.seed, silent)
    return time.process_time() - began


def _exponent(seconds: dict[str, float]) -> float:
    points = [(math.log(int(n)), math.log(s)) for n, s in seconds.items()]
    return float(np.polyfit(*zip(*points, strict=True), 1)[0])


def _best(frame: pl.DataFrame, used: shoal.Plan) -> Result:
    found = []
    for _ in range(2):
        began = time.perf_counter()
        release = shoal.anonymize(frame, used)
        found.append({"total": time.perf_counter() - began, "search": release.manifest.timings["search"]})
    return {step: min(each[step] for each in found) for step in ("total", "search")}


def trap_part() -> Result:
    """What judging every column alone lets through: classes of a p-sensitive release that fall to elimination."""
    frame = registry(ROWS, SEED)
    found: Result = {}
    for m in (2, 3, 5, 7):
        for model in (shoal.PSensitive(p=L, k=K), shoal.MultiSensitive(l=L, k=K)):
            used = plan(SENSITIVE[:m], model).changed(release=shoal.ReleaseSettings(form="generalized"))
            release = shoal.anonymize(frame, used)
            seen = trap(evidence_of(release.tables["release"], used), used.sensitive, L)
            found.setdefault(str(m), {})[model.kind] = asdict(seen)
    return found


def diabetes_part() -> Result:
    """The same on diabetes130, one row per patient."""
    if not DIABETES.exists():
        return {}
    frame = diabetes()
    quasi = {name: shoal.quasi() for name in DIABETES_QUASI}
    found = varied(frame, DIABETES_SENSITIVE, quasi=quasi)
    used = plan(DIABETES_SENSITIVE[:M], shoal.MultiSensitive(l=L, k=K), quasi=quasi)
    found["queries"] = {
        "exact, cut = median, anatomy": _error(frame, used, partitioned(frame, used)),
        "exponential-l (single class)": _error(frame, used, single_class(frame, used)),
    }
    found["rows"] = frame.height
    found["values"] = {name: frame[name].n_unique() for name in DIABETES_SENSITIVE}
    return found


def diabetes() -> pl.DataFrame:
    frame = pl.read_csv(DIABETES, infer_schema=False)
    return frame.unique("patient_nbr", keep="first", maintain_order=True).select(*DIABETES_QUASI, *DIABETES_SENSITIVE)


PARTS: dict[str, Callable[[], Result]] = {
    "discernibility_per_row": discernibility_part,
    "steps": steps_part,
    "limits": limits_part,
    "queries": queries_part,
    "trap": trap_part,
    "diabetes": diabetes_part,
    "time": time_part,
    "growth": growth_part,
}


def figures(part: str, found: Result) -> dict[str, float]:
    """What the history keeps of a part: discernibility per row, query error, and the time of the search."""
    if part == "discernibility_per_row":
        cells = [(m, check, found["m"][m][check]) for m in ("3", "7") for check in CHECKS]
        return {f"m = {m}, {check}: discernibility per row": each["discernibility_per_row"] for m, check, each in cells}
    if part == "queries":
        return {f"{name}: query error": each["all"] for name, each in found.items()}
    if part == "time":
        return {f"m = 7, {check}: search, s": found["m"]["7"][check]["search"] for check in CHECKS}
    if part == "growth":
        return {f"1 M rows, {check}: search, CPU s": found["seconds"][check]["1000000"] for check in CHECKS}
    return {}


def main() -> None:
    from benchmarks.papers import multi_sensitive_page

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS, help="measure this part alone")
    parser.add_argument("--render", action="store_true", help="measure nothing, only write tables and figures")
    chosen = parser.parse_args()
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name, part in PARTS.items():
        if chosen.render or chosen.only not in (None, name):
            continue
        began = time.perf_counter()
        known[name] = json.loads(json.dumps(part()))
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(known, indent=1) + "\n")
        history.record("multi_sensitive", figures(name, known[name]))
        print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)
    multi_sensitive_page.write(known)


if __name__ == "__main__":
    main()
