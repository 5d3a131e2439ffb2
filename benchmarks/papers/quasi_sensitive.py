"""The experiments of Shi, Xiong and Fung 2010: what removing items costs, by search and by the k of phase 1.

    python -m benchmarks.papers.quasi_sensitive searches [SEED]    Figure 5: three searches in the same 10 seconds
    python -m benchmarks.papers.quasi_sensitive nodes              ours against adaptive with the same number of nodes
    python -m benchmarks.papers.quasi_sensitive phases [SEED]      Figure 6: generalization loss against removal cost
    python -m benchmarks.papers.quasi_sensitive real               the symptoms of the Disease Ontology as knowledge
    python -m benchmarks.papers.quasi_sensitive page               write docs/evidence/quasi_sensitive.md and figures

Results are stored in benchmarks/results/quasi_sensitive.json. Needs the data sets next to the project. All stages take
about fifteen minutes. With a SEED (0, 1 or 2), a stage measures that seed alone, and keeps the others.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import monotonic, process_time
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import shoal
from benchmarks import history
from benchmarks.papers.quasi_sensitive_tables import COLUMN, Case, patients_case, synthea_case, synthetic_case
from shoal.errors import CannotBeMet
from shoal.items.linking import labels_of
from shoal.items.removal import ClassItems, Removal, solve
from shoal.items.removal.classes import Rows
from shoal.items.removal.deadline import Over, after, never
from shoal.items.removal.tail_sets import TailSets
from shoal.items.rules import Diversity, Rule, passing
from shoal.models.items import known, links_of
from shoal.pipeline import fitted
from shoal.progress import silent
from shoal.search.removing import solved

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "quasi_sensitive.json"
SECONDS = 10.0
"""The paper's bound for every experiment."""
STUDENT_95 = {2: 12.706, 3: 4.303, 5: 2.776}
METHODS = {"depth-first": "depth-first", "adaptive": "adaptive", "ours": "best-first"}
ROUNDS = (100, 1_000, 10_000, 100_000, 1_000_000)
"""The nodes of the searches of a class, one after the other. Ours begins with the second."""
_EQUAL = 1e-9
SEEDS = 3
NODES, EQUAL_CLASSES = 1_000, 100
"""The nodes of a class, and the classes of a setting, for the comparison without a clock."""
SEARCHES = ((2, 1, 10), (2, 1, 30), (2, 1, 50), (2, 0.1, 30), (5, 1, 50), (5, 1, 100), (5, 1, 150), (5, 0.2, 100))
"""k, c and l of Figure 5."""
PHASE_1, CLOSENESS = (1, 2, 3, 5, 10), (0.15, 0.2, 0.25, 0.3, 0.4)
"""k and t of Figure 6. The paper prints neither, apart from its default t = 0.4."""
Lines = Iterator[dict[str, Any]]


def interval(values: Sequence[float]) -> dict[str, float]:
    """The mean over seeds, and the half-width of its 95 % interval."""
    n, mean = len(values), math.fsum(values) / len(values)
    if n == 1:
        return {"mean": mean, "half": math.inf}
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)
    return {"mean": mean, "half": STUDENT_95[n] * spread}


# -- Figure 5: the searches -----------------------------------------------------------------------------------------


class Classes(NamedTuple):
    """The classes of phase 1 that fail a rule; `whole`: the cost of removing every item of the table."""

    failing: list[ClassItems]
    number: int
    whole: float


def classes(case: Case, k: int, rule: Rule) -> Classes:
    """What phase 1 leaves to phase 2: the classes that Mondrian forms with this k and that fail the rule."""
    plan = case.plan([shoal.KAnonymity(k=k), shoal.QSDiversity(COLUMN, c=1, l=2)]).for_table(case.table.columns)
    coded = fitted(case.table, plan).coded
    partition = plan.algorithm.partition(coded, plan.searched, 0.0, plan.seed, silent)
    domain, counts = coded.items[COLUMN], partition.stats(coded).items(COLUMN)
    labels = labels_of(domain.items, known(domain))
    failing = []
    for number in np.flatnonzero(~passing(rule, links_of(domain), counts)):
        entries = slice(counts.offsets[number], counts.offsets[number + 1])
        sets = [domain.members[domain.offsets[code] : domain.offsets[code + 1]] for code in counts.values[entries]]
        offsets = np.cumsum([0, *map(len, sets)]).astype(np.int64)
        failing.append(ClassItems(offsets, np.concatenate(sets), counts.counts[entries].astype(np.int64), labels))
    whole = math.fsum(math.fsum(1 / j for j in range(1, len(each.split("|")) + 1)) for each in case.table[COLUMN])
    return Classes(failing, partition.classes, whole)


def cpu_seconds() -> float:
    """The CPU time of all threads, divided by the cores: the time on a clock if no other program runs."""
    return process_time() / (os.cpu_count() or 1)


def within(seconds: float, given: Sequence[ClassItems], rule: Rule, method: str) -> list[Removal]:
    """The removals of one search for all classes together, on all cores, each class with an answer.

    All classes are searched with few nodes first, then those that are not proven with more, the largest gap first,
    until time runs out. This is how a release schedules our search. The paper's searches start with fewer nodes,
    because their first nodes improve most, and continue where they ended.
    """
    over = after(seconds, cpu_seconds)
    if method == "best-first":
        return solved(given, rule, over, rounds=ROUNDS[1:])
    return _papers([PapersSearch(each, rule, method) for each in given], over)


def _papers(searches: Sequence[PapersSearch], over: Over) -> list[Removal]:
    for nodes in ROUNDS:
        open_ = [each for each in searches if not each.found.proven]
        open_.sort(key=lambda each: each.found.cost - each.found.lower_bound, reverse=True)
        first = nodes == ROUNDS[0]  # every class gets an answer

        def search(each: PapersSearch, nodes: int = nodes, first: bool = first) -> None:
            if first or not over():
                each.run(nodes, never if first else over)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(search, open_))
    return [each.found for each in searches]


class PapersSearch:
    """A search of the paper for one failing class, from the removal of everything on."""

    def __init__(self, sets: ClassItems, rule: Rule, method: str) -> None:
        self._rows = Rows.of(sets)
        self._search = TailSets(self._rows, rule, is_adaptive=method == "adaptive")
        self.found = Removal.of(self._rows, np.zeros(self._rows.terms, np.bool_), self._rows.least, 0)

    def run(self, nodes: int, over: Over) -> None:
        kept, complete, tried = self._search.run(math.inf, nodes, over)
        if kept is not None:
            self.found = Removal.of(self._rows, kept, self.found.lower_bound, tried)
        bound = self.found.cost if complete else self.found.lower_bound
        self.found = replace(self.found, lower_bound=bound, proven=self.found.proven or complete, nodes=tried)


def compared(given: Classes, rule: Rule) -> dict[str, Any]:
    """By method: the cost as a share of removing everything, proven classes and seconds; ours against adaptive."""
    found: dict[str, Any] = {"classes": given.number, "failing": len(given.failing)}
    removals = {}
    for name, method in METHODS.items():
        within(0.0, given.failing[:1], rule, method)  # compiles the kernels, which is no part of the time
        began = cpu_seconds()
        removals[name] = within(SECONDS, given.failing, rule, method)
        found[name] = {
            "cost": math.fsum(each.cost for each in removals[name]) / given.whole,
            "proven": sum(each.proven for each in removals[name]),
            "seconds": cpu_seconds() - began,
        }
    pairs = [(our.cost, other.cost) for our, other in zip(removals["ours"], removals["adaptive"], strict=True)]
    found["worse"] = sum(our > other + _EQUAL for our, other in pairs)
    found["better"] = sum(our < other - _EQUAL for our, other in pairs)
    found["bound"] = math.fsum(each.lower_bound for each in removals["ours"]) / given.whole
    return found


def at_equal_nodes(given: Classes, rule: Rule) -> dict[str, int]:
    """The classes in which ours is cheaper or more expensive than adaptive with as many nodes; needs no clock."""
    chosen = given.failing[:: max(len(given.failing) // EQUAL_CLASSES, 1)][:EQUAL_CLASSES]
    costs = [[solve(each, rule, NODES, method=METHODS[name]).cost for name in ("ours", "adaptive")] for each in chosen]
    worse, better = (sum(sign * (our - other) > _EQUAL for our, other in costs) for sign in (1, -1))
    return {"classes": len(chosen), "worse": worse, "better": better}


def run_nodes() -> Lines:
    """Ours against adaptive with the same number of nodes, on classes of the first seed."""
    with tempfile.TemporaryDirectory() as folder:
        case = synthetic_case(Path(folder), 0)
        for k, c, l in SEARCHES:
            rule = Diversity(Fraction(str(c)), l)
            yield {"k": k, "c": c, "l": l, **at_equal_nodes(classes(case, k, rule), rule)}


def run_searches(seeds: Sequence[int] = range(SEEDS)) -> Lines:
    """Figure 5: one line per k, c and l, over these seeds and those that were measured before."""
    with tempfile.TemporaryDirectory() as folder:
        cases = {str(seed): synthetic_case(Path(folder), seed) for seed in seeds}
        for k, c, l in SEARCHES:
            rule, line = Diversity(Fraction(str(c)), l), {"k": k, "c": c, "l": l}
            new = {seed: compared(classes(case, k, rule), rule) for seed, case in cases.items()}
            runs = _measured_before("searches", line) | new
            yield {**line, "seeds": len(runs), **_summary(list(runs.values())), "runs": runs}


def _measured_before(stage: str, setting: Mapping[str, Any]) -> dict[str, Any]:
    """The stored runs of a setting, by seed."""
    lines = _stored().get(stage, {}).get("lines", [])
    same = [line.get("runs", {}) for line in lines if all(line[key] == value for key, value in setting.items())]
    return same[0] if same else {}


def _summary(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Means with intervals; the classes in which ours is worse or better are added up."""
    found: dict[str, Any] = {key: interval([run[key] for run in runs]) for key in ("classes", "failing", "bound")}
    found |= {key: sum(run[key] for run in runs) for key in ("worse", "better")}
    found["compared"] = sum(run["failing"] for run in runs)
    for name in METHODS:
        found[name] = {key: interval([run[name][key] for run in runs]) for key in ("cost", "proven", "seconds")}
    found["saved"] = interval([run["adaptive"]["cost"] - run["ours"]["cost"] for run in runs])
    found["adaptive saved"] = interval([run["depth-first"]["cost"] - run["adaptive"]["cost"] for run in runs])
    return found


# -- Figure 6: both phases ------------------------------------------------------------------------------------------


def released(case: Case, k: int, model: Any) -> dict[str, Any]:
    """The loss of both phases in a verified release, and what phase 2 proves."""
    phase_1 = [shoal.KAnonymity(k=k)] if k > 1 else []
    began = monotonic()
    release = shoal.anonymize(case.table, case.plan([*phase_1, model]))
    found = {"seconds": monotonic() - began}
    (removal,) = release.steward.search.item_removal or ()
    if not all(verdict.holds for verdict in release.verification.verdicts):
        raise AssertionError(f"the release with k = {k} does not hold")
    return found | {
        "ncp": release.measures["ncp"],
        "removal": release.steward.measures["item_loss"],
        "classes": release.manifest.classes,
        "failing": removal.classes,
        "proven": removal.proven,
    }


def attempted(case: Case, k: int, model: Any) -> dict[str, Any] | None:
    """A release, or None if no removal was found that satisfies the model."""
    try:
        return released(case, k, model)
    except CannotBeMet:
        return None


def over_seeds(runs: Sequence[Mapping[str, Any] | None]) -> dict[str, Any]:
    """Means with intervals over the seeds; only the number of releases if not every seed has one."""
    made = [run for run in runs if run is not None]
    found: dict[str, Any] = {"seeds": len(runs), "releases": len(made)}
    return found | ({key: interval([run[key] for run in made]) for key in made[0]} if len(made) == len(runs) else {})


def run_phases(seeds: Sequence[int] = range(SEEDS)) -> Lines:
    """Figure 6: one line per k and t, over these seeds and those that were measured before."""
    with tempfile.TemporaryDirectory() as folder:
        cases = {str(seed): synthetic_case(Path(folder), seed) for seed in seeds}
        for k in PHASE_1:
            for t in CLOSENESS:
                model = shoal.QSCloseness(COLUMN, t=t, budget=SECONDS)
                new = {seed: attempted(case, k, model) for seed, case in cases.items()}
                runs = _measured_before("phases", {"k": k, "t": t}) | new
                yield {"k": k, "t": t, **over_seeds(list(runs.values())), "runs": runs}


# -- the Disease Ontology -------------------------------------------------------------------------------------------


def run_real() -> Lines:
    """Both models with the symptoms of the Disease Ontology as knowledge, over seeds."""
    models = {
        "qs-diversity, c = 1, l = 3": shoal.QSDiversity(COLUMN, c=1, l=3, budget=SECONDS),
        "qs-diversity, c = 1, l = 5": shoal.QSDiversity(COLUMN, c=1, l=5, budget=SECONDS),
        "qs-closeness, t = 0.4": shoal.QSCloseness(COLUMN, t=0.4, budget=SECONDS),
    }
    with tempfile.TemporaryDirectory() as folder:
        for what, make in {"patients": patients_case, "synthea": synthea_case}.items():
            cases = [make(Path(folder), seed) for seed in range(SEEDS)]
            linked = over_seeds([linking(case) for case in cases])
            for k in (1, 5):
                for name, model in models.items():
                    found = over_seeds([attempted(case, k, model) for case in cases])
                    yield {"what": what, "k": k, "model": name, "linked": linked, **found}


def linking(case: Case) -> dict[str, float]:
    """Rows, labels, and the shares of rows that link to no label, to one and to every label before any removal."""
    labels = [set(items) for items in pl.read_csv(case.knowledge).group_by("label").agg("item")["item"].to_list()]
    sets = [set(each.split("|")) - {""} for each in case.table[COLUMN]]
    sizes = [sum(items <= label for label in labels) for items in sets]
    shares = {"none": 0, "one": 1, "every": len(labels)}
    found = {name: sizes.count(size) / len(sizes) for name, size in shares.items()}
    return {"rows": len(sizes), "labels": len(labels), **found}


# -- results --------------------------------------------------------------------------------------------------------

STAGES: dict[str, Callable[..., Lines]] = {
    "searches": run_searches,
    "nodes": run_nodes,
    "phases": run_phases,
    "real": run_real,
}


def figures(stage: str, lines: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What the history keeps of a stage."""
    found = {}
    for line in lines:
        if stage == "searches":
            found[f"{_name(line)}: cost of ours"] = line["ours"]["cost"]["mean"]
            found[f"{_name(line)}: proven share"] = line["ours"]["proven"]["mean"] / line["failing"]["mean"]
        elif stage == "nodes":
            found[f"{_name(line)}: worse at equal nodes"] = line["worse"]
        elif "removal" in line:
            about = f"t = {line['t']}" if stage == "phases" else f"{line['what']}, {line['model']}"
            found[f"k = {line['k']}, {about}: removal cost"] = line["removal"]["mean"]
    return found


def _name(line: Mapping[str, Any]) -> str:
    return f"k = {line['k']}, c = {line['c']}, l = {line['l']}"


def _stored() -> dict[str, Any]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def main() -> None:
    stage = sys.argv[1] if len(sys.argv) > 1 else "page"
    found = []
    if stage != "page":
        for line in STAGES[stage](*([int(seed)] for seed in sys.argv[2:3])):
            print(json.dumps(line), flush=True)
            found.append(line)
    results = _stored()
    if found:
        run = history.record("quasi_sensitive", figures(stage, found))
        results[stage] = {"date": run.date, "commit": run.commit, "lines": found}
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    from benchmarks.papers.quasi_sensitive_page import write

    write(results, ROOT / "docs" / "evidence")


if __name__ == "__main__":
    main()
