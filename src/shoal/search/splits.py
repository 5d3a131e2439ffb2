"""Splits: what a specialization would make of a table, before it is made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from shoal.arrays import Int32, Int64
from shoal.coded.combinations import Bound, Seen


@dataclass(frozen=True)
class Node:
    """The codes `low` to `high` of column `column`, published as one value; `number` is its place among the nodes."""

    column: int
    low: int
    high: int
    number: int

    @property
    def codes(self) -> int:
        return self.high - self.low + 1


class Held(NamedTuple):
    """The kinds that a node holds and their rows, by ascending code; `starts`: where each of its codes begins."""

    kind: Int32
    weight: Int64
    starts: Int64


@dataclass(frozen=True)
class Split:
    """What a node holds in parts: part p has the codes edges[p] to edges[p+1] - 1.

    `entry`: the entry to which each held kind belongs. `kind`, `total`, `local`: per entry the kind that is split, its
    rows, and the class it goes to. `classes`, `sizes`, `part`: per new class the old, its rows, its part.
    """

    node: Node
    edges: Int64
    entry: Int32
    kind: Int32
    total: Int64
    offsets: Int64
    local: Int32
    classes: Int32
    sizes: Int64
    part: Int32


@dataclass
class Watched:
    """A knowledge model in the search: its bound, the listed value of every kind of row at the start, what was seen."""

    bound: Bound
    listed: Int32
    values: int
    seen: Seen

    @cached_property
    def most(self) -> float:
        return float(self.bound.confidence)


@dataclass(frozen=True)
class Verdict:
    """Whether a split is allowed; then what each knowledge model sees. Else what is watched that forbids it, and in
    which other columns, or the class of which a part fails."""

    allowed: bool
    seen: tuple[Seen, ...]
    watched: Watched | None = None
    columns: tuple[int, ...] = ()
    failing: int = -1
