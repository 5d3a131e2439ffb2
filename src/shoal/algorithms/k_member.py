"""k-member: grows clusters row by row, each time by the row that adds the least information loss."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.algorithms.base import Algorithm
from shoal.algorithms.mondrian import Mondrian, coarse, shares
from shoal.arrays import Flags, Int64
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.recoding import Observed, Recoding, alike, shown_columns
from shoal.coded.stats import Members, MemberStats
from shoal.errors import PlanError
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.search.blocks import blocks, require_start
from shoal.search.clusters import Classes, classes_of, joined, units_of
from shoal.search.geometry import geometry

_BLOCK = 20_000
"""The fewest rows of a block in which `bounded` looks for members."""
_ROUNDS = 64
"""The most rounds of merging. If a class fails for longer, cuts lose less information."""
_FEW = 100
"""So many clusters may fail before merging, or half of them. If more fail, cuts lose less information."""
_ANY = 1 << 60
"""More rows than any class has: no limit."""


_Entries = tuple[Int64, Int64, Int64]
"""Unit, weight and class of every entry of some classes."""


@dataclass(frozen=True)
class KMember(Algorithm):
    """Greedy clustering: a cluster takes the row that adds the least information loss, until it passes every model.

    Rows that are frequent enough to pass are classes of their own, and give what they do not need to clusters nearby.
    All other rows are clustered up to the size that the models require. Then the models judge all clusters at once. The
    rows of clusters that fail are clustered again, in larger and larger clusters. What still fails is merged with the
    class that loses least by it. Classes may overlap, so they lose less information than those of cuts. Under models
    of sensitive values cuts may lose less, because they start from classes that pass: then the result is that of
    `mondrian`. There are no random choices.
    Paper: Byun, Kamra, Bertino, Li, Efficient k-anonymization using clustering techniques, DASFAA 2007.
    """

    bounded: bool = False
    """Whether a cluster looks for members only in a neighbourhood: its block of a coarse partition by cuts. This is
    faster for large tables, and loses slightly more information. Allowed: `true`, `false`."""

    kind: ClassVar[str] = "k-member"
    forms: ClassVar[tuple[str, ...]] = ("generalized", "anatomy")
    recoding: ClassVar[type[Recoding]] = Observed

    def __post_init__(self) -> None:
        if not isinstance(self.bounded, bool):
            raise PlanError(f"KMember bounded must be true or false; got {self.bounded!r}.")

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """A class for every row; no row is suppressed."""
        require_start(coded, models, self.kind)
        clusters = _clusters(coded, models, self.bounded, progress)
        if clusters is not None and not any(model.reads for model in models):
            return clusters
        cuts = replace(Mondrian().partition(coded, models, suppression, seed, progress), recoding=Observed())
        return cuts if clusters is None or _loss(coded, cuts) < _loss(coded, clusters) else clusters


def _clusters(coded: Coded, models: Sequence[ClassModel], bounded: bool, progress: Progress) -> Partition | None:
    """Clusters that pass every model; None if there are still some that fail after several rounds of merging."""
    clustering = _Clustering(coded, models, bounded)
    rounds = clustering.rounds
    for number, (size, most) in enumerate(rounds):
        progress("search", number / len(rounds))
        clustering.grow(size, most)
    return clustering.partition()


def _loss(coded: Coded, partition: Partition) -> float:
    """The information loss of all rows, by the weights of the columns."""
    shown = shown_columns(partition.recoding, coded, partition.members)
    return sum(domain.weight * float(shown[domain.name].loss @ partition.rows) for domain in coded.quasi)


class _Clustering:
    """What is left of the units of a table, and the clusters that were kept.

    `free` int64 [units]: the input rows of each unit that are in no cluster. `needed` bool [units]: whether all of them
    must be put into a cluster. `kept`: unit, weight and number of the cluster, for every entry of every cluster.
    """

    def __init__(self, coded: Coded, models: Sequence[ClassModel], bounded: bool) -> None:
        from shoal.kernels import clustering

        self.coded, self.models, self.kernel, self.geometry = coded, models, clustering, geometry(coded)
        self.floor = max(model.floor for model in models)
        self.units = units_of(coded, models)
        self.limits = _block_of_rows(*_limits(coded))[self.units.first]
        self.block = _block_of_rows(*_neighbourhoods(coded, models))[self.units.first] if bounded else self.limits
        self.free, self.needed = self.units.size.copy(), np.ones(len(self.units), np.bool_)
        self.numbers, self.kept = 0, list[_Entries]()
        self.failed: _Entries = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64))
        self.frequent = np.empty(0, np.int64)
        self.spare = self.free.copy()
        self._sort()
        self._keep_frequent()

    @property
    def rounds(self) -> list[tuple[int, int]]:
        """The size of the clusters in each round, and the most rows of one kind in them.

        At most half are of one kind at first. All different would be safe under more models, but uses up rare kinds
        early, so that the last clusters span the whole table.
        """
        floor = self.floor
        if not self.units.kind.any():
            return [(floor, _ANY)]
        sizes = sorted({floor, floor + 1, floor + 2, floor + 3, 2 * floor})
        most = max(1, min(2, floor - 1), floor // 2)
        return [*((size, most) for size in sizes), (4 * floor, 2 * most)]

    def _sort(self) -> None:
        """Sorts the units of each block twice: for the search, and as seeds.

        The search excludes units by the columns that come first, so these are the ones in which a difference costs
        most. Seeds sweep along the column with the most values, so that what is left over is near the next seed.
        """
        codes = self.units.codes.T
        self.attributes = np.argsort([domain.size for domain in self.coded.quasi], kind="stable").astype(np.int64)
        self.order = np.lexsort((*codes[self.attributes[::-1]], self.block))
        self.sweep = np.lexsort((*codes[self.attributes], self.block))
        edges = np.flatnonzero(np.diff(self.block[self.order], prepend=-1, append=-1) != 0)
        self.starts, self.ends = edges[:-1].astype(np.int64), edges[1:].astype(np.int64)
        self.persons = np.empty(0, np.int64), np.empty(0, np.int32)
        if self.coded.counted.person is not None:
            self.persons = self.units.offsets, self.coded.counted.person[self.units.rows]

    def _keep_frequent(self) -> None:
        """Makes a class of equal rows wherever they pass.

        Each of their units gives away the same share of what the class does not need, so that none disappears from it.
        """
        units = self.units
        total = np.bincount(units.spot, weights=units.size).astype(np.int64)[units.spot]
        unit = np.flatnonzero(total >= self.floor)
        if not len(unit):
            return
        classes = classes_of(unit, units.size[unit], units.spot[unit], self.block)
        unit = classes.unit[self._passing(classes)[classes.class_of]]
        self.needed[unit] = False
        spare = units.size[unit] * (total[unit] - self.floor) // total[unit]
        self.free[unit] = 0 if self.coded.counts_persons else spare
        self.frequent, self.spare = unit, self.free.copy()

    def grow(self, size: int, most: int) -> None:
        """Clusters what is left. Clusters that pass are kept; the rows of all others are left again."""
        if not self.free[self.needed].any():
            return
        grown = classes_of(*self._grown(size, most), self.block)
        passing = self._passing(grown)[grown.class_of]
        entries = grown.unit, grown.weight, grown.class_of + self.numbers
        self.numbers += len(grown)
        self.kept.append((entries[0][passing], entries[1][passing], entries[2][passing]))
        self.failed = entries[0][~passing], entries[1][~passing], entries[2][~passing]
        np.add.at(self.free, self.failed[0], self.failed[1])

    def _grown(self, size: int, most: int) -> tuple[Int64, Int64, Int64]:
        """The unit, weight and number of every entry of new clusters. Blocks are disjoint, so threads share them."""
        units = self.units

        def grow(part: slice) -> tuple[Int64, Int64, Int64]:
            entries: tuple[Int64, Int64, Int64] = self.kernel.grow(
                units.codes,
                units.kind,
                self.free,
                self.needed,
                *self.persons,
                self.order,
                self.sweep,
                self.starts[part],
                self.ends[part],
                self.attributes,
                size,
                most,
                self.geometry,
            )
            return entries

        parts = shares(self.ends - self.starts, pl.thread_pool_size())
        with ThreadPoolExecutor(len(parts)) as threads:
            grown = list(threads.map(grow, parts))
        before = np.cumsum([0, *(int(number.max(initial=-1)) + 1 for _, _, number in grown)])
        numbers = [number + start for (_, _, number), start in zip(grown, before, strict=False)]
        return (
            np.concatenate([unit for unit, _, _ in grown]),
            np.concatenate([weight for _, weight, _ in grown]),
            np.concatenate(numbers),
        )

    def _passing(self, classes: Classes) -> Flags:
        """bool [classes]: which classes pass every model."""
        rows, offsets, weight = self._members(classes)
        stats = MemberStats(self.coded, rows, offsets, weight=weight)
        passing = np.ones(len(classes), np.bool_)
        for model in self.models:
            passing &= model.passes(stats)
        return passing

    def _members(self, classes: Classes) -> Members:
        return classes.members(self.units, whole=self.coded.counts_persons)

    def partition(self) -> Partition | None:
        """All classes, after those that fail were merged with others; None if some still fail after many rounds."""
        classes = self._collected()
        passing = self._passing(classes)
        if int((~passing).sum()) > max(_FEW, len(classes) // 2):
            return None
        for _ in range(_ROUNDS):
            pairs = self._partners(classes, np.flatnonzero(~passing))
            if not pairs and passing.all():
                pairs = self._alike(classes)
            if not pairs and passing.all():
                return Partition(*self._members(classes), Observed())
            number = joined(len(classes), pairs)
            classes = classes_of(classes.unit, classes.weight, number[classes.class_of], self.block)
            passing = self._passing(classes)
        return None

    def _collected(self) -> Classes:
        """The clusters that were kept, those of the last round that failed, and what frequent rows did not give away.

        These are all rows.
        """
        unit, weight, number = (np.concatenate(arrays) for arrays in zip(*self.kept, self.failed, strict=True))
        np.subtract.at(self.free, self.failed[0], self.failed[1])
        left = self.units.size - self.spare + self.free
        own = self.frequent
        return classes_of(
            np.concatenate([unit, own]),
            np.concatenate([weight, left[own]]),
            np.concatenate([number, self.units.spot[own] + int(number.max(initial=-1)) + 1]),
            self.block,
        )

    def _partners(self, classes: Classes, failing: Int64) -> list[tuple[int, int]]:
        """Every failing class, with the class of its block that loses least when merged with it."""
        if not len(failing):
            return []
        first = np.searchsorted(classes.block, classes.block[failing])
        last = np.searchsorted(classes.block, classes.block[failing], side="right")
        partner = self.kernel.partners(
            self.units.codes,
            classes.unit,
            classes.offsets,
            classes.rows,
            failing,
            first,
            last,
            self.floor,
            self.geometry,
        )
        return [(one, other) for one, other in zip(failing.tolist(), partner.tolist(), strict=True) if other >= 0]

    def _alike(self, classes: Classes) -> list[tuple[int, int]]:
        """Classes that look alike but do not pass as the one class that a reader sees, in pairs.

        They may come from different neighbourhoods, which do not matter from then on.
        """
        if all(model.monotone.merges(self.coded.counts_persons) for model in self.models):
            return []
        members = self._members(classes)
        look = alike(list(shown_columns(Observed(), self.coded, members).values())).astype(np.int64)
        seen = classes_of(classes.unit, classes.weight, look[classes.class_of], np.zeros_like(self.block))
        failing = np.flatnonzero(~self._passing(seen)[look])
        self.block = self.limits if len(failing) else self.block
        by_look = failing[np.argsort(look[failing], kind="stable")]
        return [(one, other) for one, other in pairwise(by_look.tolist()) if look[one] == look[other]]


def _limits(coded: Coded) -> tuple[Int64, Int64]:
    """The rows and offsets of the parts that no label may cover together."""
    rows, nodes = blocks(coded)
    return rows, np.append(nodes.starts, len(rows))


def _neighbourhoods(coded: Coded, models: Sequence[ClassModel]) -> tuple[Int64, Int64]:
    """The rows and offsets of the parts in which clusters look for members; each passes as a single class."""
    parts = coarse(coded, models, _BLOCK)
    return parts.row, parts.offsets


def _block_of_rows(rows: Int64, offsets: Int64) -> Int64:
    """int64 [d]: the block of each row."""
    block = np.empty(len(rows), np.int64)
    block[rows] = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return block
