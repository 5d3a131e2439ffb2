"""Blocks: the parts of a table that no label may cover together, because of `coarsest`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.arrays import Array, Int32, Int64
from shoal.coded.counted import Coded
from shoal.coded.keys import distinct_rows
from shoal.coded.stats import MemberStats
from shoal.counts import some_of
from shoal.errors import CannotBeMet
from shoal.models.base import ClassModel


class Nodes(NamedTuple):
    """Nodes as slices of `order`, each with its box: starts and ends int64 [nodes], boxes int32 [nodes, q, 2]."""

    starts: Int64
    ends: Int64
    boxes: Int32

    def only(self, which: Int64) -> Nodes:
        return Nodes(self.starts[which], self.ends[which], self.boxes[which])


def blocks(coded: Coded) -> tuple[Int64, Nodes]:
    """The rows in order, and the nodes from which the cuts start: one, or several that no label may cover together."""
    rows, limits = len(coded.counted), [domain.blocks for domain in coded.quasi]
    whole = np.array([[[0, column.size - 1] for column in coded.quasi]], np.int32).reshape(1, len(limits), 2)
    limited = [a for a, block in enumerate(limits) if block is not None]
    if not limited:
        return np.arange(rows, dtype=np.int64), Nodes(np.array([0]), np.array([rows]), whole)
    of_row, firsts, _ = distinct_rows([_at(limits[a], coded.counted.quasi[a]) for a in limited])
    order = np.argsort(of_row, kind="stable")
    edges = np.searchsorted(of_row[order], np.arange(len(firsts) + 1)).astype(np.int64)
    boxes = np.repeat(whole, len(firsts), axis=0)
    for a in limited:
        block = _at(limits[a], np.arange(coded.quasi[a].size))  # codes are depth-first: those of a node are adjacent
        here = block[coded.counted.quasi[a, firsts]]
        boxes[:, a, 0] = np.searchsorted(block, here)
        boxes[:, a, 1] = np.searchsorted(block, here, side="right") - 1
    return order, Nodes(edges[:-1], edges[1:], boxes)


def _at(block: Int32 | None, codes: Array) -> Int32:
    assert block is not None
    return block[codes]


def require_start(coded: Coded, models: Sequence[ClassModel], algorithm: str) -> None:
    """Raises CannotBeMet unless the classes from which a search starts pass: all rows, or each of the blocks."""
    order, nodes = blocks(coded)
    count = len(nodes.starts)
    stats = MemberStats(coded, order, np.append(nodes.starts, len(order)))
    for model in models:
        failing = int((~model.passes(stats)).sum())
        if failing and count > 1:
            limited = some_of([domain.name for domain in coded.quasi if domain.blocks is not None])
            raise CannotBeMet(
                f"Model '{model.kind}' does not hold in {failing} of {count} parts that 'coarsest' keeps apart "
                f"(columns: {limited}).",
                hint="raise coarsest, or bound the column with top and bottom; or use 'optimal' with suppression.",
            )
        if failing:
            hint = "no recoding can help: relax the parameters of this model, or check the columns that it reads."
            if not model.monotone.merges(coded.counts_persons):
                hint = f"'{algorithm}' starts there; use 'optimal', which tries every recoding, or relax the model."
            raise CannotBeMet(f"Model '{model.kind}' does not hold when all rows form a single class.", hint=hint)


def limits_of(coded: Coded) -> Int64:
    """int64 [d]: the block of each row."""
    rows, nodes = blocks(coded)
    return block_of_rows(rows, np.append(nodes.starts, len(rows)))


def block_of_rows(rows: Int64, offsets: Int64) -> Int64:
    """int64 [d]: the number of the slice of `rows` in which each row is."""
    block = np.empty(len(rows), np.int64)
    block[rows] = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return block
