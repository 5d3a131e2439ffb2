"""Rewriting: publishes other sets in a set-valued column, chosen by a model that looks at all released rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.coded.counted import Coded
from shoal.coded.partition import Edit, Partition
from shoal.coded.record import ItemRemoval
from shoal.items.removal.classes import harmonics
from shoal.models.items import ItemModel

_EQUAL = 1e-9
"""A cost that exceeds its lower bound by no more than this share of it equals it."""


def rewritten(coded: Coded, partition: Partition, model: ItemModel) -> tuple[Partition, ItemRemoval] | None:
    """The partition that publishes the sets which a model chooses, and what they cost; None if it judges classes."""
    column = model.column
    domain, codes = coded.items[column], coded.counted.items[column][partition.row]
    rows = np.bincount(codes, partition.weight, minlength=domain.size).astype(np.int64)
    found = model.rewritten(domain, rows)
    if found is None:
        return None
    classes = len(np.unique(partition.released(coded)[partition.class_of[found.failing[codes]]]))
    proven = found.lower_bound is not None and found.cost <= found.lower_bound * (1 + _EQUAL)
    record = ItemRemoval(
        model=model.kind,
        column=column,
        classes=classes,
        proven=classes if proven or not classes else None,
        cost=found.cost,
        lower_bound=found.lower_bound,
        whole=float(harmonics(int(domain.lengths.max(initial=0)))[domain.lengths] @ rows),
        nodes=0,
        in_time=True,
    )
    if not classes:
        return partition, record
    edit = Edit(found.domain, found.of_set[codes], found.generalized)
    return replace(partition, edits={**partition.edits, column: edit}), record
