"""Optimal: the full-domain recoding that costs least, proven where the lattice can be searched whole."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from shoal.coded.encode import Encoded
from shoal.coded.partition import Partition
from shoal.errors import PlanError
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.search.lattice import LISTED_AT_MOST, Lattice
from shoal.search.objectives import MEASURES, objective
from shoal.search.searching import Descent, Found, Search, sweep

_DEFAULT_BUDGET = 60.0


@dataclass(frozen=True)
class Optimal:
    """The recoding with the least cost of all that satisfy the models: one level per column, the same for every row.

    `measure` is what it minimizes: loss, discernibility, precision, average-class-size or entropy. `local = true` lets
    every row keep the cheapest recoding at which it finds a class, so that levels differ between rows; it is refused
    with models of what is known of some columns, which judge the whole table.
    `budget` is in seconds; when it ends a search, the best so far is released, and the manifest says how far from the
    best possible it could be: `proven_optimal`, `lower_bound`.
    Paper: after Kohlmayer, Prasser, Eckert, Kemper, Kuhn, Flash: stable and optimal k-anonymity, PASSAT 2012.
    """

    measure: str = "loss"
    local: bool = False
    budget: int | float | None = None

    kind: ClassVar[str] = "optimal"
    forms: ClassVar[tuple[str, ...]] = ("generalized",)
    recodes_by_level: ClassVar[bool] = True
    lists_recodings: ClassVar[bool] = False
    suppresses: ClassVar[bool] = True
    takes: ClassVar[tuple[str, ...]] = ("classes", "knowledge")
    wants_target: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise PlanError(f"Optimal measure must be one of {', '.join(MEASURES)}; got {self.measure!r}.")
        if self.budget is not None and (isinstance(self.budget, bool) or not self.budget > 0):
            raise PlanError(f"Optimal budget must be a number of seconds above 0; got {self.budget!r}.")

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        """Only local recoding refuses anything: where a model's claims do not allow pruning, nothing is pruned."""
        known = next((model.kind for model in models if model.judges == "knowledge"), None)
        if known is None or not self.local:
            return ""
        return (
            f"Algorithm '{self.kind}' with local = true takes class after class, and '{known}' judges what is known of "
            "some columns of the whole table. Hint: leave out local, or use 'pais'."
        )

    def partition(
        self, encoded: Encoded, models: Sequence[ClassModel], suppression: float, progress: Progress
    ) -> Partition:
        """The best recoding's classes; rows of the others are suppressed."""
        lattice = Lattice(encoded, models, suppression)
        deadline = time.monotonic() + self._seconds(lattice)
        found = self.search(lattice, progress)
        best = lattice.partition(found.best, facts(found, lattice, self.measure))
        return self._local(lattice, best, found.cost, deadline, progress) if self.local else best

    def search(self, lattice: Lattice, progress: Progress) -> Found:
        """The best node within the budget; local recoding keeps half of it for itself."""
        seconds = self._seconds(lattice) / (2 if self.local else 1)
        kind = Search if lattice.size <= LISTED_AT_MOST else Descent
        return kind(lattice, objective(self.measure, lattice), time.monotonic() + seconds, progress).run()

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
        said = {
            "local": True,
            "measure": self.measure,
            "cost": goal.cost_of(cheapest),
            "full_domain_cost": round(cost, 3),
        }
        return replace(cheapest, facts={**said, "lattice_nodes": lattice.size, "nodes_checked": lattice.checks})


def _climbed(lattice: Lattice, partition: Partition) -> int:
    """Levels climbed, summed over all cells: what tells recodings of equal cost apart."""
    assert partition.levels is not None
    weight, kept = lattice.encoded.rows.weight, partition.class_of >= 0
    steps = partition.levels.sum(axis=1, dtype=np.int64)[partition.class_of[kept]]
    return int(steps @ weight[kept] + weight[~kept].sum() * sum(lattice.heights))


def facts(found: Found, lattice: Lattice, measure: str) -> dict[str, Any]:
    """What the manifest says of a search. A bound is rounded down: in full it would tell of rows left out."""
    bound = found.lower_bound
    return {
        "proven_optimal": found.proven,
        "lower_bound": found.cost if found.proven or bound is None else math.floor(bound * 10**4) / 10**4,
        "cost": found.cost,
        "measure": measure,
        "lattice_nodes": lattice.size,
        "nodes_checked": lattice.checks,
    }
