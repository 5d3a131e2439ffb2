"""The effect of missing values on classes: a fact for the manifest, not a warning that a strict plan refuses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.partition import Partition
from shoal.coded.recoding import Shown
from shoal.labels import MISSING
from shoal.manifest import MissingEffect


def missing_effect(coded: Coded, partition: Partition, shown: Mapping[str, Shown]) -> MissingEffect | None:
    """The effect of missing quasi-identifiers on class sizes; None if no value is missing.

    A class shows a missing value if all its rows lack the value; otherwise a wider label hides it. Sizes count persons
    if the plan does.
    """
    columns = [(a, domain) for a, domain in enumerate(coded.quasi) if domain.has_missing]
    if not columns:
        return None
    lacks_any = np.zeros(len(partition.row), np.bool_)
    shows = np.zeros(partition.classes, np.bool_)
    for a, domain in columns:
        lacks_any |= domain.values.is_null().to_numpy()[coded.counted.quasi[a, partition.row]]
        of_class = shown[domain.name]
        shows |= np.array([label == MISSING for label in of_class.labels])[of_class.codes]
    sizes = partition.stats(coded).sizes
    return MissingEffect(
        columns=tuple(domain.name for _, domain in columns),
        share_of_rows=round(float(partition.weight[lacks_any].sum() / partition.weight.sum()), 3),
        smallest_class_showing_missing=_smallest(sizes[shows]),
        smallest_other_class=_smallest(sizes[~shows]),
    )


def _smallest(sizes: Int64) -> int | None:
    return int(sizes.min()) if len(sizes) else None
