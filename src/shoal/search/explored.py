"""What a full-domain search saw of its lattice: the status of every recoding, evaluated or inferred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Int8
from shoal.coded.record import ExploredHeight, ExploredLattice, ExploredNode
from shoal.search.nodes import Node, above, below

if TYPE_CHECKING:
    from shoal.search.lattice import Lattice

PASSES, FAILS = "passes", "fails"
PASSES_ABOVE, RULED_OUT, UNSEEN = "passes, inferred", "fails, inferred", "not evaluated"
STATUSES: Mapping[str, str] = {
    PASSES: "evaluated: every class passes, after suppression within the limit",
    PASSES_ABOVE: "not evaluated: a recoding below it passes, so it passes too",
    FAILS: "evaluated: a model does not hold, even after suppression within the limit",
    RULED_OUT: "not evaluated: a recoding above it fails, so it fails too",
    UNSEEN: "not evaluated: it cannot be better, or the time limit was reached",
}
CODES = tuple(STATUSES)
DRAWN_AT_MOST = 150
"""The most recodings of a lattice that is drawn; a larger one is counted by height."""


def explored(lattice: Lattice, released: Node) -> ExploredLattice:
    """What was seen so far; it checks no further recoding, so it costs next to nothing."""
    nodes: tuple[ExploredNode, ...] = ()
    if lattice.size <= DRAWN_AT_MOST:
        statuses = statuses_of(lattice)
        nodes = tuple(
            _node(lattice, node, CODES[statuses[node]])
            for node in product(*(range(height + 1) for height in lattice.heights))
        )
    return ExploredLattice(lattice.coded.names, _levels(lattice, released), by_height(lattice), nodes)


def _node(lattice: Lattice, node: Node, status: str) -> ExploredNode:
    look = lattice.looked.get(node)
    known = look is not None and look.judged and (look.feasible or not lattice.judges_table)
    return ExploredNode(_levels(lattice, node), sum(node), status, look.classes if look is not None and known else None)


def _levels(lattice: Lattice, node: Node) -> tuple[int, ...]:
    return tuple(lattice.levels(node).values())


def statuses_of(lattice: Lattice) -> Int8:
    """int8 [lattice shape]: the position of every node's status in STATUSES, including inferred statuses."""
    statuses = np.full([height + 1 for height in lattice.heights], CODES.index(UNSEEN), np.int8)
    for node, look in lattice.looked.items():
        if look.feasible and lattice.monotone:
            statuses[above(node)] = CODES.index(PASSES_ABOVE)
        if look.least_lost > lattice.limit:
            statuses[below(node)] = CODES.index(RULED_OUT)
    for node, look in lattice.looked.items():
        statuses[node] = CODES.index(PASSES if look.feasible else FAILS)
    return statuses


def by_height(lattice: Lattice) -> tuple[ExploredHeight, ...]:
    """The evaluated recodings of every height, without inferred statuses."""
    totals = nodes_by_height(lattice.heights)
    tallies = [Counter[bool]() for _ in totals]
    for node, look in lattice.looked.items():
        tallies[sum(node)][look.feasible] += 1
    return tuple(
        ExploredHeight(height, total, tally[True], tally[False])
        for height, (total, tally) in enumerate(zip(totals, tallies, strict=True))
    )


def nodes_by_height(heights: Node) -> list[int]:
    """The number of nodes of each height, the sum of their levels.

    >>> nodes_by_height((1, 2))
    [1, 2, 2, 1]
    """
    totals = [1]
    for height in heights:
        longer = [0] * (len(totals) + height)
        for level in range(height + 1):
            for place, count in enumerate(totals):
                longer[place + level] += count
        totals = longer
    return totals
