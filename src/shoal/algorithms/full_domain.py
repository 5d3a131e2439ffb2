"""What full-domain algorithms share: they search the lattice of recodings, and publish the classes of one node."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.recoding import Levels, Recoding
from shoal.coded.record import SearchRecord, Specialized
from shoal.errors import PlanError
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.roles.scope import Scope
from shoal.search.best_first import Found
from shoal.search.lattice import Lattice
from shoal.search.objectives import MEASURES, WEIGHTED


@dataclass(frozen=True)
class FullDomain:
    """One level per column, the same for every row.

    `measure` is the cost that the search minimizes.
    """

    measure: str = "loss"
    """The cost that the search minimizes; see [cost measures](../guide/full-domain.md#cost-measures). Allowed:
    `"loss"`, `"precision"`, `"entropy"`, `"discernibility"`, `"average-class-size"`."""

    forms: ClassVar[tuple[str, ...]] = ("generalized",)
    recoding: ClassVar[type[Recoding]] = Levels
    recodes_by_level: ClassVar[bool] = True
    lists_recodings: ClassVar[bool] = False
    suppresses: ClassVar[bool] = True
    judges_tables: ClassVar[bool] = True
    specializes: ClassVar[bool] = False
    wants_target: ClassVar[bool] = False
    works_in_blocks: ClassVar[bool] = False
    row_bytes: ClassVar[int] = 60

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            known = ", ".join(MEASURES)
            raise PlanError(f"{type(self).__name__} measure must be one of {known}; got {self.measure!r}.")

    @property
    def scope(self) -> Scope | None:
        return None

    @property
    def recodes_globally(self) -> bool:
        return True

    @property
    def weighs(self) -> bool:
        return self.measure in WEIGHTED

    def refuses_ranges(self, ranges: str) -> str:
        return self.recoding.refuses(ranges)

    def refuses(self, models: Sequence[ClassModel], suppression: float, persons: bool = False) -> str:
        return ""

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """The passing classes of the best recoding; all other rows are suppressed."""
        lattice = Lattice(coded, models, suppression)
        result = self.search(lattice, seed, progress)
        return lattice.partition(result.best, self.record(result, lattice))

    def divided(self, coded: Coded, models: Sequence[ClassModel], size: Int64, most: int) -> Partition:
        raise AssertionError("one level for every row is searched in the complete table")

    def replayed(self, coded: Coded, models: Sequence[ClassModel]) -> tuple[Specialized, ...] | None:
        return None

    @abstractmethod
    def search(self, lattice: Lattice, seed: int, progress: Progress) -> Found:
        """The best node of the lattice."""
        ...

    def record(self, result: Found, lattice: Lattice) -> SearchRecord:
        """What the search records about its work."""
        return SearchRecord(lattice_nodes=lattice.size, nodes_checked=lattice.checks)
