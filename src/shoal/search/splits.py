"""Splits: what a specialization would make of a table, before it is performed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from shoal.arrays import Flags, Float64, Int32, Int64
from shoal.coded.combinations import Bound, Seen


@dataclass(frozen=True)
class Node:
    """The codes `low` to `high` of column `column`, published as one value.

    `number` is its position among the nodes of the column.
    """

    column: int
    low: int
    high: int
    number: int

    @property
    def codes(self) -> int:
        return self.high - self.low + 1


class Held(NamedTuple):
    """The kinds that a node holds and their rows, by ascending code.

    `starts`: where each of its codes begins.
    """

    kind: Int32
    weight: Int64
    starts: Int64


@dataclass(frozen=True)
class Split:
    """The content of a node in parts: part p has the codes edges[p] to edges[p+1] - 1.

    `entry`: the entry of each held kind. `kind`, `total`, `local`: per entry, the kind that is split, its rows, and its
    new class. `classes`, `sizes`, `part`: per new class, the old class, its rows, and its part.
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
    """A knowledge model in the search: its bound, and what was seen so far.

    `listed`: the listed value of every kind of row at the start, below `values`, or -1 for none.
    """

    bound: Bound
    listed: Int32
    values: int
    seen: Seen

    @cached_property
    def most(self) -> float:
        """The largest confidence that the bound allows."""
        return float(self.bound.confidence)


@dataclass(frozen=True)
class Verdict:
    """Whether a split is allowed.

    If so, `seen` is what each knowledge model sees. If not, `watched` is the bound that forbids it and `columns` are
    the other columns in which it does, or `failing` is the class of which a part fails.
    """

    allowed: bool
    seen: tuple[Seen, ...]
    watched: Watched | None = None
    columns: tuple[int, ...] = ()
    failing: int = -1


@dataclass
class Candidate:
    """A node that may be specialized.

    `edges`: the parts that would replace it. Numbers may be cut anywhere that is not `closed`; `edges` is then the best
    cut known. `scored`: the step at which the score was computed. `offer`: the number of its last offer; only that one
    counts. `seen`: what knowledge models saw when it was last judged; later steps make matching rows fewer and shares
    larger. `judged`: its split and verdict, until the next step is performed.
    """

    node: Node
    edges: Int64
    cuttable: bool
    score: float = 0.0
    scores: Float64 | Int64 | None = None
    closed: Flags | None = None
    scored: int = 0
    offer: int = 0
    seen: tuple[Seen, ...] | None = None
    judged: tuple[Split, Verdict] | None = None
