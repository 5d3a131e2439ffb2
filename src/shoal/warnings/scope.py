"""Rows that no promise covers: what an intruder learns from a release of which only some rows are generalized."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shoal.coded.counted import Coded
from shoal.coded.keys import distinct_rows
from shoal.coded.partition import Partition
from shoal.percent import percent
from shoal.warnings.base import Case, Warning


class Left(NamedTuple):
    """What a release leaves open that generalizes only the rows with high values.

    `unique`: the share of low rows that no other low row equals in all quasi-identifiers. `unmatched`: the share of
    high rows whose quasi-identifiers no exact row has. `sure` and `surest`: how probable a high value is for an
    individual without an exactly matching row, on average and at most; None if everyone has a matching row.
    """

    unique: float
    unmatched: float
    sure: float | None
    surest: float | None


def uncovered_rows(case: Case) -> Iterator[Warning]:
    """Warns of what is left open, measured on the classes that were found."""
    scope = case.plan.scope
    if scope is None or case.partition is None:
        return
    left = left_open(case.coded, case.partition)
    yield Warning(
        f"{percent(left.unique)} of the rows with low values of '{scope.column}' are published exactly and are unique "
        "in their quasi-identifiers: anyone who knows these finds the row.",
        serious=left.unique > 0,
        remedy="Publish them only if the rows with low values need no protection; other algorithms protect all rows.",
    )
    if left.sure is None or left.surest is None:
        return
    yield Warning(
        f"{percent(left.unmatched)} of the individuals with a high value of '{scope.column}' have no exactly matching "
        f"row. An intruder who notices this is {percent(left.sure)} sure on average, and up to {percent(left.surest)}, "
        "that they have a high value. Set `cover` to generalize a share of the other rows too.",
        serious=True,
        remedy="Set `cover` to generalize a share of the other rows too.",
    )


def left_open(coded: Coded, partition: Partition) -> Left:
    """What a partition leaves open of which the promises cover only some rows."""
    covered = coded.counted.covered
    assert covered is not None
    high = covered[partition.row]
    spot = distinct_rows([*coded.counted.quasi]).ids[partition.row]
    weight, class_of = partition.weight.astype(np.float64), partition.class_of
    highs = np.bincount(class_of, weights=weight * high, minlength=partition.classes)
    exact = highs[class_of] == 0  # a class with a high value is generalized
    exact_rows = np.bincount(spot, weights=weight * exact)
    low, unique = weight[~high].sum(), weight[~high & exact & (exact_rows[spot] == 1)].sum()
    unmatched = high & (exact_rows[spot] == 0)
    belief = (highs / partition.rows)[class_of]
    found = weight[unmatched].sum()
    return Left(
        unique=float(unique / low) if low else 0.0,
        unmatched=float(found / max(weight[high].sum(), 1)),
        sure=float((belief * weight)[unmatched].sum() / found) if found else None,
        surest=float(belief[unmatched].max()) if found else None,
    )
