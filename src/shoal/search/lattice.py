"""The lattice of full-domain recodings: one level per quasi-identifier, the same for every row.

A Lattice knows the levels, groups the table at any node by rolling up an already grouped one, and asks the models which
classes pass. Searches over it differ only in which nodes they look at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from shoal.coded.encode import Encoded, QuasiColumn, distinct_rows
from shoal.coded.partition import ClassStats, Int32, Int64, Partition, Rows, SensitiveCodes
from shoal.errors import CannotBeMet, PlanError
from shoal.exact import fraction
from shoal.hierarchies.base import Hierarchy
from shoal.labels import exact
from shoal.models.base import ClassModel, KnowledgeModel, Monotone

Node = tuple[int, ...]

_KEY_ROOM = 2**62
_KEPT_ENTRIES = 30_000_000
"""How many entries the kept groups may have together: bounds memory, not the result."""


@dataclass(frozen=True)
class Groups:
    """The table grouped at a node: a row of each group, its number of rows, and sparse counts of joint values."""

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
    """A node after the models were asked.

    `passing` says which groups may be released together; the others hold `suppressed` rows. Where leaving rows out
    moves what shares are compared with, they may not be the fewest: `condemned` are the groups that no choice can save.
    `least_lost` rows at least must be suppressed at every node below. A model that judges what is known of some columns
    judges the table: where it does not hold, no group passes.
    """

    groups: Groups
    passing: NDArray[np.bool_]
    suppressed: int
    condemned: NDArray[np.bool_]
    least_lost: int

    @property
    def has_choice(self) -> bool:
        """Whether other groups than those that pass might be released instead."""
        return not bool((self.condemned != self.passing).all())

    @property
    def relaxed(self) -> Checked:
        """The node as if all groups that are not condemned could be released: it costs no more than any true choice."""
        lost = int(self.groups.weight[self.condemned].sum())
        return replace(self, passing=~self.condemned, suppressed=lost)


class Look(NamedTuple):
    """What is remembered of a node that was checked."""

    classes: int
    suppressed: int
    feasible: bool
    least_lost: int


class Lattice:
    """All recodings of an encoded table, checked under models with a limit on suppressed rows."""

    def __init__(self, encoded: Encoded, models: Sequence[ClassModel], suppression: float = 0.0) -> None:
        self.encoded, self.models = encoded, tuple(models)
        self.hierarchies = tuple(_hierarchy(column) for column in encoded.quasi)
        self.heights = tuple(hierarchy.height for hierarchy in self.hierarchies)
        self.rows = int(encoded.rows.weight.sum())
        self.limit = math.floor(fraction(suppression) * self.rows)
        self.judges_knowledge = any(model.judges == "knowledge" for model in self.models)
        if self.limit and self.judges_knowledge:
            raise AssertionError("a model of what is known judges all rows together, and some may be left out")
        self.checks = 0
        self.looked: dict[Node, Look] = {}
        self._node = np.concatenate([np.concatenate([l.of_leaf for l in h.levels]) for h in self.hierarchies])
        spans = [len(h.levels) * column.size for h, column in zip(self.hierarchies, encoded.quasi, strict=True)]
        self._start = np.concatenate([[0], np.cumsum(spans)[:-1]]).astype(np.int64)
        self._leaves = np.array([column.size for column in encoded.quasi], np.int64)
        self._joint = _joint_values(encoded.rows)
        self._whole = {name: encoded.rows.whole(name) for name in encoded.rows.sensitive}
        self._kept: dict[Node, Groups] = {}
        self._kept_names: list[Node] = []
        self._kept_nodes, self._kept_sizes = np.zeros((64, len(self.heights)), np.int16), np.zeros(64, np.int64)
        self._entries = 0
        self._keep(self._base())

    @property
    def top(self) -> Node:
        return self.heights

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return math.prod(height + 1 for height in self.heights)

    @property
    def monotone(self) -> bool:
        """Whether every node above a feasible one is feasible: what makes pruning on feasibility sound.

        Without suppression classes only merge, and so do the cells of whoever knows some columns: UNION is enough. With
        suppression a passing class may merge with a failing one, which needs UPWARD. A person with rows in two classes
        or cells breaks UNION as well.
        """
        persons = self.encoded.rows.person is not None
        if self.limit == 0:
            return all(model.monotone.merges(persons) for model in self.models)
        return all(model.monotone is Monotone.UPWARD for model in self.models)

    def check(self, node: Node) -> Checked:
        """Which classes of the recoding pass every model."""
        self.checks += 1
        groups = self.groups(node)
        stats = self._stats(groups, self._whole)
        verdicts = self._verdicts(groups, stats)
        passing = np.logical_and.reduce(verdicts)
        asked = list(zip(self.models, verdicts, strict=True))
        lost = max(model.least_lost(stats, found) for model, found in asked)
        binding = [~found for model, found in asked if model.input_binds or self.limit == 0]
        condemned = np.logical_or.reduce([np.zeros_like(passing), *binding])
        suppressed = int(groups.weight[~passing].sum())
        if 0 < suppressed <= self.limit and any(model.relative_to_released for model in self.models):
            passing = self._settled(groups, passing)
            suppressed = int(groups.weight[~passing].sum())
        checked = Checked(groups, passing, suppressed, condemned, lost)
        self.looked[node] = Look(int(passing.sum()), suppressed, self.feasible(checked), lost)
        return checked

    def feasible(self, checked: Checked) -> bool:
        return checked.suppressed <= self.limit and bool(checked.passing.any())

    def cannot_be_met(self) -> CannotBeMet:
        """Why none of the nodes looked at is feasible: how many rows the nearest to it would have to leave out."""
        node, look = min(self.looked.items(), key=lambda item: (item[1].suppressed, sum(item[0]), item[0]))
        if self.judges_knowledge:
            return CannotBeMet("No recoding satisfies the models.", hint=f"relax {self._blocking(node)}.")
        fact = f"No recoding satisfies the models with at most {self.limit} of {self.rows} rows suppressed."
        if not look.classes:
            return CannotBeMet(fact, allowed="At none a single class passes.", hint=f"relax {self._blocking(node)}.")
        gone = f"{look.suppressed} rows ({look.suppressed / self.rows:.1%})"
        share = math.ceil(1000 * look.suppressed / self.rows) / 1000
        levels = ", ".join(f"'{c.name}' at level {level}" for c, level in zip(self.encoded.quasi, node, strict=True))
        return CannotBeMet(
            fact,
            allowed=f"The nearest leaves out {gone}, with {levels}.",
            hint=f"set suppression = {share:g} under [release], or relax {self._blocking(node)}.",
        )

    def _blocking(self, node: Node) -> str:
        """The model that most rows of a recoding fail."""
        groups = self.groups(node)
        stats = self._stats(groups, self._whole)
        lost = [int(stats.sizes[~passing].sum()) for passing in self._verdicts(groups, stats)]
        return f"model '{self.models[int(np.argmax(lost))].kind}'"

    def groups(self, node: Node) -> Groups:
        """The table grouped at a node, rolled up from the smallest kept grouping below it."""
        if node not in self._kept:
            below = np.flatnonzero((self._kept_nodes[: len(self._kept)] <= np.array(node, np.int16)).all(axis=1))
            smallest = below[np.argmin(self._kept_sizes[below])]
            self._keep(self._merged(self._kept[self._kept_names[smallest]], node)[1])
        return self._kept[node]

    def check_rows(self, rows: Int64, node: Node) -> tuple[Int32, NDArray[np.bool_]]:
        """Some rows alone, recoded at a node: the group of each, and which groups pass every model."""
        self.checks += 1
        ids, groups = self._grouped_rows(rows, node)
        return ids, np.logical_and.reduce(self._verdicts(groups, self._stats(groups, self._whole)))

    def passes_together(self, rows: Int64) -> bool:
        """Whether some rows pass every model as a single class."""
        return len(rows) > 0 and bool(self.check_rows(rows, self.top)[1][0])

    def common_levels(self, rows: Int64) -> Node:
        """The lowest levels at which some rows are all alike."""
        codes = self.encoded.codes[rows]
        return tuple(
            next(
                number
                for number, level in enumerate(hierarchy.levels)
                if (level.of_leaf[codes[:, a]] == level.of_leaf[codes[0, a]]).all()
            )
            for a, hierarchy in enumerate(self.hierarchies)
        )

    def holds(self, partition: Partition) -> bool:
        """Whether a release of these classes keeps every promise: as published, where two may have got equal labels."""
        if not partition.classes:
            return False
        rows, kept = self.encoded.rows, np.flatnonzero(partition.class_of >= 0)
        shown = self._shown(partition)
        published, first, _ = distinct_rows(list(shown.T))
        class_of = published.astype(np.int64)[partition.class_of[kept]]
        in_order = np.argsort(class_of, kind="stable")
        offsets = np.searchsorted(class_of[in_order], np.arange(class_of.max() + 2)).astype(np.int64)
        released = among_released(rows, kept[in_order], offsets)
        stats = ClassStats(rows, kept[in_order], offsets)
        return all(_passing(model, lambda: shown[first], stats).all() for model in self.models) and all(
            model.passes(released).all() for model in self.models if model.relative_to_released
        )

    def _shown(self, partition: Partition) -> Int32:
        """int32 [classes, columns]: a number for each label that a class is published with; equal labels have equal
        numbers, whatever their levels."""
        assert partition.levels is not None
        first = np.empty(partition.classes, np.int64)
        kept = np.flatnonzero(partition.class_of >= 0)
        first[partition.class_of[kept]] = kept
        shown = []
        for a, hierarchy in enumerate(self.hierarchies):
            ids = _label_ids(hierarchy)
            shown.append(ids[partition.levels[:, a], self.encoded.codes[first, a]])
        return np.stack(shown, axis=1)

    def partition(self, checked: Checked, facts: Mapping[str, Any] | None = None) -> Partition:
        """The passing groups as classes; rows of the others are suppressed."""
        every = np.arange(len(self.encoded.codes), dtype=np.int64)
        ids, count = self._grouped(every, checked.groups.node)
        kept = np.flatnonzero(checked.passing)
        place = np.full(count, -1, np.int64)
        place[ids[checked.groups.row[kept]]] = np.arange(len(kept))  # groups were numbered anew: a row of each tells
        levels = np.tile(np.array(checked.groups.node, np.int16), (len(kept), 1))
        return Partition(place[ids], len(kept), levels=levels, facts=facts or {})

    def start_at(self, node: Node) -> Int64:
        """Where the codes of every column at its level of `node` begin in tables laid out level after level."""
        return self._start + np.array(node, np.int64) * self._leaves

    # -- grouping ---------------------------------------------------------------------------------------------

    def _base(self) -> Groups:
        """The rows grouped as they are."""
        return self._grouped_rows(np.arange(len(self.encoded.codes), dtype=np.int64), (0,) * len(self.heights))[1]

    def _grouped_rows(self, rows: Int64, node: Node) -> tuple[Int32, Groups]:
        weight, offsets = self.encoded.rows.weight[rows], np.arange(len(rows) + 1, dtype=np.int64)
        return self._merged(Groups(node, rows, weight, offsets, self._joint.of_row[rows], weight), node)

    def _merged(self, groups: Groups, node: Node) -> tuple[Int32, Groups]:
        """The groups rolled up to a node, and which of the new groups each old one went into."""
        from shoal.kernels.roll_up import merge

        ids, count = self._grouped(groups.row, node)
        found = merge(ids, count, groups.row, groups.offsets, groups.values, groups.counts, self._joint.kinds)
        return ids, Groups(node, *found)

    def _grouped(self, row: Int64, node: Node) -> tuple[Int32, int]:
        """The group of every given row at a node; columns are packed into 64-bit keys as far as they fit."""
        from shoal.kernels.roll_up import group_keys, raised_keys

        start = self.start_at(node)
        sizes = [len(h.levels[level].labels) for h, level in zip(self.hierarchies, node, strict=True)]
        keys, room, begin = np.zeros(len(row), np.int64), 1, 0
        for a in range(len(sizes) + 1):
            if a < len(sizes) and room * sizes[a] < _KEY_ROOM:
                room *= sizes[a]
                continue
            part = slice(begin, a)
            raised_keys(
                self.encoded.codes[:, part], row, self._node, start[part], np.array(sizes[part], np.int64), keys
            )
            ids, count = group_keys(keys, room if room < 2**40 else 0)
            if a == len(sizes):
                return ids, count
            keys, room, begin = ids.astype(np.int64), count * sizes[a], a
        raise AssertionError("the loop returns at its last turn")

    def _keep(self, groups: Groups) -> None:
        """Keeps a grouping to roll up from. When memory is short all but the first, from which all can be, go."""
        if self._entries > _KEPT_ENTRIES:
            first = self._kept[self._kept_names[0]]
            self._kept, self._kept_names, self._entries = {}, [], 0
            self._keep(first)
        number = len(self._kept)
        if number == len(self._kept_nodes):
            self._kept_nodes = np.concatenate([self._kept_nodes, np.zeros_like(self._kept_nodes)])
            self._kept_sizes = np.concatenate([self._kept_sizes, np.zeros_like(self._kept_sizes)])
        self._kept_nodes[number], self._kept_sizes[number] = groups.node, len(groups.values)
        self._kept_names.append(groups.node)
        self._kept[groups.node] = groups
        self._entries += len(groups.values)

    # -- models -----------------------------------------------------------------------------------------------

    def _verdicts(self, groups: Groups, stats: ClassStats) -> list[NDArray[np.bool_]]:
        """bool [groups] of every model: which groups it lets pass."""

        def nodes() -> Int32:
            found: Int32 = self._node[self.start_at(groups.node) + self.encoded.codes[groups.row]]
            return found

        return [_passing(model, nodes, stats) for model in self.models]

    def _settled(self, groups: Groups, passing: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Suppresses on until every class left passes among the rows left: shares are compared with those."""
        rows = self._joint.rows(groups, self.encoded.rows, {})
        sizes = np.diff(groups.offsets)
        kept = np.flatnonzero(passing)
        while len(kept):
            entries = np.flatnonzero(np.repeat(_flags(kept, len(groups)), sizes))
            stats = among_released(rows, entries, np.concatenate([[0], np.cumsum(sizes[kept])]))
            still = np.logical_and.reduce([model.passes(stats) for model in self.models if model.relative_to_released])
            if still.all():
                break
            kept = kept[still]
        return _flags(kept, len(groups))

    def _stats(self, groups: Groups, whole: Mapping[str, Int64]) -> ClassStats:
        rows = self._joint.rows(groups, self.encoded.rows, whole)
        return ClassStats(rows, np.arange(len(groups.values), dtype=np.int64), groups.offsets)


@dataclass(frozen=True)
class _Joint:
    """Every combination of what models read (sensitive codes, person) as one code."""

    of_row: Int32
    first: Int64
    kinds: int

    def rows(self, groups: Groups, base: Rows, whole: Mapping[str, Int64]) -> Rows:
        """The entries of groups as rows for models, compared with the given counts over the whole table."""
        picked = self.first[groups.values]
        sensitive = {
            name: SensitiveCodes(name, column.codes[picked], column.labels, column.missing, column.hierarchy)
            for name, column in base.sensitive.items()
        }
        return Rows(groups.counts, sensitive, None if base.person is None else base.person[picked], dict(whole))


def _passing(model: ClassModel, nodes: Callable[[], Int32], stats: ClassStats) -> NDArray[np.bool_]:
    """bool [classes]: which classes a model lets pass; all or none where it judges what is known of some columns.

    `nodes` gives int32 [classes, columns], what each class shows; it is asked only by such models.
    """
    if model.judges == "knowledge":
        return np.full(len(stats), cast(KnowledgeModel, model).allows(nodes(), stats))
    return model.passes(stats)


def among_released(rows: Rows, order: Int64, offsets: Int64) -> ClassStats:
    """The statistics of classes (as ClassStats has them) that are all there is: shares are compared with their rows."""
    everything = ClassStats(rows, order, np.array([0, len(order)], np.int64))
    whole = {name: everything.counts(name).dense(len(column.labels)) for name, column in rows.sensitive.items()}
    return ClassStats(replace(rows, _whole=whole), order, offsets)


def _label_ids(hierarchy: Hierarchy) -> Int32:
    """int32 [levels, leaves]: a number for the label of every leaf at every level; equal labels have equal numbers."""
    number: dict[str, int] = {}
    levels = []
    for height, level in enumerate(hierarchy.levels):
        texts = (exact(text) for text in level.labels) if height == 0 else level.labels
        ids = np.array([number.setdefault(text, len(number)) for text in texts], np.int32)
        levels.append(ids[level.of_leaf])
    return np.stack(levels)


def _flags(places: NDArray[np.integer[Any]], size: int) -> NDArray[np.bool_]:
    flags = np.zeros(size, np.bool_)
    flags[places] = True
    return flags


def _joint_values(rows: Rows) -> _Joint:
    columns = [column.codes for column in rows.sensitive.values()]
    if rows.person is not None:
        columns.append(rows.person)
    if not columns:
        return _Joint(np.zeros(len(rows.weight), np.int32), np.zeros(1, np.int64), 1)
    of_row, first, _ = distinct_rows(columns)
    return _Joint(of_row, first, len(first))


def _hierarchy(column: QuasiColumn) -> Hierarchy:
    if column.hierarchy is None:
        raise AssertionError(f"column {column.name} was encoded without a hierarchy")
    return column.hierarchy


LISTED_AT_MOST = 1_000_000
"""Searches that go through the nodes one by one take no lattice larger than this."""


def require_listable(kind: str, lattice: Lattice) -> None:
    """Refuses a search that lists recodings and infers what holds above them where that is not sound, or endless."""
    if not lattice.monotone:
        raise PlanError(
            f"Algorithm '{kind}' needs models that stay true when classes are merged.",
            hint="use 'optimal', which then searches without that shortcut.",
        )
    if lattice.size > LISTED_AT_MOST:
        raise PlanError(
            f"Algorithm '{kind}' would have to go through {lattice.size} recodings.",
            allowed=f"It takes at most {LISTED_AT_MOST}.",
            hint="use 'optimal' with a budget, or give fewer columns or levels.",
        )
