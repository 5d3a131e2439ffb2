"""The experiments of Shi, Xiong and Fung 2010: what removing items costs, by search and by the k of phase 1.

    python -m benchmarks.papers.quasi_sensitive searches    Figure 5: the cost of three searches in the same 10 seconds
    python -m benchmarks.papers.quasi_sensitive phases      Figure 6: generalization loss against removal cost
    python -m benchmarks.papers.quasi_sensitive real        the symptoms of the Disease Ontology as knowledge
    python -m benchmarks.papers.quasi_sensitive page        write docs/evidence/quasi_sensitive.md and its figures

Results are stored in benchmarks/results/quasi_sensitive.json. Needs the data sets next to the project. All stages take
about ten minutes.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

import shoal
from benchmarks import history
from benchmarks.papers.quasi_sensitive_tables import COLUMN, Case, synthetic_case
from shoal.items.linking import labels_of
from shoal.items.removal import ClassItems, Removal, solve
from shoal.items.rules import Diversity, Rule, passing
from shoal.models.items import known, links_of
from shoal.pipeline import fitted
from shoal.progress import silent

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "quasi_sensitive.json"
SECONDS = 10.0
"""The paper's bound for every experiment."""
STUDENT_95 = {3: 4.303, 5: 2.776}
METHODS = {"depth-first": "depth-first", "adaptive": "adaptive", "ours": "best-first"}
ROUNDS = (100, 1_000, 10_000, 100_000, 1_000_000)
"""The nodes of the searches of a class, one after the other."""
_EQUAL = 1e-9
Lines = Iterator[dict[str, Any]]


def interval(values: Sequence[float]) -> dict[str, float]:
    """The mean over seeds, and the half-width of its 95 % interval."""
    n, mean = len(values), math.fsum(values) / len(values)
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


def within(seconds: float, given: Sequence[ClassItems], rule: Rule, method: str) -> list[Removal]:
    """The removals of one search for all classes together, on one core.

    As in a release, all classes are searched with few nodes first, then those that are not proven with more, the
    largest gap first. Time that runs out ends this, but every class gets an answer.
    """
    solve(given[0], rule, 1, method=method)  # compiles the kernels, which is no part of the time
    until, found = monotonic() + seconds, dict[int, Removal]()
    for nodes in ROUNDS:
        open_ = [place for place in range(len(given)) if place not in found or not found[place].proven]
        for place in sorted(open_, key=lambda place: _gap(found.get(place)), reverse=True):
            if place not in found:
                found[place] = solve(given[place], rule, nodes, method=method)
            elif (left := until - monotonic()) > 0:
                found[place] = _better(found[place], solve(given[place], rule, nodes, seconds=left, method=method))
    return [found[place] for place in range(len(given))]


def _gap(removal: Removal | None) -> float:
    return 0.0 if removal is None else removal.cost - removal.lower_bound


def _better(old: Removal, new: Removal) -> Removal:
    """The cheaper of two removals, with what both prove."""
    best = new if new.cost <= old.cost else old
    return replace(
        best, lower_bound=max(old.lower_bound, new.lower_bound), proven=old.proven or new.proven
    )
