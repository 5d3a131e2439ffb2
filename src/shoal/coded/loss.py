"""Information loss of a cell: the share of its information, 0 to 1, that a range, a tree node or a set gives up.

A node or set of n of a column's m leaves loses (n - 1)/(m - 1). A range loses its length divided by that of the column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.arrays import Float64, Int64
from shoal.coded.domains import SET, TREE, QuasiDomain


def of_leaves(domain: QuasiDomain, leaves: Any) -> Any:
    """The loss of publishing this many leaves as one value."""
    return (leaves - 1) / max(domain.leaves - 1, 1)


def leaf_loss(domain: QuasiDomain) -> float:
    """The loss that one more leaf adds to a node or set."""
    return 1.0 / max(domain.leaves - 1, 1)


def node_losses(domain: QuasiDomain) -> Float64:
    """float64 [levels, codes]: the loss of publishing each code at each level of the hierarchy."""
    assert domain.leaves_under is not None
    losses: Float64 = (domain.leaves_under - 1) / max(domain.leaves - 1, 1)
    return losses


def of_range(low: Any, high: Any) -> Any:
    """The loss of a range between two positions (see QuasiDomain.position)."""
    return np.minimum(1.0, high - low)


def lowest_levels(domain: QuasiDomain, low: Any, high: Any) -> Int64:
    """int64 [n]: the level of the lowest tree node above the codes low to high, which are in depth-first order."""
    tree = domain.tree
    level = np.full(len(low), tree.height, np.int64)
    for number in range(tree.height - 1, -1, -1):
        of_leaf = tree.levels[number].of_leaf
        level[of_leaf[low] == of_leaf[high]] = number
    return level


def of_codes(domain: QuasiDomain, low: Any, high: Any) -> Float64:
    """float64 [n]: the loss of publishing all codes from low to high as one value, as the column is published.

    `shoal.kernels.cutting.span_loss` is its form in kernels, which cannot call it; a test compares the two.
    """
    low, high = np.atleast_1d(low), np.atleast_1d(high)
    if domain.published == TREE:
        losses: Float64 = node_losses(domain)[lowest_levels(domain, low, high), low]
        return losses
    if domain.published == SET:
        return np.asarray((high - low) / max(domain.leaves - 1, 1), np.float64)
    reach = 0.0 if domain.extent is None else domain.extent[high]
    return np.asarray(of_range(domain.position[low], domain.position[high] + reach), np.float64)
