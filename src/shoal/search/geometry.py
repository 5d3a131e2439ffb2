"""What kernels need to know about the quasi-identifiers to compute information losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Float64, Int32, Int64
from shoal.coded import loss
from shoal.coded.counted import Coded
from shoal.coded.domains import RANGE, SET, TREE, QuasiDomain

if TYPE_CHECKING:
    from shoal.kernels.cutting import Geometry


def geometry(coded: Coded) -> Geometry:
    """What the kernels need to know about each attribute."""
    from shoal.kernels import cutting

    kinds = {RANGE: cutting.ORDERED, TREE: cutting.TREE, SET: cutting.SET}
    domains = coded.quasi
    sizes = np.array([domain.size for domain in domains], np.int64)
    trees = [_tree_tables(domain) for domain in domains]
    return cutting.Geometry(
        kind=np.array([kinds[domain.published] for domain in domains], np.int64),
        size=sizes,
        start=_starts(sizes),
        height=np.array([domain.hierarchy.height if domain.hierarchy else 0 for domain in domains], np.int64),
        weight=np.array([domain.weight for domain in domains], np.float64),
        step=np.array([loss.leaf_loss(domain) for domain in domains], np.float64),
        position=np.concatenate([domain.position for domain in domains]),
        spread=np.concatenate([_spread(coded, a) for a in range(len(domains))]),
        tree=_starts(np.array([len(node) for node, _ in trees], np.int64)),
        node=np.concatenate([node for node, _ in trees]),
        loss=np.concatenate([lost for _, lost in trees]),
    )


def _starts(sizes: Int64) -> Int64:
    """The offset at which each of several arrays begins."""
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _tree_tables(domain: QuasiDomain) -> tuple[Int32, Float64]:
    """Per level and code, end to end: the code at that level, and the loss of publishing it."""
    if domain.published != TREE:
        return np.empty(0, np.int32), np.empty(0, np.float64)
    return np.concatenate([level.of_leaf for level in domain.tree.levels]), loss.node_losses(domain).ravel()


def _spread(coded: Coded, a: int) -> Float64:
    """The positions of an attribute's codes in standard deviations over the table, for the width in the median rule."""
    position, counted = coded.quasi[a].position, coded.counted
    rows = np.bincount(counted.quasi[a], weights=counted.weight, minlength=len(position))  # in any order
    mean = np.average(position, weights=rows)
    deviation = np.sqrt(np.average((position - mean) ** 2, weights=rows))
    return position / deviation if deviation > 0 else np.zeros_like(position)
