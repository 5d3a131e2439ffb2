"""Persons with several rows, where the plan counts rows."""

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
    """Identifiers that repeat although the plan names no person.

    The identifier with most distinct values is trusted. Others may repeat among different persons, as names do: they
    count only where rows with the same value are also alike in the quasi-identifiers.
    """
    if case.plan.data.person is not None:
        return
    found = {
        name: case.engine.repeats(name, case.plan.data.missing, _PAIRS_COMPARED)
        for name in case.plan.having("identifier")
    }
    finest = max((each.values for each in found.values()), default=0)
    for name, each in found.items():
        share = each.sharing / max(each.rows, 1)
        trusted = each.values == finest or (share >= NOTEWORTHY and _same_persons(case, each.pairs))
        if share > 0 and trusted:
            yield (
                f"Identifier '{name}' repeats: {percent(share)} of the rows share its value with another row. Classes "
                f"count rows, not persons, so one person may fill a class. If it identifies a person, set "
                f'person = "{name}" under [data].'
            )


def _same_persons(case: Case, pairs: Int32) -> bool:
    """Whether rows that share an identifier agree in their quasi-identifiers far more often than by chance.

    Of many columns the better half counts: a person's stays and laboratory values differ from visit to visit.
    """
    counted = case.coded.counted
    left, right = (counted.quasi[:, side] for side in pairs)
    agreeing = (left == right).mean(axis=1)
    by_chance = np.array([_agreement_by_chance(counted, a) for a in range(len(counted.quasi))])
    varied = by_chance < 1  # a column of one value says nothing
    beyond = (agreeing[varied] - by_chance[varied]) / (1 - by_chance[varied])
    steady = np.sort(beyond)[-max(len(beyond) // 2, _FEW_COLUMNS) :]
    return len(steady) > 0 and float(steady.mean()) >= _ALIKE


def _agreement_by_chance(counted: Counted, a: int) -> float:
    """How likely two rows drawn at random agree in quasi-identifier a."""
    counts = np.bincount(counted.quasi[a], weights=counted.weight)
    return float((counts**2).sum() / counts.sum() ** 2)
