"""Optimal: the full-domain recoding with the lowest cost, proven if the whole lattice can be searched."""

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
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.roles.parameters import number
from shoal.search.best_first import BestFirst, Found
from shoal.search.descent import Descent
from shoal.search.lattice import Lattice
from shoal.search.listing import LISTED_AT_MOST
from shoal.search.local_recoding import sweep
from shoal.search.objectives import objective

_DEFAULT_BUDGET = 60.0


@dataclass(frozen=True)
class Optimal(FullDomain):
    """The recoding with the lowest cost of all that satisfy the models: one level per column, the same for every row.

    `measure` is the cost that it minimizes: loss, discernibility, precision, average-class-size or entropy. With
    `local = true`, every row gets the cheapest recoding at which it finds a class, so levels differ between rows. This
    is refused with models that judge combinations of columns over the whole table.
    `budget` is in seconds. If it ends a search, the best recoding so far is released, and the steward's record states
    how far from the optimum it could be: `proven_optimal`, `lower_bound`.
    Paper: after Kohlmayer, Prasser, Eckert, Kemper, Kuhn, Flash: stable and optimal k-anonymity, PASSAT 2012.
    """

    local: bool = False
    """Whether levels may differ between rows. Allowed: `true`, `false`."""
    budget: int | float | None = None
    """The seconds after which the search ends with the best recoding so far. By default, a lattice of up to a million
    nodes is searched completely, and a larger one for 60 seconds. Allowed: numbers above 0; `inf` for no limit."""

    kind: ClassVar[str] = "optimal"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.budget not in (None, math.inf):
            number(self, "budget", self.budget, above=0)

    @property
    def recodes_globally(self) -> bool:
        return not self.local

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        """Only local recoding refuses models.

        If a model does not allow pruning, the search does not prune.
        """
        table_model = next((model.kind for model in models if model.judges_table), None)
        if table_model is None or not self.local:
            return ""
        return (
            f"Algorithm '{self.kind}' with local = true judges one class at a time, but '{table_model}' judges "
            "combinations of columns over the whole table. Hint: remove local, or use 'pais'."
        )

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """The passing classes of the best recoding; all other rows are suppressed."""
        lattice = Lattice(coded, models, suppression)
        deadline = time.monotonic() + self._seconds(lattice)
        result = self.search(lattice, seed, progress)
        best = lattice.partition(result.best, self.record(result, lattice))
        return self._local(lattice, best, result.cost, deadline, progress) if self.local else best

    def search(self, lattice: Lattice, seed: int, progress: Progress) -> Found:
        """The best node within the budget; local recoding reserves half of it for itself."""
        deadline = time.monotonic() + self._seconds(lattice) / (2 if self.local else 1)
        goal = objective(self.measure, lattice)
        if lattice.size <= LISTED_AT_MOST:
            return BestFirst(lattice, goal, deadline, progress).run()
        return Descent(lattice, goal, deadline, progress, seed).run()

    def record(self, result: Found, lattice: Lattice) -> SearchRecord:
        """What the search records about its work.

        A lower bound is rounded down, because the exact bound would disclose information about suppressed rows.
        """
        bound = result.lower_bound
        return SearchRecord(
            measure=self.measure,
            cost=result.cost,
            lower_bound=result.cost if result.proven or bound is None else math.floor(bound * 10**4) / 10**4,
            proven_optimal=result.proven,
            lattice_nodes=lattice.size,
            nodes_checked=lattice.checks,
        )

    def _seconds(self, lattice: Lattice) -> float:
        """The time limit: by default, none for a lattice that can be listed."""
        return self.budget or (math.inf if lattice.size <= LISTED_AT_MOST else _DEFAULT_BUDGET)

    def _local(self, lattice: Lattice, best: Partition, cost: float, deadline: float, progress: Progress) -> Partition:
        """The cheaper of the full-domain recoding and one that recodes each row separately.

        If the first is cheaper, only its suppressed rows are recoded, so local recoding never costs more.
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
            lattice=best.record.lattice,
            local=True,
            full_domain_cost=round(cost, 3),
        )
        return replace(cheapest, record=record)


def _climbed(lattice: Lattice, partition: Partition) -> int:
    """The levels climbed, summed over all cells; it decides between recodings of equal cost."""
    levels = partition.recoding.class_levels()
    assert levels is not None
    steps = levels.sum(axis=1, dtype=np.int64)[partition.class_of]
    suppressed = lattice.rows - int(partition.weight.sum())
    return int(steps @ partition.weight + suppressed * sum(lattice.heights))
