"""What was removed from a class, at which cost, and how far that may be from the least cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.items.removal.classes import Rows

_EQUAL = 1e-9


@dataclass(frozen=True)
class Removal:
    """The sets that the rows of a class keep: `weights[s]` rows of set `origin[s]` keep set s of offsets and members.

    origin int64 [s] ascending, offsets int64 [s+1], members int32, weights int64 [s]. `found`: whether the rule allows
    what they reveal; if not, nothing is removed. `cost`: the sum of the costs of all removed items; `whole`: the cost
    of removing everything. No removal that satisfies the rule costs less than `lower_bound`. `proven`: whether the cost
    is the least, or, if nothing was found, whether no removal satisfies the rule. `nodes`: the removals tried.
    `is_hasty`: whether the greedy search ran out of nodes, so that whole rows were emptied instead.
    """

    origin: Int64
    offsets: Int64
    members: Int32
    weights: Int64
    found: bool
    cost: float
    whole: float
    lower_bound: float
    proven: bool
    nodes: int
    is_hasty: bool = False

    @property
    def share(self) -> float:
        """The cost, normalized by that of removing everything; 0 if there are no items."""
        return self.cost / self.whole if self.whole else 0.0

    @classmethod
    def of(cls, rows: Rows, kept: Flags | None, lower_bound: float, nodes: int, *, is_hasty: bool = False) -> Removal:
        """The removal that keeps only these terms; None if no removal was found."""
        found = kept is not None
        chosen = np.ones(rows.terms, np.bool_) if kept is None else kept
        cost, whole = rows.cost(chosen), rows.cost(np.zeros(rows.terms, np.bool_))
        proven = lower_bound >= cost - _EQUAL if found else lower_bound == float("inf")
        bound = min(lower_bound, cost) if found else lower_bound
        return cls(*_merged(rows, chosen), found, cost, whole, bound, proven, nodes, is_hasty)


def _merged(rows: Rows, kept: Flags) -> tuple[Int64, Int64, Int32, Int64]:
    """origin, offsets, members and weights, with equal sets of one origin together."""
    ends = np.cumsum(rows.left(kept))
    sets = np.split(rows.items[kept], ends[:-1]) if len(ends) else []
    weight_of: dict[tuple[int, tuple[int, ...]], int] = {}
    for origin, items, weight in zip(rows.origin.tolist(), sets, rows.weights.tolist(), strict=True):
        key = (origin, tuple(sorted(items.tolist())))
        weight_of[key] = weight_of.get(key, 0) + weight
    keys = sorted(weight_of)
    offsets = np.cumsum([0, *(len(items) for _, items in keys)]).astype(np.int64)
    members = np.array([item for _, items in keys for item in items], np.int32)
    weights = np.array([weight_of[key] for key in keys], np.int64)
    return np.array([origin for origin, _ in keys], np.int64), offsets, members, weights
