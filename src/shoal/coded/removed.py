"""Items that were removed from the released rows, for the steward: which, where, and at what cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Float64, Int32, Int64
from shoal.coded.counted import Coded
from shoal.coded.domains import ItemDomain
from shoal.coded.partition import Partition


@dataclass(frozen=True)
class RemovedItems:
    """The items removed from one set-valued column.

    `removed`: how many, summed over released rows, `of` the items that these rows had; `rows`: the released rows that
    lost an item. `by_item`: item → the released rows that lost it. `by_class_size`: number of rows of a class → the
    items removed in classes of this size. `cost` and `whole`: the removal cost, in which suppressed rows lost all their
    items, and the cost of removing every item of the table. Removing an item from a row that has j items left costs
    1/j.
    """

    removed: int
    of: int
    rows: int
    cost: float
    whole: float
    by_item: Mapping[str, int]
    by_class_size: Mapping[str, int]


def removed_items(coded: Coded, partition: Partition) -> dict[str, RemovedItems]:
    """What was removed from each set-valued column."""
    return {name: _removed(coded, partition, name) for name in coded.items}


def _removed(coded: Coded, partition: Partition, name: str) -> RemovedItems:
    domain, every = coded.items[name], coded.counted.items[name]
    edit, before = partition.edits.get(name), every[partition.row]
    after, left = (before, domain) if edit is None else (edit.codes, edit.domain)
    lost = domain.lengths[before] - left.lengths[after]
    costs = _costs(domain)
    released = np.bincount(partition.row, partition.weight, minlength=len(every))
    suppressed = float(costs[every] @ (coded.counted.weight - released))
    lost_cost = float((costs[before] - _costs(left)[after]) @ partition.weight)  # exactly 0 if nothing was removed
    gone = (lost * partition.weight).astype(np.int64)
    had, have = _rows_by_item(domain, before, partition.weight), _rows_by_item(left, after, partition.weight)
    differing = {item: rows - have.get(item, 0) for item, rows in had.items()}
    return RemovedItems(
        removed=int(gone.sum()),
        of=int(domain.lengths[before] @ partition.weight),
        rows=int(partition.weight[lost > 0].sum()),
        cost=lost_cost + suppressed,
        whole=float(costs[every] @ coded.counted.weight),
        by_item={item: rows for item, rows in differing.items() if rows},
        by_class_size=_by_class_size(partition, gone),
    )


def _costs(domain: ItemDomain) -> Float64:
    """float64 [sets]: the cost of removing all items of each set: 1/j for the last but j - 1, for every j."""
    longest = int(domain.lengths.max(initial=0))
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, longest + 1))])
    return np.asarray(harmonic[domain.lengths])


def _rows_by_item(domain: ItemDomain, codes: Int32, weight: Int64) -> dict[str, int]:
    """Item → the number of rows that have it; items that no row has may be missing."""
    of_set = np.zeros(domain.size, np.int64)
    np.add.at(of_set, codes, weight)
    rows = np.zeros(len(domain.items), np.int64)
    np.add.at(rows, domain.members, np.repeat(of_set, domain.lengths))
    return {item: count for item, count in zip(domain.items, rows.tolist(), strict=True) if count}


def _by_class_size(partition: Partition, gone: Int64) -> dict[str, int]:
    """Size of a class → the items removed in classes of this size, the smallest first."""
    sizes = partition.rows[partition.class_of]
    found = {int(size): int(gone[sizes == size].sum()) for size in np.unique(sizes[gone > 0])}
    return {str(size): items for size, items in found.items()}
