"""Hierarchy: for every level, an integer array from leaf to the code it has there, with labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import HierarchyError
from shoal.labels import ANY, MISSING

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Level:
    """One level: `of_leaf[leaf]` (int32) is the leaf's code here, `labels[code]` its released label."""

    labels: tuple[str, ...]
    of_leaf: Codes

    @cached_property
    def leaves_under(self) -> NDArray[np.int64]:
        """How many leaves each code of this level stands for."""
        return np.bincount(self.of_leaf, minlength=len(self.labels)).astype(np.int64)


@dataclass(frozen=True)
class Hierarchy:
    """Nested levels over the leaves: level 0 is the leaves themselves, the last level is a single `*`.

    Nesting is checked on construction: two leaves equal at one level are equal at every higher one.

    >>> h = Hierarchy.from_paths([("1", "low", "*"), ("2", "low", "*"), ("9", "high", "*")])
    >>> h.height, h.levels[1].labels, h.levels[1].of_leaf.tolist()
    (2, ('low', 'high'), [0, 0, 1])
    """

    levels: tuple[Level, ...]

    def __post_init__(self) -> None:
        for number, (below, above) in enumerate(zip(self.levels, self.levels[1:], strict=False)):
            _check_nested(below, above, number)
        if len(self.levels[-1].labels) > 1:
            raise HierarchyError("The top level of a hierarchy must be a single value.")

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[str]], top: str = ANY) -> Hierarchy:
        """One path per leaf, from the leaf upwards; a level with `top` alone is added where the paths do not end in one."""
        rows = [tuple(path) for path in paths]
        _check_paths(rows)
        columns = [list(column) for column in zip(*rows, strict=True)]
        if len(columns) == 1 or len(set(columns[-1])) > 1:
            columns.append([top] * len(rows))
        return cls(tuple(_level(column) for column in columns))

    @classmethod
    def from_levels(cls, leaves: Sequence[str], ups: Iterable[Callable[[str], str]]) -> Hierarchy:
        """Each function of `ups` maps a leaf label to its label one level higher."""
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
        """The labels of a leaf, from itself to the top."""
        return tuple(level.labels[level.of_leaf[leaf]] for level in self.levels)

    def reordered(self, order: NDArray[np.integer[Any]]) -> Hierarchy:
        """The same tree with leaf `order[i]` as the new leaf i; leaves left out are dropped, labels kept."""
        return Hierarchy.from_paths([self.path(int(leaf)) for leaf in order])

    def with_missing(self) -> Hierarchy:
        """The same tree with one more leaf, first, for a missing value: itself at every level, `*` at the top."""
        top = self.levels[-1].labels[0]
        return Hierarchy.from_paths(
            [(*[MISSING] * self.height, top), *(self.path(leaf) for leaf in range(len(self.leaves)))]
        )


class HierarchySpec(Protocol):
    """What the plan says about a hierarchy; `build` turns it and the column's values into a Hierarchy.

    `values` holds the distinct, non-missing values of the column, typed (Int64, Float64, Date or String) and sorted.
    The leaves of what is built are `text_of(values)`, or a superset of them.
    """

    kind: ClassVar[str]

    def build(self, values: pl.Series) -> Hierarchy: ...


def text_of(values: pl.Series) -> pl.Series:
    """The canonical text of typed values: whole numbers without a point, dates as ISO, text as it is.

    >>> text_of(pl.Series([1.0, 2.5])).to_list()
    ['1', '2.5']
    """
    if values.dtype == pl.String:
        return values
    if values.dtype.is_float():
        return values.cast(pl.String).str.replace(r"\.0$", "")
    return values.cast(pl.String)


def _level(column: Sequence[str]) -> Level:
    codes: dict[str, int] = {}
    of_leaf = np.fromiter((codes.setdefault(label, len(codes)) for label in column), np.int32, len(column))
    return Level(tuple(codes), of_leaf)


def _check_paths(rows: list[tuple[str, ...]]) -> None:
    if not rows:
        raise HierarchyError("A hierarchy needs at least one leaf; it has none.")
    ragged = sum(len(row) != len(rows[0]) for row in rows)
    if ragged:
        raise HierarchyError(
            f"{ragged} of {len(rows)} leaves have another number of levels than the first.",
            allowed="Every leaf needs the same number of levels.",
            hint="repeat a label to fill a level that a leaf does not have.",
        )
    twice = len(rows) - len({row[0] for row in rows})
    if twice:
        raise HierarchyError(f"{twice} leaves occur more than once.", allowed="Each leaf may stand in one row only.")


def _check_nested(below: Level, above: Level, number: int) -> None:
    pairs = np.unique(np.stack([below.of_leaf, above.of_leaf], axis=1), axis=0)
    broken = len(pairs) - len(below.labels)
    if broken:
        raise HierarchyError(
            f"Levels {number} and {number + 1} do not nest: {broken} values of level {number} have more than one parent.",
            allowed="Every value has exactly one parent.",
        )
