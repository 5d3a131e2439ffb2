"""km-anonymity of a coded set-valued column: which of its sets have a rare combination, and what to publish instead."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.domains import ItemDomain
from shoal.coded.partition import Generalized, Rewritten
from shoal.errors import TableError
from shoal.items.combinations import ItemSets, ascending
from shoal.items.generalization import ItemTree
from shoal.items.recoding import ItemRecoding, least_cost, recoded, with_rare


def having_rare(own: ItemDomain, whole: ItemDomain, rows: Int64, k: int, m: int) -> Flags:
    """bool [own sets]: whether a set has a combination of at most m items that fewer than k rows of the whole have.

    rows int64 [sets of whole]: the rows of each set. Both columns may have different items and sets.
    """
    if own is whole:
        return with_rare(_sets(whole, rows), k, m)
    items = sorted({*own.items, *whole.items})
    place = {item: number for number, item in enumerate(items)}
    members = np.concatenate([_renumbered(each, place) for each in (own, whole)])
    offsets = np.concatenate([own.offsets, own.offsets[-1] + whole.offsets[1:]])
    weights = np.concatenate([np.zeros(own.size, np.int64), rows])
    return with_rare(ItemSets(offsets, members, weights, len(items)), k, m)[: own.size]


def anonymous_sets(domain: ItemDomain, rows: Int64, k: int, m: int) -> Rewritten:
    """The sets to publish in place of those of a column, so that no combination of at most m items is rare.

    rows int64 [sets]: the released rows of each set. Sets of no row have no influence, and become the empty set.
    """
    used = np.flatnonzero(rows)
    sets, tree = _chosen(_sets(domain, rows), used), _tree(domain)
    try:
        found = recoded(sets, tree, k, m)
    except TableError as error:
        raise TableError(f"Column '{domain.name}': {error.fact}", allowed=error.allowed, hint=error.hint) from None
    failing, of_set = np.zeros(domain.size, np.bool_), np.full(domain.size, len(used), np.int32)
    failing[used], of_set[used] = with_rare(sets, k, m), np.arange(len(used), dtype=np.int32)
    if tree is None:
        published = replace(domain, offsets=_with_empty(found.sets.offsets), members=found.sets.members)
        return Rewritten(published, of_set, failing, found.cost, least_cost(sets, k, m))
    published, label_of = _labelled(domain, found)
    lost = tree.loss(found.heights)
    return Rewritten(published, of_set, failing, found.cost, None, Generalized(label_of, lost))


def _sets(domain: ItemDomain, rows: Int64) -> ItemSets:
    return ItemSets(domain.offsets, domain.members, rows, len(domain.items))


def _renumbered(domain: ItemDomain, place: dict[str, int]) -> Int32:
    """int32 [members]: the members of a column in another numbering of its items, which keeps their order."""
    numbers = np.array([place[item] for item in domain.items], np.int32)
    return numbers[domain.members]


def _chosen(sets: ItemSets, chosen: Int64) -> ItemSets:
    """Only these sets."""
    lengths = np.diff(sets.offsets)[chosen]
    ends = np.cumsum(lengths)
    places = np.arange(int(lengths.sum())) + np.repeat(sets.offsets[chosen] - (ends - lengths), lengths)
    offsets = np.concatenate([[0], ends]).astype(np.int64)
    return ItemSets(offsets, sets.members[places], sets.weights[chosen], sets.items)


def _tree(domain: ItemDomain) -> ItemTree | None:
    """The hierarchy of the items as numbers; None if the column has none."""
    if domain.hierarchy is None or domain.leaves_under is None or not domain.items:
        return None
    return ItemTree(
        np.stack([level.of_leaf for level in domain.hierarchy.levels]).astype(np.int64), domain.leaves_under
    )


def _with_empty(offsets: Int64) -> Int64:
    """The offsets with the empty set as one more."""
    return np.append(offsets, offsets[-1])


def _labelled(domain: ItemDomain, found: ItemRecoding) -> tuple[ItemDomain, Int32]:
    """The column of labels that a recoding publishes, and int32 [items] the label of each item.

    Nodes with equal labels are the same to everyone who reads a release.
    """
    assert domain.hierarchy is not None
    levels = domain.hierarchy.levels
    shown = [levels[h].labels[levels[h].of_leaf[item]] for item, h in enumerate(found.heights.tolist())]
    labels = sorted(set(shown))
    place = {label: number for number, label in enumerate(labels)}
    label_of = np.array([place[label] for label in shown], np.int32)
    of_node = np.zeros(found.sets.items, np.int32)
    of_node[found.nodes] = label_of
    keys = ascending(found.sets.set_of * len(labels) + of_node[found.sets.members])
    lengths = np.bincount(keys // len(labels), minlength=len(found.sets.weights))
    offsets = _with_empty(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))
    members = (keys % len(labels)).astype(np.int32)
    return replace(domain, items=tuple(labels), offsets=offsets, members=members, hierarchy=None), label_of
