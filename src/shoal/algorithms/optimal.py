"""Optimal: the full-domain recoding that costs least, proven where the lattice can be searched whole."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.algorithms.full_domain import FullDomain
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.record import SearchRecord
from shoal.errors import PlanError
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.search.best_first import BestFirst, Found
from shoal.search.descent import Descent
from shoal.search.lattice import LISTED_AT_MOST, Lattice
from shoal.search.local_recoding import sweep
from shoal.search.objectives import objective

_DEFAULT_BUDGET = 60.0


@dataclass(frozen=True)
class Optimal(FullDomain):
    """The recoding with the least cost of all that satisfy the models: one level per column, the same for every row.

    `measure` is what it minimizes: loss, discernibility, precision, average-class-size or entropy. `local = true` lets
    every row keep the cheapest recoding at which it finds a class, so that levels differ between rows; it is refused
    with models that judge combinations of some columns over the whole table.
    `budget` is in seconds; when it ends a search, the best so far is released, and the manifest says how far from the
    best possible it could be: `proven_optimal`, `lower_bound`.
    Paper: after Kohlmayer, Prasser, Eckert, Kemper, Kuhn, Flash: stable and optimal k-anonymity, PASSAT 2012.
    """

    local: bool = False
    budget: int | float | None = None

    kind: ClassVar[str] = "optimal"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.budget is not None and (isinstance(self.budget, bool) or not self.budget > 0):
            raise PlanError(f"Optimal budget must be a number of seconds above 0; got {self.budget!r}.")

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        """Only local recoding refuses anything: where a model's claims do not allow pruning, nothing is pruned."""
        whole = next((model.kind for model in models if model.judges_table), None)
        if whole is None or not self.local:
            return ""
        return (
            f"Algorithm '{self.kind}' with local = true judges one class at a time, and '{whole}' judges combinations "
            "of some columns over the whole table. Hint: leave out local, or use 'pais'."
        )

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """The best recoding's classes; rows of the others are suppressed."""
        lattice = Lattice(coded, models, suppression)
        deadline = time.monotonic() + self._seconds(lattice)
        found = self.search(lattice, seed, progress)
        best = lattice.partition(found.best, self.record(found, lattice))
        return self._local(lattice, best, found.cost, deadline, progress) if self.local else best

    def search(self, lattice: Lattice, seed: int, progress: Progress) -> Found:
        """The best node within the budget; local recoding keeps half of it for itself."""
        deadline = time.monotonic() + self._seconds(lattice) / (2 if self.local else 1)
        goal = objective(self.measure, lattice)
        if lattice.size <= LISTED_AT_MOST:
            return BestFirst(lattice, goal, deadline, progress).run()
        return Descent(lattice, goal, deadline, progress, seed).run()

    def record(self, found: Found, lattice: Lattice) -> SearchRecord:
        """A bound is rounded down: in full it would disclose something of suppressed rows."""
        bound = found.lower_bound
        return SearchRecord(
            measure=self.measure,
            cost=found.cost,
            lower_bound=found.cost if found.proven or bound is None else math.floor(bound * 10**4) / 10**4,
            proven_optimal=found.proven,
            lattice_nodes=lattice.size,
            nodes_checked=lattice.checks,
        )

    def _seconds(self, lattice: Lattice) -> float:
        return self.budget or (math.inf if lattice.size <= LISTED_AT_MOST else _DEFAULT_BUDGET)

    def _local(self, lattice: Lattice, best: Partition, cost: float, deadline: float, progress: Progress) -> Partition:
        """The cheaper of the full-domain recoding and one of each row by itself.

        Should the first win, its suppressed rows alone are re-coded: what local recoding finds never costs more.
        """
        goal = objective(self.measure, lattice)

        def worth(partition: Partition) -> tuple[float, int]:
            return round(goal.cost_of(partition), 12), _climbed(lattice, partition)

        cheapest = best
        for start in (None, best):
            swept = sweep(lattice, goal, deadline, progress, start) if cheapest is best else None
            if swept is not None and worth(swept) < worth(cheapest):
                cheapest = swept
        record = SearchRecord(
            measure=self.measure,
            cost=goal.cost_of(cheapest),
            lattice_nodes=lattice.size,
            nodes_checked=lattice.checks,
            local=True,
            full_domain_cost=round(cost, 3),
        )
        return replace(cheapest, record=record)


def _climbed(lattice: Lattice, partition: Partition) -> int:
    """Levels climbed, summed over all cells: what decides between recodings of equal cost."""
    levels = partition.recoding.class_levels()
    assert levels is not None
    steps = levels.sum(axis=1, dtype=np.int64)[partition.class_of]
    suppressed = lattice.rows - int(partition.weight.sum())
    return int(steps @ partition.weight + suppressed * sum(lattice.heights))
