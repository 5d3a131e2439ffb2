"""Persons with several rows in a table whose plan counts rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.arrays import Int32
from shoal.coded.counted import Counted
from shoal.percent import percent
from shoal.warnings.base import NOTEWORTHY, Case

_PAIRS_COMPARED = 10_000
_ALIKE = 0.5
_FEW_COLUMNS = 4


def repeated_persons(case: Case) -> Iterator[str]:
    """Warns of identifiers that repeat although the plan names no person column.

    The identifier with the most distinct values is trusted. Others, such as names, may repeat among different persons:
    they count only if rows with the same value also agree in the quasi-identifiers.
    """
    if case.plan.data.person is not None:
        return
    repeats_of = {
        name: case.engine.repeats(name, case.plan.data.missing, _PAIRS_COMPARED)
        for name in case.plan.having("identifier")
    }
    most_values = max((repeats.values for repeats in repeats_of.values()), default=0)
    for name, repeats in repeats_of.items():
        share = repeats.sharing / max(repeats.rows, 1)
        trusted = repeats.values == most_values or (share >= NOTEWORTHY and _same_persons(case, repeats.pairs))
        if share > 0 and trusted:
            yield (
                f"Identifier '{name}' repeats: {percent(share)} of the rows share its value with another row. Classes "
                f"count rows, not persons, so the rows of a single person may form a class. If '{name}' identifies a "
                f'person, set person = "{name}" under [data].'
            )


def _same_persons(case: Case, pairs: Int32) -> bool:
    """Whether rows that share an identifier agree in their quasi-identifiers far more often than by chance.

    Only the half of the columns with the most agreement counts: a person's stays and laboratory values differ between
    visits.
    """
    counted = case.coded.counted
    left, right = (counted.quasi[:, side] for side in pairs)
    agreeing = (left == right).mean(axis=1)
    by_chance = np.array([_agreement_by_chance(counted, a) for a in range(len(counted.quasi))])
    varied = by_chance < 1  # a column with a single value carries no information
    beyond_chance = (agreeing[varied] - by_chance[varied]) / (1 - by_chance[varied])
    steady = np.sort(beyond_chance)[-max(len(beyond_chance) // 2, _FEW_COLUMNS) :]
    return len(steady) > 0 and float(steady.mean()) >= _ALIKE


def _agreement_by_chance(counted: Counted, a: int) -> float:
    """The probability that two random rows agree in quasi-identifier a."""
    counts = np.bincount(counted.quasi[a], weights=counted.weight)
    return float((counts**2).sum() / counts.sum() ** 2)
