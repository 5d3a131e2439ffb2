"""Clustering: grows clusters of units inside blocks, until every cluster passes every model."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int64
from shoal.search.clusters import Classes, classes_of, joined
from shoal.search.geometry import geometry
from shoal.search.judging import Judge
from shoal.search.sharing import shares

_ANY = 1 << 60
"""More rows than any class has: no limit."""

_Entries = tuple[Int64, Int64, Int64]
"""Unit, weight and class of every entry of some classes."""


class Clustering:
    """What is left of the units of a table, and the clusters that were kept.

    `free` int64 [units]: the input rows of each unit that are in no cluster. `needed` bool [units]: whether all of them
    must be put into a cluster. `kept`: unit, weight and number of the cluster, for every entry of every cluster.
    """

    def __init__(self, judge: Judge, block: Int64) -> None:
        from shoal.kernels import clustering

        self.judge, self.coded, self.units, self.block = judge, judge.coded, judge.units, block
        self.kernel, self.geometry, self.floor = clustering, geometry(self.coded), judge.floor
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
        unit = classes.unit[self.judge.passing(classes)[classes.class_of]]
        self.needed[unit] = False
        spare = units.size[unit] * (total[unit] - self.floor) // total[unit]
        self.free[unit] = 0 if self.coded.counts_persons else spare
        self.frequent, self.spare = unit, self.free.copy()

    def grow(self, size: int, most: int) -> None:
        """Clusters what is left. Clusters that pass are kept; the rows of all others are left again."""
        if not self.free[self.needed].any():
            return
        grown = classes_of(*self._grown(size, most), self.block)
        passing = self.judge.passing(grown)[grown.class_of]
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

    def merged(self, classes: Classes, passing: Flags, rounds: int) -> tuple[Classes, Flags]:
        """Classes after those that fail were merged with others of their block, and which of them pass."""
        for _ in range(rounds):
            pairs = self._partners(classes, np.flatnonzero(~passing))
            if not pairs:
                break
            classes, passing = self.joined(classes, pairs)
        return classes, passing

    def joined(self, classes: Classes, pairs: Sequence[tuple[int, int]]) -> tuple[Classes, Flags]:
        """Classes after pairs of them were merged, and which of them pass."""
        number = joined(len(classes), pairs)
        classes = classes_of(classes.unit, classes.weight, number[classes.class_of], self.block)
        return classes, self.judge.passing(classes)

    def collected(self) -> Classes:
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
