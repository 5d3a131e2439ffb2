"""Hiding: puts some rows into classes that already cover them, so that membership in a class says less."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition


def hidden(coded: Coded, partition: Partition, rows: Int64, share: float, seed: int) -> tuple[Int64, Int64]:
    """How many input rows of each of some distinct rows go into a class, and into which one.

    A share of the rows is drawn at random. Each goes to the class, of those whose codes enclose its own in every
    column, that has the fewest drawn rows for its size. What fits into no class goes to none.
    → int64 [rows] twice.
    """
    taken, class_of = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    weight = coded.counted.weight[rows]
    wanted = round(share * int(weight.sum()))
    if not wanted or not partition.classes:
        return taken, class_of
    drawn = np.random.default_rng(seed).multivariate_hypergeometric(weight, wanted, method="marginals")
    codes = coded.counted.quasi[:, partition.row]
    low = np.minimum.reduceat(codes, partition.offsets[:-1], axis=1)
    high = np.maximum.reduceat(codes, partition.offsets[:-1], axis=1)
    sizes, added = partition.rows.astype(np.float64), np.zeros(partition.classes)
    for place in np.flatnonzero(drawn):
        own = coded.counted.quasi[:, rows[place], None]
        around = np.flatnonzero(((low <= own) & (own <= high)).all(axis=0))
        if len(around):
            chosen = around[np.argmin(added[around] / sizes[around])]
            taken[place], class_of[place] = drawn[place], chosen
            added[chosen] += drawn[place]
    return taken, class_of
