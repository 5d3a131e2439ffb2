"""What an intruder believes: the probability of each label for an individual of a class, exactly and as floats."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Array, Float64, Int64
from shoal.items.linking import Links

_SAFE = 2**62


@dataclass(frozen=True)
class Belief:
    """β of the sets of `links`: the mean of 1/|K| over their rows; rows that link to nothing count, and add nothing.

    weights int64 [sets]: the number of rows of each set. Over all rows of a table, it is the prior α.
    """

    links: Links
    weights: Int64

    @cached_property
    def rows(self) -> int:
        return int(self.weights.sum())

    @cached_property
    def shares(self) -> Float64:
        """float64 [labels]: β of each label; 0 if there are no rows."""
        from shoal.kernels import beliefs

        sums: Float64 = beliefs.summed(self.links.bits, self.links.sizes, self.weights, self.links.labels)
        return sums / max(self.rows, 1)

    @cached_property
    def exact(self) -> tuple[Array, int]:
        """[labels] integers and a denominator: β of label i is the i-th integer / denominator, exactly.

        The integers are int64 if they fit, otherwise Python's.
        """
        from shoal.kernels import beliefs

        sizes = [int(size) for size in np.unique(self.links.sizes[self.weights > 0]) if size]
        common = math.lcm(*sizes)
        total: Array = np.zeros(self.links.labels, np.int64 if common * max(self.rows, 1) < _SAFE else object)
        for size in sizes:
            chosen = self.links.sizes == size
            tally = beliefs.tallied(self.links.bits[chosen], self.weights[chosen], self.links.labels)
            total += tally.astype(total.dtype) * (common // size)
        return total, common * max(self.rows, 1)
