"""Hierarchy: for every level, the labels and an integer array from leaf to code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import polars as pl

from shoal.arrays import Array, Int32, Int64
from shoal.errors import HierarchyError
from shoal.hierarchies.placing import Placed
from shoal.labels import ANY, MISSING
from shoal.table import moments


@dataclass(frozen=True)
class Level:
    """One level: `of_leaf[leaf]` (int32) is the code of a leaf, and `labels[code]` is its released label."""

    labels: tuple[str, ...]
    of_leaf: Int32

    @classmethod
    def of(cls, column: pl.Series) -> Level:
        """The level in which leaf i has the label `column[i]`; codes are in the order of first appearance.

        >>> Level.of(pl.Series(["low", "low", "high"])).of_leaf.tolist()
        [0, 0, 1]
        """
        labels = column.unique(maintain_order=True)
        codes = column.cast(pl.Enum(labels)).to_physical()
        return cls(tuple(labels), codes.to_numpy().astype(np.int32))

    @classmethod
    def keyed(cls, keys: Array, label: Callable[[Any], str]) -> Level:
        """The level in which leaf i has the label of `keys[i]`; codes are in the order of the keys."""
        distinct, codes = np.unique(keys, return_inverse=True)
        return cls(tuple(label(key) for key in distinct.tolist()), codes.reshape(-1).astype(np.int32))

    @classmethod
    def leaves(cls, labels: pl.Series) -> Level:
        """The lowest level: every label is a leaf."""
        return cls(tuple(labels), np.arange(len(labels), dtype=np.int32))

    @cached_property
    def leaves_under(self) -> Int64:
        """int64 [labels]: the number of leaves under each code of this level."""
        return np.bincount(self.of_leaf, minlength=len(self.labels)).astype(np.int64)

    @cached_property
    def first_leaf(self) -> Int64:
        """int64 [labels]: the first leaf of each code of this level."""
        first = np.zeros(len(self.labels), np.int64)
        backwards = np.arange(len(self.of_leaf) - 1, -1, -1)
        first[self.of_leaf[::-1]] = backwards  # the last assignment of a repeated code is its first leaf
        return first


@dataclass(frozen=True)
class Hierarchy:
    """Nested levels over the leaves: level 0 contains the leaves, the last level a single label such as `*`.

    Nesting is checked on construction: two leaves that are equal at one level are equal at every higher level.
    A hierarchy without leaves still has a top, so that a leaf for missing values can be added.

    >>> h = Hierarchy.from_paths([("1", "low", "*"), ("2", "low", "*"), ("9", "high", "*")])
    >>> h.height, h.levels[1].labels, h.levels[1].of_leaf.tolist()
    (2, ('low', 'high'), [0, 0, 1])
    """

    levels: tuple[Level, ...]

    def __post_init__(self) -> None:
        _check_leaves(self.levels[0])
        for number, (below, above) in enumerate(pairwise(self.levels)):
            _check_nested(below, above, number)
        if len(self.levels[-1].labels) != 1:
            raise HierarchyError("The top level of a hierarchy must have a single label.")

    @classmethod
    def topped(cls, levels: Iterable[Level], top: str = ANY) -> Hierarchy:
        """The given levels, from the leaves upwards, below a top level with the single label `top`."""
        levels = tuple(levels)
        return cls((*levels, Level((top,), np.zeros(len(levels[0].of_leaf), np.int32))))

    @classmethod
    def from_columns(cls, columns: Sequence[pl.Series], top: str = ANY) -> Hierarchy:
        """A hierarchy from one text column per level, from the leaves upwards.

        `top` is added unless the last column has a single value.
        """
        levels = [Level.leaves(columns[0]), *(Level.of(column) for column in columns[1:])]
        if len(levels) > 1 and len(levels[-1].labels) == 1:
            return cls(tuple(levels))
        return cls.topped(levels, top)

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[str]], top: str = ANY) -> Hierarchy:
        """A hierarchy from one path per leaf, from the leaf upwards; `top` is added unless all paths end alike."""
        rows = [tuple(path) for path in paths]
        _check_paths(rows)
        return cls.from_columns([pl.Series(column, dtype=pl.String) for column in zip(*rows, strict=True)], top)

    @classmethod
    def from_levels(cls, leaves: Sequence[str], ups: Iterable[Callable[[str], str]]) -> Hierarchy:
        """A hierarchy from functions that map a leaf to its label, one per level above the leaves."""
        ups = list(ups)
        return cls.from_paths([(leaf, *(up(leaf) for up in ups)) for leaf in leaves])

    @property
    def height(self) -> int:
        """The number of generalization steps from a leaf to the top."""
        return len(self.levels) - 1

    @property
    def leaves(self) -> tuple[str, ...]:
        return self.levels[0].labels

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Leaf label → leaf code."""
        return {label: code for code, label in enumerate(self.leaves)}

    def path(self, leaf: int) -> tuple[str, ...]:
        """The labels of a leaf, from the leaf to the top."""
        return tuple(level.labels[level.of_leaf[leaf]] for level in self.levels)

    def covers(self, values: pl.Series) -> pl.Series:
        """Whether each of the typed values is a leaf."""
        return text_of(values).is_in(pl.Series(self.leaves, dtype=pl.String).implode())

    def reordered(self, order: Array) -> Hierarchy:
        """The same hierarchy with leaf `order[i]` as the new leaf i; leaves not in `order` are dropped."""
        *levels, top = self.levels
        return Hierarchy.topped((_reordered(level, order) for level in levels), top.labels[0])

    def numbered(self) -> Hierarchy:
        """The same hierarchy with numbers as inner labels, for use where the labels would reveal too much.

        >>> Hierarchy.from_paths([("1", "{1, 2}", "*"), ("3", "{3, 4}", "*")]).numbered().levels[1].labels
        ('level 1, node 1', 'level 1, node 2')
        """
        leaves, *inner, top = self.levels
        named = [
            Level(tuple(f"level {number}, node {code + 1}" for code in range(len(level.labels))), level.of_leaf)
            for number, level in enumerate(inner, start=1)
        ]
        return Hierarchy((leaves, *named, top))

    def with_missing(self) -> Hierarchy:
        """The same hierarchy with the leaf for missing values first, unchanged at every level below the top.

        If the hierarchy has such a leaf already, the leaf keeps its labels.
        """
        if MISSING in self.index:
            missing = self.index[MISSING]
            others = np.delete(np.arange(len(self.leaves)), missing)
            return self.reordered(np.concatenate([[missing], others]))
        *levels, top = self.levels
        return Hierarchy.topped((_with_missing(level) for level in levels), top.labels[0])

    def depth_first(self, counts: Array | None = None) -> Int64:
        """int64 [leaves]: the leaves in depth-first order, in which the leaves of every node are adjacent.

        Siblings are in the order of their first leaves. With `counts` (one per leaf), they are ordered by descending
        total count, then by label.

        >>> h = Hierarchy.from_paths([("1", "odd"), ("2", "even"), ("3", "odd")])
        >>> h.depth_first().tolist(), h.depth_first(np.array([1, 9, 2])).tolist()
        ([0, 2, 1], [1, 2, 0])
        """
        keys = [_sibling_ranks(level, counts)[level.of_leaf] for level in self.levels]
        return np.lexsort(keys).astype(np.int64)  # the last key, the top, is the primary one


class HierarchySpec(Protocol):
    """The plan's specification of a hierarchy; `build` makes a Hierarchy from it and the column's values.

    `values` are the distinct, non-missing values of the column, typed (Int64, Float64, Date, Datetime or String) and
    sorted. `counts`, if given, are the numbers of rows of each value; only learned hierarchies use them. The leaves of
    the result are `text_of(values)` or a superset. `placed` finds released labels in the specification, without the
    values; losses are measured by the labels `among` which they are, by default themselves.
    """

    kind: ClassVar[str]

    def build(self, values: pl.Series, counts: pl.Series | None = None) -> Hierarchy: ...

    def placed(self, labels: Sequence[str], among: Sequence[str] | None = None) -> Placed: ...

    def paths(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        """For each released label, the labels from itself to the top of the hierarchy."""
        ...


@runtime_checkable
class FixedTree(Protocol):
    """A specification with fixed leaves that do not depend on the data, and may not cover it."""

    def tree(self, values: pl.Series) -> Hierarchy:
        """The complete hierarchy, even if it does not cover `values`; matching leaves are `text_of(values)`."""
        ...


def paths_of(hierarchy: Hierarchy, labels: Sequence[str], leaves: Sequence[int]) -> list[tuple[str, ...]]:
    """For each label, its path from itself to the top, given a leaf under it; -1 if the label is no node."""
    paths = []
    for label, leaf in zip(labels, leaves, strict=True):
        path = hierarchy.path(leaf) if leaf >= 0 else ()
        above = path[path.index(label) :] if label in path else (label, ANY)
        paths.append(above if label != ANY else (ANY,))
    return paths


def text_of(values: pl.Series) -> pl.Series:
    """The canonical text of typed values: whole numbers without a point, dates and date-times as ISO, text unchanged.

    >>> text_of(pl.Series([1.0, 2.5, -0.0])).to_list()
    ['1', '2.5', '0']
    """
    if values.dtype == pl.String:
        return values
    if values.dtype == pl.Datetime:
        return moments.written(values)
    if values.dtype.is_float():
        return values.cast(pl.String).str.replace(r"\.0$", "").replace("-0", "0")
    return values.cast(pl.String)


def covering(hierarchy: Hierarchy, values: pl.Series, what: str) -> Hierarchy:
    """The hierarchy; raises an error with the number of uncovered values, where `what` names the hierarchy."""
    uncovered = len(values) - int(hierarchy.covers(values).sum())
    if uncovered:
        raise HierarchyError(
            f"{what} does not cover {uncovered} of the column's {len(values)} distinct values.",
            allowed="Every value of the column must be a leaf.",
            hint="`shoal hierarchy check --show-values` lists the uncovered values.",
        )
    return hierarchy


def _reordered(level: Level, order: Array) -> Level:
    """The level over the leaves of `order`; codes are in the order of first appearance, unused labels dropped."""
    codes = level.of_leaf[order]
    selected = Level(level.labels, codes)
    used = np.flatnonzero(selected.leaves_under)
    old = used[np.argsort(selected.first_leaf[used], kind="stable")]
    new = np.zeros(len(level.labels), np.int32)
    new[old] = np.arange(len(old), dtype=np.int32)
    return Level(tuple(level.labels[code] for code in old.tolist()), new[codes])


def _with_missing(level: Level) -> Level:
    codes = np.concatenate([[0], level.of_leaf + 1]).astype(np.int32)
    return Level((MISSING, *level.labels), codes)


def _sibling_ranks(level: Level, counts: Array | None) -> Int64:
    """int64 [labels]: the rank of each node in its level, which orders siblings."""
    if counts is None:
        return level.first_leaf
    totals = np.zeros(len(level.labels), np.int64)
    np.add.at(totals, level.of_leaf, counts)
    nodes = pl.DataFrame({"total": totals, "label": pl.Series(level.labels, dtype=pl.String)})
    order = nodes.select(pl.arg_sort_by("total", "label", descending=[True, False])).to_series().to_numpy()
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks


def _check_paths(rows: list[tuple[str, ...]]) -> None:
    if not rows:
        raise HierarchyError("A hierarchy needs at least one leaf; it has none.")
    ragged = sum(len(row) != len(rows[0]) for row in rows)
    if ragged:
        raise HierarchyError(
            f"The number of levels of {ragged} of {len(rows)} leaves differs from that of the first.",
            allowed="Every leaf needs the same number of levels.",
            hint="repeat a label to fill a level that a leaf does not have.",
        )


def _check_leaves(leaves: Level) -> None:
    repeated = len(leaves.of_leaf) - len(set(leaves.labels))
    if repeated:
        raise HierarchyError(f"{repeated} leaves occur more than once.", allowed="Each leaf must have a single row.")


def _check_nested(below: Level, above: Level, number: int) -> None:
    parent = np.zeros(len(below.labels), np.int32)
    parent[below.of_leaf] = above.of_leaf
    differs = parent[below.of_leaf] != above.of_leaf
    broken = len(np.unique(below.of_leaf[differs]))
    if broken:
        raise HierarchyError(
            f"Levels {number} and {number + 1} do not nest: {broken} labels of level {number} have several parents.",
            allowed="Every label must have exactly one parent.",
        )
