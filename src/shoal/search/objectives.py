"""Objectives: what a full-domain search minimizes, and lower bounds on the cost of a node.

Row costs (loss, precision, entropy) add up over rows. The cost of a node without suppression is known before its
classes are, and bounds its true cost from below. Class costs (discernibility, average class size) depend on the
classes, so bounds are known only near checked nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from shoal.arrays import Float64, Int64
from shoal.coded import loss
from shoal.coded.domains import QuasiDomain
from shoal.coded.partition import Partition
from shoal.search.lattice import Checked, Lattice
from shoal.search.nodes import Node


class Objective(Protocol):
    """A cost to be minimized: lower is better, and suppressed rows count as fully lost."""

    def bounds(self) -> Float64:
        """float64 [lattice shape]: a lower bound on the cost of each node."""
        ...

    def floor_of(self, node: Node) -> float:
        """The cost of a node without suppression, as far as it is known without its classes; it grows upwards."""
        ...

    def column_floor(self, a: int, level: int) -> float:
        """The part of column a in the lower bound on the cost of a recoding; the parts of all columns add up."""
        ...

    def cost(self, checked: Checked) -> float:
        """The cost of releasing a node."""
        ...

    def least(self, checked: Checked) -> float:
        """The lowest cost of any choice of a node's classes, without the condemned ones."""
        ...

    def cost_of(self, partition: Partition) -> float:
        """The cost of a release whose classes have their own levels."""
        ...

    def tighten(self, checked: Checked, cost: float, bounds: Float64) -> None:
        """Raises the bounds of other nodes in place, by what this node has shown.

        This is sound if the models are UPWARD.
        """
        ...

    def tighten_above(self, checked: Checked, bounds: Float64) -> None:
        """Raises the bounds of the nodes above in place, whatever the models are."""
        ...


class RowCost:
    """Costs that add up over rows.

    `tables[a][level, code]`: the cost for a row of publishing a leaf code at a level. `lost[a][code]`: the cost of
    suppressing the row, in every column at least that of its top level.
    """

    def __init__(self, lattice: Lattice, tables: list[Float64], lost: list[Float64], weights: Float64) -> None:
        self.lattice = lattice
        shares = _shares(weights)
        weighted = [table * share for table, share in zip(tables, shares, strict=True)]
        self._flat = np.concatenate([table.ravel() for table in weighted])
        self._lost = np.concatenate([cost * share for cost, share in zip(lost, shares, strict=True)])
        self._lost_start = np.concatenate([[0], np.cumsum([len(cost) for cost in lost])[:-1]]).astype(np.int64)
        self._by_level = [_mean_by_level(lattice, a, table) for a, table in enumerate(weighted)]

    def bounds(self) -> Float64:
        total = np.zeros((1,) * len(self._by_level))
        for a, height in enumerate(self.lattice.heights):
            means = self._by_level[a][: height + 1]
            shape = [1] * len(self._by_level)
            shape[a] = len(means)
            total = total + means.reshape(shape)
        return total

    def floor_of(self, node: Node) -> float:
        return float(sum(means[level] for means, level in zip(self._by_level, node, strict=True)))

    def column_floor(self, a: int, level: int) -> float:
        return float(self._by_level[a][level])

    def cost(self, checked: Checked) -> float:
        if checked.suppressed == 0:
            return self.floor_of(checked.classes.node)
        failing = np.flatnonzero(~checked.passing)
        row, weight = checked.classes.row[failing], checked.classes.weight[failing]
        saved = self._summed(row, weight, self._flat, self.lattice.start_at(checked.classes.node))
        # One row stands for its class: suppression adds the same for all rows that are published with equal labels.
        lost = self._summed(row, weight, self._lost, self._lost_start)
        return self.floor_of(checked.classes.node) + (lost - saved) / self.lattice.rows

    def least(self, checked: Checked) -> float:
        return self.cost(checked.relaxed)

    def cost_of(self, partition: Partition) -> float:
        levels = partition.recoding.class_levels()
        assert levels is not None
        coded, total = self.lattice.coded, 0.0
        start, suppressed = self.lattice.start_at((0,) * len(coded.quasi)), coded.counted.weight.copy()
        np.subtract.at(suppressed, partition.row, partition.weight)
        for a, domain in enumerate(coded.quasi):
            of_entry = levels[partition.class_of, a].astype(np.int64)
            costs = self._flat[start[a] + of_entry * domain.size + coded.counted.quasi[a, partition.row]]
            total += float((costs * partition.weight).sum())
        rows = np.flatnonzero(suppressed)
        return (total + self._summed(rows, suppressed[rows], self._lost, self._lost_start)) / self.lattice.rows

    def _summed(self, row: Int64, weight: Int64, cost: Float64, start: Int64) -> float:
        from shoal.kernels.roll_up import group_costs

        # Not a dot product: numpy would compute it in threads, which cost more than they save.
        return float((group_costs(self.lattice.coded.counted.by_row, row, cost, start) * weight).sum())

    def tighten(self, checked: Checked, cost: float, bounds: Float64) -> None:
        """Rows suppressed here are suppressed at every node below, where keeping them would save at least as much."""
        node = checked.classes.node
        penalty = cost - self.floor_of(node)
        if penalty > 0:
            below = tuple(slice(0, level + 1) for level in node)
            np.maximum(bounds[below], self.bounds()[below] + penalty, out=bounds[below])

    def tighten_above(self, checked: Checked, bounds: Float64) -> None:
        """Does nothing: the cost without suppression is known everywhere from the start."""


class ClassCost:
    """Costs that depend on the classes.

    Before these are known, a node is ranked by the levels of its columns.
    """

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice

    def bounds(self) -> Float64:
        return np.zeros(tuple(height + 1 for height in self.lattice.heights))

    def floor_of(self, node: Node) -> float:
        return sum(level / height for level, height in zip(node, self.lattice.heights, strict=True) if height)

    def column_floor(self, a: int, level: int) -> float:
        return 0.0  # no single column determines the classes


class Discernibility(ClassCost):
    """Σ|class|² + suppressed · rows, divided by rows² so that the maximum is 1.

    The cost of a node is the sum of two parts with separate bounds: Σ|class|² over all classes, which only grows
    upwards, and |class| · (rows − |class|) for every suppressed class, which only grows downwards.
    """

    def bounds(self) -> Float64:
        zeros = super().bounds()
        self._of_classes, self._of_suppressed = zeros.copy(), zeros.copy()
        return zeros

    def cost(self, checked: Checked) -> float:
        kept = checked.classes.weight[checked.passing]
        return (int(kept @ kept) + checked.suppressed * self.lattice.rows) / self.lattice.rows**2

    def least(self, checked: Checked) -> float:
        return self.cost(checked.relaxed)

    def cost_of(self, partition: Partition) -> float:
        kept = partition.rows
        suppressed = self.lattice.rows - int(kept.sum())
        return (int(kept @ kept) + suppressed * self.lattice.rows) / self.lattice.rows**2

    def tighten(self, checked: Checked, cost: float, bounds: Float64) -> None:
        """Rows suppressed here are suppressed at every node below, in classes that are no larger."""
        sizes = checked.classes.weight[~checked.passing]
        least = int(sizes @ (self.lattice.rows - sizes)) / self.lattice.rows**2
        below = tuple(slice(0, level + 1) for level in checked.classes.node)
        np.maximum(self._of_suppressed[below], least, out=self._of_suppressed[below])
        np.maximum(bounds[below], self._of_classes[below] + self._of_suppressed[below], out=bounds[below])

    def tighten_above(self, checked: Checked, bounds: Float64) -> None:
        """Classes only merge upwards."""
        sizes = checked.classes.weight
        least = int(sizes @ sizes) / self.lattice.rows**2
        above = tuple(slice(level, None) for level in checked.classes.node)
        np.maximum(self._of_classes[above], least, out=self._of_classes[above])
        np.maximum(bounds[above], self._of_classes[above] + self._of_suppressed[above], out=bounds[above])


class AverageClassSize(ClassCost):
    """Released rows per class, divided by rows so that the maximum is 1."""

    def cost(self, checked: Checked) -> float:
        classes = int(checked.passing.sum())
        released = self.lattice.rows - checked.suppressed
        return released / classes / self.lattice.rows if classes else 1.0

    def least(self, checked: Checked) -> float:
        """A bound that assumes only that a choice keeps enough rows.

        Suppressing a large class lowers the average, so nothing more is known.
        """
        if not checked.has_choice:
            return self.cost(checked)
        classes = max(int((~checked.condemned).sum()), 1)
        return (self.lattice.rows - self.lattice.limit) / classes / self.lattice.rows

    def cost_of(self, partition: Partition) -> float:
        return int(partition.rows.sum()) / max(partition.classes, 1) / self.lattice.rows

    def tighten(self, checked: Checked, cost: float, bounds: Float64) -> None:
        """Does nothing: a node below may have any number of additional classes."""

    def tighten_above(self, checked: Checked, bounds: Float64) -> None:
        """Nodes above have no more classes, and no fewer released rows than the limit allows."""
        least = (self.lattice.rows - self.lattice.limit) / len(checked.classes) / self.lattice.rows
        above = tuple(slice(level, None) for level in checked.classes.node)
        np.maximum(bounds[above], least, out=bounds[above])


def _shares(weights: Float64) -> Float64:
    """float64 [columns]: the weights divided by their sum, which may be infinite."""
    with np.errstate(over="ignore"):
        total = weights.sum()
    scaled = weights if np.isfinite(total) else weights / weights.max()
    shares: Float64 = scaled / scaled.sum()
    return shares


def _mean_by_level(lattice: Lattice, a: int, table: Float64) -> Float64:
    """float64 [levels]: the mean cost of a row if column a is published at each level."""
    counted = lattice.coded.counted
    rows = np.bincount(counted.quasi[a], counted.weight, minlength=table.shape[1])
    means: Float64 = (table * rows).sum(axis=1) / lattice.rows  # a matrix product would depend on threads
    return means


def _loss_table(domain: QuasiDomain, rows: Float64) -> Float64:
    return loss.node_losses(domain)


def _precision_table(domain: QuasiDomain, rows: Float64) -> Float64:
    height = domain.tree.height + domain.finest
    shares = np.arange(domain.finest, height + 1) / height
    return np.repeat(shares, domain.size).reshape(len(shares), domain.size)


def _entropy_table(domain: QuasiDomain, rows: Float64) -> Float64:
    """The bits needed to identify the leaf behind a published value, given the frequencies of the leaves."""
    published = [np.bincount(level.of_leaf, rows)[level.of_leaf] for level in domain.tree.levels]
    bits: Float64 = np.log2(np.stack(published)) - np.log2(rows)
    return bits


_ROW_COSTS: Mapping[str, Callable[[QuasiDomain, Float64], Float64]] = {
    "loss": _loss_table,
    "precision": _precision_table,
    "entropy": _entropy_table,
}
_CLASS_COSTS: Mapping[str, Callable[[Lattice], Objective]] = {
    "discernibility": Discernibility,
    "average-class-size": AverageClassSize,
}
MEASURES = (*_ROW_COSTS, *_CLASS_COSTS)
WEIGHTED = tuple(_ROW_COSTS)
"""The measures in which the weights of the columns count."""
_LOST_ROWS_COST_ONE = ("loss", "precision")
"""In all others, a suppressed row costs as much as a fully generalized one."""


def objective(measure: str, lattice: Lattice) -> Objective:
    """The objective of this name for this lattice."""
    if measure in _CLASS_COSTS:
        return _CLASS_COSTS[measure](lattice)
    quasi, counted = lattice.coded.quasi, lattice.coded.counted
    tables, lost = [], []
    for a, domain in enumerate(quasi):
        rows = np.bincount(counted.quasi[a], counted.weight, minlength=domain.size).astype(np.float64)
        table = _ROW_COSTS[measure](domain, rows)
        tables.append(table)
        lost.append(np.ones(domain.size) if measure in _LOST_ROWS_COST_ONE else table[-1])
    return RowCost(lattice, tables, lost, np.array([domain.weight for domain in quasi], np.float64))
