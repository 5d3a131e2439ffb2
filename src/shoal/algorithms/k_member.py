"""k-member: grows clusters row by row, each time by the row that adds the least information loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from shoal.algorithms.base import Algorithm
from shoal.algorithms.mondrian import Mondrian, coarse, divided
from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.recoding import Observed, Recoding
from shoal.coded.record import SearchRecord
from shoal.errors import PlanError
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.search.blocks import block_of_rows, limits_of, require_start
from shoal.search.clustering import Clustering
from shoal.search.clusters import units_of
from shoal.search.judging import Judge
from shoal.search.refinement import mean_loss, refined

_BLOCK = 20_000
"""The fewest rows of a block in which `bounded` looks for members."""
_ROUNDS = 64
"""The most rounds of merging. If a class fails for longer, cuts lose less information."""
_FEW = 100
"""So many clusters may fail before merging, or half of them. If more fail, cuts lose less information."""


@dataclass(frozen=True)
class KMember(Algorithm):
    """Greedy clustering: a cluster takes the row that adds the least information loss, until it passes every model.

    Rows that are frequent enough to pass are classes of their own, and give what they do not need to clusters nearby.
    All other rows are clustered up to the size that the models require. Then the models judge all clusters at once. The
    rows of clusters that fail are clustered again, in larger and larger clusters. What still fails is merged with the
    class that loses least by it. Classes may overlap, so they usually lose less information than those of cuts. Where
    cuts lose less, the result is that of `mondrian`. There are no random choices.
    Paper: Byun, Kamra, Bertino, Li, Efficient k-anonymization using clustering techniques, DASFAA 2007.
    """

    bounded: bool = False
    """Whether a cluster looks for members only in a neighbourhood: its part of a coarse partition by cuts. This is
    faster for large tables, and loses slightly more information. Allowed: `true`, `false`."""
    refine: bool = False
    """Whether rows move to other clusters afterwards, where this lowers the information loss. Allowed: `true`,
    `false`."""

    kind: ClassVar[str] = "k-member"
    forms: ClassVar[tuple[str, ...]] = ("generalized", "anatomy")
    recoding: ClassVar[type[Recoding]] = Observed
    works_in_blocks: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("bounded", "refine"):
            if not isinstance(value := getattr(self, name), bool):
                raise PlanError(f"KMember {name} must be true or false; got {value!r}.")

    @property
    def row_bytes(self) -> int:
        return 340

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """A class for every row; no row is suppressed."""
        require_start(coded, models, self.kind)
        partition, clustered = _clusters(coded, models, self.bounded, progress), True
        cuts = Mondrian().partition(coded, models, suppression, seed, progress)
        if partition is None or mean_loss(coded, cuts) < mean_loss(coded, partition):
            partition, clustered = replace(cuts, recoding=Observed(), record=SearchRecord(by_cuts=True)), False
        return refined(coded, models, partition, progress, clustered=clustered) if self.refine else partition

    def divided(self, coded: Coded, models: Sequence[ClassModel], size: Int64, most: int) -> Partition:
        return divided(coded, models, "loss", size, most)


def _clusters(coded: Coded, models: Sequence[ClassModel], bounded: bool, progress: Progress) -> Partition | None:
    """Clusters that pass every model; None if there are still some that fail after several rounds of merging."""
    units = units_of(coded, models)
    limits = limits_of(coded)[units.first]
    block = _neighbourhoods(coded, models)[units.first] if bounded else limits
    judge = Judge(coded, tuple(models), units)
    clustering = Clustering(judge, block)
    rounds = clustering.rounds
    for number, (size, most) in enumerate(rounds):
        progress("search", number / len(rounds))
        clustering.grow(size, most)
    classes = clustering.collected()
    passing = judge.passing(classes)
    if int((~passing).sum()) > max(_FEW, len(classes) // 2):
        return None
    classes, passing = clustering.merged(classes, passing, _ROUNDS)
    while passing.all() and (pairs := judge.failing_alike(classes)):
        clustering.block = limits  # classes that look alike may come from different neighbourhoods
        classes, passing = clustering.merged(*clustering.joined(classes, pairs), _ROUNDS)
    return Partition(*judge.members(classes), Observed()) if passing.all() else None


def _neighbourhoods(coded: Coded, models: Sequence[ClassModel]) -> Int64:
    """int64 [d]: the part in which the cluster of each row looks for members; each part passes as a single class."""
    parts = coarse(coded, models, _BLOCK)
    return block_of_rows(parts.row, parts.offsets)
