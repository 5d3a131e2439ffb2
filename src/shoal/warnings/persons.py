"""Persons with several rows, where the plan counts rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.coded.encode import Encoded
from shoal.coded.partition import Int64
from shoal.warnings.base import NOTEWORTHY, Case, percent

_PAIRS_COMPARED = 10_000
_ALIKE = 0.5
_FEW_COLUMNS = 4
_SCATTERING = np.uint64(11400714819323198485)


class _Repeats(NamedTuple):
    """How an identifier repeats: how many values it has, and the share of rows whose value is not theirs alone.

    `pairs` int64 [2, pairs]: some rows that have the same value.
    """

    name: str
    distinct: int
    share: float
    pairs: Int64


def repeated_persons(case: Case) -> Iterator[str]:
    """Identifiers that repeat although the plan names no person.

    The identifier that tells most rows apart is taken at its word. Of the others many repeat among different persons,
    as names do: they count only where rows with the same value are also alike in the quasi-identifiers.
    """
    if case.plan.data.person is not None:
        return
    found = [_repeats(case, name) for name in case.plan.having("identifier")]
    finest = max((each.distinct for each in found), default=0)
    for each in found:
        believed = each.distinct == finest or (each.share >= NOTEWORTHY and _same_persons(case, each.pairs))
        if each.share > 0 and believed:
            yield (
                f"Identifier '{each.name}' repeats: {percent(each.share)} of the rows share its value with another "
                f"row. Classes count rows, not persons, so one person may fill a class. If it stands for a person, set "
                f'person = "{each.name}" under [data].'
            )


def _repeats(case: Case, name: str) -> _Repeats:
    column = case.prepared.frame[name]
    present = column.is_not_null()
    if column.dtype == pl.String:
        present &= ~column.is_in(case.plan.data.missing)
    rows = np.flatnonzero(present.to_numpy())
    hashes = column.hash(0).to_numpy()[rows]
    ordered = np.sort(hashes)
    again = ordered[1:] == ordered[:-1]
    repeated = ordered[1:][again]
    runs = np.count_nonzero(np.diff(again, prepend=False) & again)  # values that occur more than once
    shared = len(repeated) + runs
    return _Repeats(name, len(rows) - len(repeated), shared / max(len(rows), 1), _pairs(hashes, repeated, rows))


def _pairs(hashes: NDArray[np.uint64], repeated: NDArray[np.uint64], rows: Int64) -> Int64:
    """int64 [2, pairs]: rows with equal hashes, of the smallest repeated ones only, so that little is sorted.

    Not neighbours in the table: where it is sorted by patient, those with the same name are often the same person.
    """
    if not len(repeated):
        return np.empty((2, 0), np.int64)
    few = np.flatnonzero(hashes <= repeated[:_PAIRS_COMPARED][-1])
    few = few[np.lexsort((few.astype(np.uint64) * _SCATTERING, hashes[few]))]
    left = np.flatnonzero(hashes[few[1:]] == hashes[few[:-1]])
    return rows[np.stack([few[left], few[left + 1]])]


def _same_persons(case: Case, pairs: Int64) -> bool:
    """Whether rows that share an identifier agree in their quasi-identifiers far more often than chance has it.

    Of many columns the better half counts: a person's stays and laboratory values differ from visit to visit.
    """
    encoded = case.encoded
    left, right = (encoded.columns[:, encoded.row_of[side]] for side in pairs)
    agreeing = (left == right).mean(axis=1)
    by_chance = np.array([_agreement_by_chance(encoded, a) for a in range(len(encoded.quasi))])
    telling = by_chance < 1  # a column of one value says nothing
    beyond = (agreeing[telling] - by_chance[telling]) / (1 - by_chance[telling])
    steady = np.sort(beyond)[-max(len(beyond) // 2, _FEW_COLUMNS) :]
    return len(steady) > 0 and float(steady.mean()) >= _ALIKE


def _agreement_by_chance(encoded: Encoded, a: int) -> float:
    """How likely two rows drawn at random agree in quasi-identifier a."""
    counts = np.bincount(encoded.columns[a], weights=encoded.rows.weight)
    return float((counts**2).sum() / counts.sum() ** 2)
