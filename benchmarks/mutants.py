"""Puts faults into a copy of the package, one at a time, and checks that none leads to a wrong release.

A fault is *stopped* if releases that it would spoil end in an error. It is *harmless* if what it releases is still true
and satisfies every model. Otherwise it is *not stopped*. The releases are those of `benchmarks.fault_cases`, judged by
the fuzzer's plain definitions, and compared with those of the package without a fault.
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
from pathlib import Path
from typing import Any

from benchmarks.faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "mutants.json"
PAGE = ROOT / "docs" / "developing" / "faults.md"
MARK = "<!-- Written by benchmarks/mutants.py. -->"
SECONDS = 300
"""A fault that takes longer releases nothing."""

Outcome = Mapping[str, Any]


def main() -> int:
    """Tries all faults, or those named, and writes the results; the exit status is 1 if one was not stopped."""
    given = _arguments()
    if given.judge:
        print(json.dumps(judged()))
        return 0
    chosen = [fault for fault in FAULTS if not given.only or given.only in fault.name]
    for fault in chosen:
        patched(fault)
    sound = _outcomes(ROOT / "src")
    if not sound or any(each.get("problems") for each in sound):
        raise RuntimeError("The package without a fault does not release the tables soundly.")
    found = []
    for fault in chosen:
        began = time.monotonic()
        found.append(_tried(fault, sound))
        print(
            f"{found[-1]['verdict']:<12} {fault.name} ({time.monotonic() - began:.0f} s) {found[-1]['why']}", flush=True
        )
    counts = Counter(each["verdict"] for each in found)
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items())))
    if not given.only:
        write(found, _commit())
    return int(counts["NOT STOPPED"] > 0)


def patched(fault: Fault) -> str:
    """The source with the fault in it; raises unless the text that it replaces occurs exactly once."""
    source = (ROOT / "src" / "shoal" / fault.file).read_text(encoding="utf-8")
    times = source.count(fault.old)
    if times != 1:
        raise ValueError(f"'{fault.name}': the text to replace occurs {times} times in {fault.file}, not once.")
    return source.replace(fault.old, fault.new)


def _tried(fault: Fault, sound: Sequence[Outcome]) -> dict[str, Any]:
    """What became of the releases with a fault."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as parent:
        source = Path(parent) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        (source / "shoal" / fault.file).write_text(patched(fault), encoding="utf-8")
        outcomes = _outcomes(source)
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


def _outcomes(source: Path) -> list[Outcome]:
    """The outcome of every case with the package at `source`; empty if the process failed as a whole."""
    threads = {"POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    environment = {**os.environ, **threads, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{source}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "benchmarks.mutants", "--judge"]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=SECONDS, text=True)
    except subprocess.TimeoutExpired:
        return []
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else []


def judged() -> list[dict[str, Any]]:
    """Releases the table of every case with the package at hand, and judges it."""
    from benchmarks.fault_cases import cases

    return [_judged(made, plan) for made, plan in cases()]


def _judged(made: Any, plan: Any) -> dict[str, Any]:
    import shoal
    from tests.fuzz.judging import Case, problems

    try:
        release = shoal.anonymize(made.frame, plan)
    except Exception as error:  # whatever it is, nothing is released
        return {"state": type(error).__name__}
    search, text = release.steward.search, repr(sorted(_texts(release).items()))
    return {
        "state": "released",
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


def _problems(case: Any, problems: Any) -> list[str]:
    """What the judge finds; a release that it cannot read at all is wrong, too."""
    try:
        return list(problems(case))
    except Exception as error:
        return [f"unreadable: {type(error).__name__}"]


def _texts(release: Any) -> dict[str, str]:
    return {name: table.write_csv() for name, table in release.tables.items()}


# -- results ----------------------------------------------------------------------------------------------------------


def write(found: Sequence[Mapping[str, Any]], commit: str) -> None:
    """Keeps the results as JSON, and as a table in the documentation."""
    counts = Counter(each["verdict"] for each in found)
    result = {"date": time.strftime("%Y-%m-%d"), "commit": commit, "counts": dict(counts), "faults": list(found)}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    before, _, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    PAGE.write_text(f"{before}{MARK}\n\n{table(result)}", encoding="utf-8")


def table(result: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    counts = ", ".join(f"{number} {verdict}" for verdict, number in sorted(result["counts"].items()))
    lines = [
        f"Run of {result['date']} at commit `{result['commit']}`: {len(result['faults'])} faults, {counts}.",
        "",
        "| fault | file | verdict | unchanged | changed, sound | stopped | false claim | wrong |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for each in result["faults"]:
        numbers = " | ".join(str(each[state]) for state in ("same", "other", "stopped", "false claim", "wrong"))
        lines.append(f"| {each['fault']} | `{each['file']}` | {each['verdict']} | {numbers} |")
    return "\n".join(lines) + "\n"


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="try only the faults whose name contains this text")
    parser.add_argument("--judge", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
