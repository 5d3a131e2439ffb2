"""Specialization: a table that is recoded from the top of every column downwards, in the same way in every row.

A node of a column is a range of its codes: trees are in depth-first order, numbers ascending. The nodes in use, the
*cut* of every column, define the released table. Replacing a node by its parts splits the classes that show it, and no
others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.coded import loss
from shoal.coded.combinations import Bound, Line, Seen, Table, close_cuts, judge
from shoal.coded.counted import Coded
from shoal.coded.domains import SET, TREE
from shoal.coded.keys import distinct_rows
from shoal.coded.stats import MemberStats, stats_of_cuts
from shoal.models.base import ClassModel, CombinationBound
from shoal.search.reading import sets_read
from shoal.search.splits import Held, Node, Split, Verdict, Watched

_SPARE_BITS, _SPARE_SHARE = 2.0, 0.05
_MUCH_OF_ALL = 8
_MOST_TRIED = 1 << 20
"""The most counts to examine when searching for the allowed cuts of a class."""


class Specialization:
    """The state of a top-down search: the class of every row, and the nodes that each class shows.

    Rows that agree in all that knowledge models read are of one kind at the start. Every split divides kinds and
    classes.
    """

    def __init__(self, coded: Coded, models: Sequence[ClassModel]) -> None:
        self.coded, self._weight = coded, coded.counted.weight
        person, (columns, distinct) = coded.counted.person, coded.counted.quasi.shape
        self.total = coded.counted.rows
        self._rows_in = self.total + coded.counted.rows_dropped
        read, self.models = _bounds_and_others(coded, models)
        listed = [bound.listed[codes] for bound, codes in read]
        self._kind_of, firsts = _kinds(
            [*(codes + 1 for codes in listed), *([] if person is None else [person])], distinct
        )
        self.watched = [
            Watched(bound.bound, codes[firsts], bound.values, Seen(support=self._all_counted()))
            for (bound, _), codes in zip(read, listed, strict=True)
        ]
        floor = max((model.floor for model in self.models), default=1)
        self._floor = Watched(Bound(columns, floor), np.full(len(firsts), -1, np.int32), 0, Seen())
        """The smallest class that class models allow, as a bound for an intruder who knows all columns."""
        self._person = None if person is None else person[firsts]
        self._origin = np.zeros(distinct, np.int32)
        self._origin[: len(firsts)] = np.arange(len(firsts))
        self._class_of = np.zeros(distinct, np.int32)
        self._kinds, self.classes = len(firsts), 1
        self._nodes, self._sizes = np.zeros((columns, distinct), np.int32), np.zeros(distinct, np.int64)
        self._sizes[0] = self.total
        self._scratch, self._left = np.full(distinct, -1, np.int64), np.zeros(distinct, np.int64)
        self._sorted: dict[int, tuple[Int32, Int64]] = {}
        self._running: dict[int, Int64] = {}
        self._holds: dict[Node, Held] = {}
        self.cut = [[Node(a, 0, column.size - 1, 0)] for a, column in enumerate(coded.quasi)]
        self.pairs = self.total**2
        """Σ|class|²."""
        self.smallest_class = self.total
        """In rows. Classes only get smaller."""
        self._lost = np.array([loss.of_codes(domain, 0, domain.size - 1)[0] * self.total for domain in coded.quasi])

    def _all_counted(self) -> int:
        """The number of all rows, or of all persons."""
        person = self.coded.counted.person
        return self.total if person is None else len(np.unique(person))

    @property
    def ncp(self) -> float:
        return (float(self._lost.mean()) + self.coded.counted.rows_dropped) / self._rows_in

    @property
    def discernibility_ratio(self) -> float:
        return (self.pairs + self.coded.counted.rows_dropped * self._rows_in) / self._rows_in**2

    # -- trying ---------------------------------------------------------------------------------------------------

    def edges(self, node: Node) -> Int64:
        """Where the fixed parts of a node begin (the children in a tree), and one past its end.

        Numbers without a tree have no fixed parts, so there are no inner edges. A missing value comes before them. It
        is shown as missing once it is cut off; until then it is published as `*` together with the lowest numbers.
        """
        column = self.coded.quasi[node.column]
        codes = np.arange(node.low, node.high + 1)
        if column.published == TREE and column.hierarchy is not None:
            for level in reversed(column.hierarchy.levels[:-1]):
                of_leaf = level.of_leaf[codes]
                if of_leaf[0] != of_leaf[-1]:
                    return _bounds(codes[np.flatnonzero(np.diff(of_leaf)) + 1], node)
        if column.published == SET:
            return _bounds(codes[1:], node)
        return _bounds(codes[:0], node)

    def split(self, node: Node, edges: Int64) -> Split:
        """What would become of the table if a node were replaced by its parts. It changes nothing."""
        from shoal.kernels import specializing as kernel

        held = self._held(node)
        begins = held.starts[edges - node.low]
        entry, kind, total, offsets = kernel.split(held.kind, held.weight, begins, self._scratch)
        local, classes, sizes, part = kernel.group(kind, total, offsets, self._class_of, self._scratch)
        return Split(node, edges, entry, kind, total, offsets, local, classes, sizes, part)

    def judge(self, split: Split) -> Verdict:
        """Whether every model allows a split, and what knowledge models would see then."""
        seen, others = [], self._others(split.node)
        for watched in self.watched:
            chosen = min(watched.bound.known, len(self.cut)) - 1
            judged = judge(self._table(split, watched, others), watched.bound, chosen, watched.seen)
            if not judged.holds:
                return Verdict(False, (), watched, tuple(others[b] for b in judged.blocking if others))
            seen.append(judged.seen)
        return self._judge_classes(split) or Verdict(True, tuple(seen))

    def _judge_classes(self, split: Split) -> Verdict | None:
        """Why class models forbid a split; None if they do not."""
        if not self.coded.counts_persons and split.sizes.min() < self._floor.bound.support:
            return Verdict(False, (), self._floor, tuple(self._others(split.node)))
        if not self.models:
            return None
        rows, class_of_row = self._of_rows(split, split.local)
        order = np.argsort(class_of_row, kind="stable")
        offsets = np.searchsorted(class_of_row[order], np.arange(len(split.sizes) + 1)).astype(np.int64)
        stats = MemberStats(self.coded, rows[order].astype(np.int64), offsets)
        for model in self.models:
            failing = np.flatnonzero(~model.passes(stats))
            if len(failing):
                return Verdict(False, (), failing=int(split.classes[failing[np.argmin(split.sizes[failing])]]))
        return None

    def close_cuts(self, node: Node, closed: Flags, verdict: Verdict) -> None:
        """Closes the cuts, bool [codes - 1], that are not allowed for the same reason as one that was refused.

        The reason is a set of known columns in which too few rows match, or a class that fails. A closed cut stays
        closed.
        """
        if verdict.failing >= 0:
            self._close_cuts_of_class(node, closed, verdict.failing)
        elif verdict.watched is not None:
            split, held = self.split(node, np.array([node.low, node.high + 1])), self._held(node)
            table = self._table(split, verdict.watched, verdict.columns)
            close_cuts(table, Line(split.entry, held.weight, held.starts), closed, verdict.watched.bound)

    def _close_cuts_of_class(self, node: Node, closed: Flags, which: int) -> None:
        """Closes the cuts that divide a class so that a model fails; of too many, tries those with small parts."""
        rows, _ = self._slice(node, np.array([node.low, node.high + 1]))
        members = rows[self._class_of[self._kind_of[rows]] == which].astype(np.int64)
        place, first = np.unique(self.coded.counted.quasi[node.column][members] - node.low, return_index=True)
        tried = np.arange(1, len(place))
        tried = tried[~closed[place[tried] - 1]]
        most = max(_MOST_TRIED // min(len(members), self._alike[1]), 2)
        if len(tried) > most:
            tried = np.concatenate([tried[: most // 2], tried[-(most // 2) :]])
        if not len(tried):
            return
        stats = stats_of_cuts(self.coded, self._alike[0], members, first[tried])
        passing = np.logical_and.reduce([model.passes(stats) for model in self.models])
        for at in tried[~passing.reshape(-1, 2).all(axis=1)].tolist():
            closed[place[at - 1] : place[at]] = True

    @cached_property
    def _alike(self) -> tuple[Int32, int]:
        """int32 [distinct rows]: equal numbers for rows that are the same to class models; and the number of kinds."""
        read, counted = {column for model in self.models for column in model.reads}, self.coded.counted
        codes = [*(counted.sensitive[column] for column in sorted(read)), *sets_read(counted, self.models)]
        person = counted.person
        kinds, firsts = _kinds([*codes, *([] if person is None else [person])], len(self._weight))
        return kinds, len(firsts)

    def _table(self, split: Split, watched: Watched, columns: Sequence[int]) -> Table:
        """The entries of a split, to count combinations of some columns."""
        origin = self._origin[split.kind]
        return Table(
            nodes=lambda: self._nodes_of(split, columns),
            weight=split.total,
            sensitive=watched.listed[origin],
            values=watched.values,
            class_of=split.local,
            classes=len(split.sizes),
            groups=split.offsets,
            person=None if self._person is None else self._person[origin],
        )

    def _nodes_of(self, split: Split, columns: Sequence[int]) -> Int32:
        """int32 [columns, entries]: the nodes of some columns; without any, one constant column."""
        from shoal.kernels import specializing as kernel

        if not columns:
            return np.zeros((1, len(split.kind)), np.int32)
        room, classes = max(len(nodes) for nodes in self.cut), split.classes[split.local]
        gathered: Int32 = kernel.gather_nodes(self._nodes, np.array(columns, np.int64), classes, room)
        return gathered

    def _others(self, node: Node) -> list[int]:
        """The other columns with more than one node."""
        return [b for b, nodes in enumerate(self.cut) if b != node.column and len(nodes) > 1]

    # -- scoring --------------------------------------------------------------------------------------------------

    def pairs_parted(self, node: Node, edges: Int64) -> int:
        """The decrease of Σ|class|² if a node were replaced by these parts."""
        from shoal.kernels import specializing as kernel

        held = self._held(node)
        begins = held.starts[edges - node.low]
        return int(kernel.pairs_parted(held.kind, held.weight, begins, self._class_of, self._sizes, self._scratch))

    def pairs_cut(self, node: Node) -> Int64:
        """int64 [codes - 1]: the decrease of Σ|class|² if a node were cut after each of its codes."""
        from shoal.kernels import specializing as kernel

        decrease: Int64 = kernel.pairs_cut(*self._held(node), self._class_of, self._sizes, self._left)
        return decrease

    @property
    def has_privacy_to_spend(self) -> bool:
        """Whether steps can still differ in the privacy margin that they leave."""
        return any(watched.seen.support > watched.bound.support or watched.values for watched in self.watched)

    def privacy_left(self, seen: Sequence[Seen]) -> float:
        """The share of the present privacy margin, 0 to 1, that remains once this is seen.

        It is the lesser of two shares: of the bits by which the support exceeds its bound, and of the distance of the
        confidence from its bound. Both get a small addition, so that a step is worth something even if it leaves no
        margin.
        """
        left = 1.0
        for watched, then in zip(self.watched, seen, strict=True):
            least, most, now = watched.bound.support, watched.most, watched.seen
            bits = [math.log2(support / least) + _SPARE_BITS for support in (then.support, now.support)]
            left = min(left, bits[0] / bits[1])
            if watched.values:
                gaps = [most * (1 + _SPARE_SHARE) - share for share in (then.confidence, now.confidence)]
                left = min(left, gaps[0] / gaps[1])
        return left

    # -- doing ----------------------------------------------------------------------------------------------------

    def perform(self, split: Split, seen: Sequence[Seen]) -> list[Node]:
        """Replaces the node by its parts in every row; returns the new nodes."""
        from shoal.kernels import specializing as kernel

        nodes = self._replace(split)
        self.smallest_class = min(self.smallest_class, int(split.sizes.min()))
        new_class, self.classes = kernel.renumber(split.classes, self.classes, self._scratch)
        new_kind, self._kinds = kernel.renumber(split.kind, self._kinds, self._scratch)
        numbers = np.array([node.number for node in nodes], np.int32)
        self.pairs -= int(
            kernel.assign_classes(
                split.classes, new_class, split.part, split.sizes, split.node.column, numbers, self._nodes, self._sizes
            )
        )
        self._origin[new_kind] = self._origin[split.kind]
        self._class_of[new_kind] = new_class[split.local]
        self._assign_kinds(split, new_kind)
        self._holds.clear()
        for watched, seen_now in zip(self.watched, seen, strict=True):
            watched.seen = seen_now
        return nodes

    def _assign_kinds(self, split: Split, new_kind: Int32) -> None:
        """Gives the rows of a split their new kinds."""
        from shoal.kernels import specializing as kernel

        if self._is_much(split.node):
            codes, parts = self.coded.counted.quasi[split.node.column], len(split.edges) - 1
            part, table = np.repeat(np.arange(parts), np.diff(split.edges)), np.empty((parts, self._kinds), np.int32)
            entries = (split.kind, split.offsets, new_kind)
            kernel.assign_kinds(codes, split.node.low, part, *entries, table, self._kind_of)
        else:
            rows, of_rows = self._of_rows(split, new_kind)
            self._kind_of[rows] = of_rows

    def _replace(self, split: Split) -> list[Node]:
        """Puts the parts into the cut of the column: the first takes the node's number, the others the next ones."""
        a, cut = split.node.column, self.cut[split.node.column]
        ranges = [(int(low), int(high) - 1) for low, high in zip(split.edges[:-1], split.edges[1:], strict=True)]
        numbers = [split.node.number, *range(len(cut), len(cut) + len(ranges) - 1)]
        nodes = [Node(a, low, high, number) for (low, high), number in zip(ranges, numbers, strict=True)]
        cut[split.node.number] = nodes[0]
        cut.extend(nodes[1:])
        self._lost[a] += sum(self._loss_of(node) for node in nodes)
        self._lost[a] -= self._loss_of(split.node)
        return nodes

    def _loss_of(self, node: Node) -> float:
        """The information loss of a node in its column, summed over its rows."""
        return float(loss.of_codes(self.coded.quasi[node.column], node.low, node.high)[0]) * self.rows_of(node)

    # -- reading --------------------------------------------------------------------------------------------------

    def class_of_rows(self) -> Int64:
        """int64 [distinct rows]: the class of every row."""
        return self._class_of[self._kind_of].astype(np.int64)

    def recoded(self) -> tuple[Int32, ...]:
        """Per column int32 [codes, 2]: the first and last code of the node as which each code is published."""
        ranges_by_column = []
        for column, cut in zip(self.coded.quasi, self.cut, strict=True):
            ranges = np.empty((column.size, 2), np.int32)
            for node in cut:
                ranges[node.low : node.high + 1] = node.low, node.high
            ranges_by_column.append(ranges)
        return tuple(ranges_by_column)

    def rows_of(self, node: Node) -> int:
        """The number of rows that show a node."""
        running = self._weights(node.column)
        return int(running[node.high + 1] - running[node.low])

    def _weights(self, a: int) -> Int64:
        """int64 [codes + 1]: the number of rows with a lower code."""
        if a not in self._running:
            from shoal.kernels.specializing import tally

            one_target = np.zeros(len(self._weight), np.int32)
            rows = tally(self.coded.counted.quasi[a], self.coded.quasi[a].size, one_target, 1, self._weight)
            self._running[a] = np.concatenate([[0], np.cumsum(rows[:, 0])])
        return self._running[a]

    def _held(self, node: Node) -> Held:
        """The kinds and rows that a node holds now."""
        from shoal.kernels import specializing as kernel

        if node not in self._holds:
            weight = self._weight
            if self._is_much(node):
                codes = self.coded.counted.quasi[node.column]
                kinds_by_code = kernel.kinds_by_code(codes, node.low, node.high, self._kind_of, self._kinds, weight)
                self._holds[node] = Held(*kinds_by_code)
            else:
                rows, starts = self._slice(node, np.arange(node.low, node.high + 2))
                self._holds[node] = Held(*kernel.kinds_in(rows, self._kind_of, weight), starts)
        return self._holds[node]

    def _is_much(self, node: Node) -> bool:
        """Whether a node has so many rows, of few codes and kinds, that visiting all rows in order is faster."""
        few = node.codes * self._kinds <= len(self._kind_of)
        return few and self.rows_of(node) * _MUCH_OF_ALL > self.total

    def _of_rows(self, split: Split, value: Int32) -> tuple[Int32, Int32]:
        """The rows of a split, and the value that belongs to the entry of each row."""
        from shoal.kernels import specializing as kernel

        rows, begins = self._slice(split.node, split.edges)
        values: Int32 = kernel.of_entries(rows, begins, self._kind_of, split.kind, split.offsets, value, self._scratch)
        return rows, values

    def _slice(self, node: Node, edges: Int64) -> tuple[Int32, Int64]:
        """The rows of a node by code, and the offset of each part in them."""
        from shoal.kernels import specializing as kernel

        if node.column not in self._sorted:
            self._sorted[node.column] = kernel.by_code(
                self.coded.counted.quasi[node.column], self.coded.quasi[node.column].size
            )
        rows, starts = self._sorted[node.column]
        begins = starts[edges]
        return rows[begins[0] : begins[-1]], begins - begins[0]


def _bounds(inner: Int64, node: Node) -> Int64:
    return np.concatenate([[node.low], inner, [node.high + 1]]).astype(np.int64)


def _bounds_and_others(
    coded: Coded, models: Sequence[ClassModel]
) -> tuple[list[tuple[CombinationBound, Int32]], tuple[ClassModel, ...]]:
    """The bounds on combinations, with the sensitive codes of all rows; and the models that judge classes."""
    bounds, others = [], []
    for model in models:
        column = model.reads[0] if model.reads else ""
        bound = model.bound(coded.sensitive[column]) if column else None
        if bound is None:
            others.append(model)
        else:
            bounds.append((bound, coded.counted.sensitive[column]))
    return bounds, tuple(others)


def _kinds(read: Sequence[Int32], distinct: int) -> tuple[Int32, Int64]:
    """The kind of every row, and one row of each kind."""
    if not read:
        return np.zeros(distinct, np.int32), np.zeros(1, np.int64)
    ids, firsts, _ = distinct_rows(read)
    return ids, firsts
