"""The lattice of full-domain recodings: one level per quasi-identifier, the same for every row.

A Lattice knows the levels, finds the classes of the table at any node by rolling up those of a lower node, and asks the
models which classes pass. Searches differ only in the nodes that they check.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.counted import Coded, Counted
from shoal.coded.keys import distinct_rows, packed
from shoal.coded.partition import Partition
from shoal.coded.recoding import Levels, alike, label_numbers, shown_columns
from shoal.coded.record import SearchRecord
from shoal.coded.stats import MemberStats, flags_at
from shoal.counts import counted
from shoal.errors import CannotBeMet
from shoal.exact import fraction
from shoal.models.base import ClassModel, Monotone
from shoal.percent import percent
from shoal.search.class_limits import most_classes, rows_beyond
from shoal.search.explored import explored
from shoal.search.nodes import Node
from shoal.search.reading import sets_read

_KEPT_ENTRIES = 30_000_000
"""The most entries that all kept classes may have together. It bounds the memory, not the result."""
_COUNTED_ROOM = 2**40
"""Keys below this may be counted instead of hashed, if there are enough of them."""


@dataclass(frozen=True)
class NodeClasses:
    """The classes of the table at a node: one row of each, its number of rows, and sparse counts of joint values."""

    node: Node
    row: Int64
    weight: Int64
    offsets: Int64
    values: Int32
    counts: Int64

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True)
class Checked:
    """A node with the verdicts of the models.

    `passing`: the classes that may be released together. The other classes hold `suppressed` rows. If suppression
    changes the reference distribution, these may not be the fewest: `condemned` are the classes that no choice can
    save. `least_lost`: the fewest rows that must be suppressed at every node below. If a model that judges the whole
    table does not hold, no class passes.
    """

    classes: NodeClasses
    passing: Flags
    suppressed: int
    condemned: Flags
    least_lost: int

    @property
    def has_choice(self) -> bool:
        """Whether classes other than the passing ones might be released instead."""
        return not bool((self.condemned != self.passing).all())

    @property
    def relaxed(self) -> Checked:
        """The node as if all classes that are not condemned were released: it costs no more than any valid choice."""
        lost = int(self.classes.weight[self.condemned].sum())
        return replace(self, passing=~self.condemned, suppressed=lost)


class Look(NamedTuple):
    """What is remembered about a checked node. Models do not judge a node with too many classes."""

    classes: int
    suppressed: int
    feasible: bool
    least_lost: int
    judged: bool = True


class Lattice:
    """All recodings of a coded table, checked under models with a limit on suppressed rows."""

    def __init__(self, coded: Coded, models: Sequence[ClassModel], suppression: float = 0.0) -> None:
        self.coded, self.models = coded, tuple(models)
        self.hierarchies = tuple(domain.tree for domain in coded.quasi)
        self.heights = tuple(domain.coarsest for domain in coded.quasi)
        self.rows = coded.counted.rows
        self.limit = math.floor(fraction(suppression) * self.rows)
        self.most_classes = most_classes(coded, self.models)
        self.judges_table = any(model.judges_table for model in self.models)
        if self.limit and self.judges_table:
            raise AssertionError("a model judges the whole table, and rows may be suppressed")
        self.checks = 0
        self.looked: dict[Node, Look] = {}
        self._node = np.concatenate([np.concatenate([l.of_leaf for l in h.levels]) for h in self.hierarchies])
        spans = [len(h.levels) * domain.size for h, domain in zip(self.hierarchies, coded.quasi, strict=True)]
        self._start = np.concatenate([[0], np.cumsum(spans)[:-1]]).astype(np.int64)
        self._leaves = np.array([domain.size for domain in coded.quasi], np.int64)
        self._joint = _joint_values(coded.counted, self.models)
        self._kept: dict[Node, NodeClasses] = {}
        self._kept_names: list[Node] = []
        self._kept_nodes, self._kept_sizes = np.zeros((64, len(self.heights)), np.int16), np.zeros(64, np.int64)
        self._entries = 0
        self._keep(self._base())

    @property
    def top(self) -> Node:
        return self.heights

    @property
    def size(self) -> int:
        """The number of nodes."""
        return math.prod(height + 1 for height in self.heights)

    @property
    def monotone(self) -> bool:
        """Whether every node above a feasible one is feasible, which makes pruning on feasibility sound.

        Without suppression, classes only merge on the way up, and so do the matching rows of combinations: UNION
        suffices. With suppression, a passing class may merge with a failing one, which needs UPWARD. A person with rows
        in two classes breaks UNION as well.
        """
        if self.limit == 0:
            return all(model.monotone.merges(self.coded.counts_persons) for model in self.models)
        return all(model.monotone is Monotone.UPWARD for model in self.models)

    def levels(self, node: Node) -> dict[str, int]:
        """Column → level of the plan's hierarchy, of which a node leaves out those below the finest."""
        return {domain.name: level + domain.finest for domain, level in zip(self.coded.quasi, node, strict=True)}

    def check(self, node: Node) -> Checked:
        """Checks which classes of the recoding pass every model."""
        self.checks += 1
        classes = self.classes(node)
        if (beyond := rows_beyond(classes.weight, self.most_classes)) > self.limit:
            return self._rejected(classes, beyond)
        stats = self._stats(classes)
        verdicts = [model.allows(stats) for model in self.models]
        passing = np.logical_and.reduce(verdicts)
        by_model = list(zip(self.models, verdicts, strict=True))
        lost = max(model.least_lost(stats, verdict) for model, verdict in by_model)
        binding = [~verdict for model, verdict in by_model if model.input_binds or self.limit == 0]
        condemned = np.logical_or.reduce([np.zeros_like(passing), *binding])
        suppressed = int(classes.weight[~passing].sum())
        if 0 < suppressed <= self.limit and any(model.relative_to_released for model in self.models):
            passing = self._settled(classes, passing)
            suppressed = int(classes.weight[~passing].sum())
        checked = Checked(classes, passing, suppressed, condemned, lost)
        self.looked[node] = Look(int(passing.sum()), suppressed, self.feasible(checked), lost)
        return checked

    def _rejected(self, classes: NodeClasses, lost: int) -> Checked:
        """A node with more classes than can pass: no model needs to be asked."""
        none = np.zeros(len(classes), np.bool_)
        self.looked[classes.node] = Look(0, self.rows, False, lost, judged=False)
        return Checked(classes, none, self.rows, ~none, lost)

    def feasible(self, checked: Checked) -> bool:
        """Whether a class passes, and no more rows are suppressed than the limit allows."""
        return checked.suppressed <= self.limit and bool(checked.passing.any())

    def cannot_be_met(self) -> CannotBeMet:
        """The error if no checked node is feasible, with the number of rows that the nearest one would suppress."""
        node, look = min(self.looked.items(), key=lambda item: (item[1].suppressed, sum(item[0]), item[0]))
        limits = ", or raise 'coarsest'" if any(domain.blocks is not None for domain in self.coded.quasi) else ""
        if self.judges_table:
            return CannotBeMet("No recoding satisfies the models.", hint=f"relax {self._blocking(node)}{limits}.")
        rows = counted(self.rows, "row", "rows")
        fact = f"No recoding satisfies the models with at most {self.limit:,} of {rows} suppressed."
        if not look.classes:
            return CannotBeMet(
                fact, allowed="In no recoding does a class pass.", hint=f"relax {self._blocking(node)}{limits}."
            )
        suppressed = f"{counted(look.suppressed, 'row', 'rows')} ({percent(look.suppressed / self.rows)})"
        share = math.ceil(1000 * look.suppressed / self.rows) / 1000
        levels = ", ".join(f"'{name}' at level {level}" for name, level in self.levels(node).items())
        return CannotBeMet(
            fact,
            allowed=f"The nearest recoding suppresses {suppressed}, with {levels}.",
            hint=f"set suppression = {share:g} under [release], or relax {self._blocking(node)}{limits}.",
        )

    def _blocking(self, node: Node) -> str:
        """The model that most rows of a recoding fail."""
        stats = self._stats(self.classes(node))
        lost = [int(stats.sizes[~model.allows(stats)].sum()) for model in self.models]
        return f"model '{self.models[int(np.argmax(lost))].kind}'"

    def classes(self, node: Node) -> NodeClasses:
        """The classes of the table at a node, rolled up from the smallest kept ones below it."""
        if node not in self._kept:
            below = np.flatnonzero((self._kept_nodes[: len(self._kept)] <= np.array(node, np.int16)).all(axis=1))
            smallest = below[np.argmin(self._kept_sizes[below])]
            self._keep(self._merged(self._kept[self._kept_names[smallest]], node)[1])
        return self._kept[node]

    def check_rows(self, rows: Int64, node: Node) -> tuple[Int32, Flags]:
        """Checks some rows only, recoded at a node: the class of each row, and which classes pass every model."""
        self.checks += 1
        ids, classes = self._classes_of(rows, node)
        stats = self._stats(classes)
        return ids, np.logical_and.reduce([model.allows(stats) for model in self.models])

    def passes_together(self, rows: Int64) -> bool:
        """Whether some rows may form a single class, and pass every model as one."""
        if not len(rows):
            return False
        node = self.common_levels(rows)
        allowed = all(level <= highest for level, highest in zip(node, self.top, strict=True))
        return allowed and bool(self.check_rows(rows, node)[1][0])

    def common_levels(self, rows: Int64) -> Node:
        """The lowest levels at which some rows have the same labels."""
        codes = self.coded.counted.by_row[rows]
        return tuple(
            next(
                number
                for number, level in enumerate(hierarchy.levels)
                if (level.of_leaf[codes[:, a]] == level.of_leaf[codes[0, a]]).all()
            )
            for a, hierarchy in enumerate(self.hierarchies)
        )

    def holds(self, partition: Partition) -> bool:
        """Whether a release of these classes keeps every promise.

        It judges them as published: classes with equal labels are one class.
        """
        if not partition.classes:
            return False
        shown = list(shown_columns(partition.recoding, self.coded, partition.members).values())
        published = alike(shown)
        first = np.unique(published, return_index=True)[1]
        class_of = published[partition.class_of]
        in_order = np.argsort(class_of, kind="stable")
        offsets = np.searchsorted(class_of[in_order], np.arange(len(first) + 1)).astype(np.int64)
        stats = MemberStats(
            self.coded,
            partition.row[in_order],
            offsets,
            weight=partition.weight[in_order],
            shown=lambda: label_numbers(shown)[first],
        )
        released = stats.among_themselves()
        return all(model.allows(stats).all() for model in self.models) and all(
            model.allows(released).all() for model in self.models if model.relative_to_released
        )

    def partition(self, checked: Checked, record: SearchRecord | None = None) -> Partition:
        """The passing classes as a partition; the rows of all other classes are suppressed."""
        counted = self.coded.counted
        ids, count = self._numbered(np.arange(len(counted), dtype=np.int64), checked.classes.node)
        kept = np.flatnonzero(checked.passing)
        class_of_id = np.full(count, -1, np.int64)
        class_of_id[ids[checked.classes.row[kept]]] = np.arange(len(kept))  # ids are new: one row identifies a class
        levels = np.tile(np.array(checked.classes.node, np.int16), (len(kept), 1))
        if record is not None:
            record = replace(record, lattice=explored(self, checked.classes.node))
        return Partition.of_rows(class_of_id[ids], len(kept), counted.weight, Levels(levels), record)

    def start_at(self, node: Node) -> Int64:
        """Where the codes of every column at its level of `node` begin, in tables laid out level after level."""
        return self._start + np.array(node, np.int64) * self._leaves

    # -- finding classes --------------------------------------------------------------------------------------

    def _base(self) -> NodeClasses:
        """The classes of the rows without generalization."""
        return self._classes_of(np.arange(len(self.coded.counted), dtype=np.int64), (0,) * len(self.heights))[1]

    def _classes_of(self, rows: Int64, node: Node) -> tuple[Int32, NodeClasses]:
        """The class of each of these rows at a node, and the classes."""
        weight, offsets = self.coded.counted.weight[rows], np.arange(len(rows) + 1, dtype=np.int64)
        return self._merged(NodeClasses(node, rows, weight, offsets, self._joint.of_row[rows], weight), node)

    def _merged(self, classes: NodeClasses, node: Node) -> tuple[Int32, NodeClasses]:
        """The new class of each old class when they are rolled up to a node, and the new classes."""
        from shoal.kernels.roll_up import merge

        ids, count = self._numbered(classes.row, node)
        merged = merge(ids, count, classes.row, classes.offsets, classes.values, classes.counts, self._joint.kinds)
        return ids, NodeClasses(node, *merged)

    def _numbered(self, row: Int64, node: Node) -> tuple[Int32, int]:
        """The class of every given row at a node, and the number of classes."""
        from shoal.kernels.roll_up import group_keys, raised_keys

        start, codes = self.start_at(node), self.coded.counted.by_row
        sizes = [len(h.levels[level].labels) for h, level in zip(self.hierarchies, node, strict=True)]

        def extend(keys: Int64, part: slice) -> None:
            raised_keys(codes[:, part], row, self._node, start[part], np.array(sizes[part], np.int64), keys)

        def compress(keys: Int64, room: int) -> tuple[Int64, int]:
            ids, count = group_keys(keys, room if room < _COUNTED_ROOM else 0)
            return ids.astype(np.int64), count

        keys, room = packed(sizes, len(row), extend, compress)
        numbered: tuple[Int32, int] = group_keys(keys, room if room < _COUNTED_ROOM else 0)
        return numbered

    def _keep(self, classes: NodeClasses) -> None:
        """Keeps classes to roll up from.

        If memory is short, it drops all but the first, from which all others can be rolled up.
        """
        if self._entries > _KEPT_ENTRIES:
            first = self._kept[self._kept_names[0]]
            self._kept, self._kept_names, self._entries = {}, [], 0
            self._keep(first)
        number = len(self._kept)
        if number == len(self._kept_nodes):
            self._kept_nodes = np.concatenate([self._kept_nodes, np.zeros_like(self._kept_nodes)])
            self._kept_sizes = np.concatenate([self._kept_sizes, np.zeros_like(self._kept_sizes)])
        self._kept_nodes[number], self._kept_sizes[number] = classes.node, len(classes.values)
        self._kept_names.append(classes.node)
        self._kept[classes.node] = classes
        self._entries += len(classes.values)

    # -- asking models ----------------------------------------------------------------------------------------

    def _stats(self, classes: NodeClasses) -> MemberStats:
        rows = self._joint.first[classes.values]
        return MemberStats(
            self.coded, rows, classes.offsets, weight=classes.counts, shown=partial(self._labels, classes)
        )

    def _labels(self, classes: NodeClasses) -> Int32:
        """int32 [classes, columns]: the tree node that each class shows."""
        labels: Int32 = self._node[self.start_at(classes.node) + self.coded.counted.by_row[classes.row]]
        return labels

    def _settled(self, classes: NodeClasses, passing: Flags) -> Flags:
        """Suppresses further classes until all that remain pass among the remaining rows.

        These rows are then the reference distribution.
        """
        sizes, all_stats = np.diff(classes.offsets), self._stats(classes)
        kept = np.flatnonzero(passing)
        while len(kept):
            entries = np.flatnonzero(np.repeat(flags_at(kept, len(classes)), sizes))
            offsets = np.concatenate([[0], np.cumsum(sizes[kept])])
            remaining = replace(
                all_stats, rows=all_stats.rows[entries], offsets=offsets, weight=classes.counts[entries], _counts={}
            )
            stats = remaining.among_themselves()
            passing_still = np.logical_and.reduce(
                [model.passes(stats) for model in self.models if model.relative_to_released]
            )
            if passing_still.all():
                break
            kept = kept[passing_still]
        return flags_at(kept, len(classes))


class _Joint(NamedTuple):
    """Every tuple of what models read (sensitive codes, sets, person) as one code.

    `of_row`: the code of each row. `first`: one row with each code.
    """

    of_row: Int32
    first: Int64

    @property
    def kinds(self) -> int:
        return len(self.first)


def _joint_values(counted: Counted, models: Sequence[ClassModel]) -> _Joint:
    columns = [*counted.sensitive.values(), *sets_read(counted, models)]
    columns += [] if counted.person is None else [counted.person]
    if not columns:
        return _Joint(np.zeros(len(counted), np.int32), np.zeros(1, np.int64))
    ids, firsts, _ = distinct_rows(columns)
    return _Joint(ids, firsts)
