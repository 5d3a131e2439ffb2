"""Items that were removed from the released rows or generalized, for the steward: which, where, and at what cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Array, Flags, Float64, Int64
from shoal.coded.counted import Coded
from shoal.coded.domains import ItemDomain
from shoal.coded.partition import Edit, Partition


@dataclass(frozen=True)
class RemovedItems:
    """The items removed from one set-valued column, and those that a label of its hierarchy stands for.

    `removed`: how many, summed over released rows, `of` the items that these rows had; `published`: the items and
    labels that they show; items of a row with the same label are one of them. `rows`: the released rows that lost an
    item. `by_item`: item → the released rows that lost it. `by_class_size`: number of rows of a class → the items
    removed in classes of this size. `generalized`: how many items are published as a label above them, and
    `by_generalized`: item → the released rows in which it is. `cost` and `whole`: the removal cost, in which suppressed
    rows lost all their items, and the cost of removing every item of the table. Removing an item from a row that has j
    items left costs 1/j. The items that are left share equally what it would cost to remove them, and a generalized one
    loses of its part the share of all other leaves of the hierarchy that its label has under it.
    """

    removed: int
    of: int
    published: int
    rows: int
    cost: float
    whole: float
    by_item: Mapping[str, int]
    by_class_size: Mapping[str, int]
    generalized: int = 0
    by_generalized: Mapping[str, int] = field(default_factory=dict)


def removed_items(coded: Coded, partition: Partition) -> dict[str, RemovedItems]:
    """What was removed from each set-valued column."""
    return {name: _removed(coded, partition, name) for name in coded.items}


def losing_classes(coded: Coded, partition: Partition) -> Flags:
    """bool [classes]: whether a row of the class lost an item of any column, or shows less of it."""
    losing = np.zeros(partition.classes, np.bool_)
    for name, edit in partition.edits.items():
        before = coded.counted.items[name][partition.row]
        fates = _Fates.of(coded.items[name], edit, before, partition.weight)
        losing[partition.class_of[fates.cost > 0]] = True
    return losing


def _removed(coded: Coded, partition: Partition, name: str) -> RemovedItems:
    domain, every = coded.items[name], coded.counted.items[name]
    before, weight = every[partition.row], partition.weight
    costs, suppressed = _harmonics(domain)[domain.lengths], coded.counted.weight.copy()
    np.subtract.at(suppressed, partition.row, weight)
    fates = _Fates.of(domain, partition.edits.get(name), before, weight)
    gone = fates.removed * weight
    return RemovedItems(
        removed=int(gone.sum()),
        of=int(domain.lengths[before] @ weight),
        published=_published(domain, partition.edits.get(name), before, weight),
        rows=int(weight[fates.removed > 0].sum()),
        cost=float(fates.cost @ weight + costs[every] @ suppressed),
        whole=float(costs[every] @ coded.counted.weight),
        by_item=fates.removed_rows,
        by_class_size=_by_class_size(partition, gone),
        generalized=sum(fates.generalized_rows.values()),
        by_generalized=fates.generalized_rows,
    )


def _published(domain: ItemDomain, edit: Edit | None, before: Array, weight: Int64) -> int:
    """The items and labels of the released rows."""
    lengths = domain.lengths[before] if edit is None else edit.domain.lengths[edit.codes]
    return int(lengths @ weight)


@dataclass(frozen=True)
class _Fates:
    """What becomes of the items of every entry.

    removed int64 [entries]: how many items the rows of an entry lost. cost float64 [entries]: what that and
    generalization cost each row. `removed_rows` and `generalized_rows`: item → rows.
    """

    removed: Int64
    cost: Float64
    removed_rows: Mapping[str, int]
    generalized_rows: Mapping[str, int]

    @classmethod
    def of(cls, domain: ItemDomain, edit: Edit | None, before: Array, weight: Int64) -> _Fates:
        if edit is None:
            return cls(np.zeros(len(before), np.int64), np.zeros(len(before)), {}, {})
        changes, change_of = np.unique(before.astype(np.int64) * edit.domain.size + edit.codes, return_inverse=True)
        sets, published = np.divmod(changes, edit.domain.size)
        lengths = domain.lengths[sets]
        change = np.repeat(np.arange(len(changes)), lengths)
        item = domain.members[_ranges(domain.offsets[sets], lengths)]
        label = item if edit.generalized is None else edit.generalized.label_of[item]
        kept = _contains(edit.domain, published[change], label)
        lost = np.zeros(len(domain.items)) if edit.generalized is None else edit.generalized.lost
        rows = np.bincount(change_of, weight, minlength=len(changes)).astype(np.int64)[change]
        shown = _published_as(domain, edit)
        return cls(
            np.bincount(change[~kept], minlength=len(changes)).astype(np.int64)[change_of],
            _costs(domain, lengths, change[kept], lost[item[kept]])[change_of],
            _rows_by_item(domain, item[~kept], rows[~kept]),
            _rows_by_item(domain, item[kept & shown[item]], rows[kept & shown[item]]),
        )


def _contains(domain: ItemDomain, sets: Int64, items: Array) -> Flags:
    """bool [n]: whether a set has an item, for n pairs of them."""
    width = max(len(domain.items), 1)
    members = np.repeat(np.arange(domain.size), domain.lengths) * width + domain.members  # ascending
    wanted = sets * width + items
    if not len(members):
        return np.zeros(len(wanted), np.bool_)
    flags: Flags = members[np.minimum(np.searchsorted(members, wanted), len(members) - 1)] == wanted
    return flags


def _published_as(domain: ItemDomain, edit: Edit) -> Flags:
    """bool [items]: whether an item is published as another label, where it is published."""
    if edit.generalized is None:
        return np.zeros(len(domain.items), np.bool_)
    labels = (edit.domain.items[label] for label in edit.generalized.label_of.tolist())
    return np.array([label != item for label, item in zip(labels, domain.items, strict=True)], np.bool_)


def _costs(domain: ItemDomain, lengths: Int64, kept: Int64, lost: Float64) -> Float64:
    """float64 [changes]: the cost of what each set loses: of the items that are removed, and of those that are not.

    lengths int64 [changes]: the items of each set. kept int64: the change of every item that is left, and lost float64
    the share of its information that it loses.
    """
    harmonic, left = _harmonics(domain), np.bincount(kept, minlength=len(lengths))
    blurred = np.bincount(kept, lost, minlength=len(lengths))
    return np.asarray(harmonic[lengths] - harmonic[left] + blurred * harmonic[left] / np.maximum(left, 1))


def _harmonics(domain: ItemDomain) -> Float64:
    """float64 [longest + 1]: the cost of removing all of n items: 1/j for the last but j - 1, for every j up to n."""
    longest = int(domain.lengths.max(initial=0))
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, longest + 1))])


def _ranges(starts: Int64, lengths: Int64) -> Int64:
    """The integers of all ranges, one range after the other."""
    places: Int64 = np.arange(int(lengths.sum())) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    return places


def _rows_by_item(domain: ItemDomain, items: Array, rows: Int64) -> dict[str, int]:
    """Item → the number of its rows, without items of none."""
    counts = np.bincount(items, rows, minlength=len(domain.items)).astype(np.int64)
    return {domain.items[item]: int(counts[item]) for item in np.flatnonzero(counts).tolist()}


def _by_class_size(partition: Partition, gone: Int64) -> dict[str, int]:
    """Size of a class → the items removed in classes of this size, the smallest first."""
    sizes = partition.rows[partition.class_of]
    found = {int(size): int(gone[sizes == size].sum()) for size in np.unique(sizes[gone > 0])}
    return {str(size): items for size, items in found.items()}
