"""Persons with several rows in a table whose plan counts rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from shoal import forms
from shoal.arrays import Float64, Int32
from shoal.coded.counted import Counted
from shoal.coded.keys import distinct_packed
from shoal.counts import counted
from shoal.engines.base import Repeats
from shoal.percent import percent
from shoal.warnings.base import NOTEWORTHY, Case, Warning

_PAIRS_COMPARED = 10_000
_ROWS_SAMPLED = 50_000
_MANY_VALUES = 0.05
_FEW_VALUES = 8
_ADD_K = "Add k-anonymity, which counts persons."
_ADD_SENSITIVE_K = "Add a model of the sensitive column with a k, such as p-sensitive, which counts persons."
"""An anatomy hides no identity, so k-anonymity alone is refused."""
_ALIKE = 0.5
_FEW_COLUMNS = 4
_STEADY = 0.6


def repeated_persons(case: Case) -> Iterator[Warning]:
    """Warns of values that repeat like the numbers of persons although the plan names no person column.

    The identifier with the most distinct values is trusted. Other columns, such as names, may repeat among different
    persons: they count only if rows with the same value also agree in the quasi-identifiers.
    """
    if case.plan.data.person is not None:
        yield from _single_persons(case)
        return
    identifiers = _repeats(case, case.plan.having("identifier"))
    most_values = max((repeats.values for repeats in identifiers.values()), default=0)
    for name, repeats in identifiers.items():
        share = _share(repeats)
        trusted = repeats.values == most_values or (share >= NOTEWORTHY and _same_persons(case, repeats.pairs))
        if share > 0 and trusted:
            yield _repeated(case, name, share, f"Identifier '{name}' repeats")
    others = [name for name in case.engine.columns if name not in identifiers and _may_number_persons(case, name)]
    sample = max(case.coded.counted.rows // _ROWS_SAMPLED, 1)
    for name, repeats in _repeats(case, others, sample).items():
        many = max(_MANY_VALUES * repeats.rows, _FEW_VALUES)
        numbers_persons = _share(repeats) >= NOTEWORTHY and repeats.values >= many
        if numbers_persons and _surely_same_persons(case, repeats.pairs):
            yield _repeated(case, name, _share(repeats), f"Column '{name}' seems to number persons, and repeats")


def _single_persons(case: Case) -> Iterator[Warning]:
    """Warns of classes that contain only one person: finding that person discloses every value of the class."""
    if case.partition is None or not case.partition.classes:
        return
    alone = int((case.partition.stats(case.coded).sizes == 1).sum())
    remedy = _ADD_K if forms.by_kind(case.plan.release.form).generalizes else _ADD_SENSITIVE_K
    if alone:
        yield Warning(
            f"{alone:,} of {counted(case.partition.classes, 'class', 'classes')} "
            f"{'contains' if alone == 1 else 'contain'} only one person: an intruder who finds that person "
            f"learns every value of the class. {remedy}",
            serious=True,
            remedy=remedy,
        )


def _may_number_persons(case: Case, name: str) -> bool:
    """Whether a column may have enough values to number persons; released columns are coded, so theirs are known."""
    if name in case.coded.names:
        return False
    return name not in case.unchanged or len(case.engine.distinct(name).values) >= _MANY_VALUES * case.engine.rows


def _repeats(case: Case, names: Sequence[str], sample: int = 1) -> Mapping[str, Repeats]:
    missing = case.plan.data.missing
    return {name: case.engine.repeats(name, missing, _PAIRS_COMPARED, sample) for name in names}


def _share(repeats: Repeats) -> float:
    return repeats.sharing / max(repeats.rows, 1)


def _repeated(case: Case, name: str, share: float, fact: str) -> Warning:
    remedy = f"If '{name}' identifies a person, set person = \"{name}\" under [data]."
    return Warning(
        f"{fact}: {percent(share)} of the rows share its value with another row. Classes count rows, not persons, so "
        f"the rows of a single person may form a class{_lonely(case, name)}. {remedy}",
        serious=True,
        remedy=remedy,
    )


def _lonely(case: Case, name: str) -> str:
    """How many classes have the same value in all their rows, as the end of a sentence."""
    if case.partition is None or not case.partition.classes:
        return ""
    classes = case.classes()
    value, row, _ = case.engine.tally(name, classes >= 0)
    room = int(value.max(initial=0)) + 1
    _, firsts, _ = distinct_packed(classes[row] * room + value, case.partition.classes * room)
    alone = int((np.bincount(classes[row[firsts]], minlength=case.partition.classes) == 1).sum())
    return f", as in {alone:,} of {counted(case.partition.classes, 'class', 'classes')}" if alone else ""


def _same_persons(case: Case, pairs: Int32) -> bool:
    """Whether rows that share an identifier agree in their quasi-identifiers far more often than by chance.

    Only the half of the columns with the most agreement counts: a person's stays and laboratory values differ between
    visits.
    """
    beyond_chance = _agreement(case, pairs)
    steady = beyond_chance[-max(len(beyond_chance) // 2, _FEW_COLUMNS) :]
    return len(steady) > 0 and float(steady.mean()) >= _ALIKE


def _surely_same_persons(case: Case, pairs: Int32) -> bool:
    """Whether rows that share a value of any column agree in every steady quasi-identifier.

    It is stricter than for identifiers, because a column that follows from one quasi-identifier, such as a copy of it,
    repeats too.
    """
    beyond_chance = _agreement(case, pairs)
    columns = len(beyond_chance)
    least = columns if columns < _FEW_COLUMNS else math.ceil(_STEADY * columns)
    return columns > 1 and bool((beyond_chance[-least:] >= _ALIKE).all())


def _agreement(case: Case, pairs: Int32) -> Float64:
    """float64, ascending: how far pairs of rows agree in each quasi-identifier beyond chance, 1 if always."""
    counted = case.coded.counted
    if not pairs.shape[1]:
        return np.zeros(0)
    left, right = (counted.quasi[:, side] for side in pairs)
    agreeing = (left == right).mean(axis=1)
    by_chance = np.array([_agreement_by_chance(counted, a) for a in range(len(counted.quasi))])
    varied = by_chance < 1  # a column with a single value carries no information
    return np.sort((agreeing[varied] - by_chance[varied]) / (1 - by_chance[varied]))


def _agreement_by_chance(counted: Counted, a: int) -> float:
    """The probability that two random rows agree in quasi-identifier a."""
    counts = np.bincount(counted.quasi[a], weights=counted.weight)
    return float((counts**2).sum() / counts.sum() ** 2)
