"""What missing values do to classes: no warning but a fact for the manifest, for gaps are nothing to refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.coded.encode import Encoded, QuasiColumn
from shoal.coded.partition import Int64, Partition

Flags = NDArray[np.bool_]


def missing_effect(encoded: Encoded, partition: Partition) -> dict[str, Any]:
    """What missing quasi-identifiers do to class sizes, under the key `missing`; empty where none is missing.

    A class shows a missing value where all its rows lack it; elsewhere it is hidden under a wider label. Sizes count
    persons where the plan does.
    """
    columns = [(a, column) for a, column in enumerate(encoded.quasi) if column.has_missing]
    if not columns:
        return {}
    kept = partition.class_of >= 0
    class_of, weight = partition.class_of[kept], encoded.rows.weight[kept]
    lacks_any = np.zeros(len(weight), np.bool_)
    shows = np.zeros(partition.classes, np.bool_)
    for a, column in columns:
        lacks = column.values.is_null().to_numpy()[encoded.columns[a, kept]]
        lacks_any |= lacks
        alone = np.bincount(class_of, weights=~lacks, minlength=partition.classes) == 0
        shows |= alone & _tells_missing(column, partition, a)
    sizes = partition.stats(encoded.rows).sizes
    return {
        "missing": {
            "columns": [column.name for _, column in columns],
            "share_of_rows": round(float(weight[lacks_any].sum() / weight.sum()), 3),
            "smallest_class_showing_missing": _smallest(sizes[shows]),
            "smallest_other_class": _smallest(sizes[~shows]),
        }
    }


def _tells_missing(column: QuasiColumn, partition: Partition, a: int) -> Flags | bool:
    """Which classes publish a missing value as missing: where all are recoded alike, it may be hidden under `*`."""
    if partition.recoded is not None:
        low, high = partition.recoded[a][int(np.flatnonzero(column.values.is_null().to_numpy())[0])]
        return bool(low == high)
    if partition.levels is not None and column.hierarchy is not None:
        found: Flags = partition.levels[:, a] < column.hierarchy.height
        return found
    return True


def _smallest(sizes: Int64) -> int | None:
    return int(sizes.min()) if len(sizes) else None
