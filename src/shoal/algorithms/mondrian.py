"""Mondrian: cuts the space of quasi-identifiers in two, and each side again, as long as both sides pass every model."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from shoal.algorithms.base import Algorithm
from shoal.arrays import Flags, Int32, Int64
from shoal.coded.counted import Coded
from shoal.coded.domains import TREE
from shoal.coded.partition import Partition
from shoal.coded.recoding import Boxes, Observed, Recoding, alike, shown_columns
from shoal.coded.stats import Members, MemberStats
from shoal.errors import CannotBeMet, PlanError
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.search.blocks import Nodes, blocks, require_start
from shoal.search.geometry import geometry
from shoal.search.refinement import refined
from shoal.search.sharing import shares
from shoal.search.target import target

CUTS = ("loss", "median", "target")
_TRIED_AT_ONCE = 4_000_000
"""The most rows in all copies that are made to try alternative cuts. It bounds the memory, not the result."""


@dataclass(frozen=True)
class Mondrian(Algorithm):
    """Strict multidimensional cuts: a cut is made only if both sides pass, so every class passes every model.

    `cut = "loss"` takes the valid cut that lowers the information loss of all quasi-identifiers most, with a preference
    for even cuts. `cut = "median"` is the k-d tree: it cuts the widest attribute (z-scored over the table) at its
    median, else at its most balanced valid cut, else the next-widest attribute.
    `cut = "target"` takes the cut that reveals most about the target, as long as cuts reveal more than chance would,
    then cuts by loss. Both avoid cuts that separate sensitive values, after which models allow fewer cuts.
    All nodes of one depth are cut together, and the models judge all of them at once.
    Cuts by target are after the same authors' Workload-aware anonymization, KDD 2006.
    Paper: LeFevre, DeWitt, Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006.
    """

    cut: str = "loss"
    """How cuts are chosen: by the information loss that they avoid, at the median of the widest column, or by what
    they reveal about the target. Allowed: `"loss"`, `"median"`, `"target"`."""
    refine: bool = False
    """Whether rows move to other classes afterwards, where this lowers the information loss. Classes then overlap, so
    ranges cannot end at cuts. Allowed: `true`, `false`."""

    kind: ClassVar[str] = "mondrian"
    forms: ClassVar[tuple[str, ...]] = ("generalized", "anatomy")
    recoding: ClassVar[type[Recoding]] = Boxes
    works_in_blocks: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.cut not in CUTS:
            raise PlanError(f"Mondrian cut must be one of {', '.join(CUTS)}; got {self.cut!r}.")
        if not isinstance(self.refine, bool):
            raise PlanError(f"Mondrian refine must be true or false; got {self.refine!r}.")

    @property
    def weighs(self) -> bool:
        """Whether the weights of the columns guide the search."""
        return self.cut != "median"

    @property
    def wants_target(self) -> bool:
        """Whether the search uses the target column."""
        return self.cut == "target"

    @property
    def row_bytes(self) -> int:
        return 340 if self.refine else 60

    def refuses_ranges(self, ranges: str) -> str:
        return (Observed if self.refine else Boxes).refuses(ranges)

    def partition(
        self, coded: Coded, models: Sequence[ClassModel], suppression: float, seed: int, progress: Progress
    ) -> Partition:
        """A class for every row; no row is suppressed."""
        require_start(coded, models, self.kind)
        tree = _Tree(coded, models, self.cut, 1)
        rows = len(coded.counted) * (2 if self.refine else 1)  # refining is the second half
        while len(tree.starts):
            progress("search", tree.finished / rows)
            tree.grow()
        tree.settle()
        return refined(coded, models, tree.partition(), progress) if self.refine else tree.partition()

    def divided(self, coded: Coded, models: Sequence[ClassModel], size: Int64, most: int) -> Partition:
        return divided(coded, models, self.cut, size, most)


def divided(coded: Coded, models: Sequence[ClassModel], cut: str, size: Int64, most: int) -> Partition:
    """Parts that pass every model, if those do from which the cuts start; cut until each has at most `most`.

    size int64 [d]: what each row counts for in this. Parts without a valid cut may have more.
    """
    tree = _Tree(coded, models, cut, 1)
    tree.finish_small(size, most)
    while len(tree.starts):
        tree.grow()
        tree.finish_small(size, most)
    return tree.partition()


def coarse(coded: Coded, models: Sequence[ClassModel], smallest: int) -> Partition:
    """Classes of at least `smallest` rows that pass every model, if the classes from which the cuts start do."""
    tree = _Tree(coded, models, "loss", smallest)
    while len(tree.starts):
        tree.grow()
    return tree.partition()


class _Tree:
    """The frontier of open nodes, as slices of `order`, and the classes finished so far."""

    def __init__(self, coded: Coded, models: Sequence[ClassModel], cut: str, smallest: int) -> None:
        from shoal.kernels import cutting

        self.coded, self.models, self.kernel = coded, models, cutting
        self.rule = {"loss": cutting.LOSS, "median": cutting.MEDIAN, "target": cutting.TARGET}[cut]
        self.target = target(coded) if cut == "target" else None
        self.geometry = geometry(coded)
        self.floor = max(smallest, *(model.floor for model in models))
        self.order, (self.starts, self.ends, self.boxes) = blocks(coded)
        self.done: list[Nodes] = []
        self.finished = 0
        self.merges = _may_not_merge(coded, models)
        self.cuts: list[Nodes] = []

    def grow(self) -> None:
        """Cuts every open node once; nodes without a valid cut become classes."""
        middles, attributes, last_left = self._proposed()
        cuttable = np.flatnonzero(middles >= 0)
        valid = np.zeros(len(middles), np.bool_)
        valid[cuttable] = self._both_pass(cuttable, middles)
        rejected = cuttable[~valid[cuttable]]
        if len(rejected):
            self._retry(rejected, middles, attributes, last_left, valid)
        self._finish(np.flatnonzero(~valid))
        self._descend(np.flatnonzero(valid), middles, attributes, last_left)

    def finish_small(self, size: Int64, most: int) -> None:
        """Makes the open nodes classes whose rows have a `size` int64 [d] of at most `most` in total."""
        running = np.concatenate([[0], np.cumsum(size[self.order])])
        small = running[self.ends] - running[self.starts] <= most
        self._finish(np.flatnonzero(small))
        self.starts, self.ends, self.boxes = self.starts[~small], self.ends[~small], self.boxes[~small]

    def _proposed(self) -> tuple[Int64, Int64, Int64]:
        """The best cut of every open node, made in `order`. Nodes are disjoint slices of it, so threads share them."""

        def propose(part: slice) -> tuple[Int64, Int64, Int64]:
            slices = self.order, self.starts[part], self.ends[part]
            cuts: tuple[Int64, Int64, Int64] = self.kernel.propose(
                *self._rows, *slices, self.floor, self.rule, self.geometry, self.target
            )
            return cuts

        parts = shares(self.ends - self.starts, pl.thread_pool_size())
        if len(parts) == 1:
            return propose(parts[0])
        with ThreadPoolExecutor(len(parts)) as threads:
            middles, attributes, last_left = zip(*threads.map(propose, parts), strict=True)
        return np.concatenate(middles), np.concatenate(attributes), np.concatenate(last_left)

    @property
    def _rows(self) -> tuple[Int32, Int64]:
        return self.coded.counted.by_row, self.coded.counted.weight

    def _both_pass(self, nodes: Int64, middles: Int64) -> Flags:
        """bool [nodes]: whether both sides of each cut made in `order` pass every model."""
        rows = self.order[_ranges(self.starts[nodes], self.ends[nodes])]
        sizes = np.stack([middles - self.starts, self.ends - middles], axis=1)[nodes].ravel()
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        return self._pairs_pass(MemberStats(self.coded, rows, offsets))

    def _pairs_pass(self, stats: MemberStats) -> Flags:
        """For classes in pairs, left and right: whether both pass every model."""
        passing = np.ones(len(stats), np.bool_)
        for model in self.models:
            passing &= model.passes(stats)
        return passing[::2] & passing[1::2]

    def _retry(self, nodes: Int64, middles: Int64, attributes: Int64, last_left: Int64, valid: Flags) -> None:
        """Tries the other cuts of nodes whose best cut failed: best first, twice as many in every round."""
        ranked = self._ranked(nodes)
        after = ranked.offsets[:-1] + 1  # the best one has been tried
        waiting, batch = np.arange(len(nodes)), 1
        while len(waiting):
            until = np.minimum(after[waiting] + batch, ranked.offsets[waiting + 1])
            picks = _ranges(after[waiting], until)
            winners = picks[self._sides_pass(nodes, ranked, picks)]
            _, first = np.unique(ranked.node[winners], return_index=True)
            winners = winners[first]
            won = nodes[ranked.node[winners]]
            middles[won], last_left[won] = self._apply(won, ranked.attribute[winners], ranked.cut[winners])
            attributes[won], valid[won] = ranked.attribute[winners], True
            after[waiting] = until
            waiting = waiting[~valid[nodes[waiting]] & (until < ranked.offsets[waiting + 1])]
            batch *= 2

    def _ranked(self, nodes: Int64) -> _Ranked:
        """All cuts of the nodes, those of one node together, best first; ties are broken as in the kernel."""
        slices = self.order, self.starts[nodes], self.ends[nodes]
        node, attribute, cut, primary, secondary = self.kernel.alternatives(
            *self._rows, *slices, self.floor, self.rule, self.geometry, self.target
        )
        best = np.lexsort((cut, attribute, -secondary, -primary, node))
        offsets = np.searchsorted(node[best], np.arange(len(nodes) + 1))
        return _Ranked(offsets, node[best], attribute[best], cut[best])

    def _sides_pass(self, nodes: Int64, ranked: _Ranked, picks: Int64) -> Flags:
        """bool [picks]: whether both sides of each picked cut pass, tried on copies of limited size."""
        sizes = (self.ends - self.starts)[nodes[ranked.node[picks]]]
        parts = np.cumsum(sizes) // _TRIED_AT_ONCE
        passing = np.zeros(len(picks), np.bool_)
        for part in np.unique(parts):
            here = np.flatnonzero(parts == part)
            at = nodes[ranked.node[picks[here]]]
            copies, offsets, _ = self._expand(at, ranked.attribute[picks[here]], ranked.cut[picks[here]])
            passing[here] = self._pairs_pass(MemberStats(self.coded, copies, offsets))
        return passing

    def _apply(self, nodes: Int64, attribute: Int64, cut: Int64) -> tuple[Int64, Int64]:
        """Cuts the nodes in place; returns where each right side begins, and the last code of each left side."""
        copies, offsets, last_left = self._expand(nodes, attribute, cut)
        self.order[_ranges(self.starts[nodes], self.ends[nodes])] = copies
        return self.starts[nodes] + offsets[1::2] - offsets[:-1:2], last_left

    def _expand(self, nodes: Int64, attribute: Int64, cut: Int64) -> tuple[Int64, Int64, Int64]:
        """Performs cuts on copies of the nodes."""
        expanded: tuple[Int64, Int64, Int64] = self.kernel.expand(
            *self._rows, self.order, self.starts[nodes], self.ends[nodes], attribute, cut, self.rule, self.geometry
        )
        return expanded

    def _finish(self, nodes: Int64) -> None:
        """Makes these nodes classes."""
        self.done.append(Nodes(self.starts[nodes], self.ends[nodes], self.boxes[nodes]))
        self.finished += int((self.ends - self.starts)[nodes].sum())

    def _descend(self, nodes: Int64, middles: Int64, attributes: Int64, last_left: Int64) -> None:
        """Makes the two sides of every cut the new frontier, left before right."""
        if self.merges:
            self.cuts.append(Nodes(self.starts[nodes], self.ends[nodes], self.boxes[nodes]))
        left, right = self.boxes[nodes], self.boxes[nodes]
        positions = np.arange(len(nodes))
        left[positions, attributes[nodes], 1] = last_left[nodes]
        right[positions, attributes[nodes], 0] = last_left[nodes] + 1
        self.boxes = np.stack([left, right], axis=1).reshape(-1, *left.shape[1:])
        starts, ends, middles = self.starts[nodes], self.ends[nodes], middles[nodes]
        self.starts = np.stack([starts, middles], axis=1).ravel()
        self.ends = np.stack([middles, ends], axis=1).ravel()

    def settle(self) -> None:
        """Undoes cuts between classes that look alike but do not pass as the one class that a reader sees.

        This terminates: every round leaves fewer classes, and the classes from which the cuts started pass.
        """
        while self.merges:
            nodes = _joined(self.done)
            failing = np.flatnonzero(~self._passing_as_published(nodes))
            if not len(failing):
                return
            self.done = [self._uncut(nodes, failing)]

    def _passing_as_published(self, nodes: Nodes) -> Flags:
        """bool [nodes]: whether the class that a reader sees passes; nodes that look alike are one class."""
        published = alike(list(shown_columns(Boxes(nodes.boxes), self.coded, self._members(nodes)).values()))
        of_row = np.repeat(published, nodes.ends - nodes.starts)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(of_row))])
        stats = MemberStats(self.coded, self.order[np.argsort(of_row, kind="stable")], offsets)
        passing = np.ones(len(stats), np.bool_)
        for model in self.models:
            passing &= model.passes(stats)
        return passing[published]

    def _members(self, nodes: Nodes) -> Members:
        """The rows of nodes that together hold all rows, in order."""
        offsets = np.append(nodes.starts, len(self.order))
        return Members(self.order, offsets, self.coded.counted.weight[self.order])

    def _uncut(self, nodes: Nodes, failing: Int64) -> Nodes:
        """The classes after undoing the last cut above each failing one: both of its sides are one class again."""
        cuts = _joined(self.cuts)
        sizes = cuts.ends - cuts.starts
        covered = np.zeros(len(self.order), np.bool_)
        above = []
        for node in failing:
            around = (cuts.starts <= nodes.starts[node]) & (cuts.ends >= nodes.ends[node])
            wider = np.flatnonzero(around & (sizes > nodes.ends[node] - nodes.starts[node]))
            if not len(wider):
                raise CannotBeMet("Parts of the table that 'coarsest' keeps apart have equal labels, and fail as one.")
            above.append(int(wider[np.argmin(sizes[wider])]))
        undone = []
        for cut in sorted(set(above), key=lambda cut: -int(sizes[cut])):  # widest first: it may contain others
            if not covered[cuts.starts[cut]]:
                covered[cuts.starts[cut] : cuts.ends[cut]] = True
                undone.append(cut)
        return _joined([nodes.only(np.flatnonzero(~covered[nodes.starts])), cuts.only(np.array(undone))])

    def partition(self) -> Partition:
        """The finished nodes as classes, in the order of their rows in `order`."""
        nodes = _joined(self.done)
        return Partition(*self._members(nodes), Boxes(nodes.boxes))


def _joined(parts: Sequence[Nodes]) -> Nodes:
    """All nodes, in the order of their rows."""
    starts, ends, boxes = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Nodes(starts, ends, boxes).only(np.argsort(starts, kind="stable"))


def _may_not_merge(coded: Coded, models: Sequence[ClassModel]) -> bool:
    """Whether classes could look alike yet not pass together: trees give different values the same label."""
    trees = any(domain.published == TREE for domain in coded.quasi)
    return trees and not all(model.monotone.merges(coded.counts_persons) for model in models)


class _Ranked(NamedTuple):
    """Cuts to try: those of node n are entries offsets[n]:offsets[n+1], best first."""

    offsets: Int64
    node: Int64
    attribute: Int64
    cut: Int64


def _ranges(firsts: Int64, lasts: Int64) -> Int64:
    """All numbers of the ranges firsts[i]:lasts[i], one range after the other."""
    sizes = lasts - firsts
    before = np.cumsum(sizes) - sizes
    shifts: Int64 = np.repeat(firsts - before, sizes)
    return shifts + np.arange(len(shifts))
