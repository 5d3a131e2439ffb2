"""Puts faults into a copy of the package, one at a time, and checks that none leads to a wrong release.

A fault is *stopped* if releases that it would spoil end in an error. It is *harmless* if what it releases is still true
and satisfies every model. Otherwise it is *not stopped*. The releases are those of fixed seeds of the fuzzer, judged by
its plain definitions; they are compared with those of the package without a fault.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "mutants.json"
TRIED, RELEASED, NOT_MET = 1_200, 60, 8
"""The number of seeds to choose from; how many are chosen of those whose tables are released, and of the others."""
SECONDS = 300
"""A fault that takes longer releases nothing."""

Outcome = Mapping[str, Any]


def main() -> int:
    """Tries all faults, or those named, and writes the results; the exit status is 1 if one was not stopped."""
    given = _arguments()
    if given.judge is not None:
        print(json.dumps(judged(given.judge)))
        return 0
    chosen = [fault for fault in FAULTS if not given.only or given.only in fault.name]
    for fault in chosen:
        patched(fault)
    seeds = chosen_seeds()
    sound = _outcomes(ROOT / "src", seeds)
    found = []
    for fault in chosen:
        began = time.monotonic()
        found.append(_tried(fault, seeds, sound))
        print(
            f"{found[-1]['verdict']:<12} {fault.name} ({time.monotonic() - began:.0f} s) {found[-1]['why']}", flush=True
        )
    counts = Counter(each["verdict"] for each in found)
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items())))
    if not given.only:
        _write(found, counts)
    return int(counts["NOT STOPPED"] > 0)


def patched(fault: Fault) -> str:
    """The source with the fault in it; raises unless the text that it replaces occurs exactly once."""
    source = (ROOT / "src" / "shoal" / fault.file).read_text(encoding="utf-8")
    times = source.count(fault.old)
    if times != 1:
        raise ValueError(f"'{fault.name}': the text to replace occurs {times} times in {fault.file}, not once.")
    return source.replace(fault.old, fault.new)


def _tried(fault: Fault, seeds: Sequence[int], sound: Sequence[Outcome]) -> dict[str, Any]:
    """What became of the releases with a fault."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as parent:
        source = Path(parent) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        (source / "shoal" / fault.file).write_text(patched(fault), encoding="utf-8")
        outcomes = _outcomes(source, seeds)
    verdicts = [_compared(here, there) for here, there in zip(outcomes, sound, strict=True)] if outcomes else []
    states = Counter(state for state, _ in verdicts)
    wrong = [why for state, why in verdicts if state == "wrong"]
    claims = [why for state, why in verdicts if state == "false claim"]
    if not outcomes:
        verdict, why = "stopped", "no process ended with a release"
    elif wrong:
        verdict, why = "NOT STOPPED", wrong[0]
    elif claims:
        verdict, why = "false claim", claims[0]
    elif states["stopped"]:
        verdict, why = "stopped", ""
    else:
        verdict, why = "harmless", "" if states["other"] else "no release changed"
    numbers = {state: states[state] for state in ("same", "other", "stopped", "false claim", "wrong")}
    return {"fault": fault.name, "file": fault.file, "verdict": verdict, "why": why, **numbers}


def _compared(here: Outcome, there: Outcome) -> tuple[str, str]:
    """What a fault did to one release, and why that is wrong."""
    if here["state"] != "released":
        return ("same" if here["state"] == there["state"] else "stopped"), ""
    if here["problems"]:
        return "wrong", here["problems"][0]
    if there["state"] != "released":
        return "other", ""
    if reason := _false_claim(here["claims"], there["claims"], same=here["tables"] == there["tables"]):
        return "false claim", reason
    return ("same" if here["tables"] == there["tables"] else "other"), ""


def _false_claim(here: Mapping[str, Any], there: Mapping[str, Any], *, same: bool) -> str:
    """What a release says that is not true, by comparison with the release without a fault; empty if nothing."""
    if same and here["manifest"] != there["manifest"]:
        return "the published manifest says something else of the same tables"
    if here["proven_optimal"] and there["proven_optimal"] and abs(here["cost"] - there["cost"]) > 1e-9:
        return "the steward is told a cost as optimal that is not"
    if here["proven_optimal"] and there["proven_optimal"] is False:
        return "the steward is told that optimality is proven"
    for name in ("minimal", "height"):
        if here[name] != there[name]:
            return f"the steward is told another {name}"
    return ""


# -- in a process of its own ------------------------------------------------------------------------------------------


def chosen_seeds() -> list[int]:
    """Seeds that together have every pair of features of a plan, and a few whose models cannot be met."""
    outcomes = [
        outcome for first in range(0, TRIED, 200) for outcome in _outcomes(ROOT / "src", range(first, first + 200))
    ]
    released = [outcome for outcome in outcomes if outcome["state"] == "released"]
    covered: set[tuple[str, str]] = set()
    found = []
    while len(found) < RELEASED:
        best = max(released, key=lambda outcome: len(_pairs(outcome) - covered))
        covered |= _pairs(best)
        released.remove(best)
        found.append(best["seed"])
    return found + [outcome["seed"] for outcome in outcomes if outcome["state"] == "not met"][:NOT_MET]


def _pairs(outcome: Outcome) -> set[tuple[str, str]]:
    return set(combinations(outcome["features"], 2))


def _outcomes(source: Path, seeds: Sequence[int]) -> list[Outcome]:
    """The outcome of every seed with the package at `source`; empty if the process failed as a whole."""
    threads = {"POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    environment = {**os.environ, **threads, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{source}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "benchmarks.mutants", "--judge", *map(str, seeds)]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=SECONDS, text=True)
    except subprocess.TimeoutExpired:
        return []
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else []


def judged(seeds: Sequence[int]) -> list[dict[str, Any]]:
    """Releases the table of every seed with the package at hand, and judges it."""
    return [_judged(seed) for seed in seeds]


def _judged(seed: int) -> dict[str, Any]:
    import shoal
    from shoal.errors import CannotBeMet
    from tests.fuzz.judging import Case, problems
    from tests.fuzz.running import made_of

    try:
        made, plan, _ = made_of(seed)
        release = shoal.anonymize(made.frame, plan)
    except CannotBeMet:
        return {"seed": seed, "state": "not met"}
    except Exception as error:  # whatever it is, nothing is released
        return {"seed": seed, "state": type(error).__name__}
    search, text = release.steward.search, repr(sorted(_texts(release).items()))
    return {
        "seed": seed,
        "state": "released",
        "features": _features(made, plan, release),
        "problems": _problems(Case(made, plan, release), problems),
        "tables": hashlib.sha256(text.encode()).hexdigest(),
        "claims": {
            "manifest": hashlib.sha256(repr(release.manifest).encode()).hexdigest(),
            "proven_optimal": search.proven_optimal,
            "cost": search.cost,
            "minimal": None if search.minimal is None else sorted(map(str, search.minimal)),
            "height": search.height,
        },
    }


def _features(made: Any, plan: Any, release: Any) -> list[str]:
    """What a release has of all that plans can ask for."""
    settings = plan.release
    few = len(release.verification.sizes) > 1
    found = {
        plan.algorithm.kind,
        settings.form,
        settings.categories,
        settings.ranges,
        "classes" if few else "one class",
    }
    found |= {model.kind for model in plan.models} | {f"frame {made.kind}"}
    found |= {repr(plan.algorithm)} | {getattr(model, "reference", "no reference") for model in plan.models}
    found |= {type(each.settings.get("hierarchy")).__name__ + each.kind for each in made.quasi}
    found |= {"bounds" for each in made.quasi if {"top", "bottom"} & set(each.settings)}
    manifest = release.manifest
    counts = {"dropped": manifest.rows_dropped, "suppressed": manifest.rows_suppressed - manifest.rows_dropped}
    counts |= {"person": made.person, "missing": any(None in row.values() for row in made.rows)}
    return sorted(found | {name for name, number in counts.items() if number})


def _problems(case: Any, problems: Any) -> list[str]:
    """What the judge finds; a release that it cannot read at all is wrong, too."""
    try:
        return list(problems(case))
    except Exception as error:
        return [f"unreadable: {type(error).__name__}"]


def _texts(release: Any) -> dict[str, str]:
    return {name: table.write_csv() for name, table in release.tables.items()}


# -- results ----------------------------------------------------------------------------------------------------------


def _write(found: Sequence[Mapping[str, Any]], counts: Mapping[str, int]) -> None:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
    result = {
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit.strip(),
        "counts": dict(counts),
        "faults": list(found),
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="try only the faults whose name contains this text")
    parser.add_argument("--judge", nargs="+", type=int, metavar="SEED", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
