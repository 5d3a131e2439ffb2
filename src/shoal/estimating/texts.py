"""Cells of a column of text, as values or as labels that stand for several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int64
from shoal.estimating.spreading import members_of, spread
from shoal.hierarchies import Flat, HierarchySpec, Learned
from shoal.hierarchies.base import FixedTree
from shoal.hierarchies.base import Level as TreeLevel
from shoal.labels import ANY, MISSING, Exactly, OneOf, exact, read
from shoal.reading.typed_labels import ABSENT, ANYTHING, NODE, SET
from shoal.statistics.base import Level, Members, Numbers


@dataclass(frozen=True)
class Tree:
    """The hierarchy of a column, as far as labels are placed in it; without one, every label is its own."""

    spec: HierarchySpec | None

    @cached_property
    def _nests(self) -> bool:
        return not isinstance(self.spec, Flat | Learned | None)

    def paths(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        """For each label, itself and the labels above it."""
        if not self._nests or self.spec is None:
            return [(label,) for label in labels]
        return self.spec.paths(labels)

    @property
    def nests(self) -> bool:
        """Whether some labels are above others."""
        return self._nests

    @cached_property
    def leaves(self) -> Mapping[str, int]:
        """Label → the number of leaves under it, in a tree that lists its leaves."""
        found: dict[str, int] = {}
        for level in self._levels:
            for label, leaves in zip(level.labels, level.leaves_under.tolist(), strict=True):
                found.setdefault(label, leaves)
        return found

    @cached_property
    def above_missing(self) -> frozenset[str]:
        """The labels that may hide a missing value: the top, and those above it in a tree that lists it as a leaf."""
        (path,) = self.paths([MISSING])
        tops = self._levels[-1].labels if self._levels else ()
        return frozenset((*path[1:], *tops, ANY))

    @cached_property
    def _levels(self) -> tuple[TreeLevel, ...]:
        """The levels of a tree that lists its leaves; none of any other."""
        spec: object = self.spec
        return spec.tree(pl.Series(dtype=pl.String)).levels if isinstance(spec, FixedTree) else ()


@dataclass(frozen=True)
class ValueCells:
    """Distinct cells that are values: text, null if missing."""

    rows: Int64
    texts: pl.Series
    tree: Tree = field(default_factory=lambda: Tree(None))

    def numbers(self) -> Numbers:
        raise TypeError("text has no numbers")

    def members(self, levels: Sequence[Level]) -> Members:
        absent: Flags = self.texts.is_null().to_numpy()
        sure = np.stack([self._inside(level) for level in levels]) if levels else np.zeros((0, len(absent)), np.bool_)
        return Members.told(sure.astype(np.float64), sure, sure, absent, absent)

    def _inside(self, level: Level) -> Flags:
        """bool [cells]: the values with one of the labels of a level, or below one."""
        plain = [_plain(label) for label in level.values if label != MISSING]
        inside: Flags = self.texts.is_in(plain).fill_null(MISSING in level.values).to_numpy()
        for label in level.values if self.tree.nests else ():
            inside = inside | np.fromiter((label in path for path in self._paths), np.bool_, len(inside))
        return inside

    @cached_property
    def _paths(self) -> list[tuple[str, ...]]:
        texts = self.texts.fill_null(MISSING).to_list()
        return [path if text else () for text, path in zip(texts, self.tree.paths([*map(exact, texts)]), strict=True)]

    def candidates(self) -> list[tuple[str, int]]:
        """The labels of the values, with the rows of each."""
        named = zip(self.texts.to_list(), self.rows.tolist(), strict=True)
        return [(exact(text), rows) for text, rows in named if text is not None]


@dataclass(frozen=True)
class LabelCells:
    """Distinct labels of a column of text: their `kinds`, as `typed_labels` reads them."""

    rows: Int64
    labels: Sequence[str]
    kinds: Sequence[str]
    tree: Tree

    def numbers(self) -> Numbers:
        raise TypeError("text has no numbers")

    def members(self, levels: Sequence[Level]) -> Members:
        """A label that stands for several values is spread over them as the rows that show one of them are.

        Where no row does, a set is spread evenly over its members, a node over its leaves, and any other label over the
        levels that are possible.
        """
        size = (len(levels), len(self.labels))
        share, possible = np.zeros(size), np.zeros(size, np.bool_)
        for place, level in enumerate(levels):
            for cell, (part, may) in enumerate(self._related(level)):
                share[place, cell], possible[place, cell] = part, may
        absent = np.array([kind == ABSENT for kind in self.kinds], np.bool_)
        maybe_absent = absent | self._maybe_absent
        likely, absence = self._likely(share, possible, absent)
        likely = spread(likely, possible, absence, np.zeros(len(levels) + 1), others=True)
        return members_of(share, possible, absent, maybe_absent, likely, absence)

    def _likely(self, share: Float64, possible: Flags, absent: Flags) -> tuple[Float64, Float64]:
        """The expected shares of each label in the levels, and that of missing values, by the labels below it."""
        shown, everything = self._shown(share, possible)
        likely, absence = share.copy(), absent.astype(np.float64)
        for cell in np.flatnonzero(((share == 1.0) != possible).any(axis=0)).tolist():
            if self._says_nothing(cell):
                rows = everything
            else:
                below = self._members[cell] or (self.labels[cell],)
                rows = np.sum([shown[label] for label in below if label in shown], axis=0) + np.zeros(len(share) + 2)
            if rows[-1]:
                likely[:, cell], absence[cell] = rows[:-2] / rows[-1], rows[-2] / rows[-1]
        return likely, absence

    def _shown(self, share: Float64, possible: Flags) -> tuple[Mapping[str, Float64], Float64]:
        """Label → float64 [levels + 2]: the rows at or below it in each level, with no value, and all of them.

        Counted are the labels that tell their level, and the same of all labels together.
        """
        sure = share == 1.0
        found: dict[str, Float64] = {}
        everything = np.zeros(len(share) + 2)
        for cell in np.flatnonzero((sure == possible).all(axis=0)).tolist():
            if self._says_nothing(cell):
                continue
            absent = self.kinds[cell] == ABSENT
            rows = self.rows[cell] * np.array([*sure[:, cell], absent, True], np.float64)
            everything += rows
            for label in (MISSING,) if absent else self._paths[cell]:
                found[label] = found[label] + rows if label in found else rows
        return found, everything

    def _says_nothing(self, cell: int) -> bool:
        """Whether a label may stand for any value."""
        return self.kinds[cell] == ANYTHING or (self.kinds[cell] == NODE and not self.tree.nests)

    def _related(self, level: Level) -> list[tuple[float, bool]]:
        """For each label, the part of its values in the level, NaN if it does not tell, and whether one may be."""
        wanted = dict(zip(level.values, self.tree.paths(level.values), strict=True))
        return [
            self._set(members, wanted) if members else self._one(label, kind, path, wanted)
            for label, kind, members, path in zip(self.labels, self.kinds, self._member_paths, self._paths, strict=True)
        ]

    def _set(self, paths: Sequence[tuple[str, ...]], wanted: Mapping[str, tuple[str, ...]]) -> tuple[float, bool]:
        """A set counts in equal parts; `paths` are those of its members."""
        inside = [not wanted.keys().isdisjoint(path) for path in paths]
        return sum(inside) / len(inside), any(inside)

    def _one(
        self, label: str, kind: str, path: tuple[str, ...], wanted: Mapping[str, tuple[str, ...]]
    ) -> tuple[float, bool]:
        """A label in the level, above labels of it, or apart from it; a node counts by its leaves."""
        if not wanted.keys().isdisjoint(path):
            return 1.0, True
        if kind == ANYTHING or (kind == NODE and not self.tree.nests):
            return np.nan, True
        below = [value for value, above in wanted.items() if label in above]
        if not below:
            return 0.0, False
        leaves = self.tree.leaves
        if label not in leaves or not all(value in leaves for value in below):
            return np.nan, True
        return min(sum(leaves[value] for value in below) / leaves[label], np.nextafter(1.0, 0.0)), True

    @cached_property
    def _maybe_absent(self) -> Flags:
        """bool [labels]: those that may stand for a missing value: a set may list it, and a node have it as a leaf."""
        may = [
            self._says_nothing(cell) or MISSING in members or (kind == NODE and label in self.tree.above_missing)
            for cell, (label, kind, members) in enumerate(zip(self.labels, self.kinds, self._members, strict=True))
        ]
        return np.array(may, np.bool_)

    @cached_property
    def _members(self) -> list[tuple[str, ...]]:
        """For each label, the labels of its members, if it is a set."""
        read_labels = (
            read(label) if kind == SET else None for label, kind in zip(self.labels, self.kinds, strict=True)
        )
        return [tuple(exact(v) for v in each.values) if isinstance(each, OneOf) else () for each in read_labels]

    @cached_property
    def _member_paths(self) -> list[list[tuple[str, ...]]]:
        return [self.tree.paths(members) for members in self._members]

    @cached_property
    def _paths(self) -> list[tuple[str, ...]]:
        known = self.tree.paths(self.labels)
        return [() if label in (ANY, MISSING) else path for label, path in zip(self.labels, known, strict=True)]

    def candidates(self) -> list[tuple[str, int]]:
        """The labels of values and nodes, and of the members of sets, with the rows that may have each."""
        found: dict[str, int] = {}
        for label, kind, members, rows in zip(self.labels, self.kinds, self._members, self.rows.tolist(), strict=True):
            unknown = kind in (ANYTHING, ABSENT) or (kind == NODE and not self.tree.nests)
            for each in members or (() if unknown else (label,)):
                if each != MISSING:
                    found[each] = found.get(each, 0) + rows
        return [*found.items()]


def _plain(label: str) -> str:
    """The text of the value with a label."""
    meaning = read(label)
    return meaning.value if isinstance(meaning, Exactly) else label


def disjoint(labels: Sequence[str], tree: Tree) -> list[str]:
    """The labels in their order, without those that are above or below an earlier one."""
    kept: list[tuple[str, ...]] = []
    for path in tree.paths(labels):
        if not any(path[0] in other or other[0] in path for other in kept):
            kept.append(path)
    return [path[0] for path in kept]
