"""Applying given labels to a coded table: its classes are those of equal labels, as far as they pass the models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.counted import Coded
from shoal.coded.keys import distinct_rows
from shoal.coded.partition import Partition
from shoal.coded.recoding import Given
from shoal.coded.record import SearchRecord
from shoal.counts import counted, some_of
from shoal.errors import CannotBeMet
from shoal.exact import fraction
from shoal.models.base import ClassModel
from shoal.percent import percent

_NAMED = 5
"""The most columns that an error counts the rows of."""


class Labels(NamedTuple):
    """Per quasi-identifier, the label of each code, None for a code without one, and its level, if it has levels."""

    of_code: tuple[tuple[str | None, ...], ...]
    levels: tuple[int, ...] | None = None


def applied(
    coded: Coded, models: Sequence[ClassModel], suppression: float, labels: Labels, record: SearchRecord | None = None
) -> Partition:
    """The classes of rows with equal labels that pass every model; all other rows are suppressed.

    Suppression may change a reference distribution, so the remaining classes are judged again until all pass. Raises
    CannotBeMet if no class passes, or if more rows would be suppressed than the limit allows.
    """
    table, numbers = coded.counted, _numbered(coded, labels)
    labelled = np.flatnonzero((numbers >= 0).all(axis=0))
    class_of = np.full(len(table), -1, np.int64)
    if len(labelled):
        class_of[labelled] = distinct_rows(list(numbers[:, labelled])).ids
    unlabelled = int(table.weight[class_of < 0].sum())
    record = replace(record or SearchRecord(), rows_without_label=unlabelled)
    while True:
        partition = _partition(class_of, table.weight, labels, record)
        passing = _passing(coded, partition, numbers, models)
        if passing.all():
            break
        class_of = np.full(len(table), -1, np.int64)
        class_of[partition.row] = np.where(passing[partition.class_of], partition.class_of, -1)
    suppressed = table.rows - int(partition.weight.sum())
    if suppressed > _limit(table.rows, suppression) or suppressed == table.rows:
        raise _too_many(coded, numbers, suppressed, unlabelled, suppression)
    return partition


def _numbered(coded: Coded, labels: Labels) -> Int32:
    """int32 [quasi-identifiers, rows]: a number for the label of each cell, equal for equal labels, -1 without one."""
    columns = []
    for codes, texts in zip(coded.counted.quasi, labels.of_code, strict=True):
        place: dict[str | None, int] = {None: -1}
        of_code = [place.setdefault(text, len(place) - 1) for text in texts]
        columns.append(np.array(of_code, np.int32)[codes])
    return np.stack(columns)


def _partition(class_of: Int64, weight: Int64, labels: Labels, record: SearchRecord) -> Partition:
    """The partition of some classes, numbered anew; -1 is none."""
    numbers, dense = np.unique(class_of[class_of >= 0], return_inverse=True)
    renumbered = np.full(len(class_of), -1, np.int64)
    renumbered[class_of >= 0] = dense
    levels = None if labels.levels is None else np.tile(np.array(labels.levels, np.int16), (len(numbers), 1))
    return Partition.of_rows(renumbered, len(numbers), weight, Given(labels.of_code, levels), record)


def _passing(coded: Coded, partition: Partition, numbers: Int32, models: Sequence[ClassModel]) -> Flags:
    """bool [classes]: which classes pass every model.

    Models that compare with the released rows are asked last, when all other classes are suppressed.
    """
    if not partition.classes:
        return np.zeros(0, np.bool_)
    shown = numbers[:, partition.members.firsts].T
    stats = replace(partition.stats(coded), shown=lambda: shown)
    every: Flags = np.ones(partition.classes, np.bool_)
    passing: Flags = np.logical_and.reduce([every, *(model.allows(stats) for model in models if model.input_binds)])
    relative = [model for model in models if model.relative_to_released]
    if not passing.all() or not relative:
        return passing
    released = stats.among_themselves()
    return np.asarray(np.logical_and.reduce([model.passes(released) for model in relative]))


def _limit(rows: int, suppression: float) -> int:
    """How many rows may be suppressed."""
    return math.floor(fraction(suppression) * rows)


def _too_many(coded: Coded, numbers: Int32, suppressed: int, unlabelled: int, suppression: float) -> CannotBeMet:
    """The error that more rows are suppressed than the limit allows, or all, with the columns that lack labels."""
    rows, lacking = coded.counted.rows, _lacking(coded, numbers)
    failing = counted(suppressed - unlabelled, "row is in a class that fails", "rows are in classes that fail")
    without = counted(unlabelled, "row has a value", "rows have a value")
    where = f" ({'; '.join(_each(lacking))})" if lacking else ""
    return CannotBeMet(
        f"The recoding of the earlier release would suppress {counted(suppressed, 'row', 'rows')} of {rows:,} "
        f"({percent(suppressed / rows)}): {without} for which it has no label{where}, and {failing} the models.",
        allowed=f"At most {_limit(rows, suppression):,} may be suppressed.",
        hint=_remedies(suppressed / rows, list(lacking)),
    )


def _lacking(coded: Coded, numbers: Int32) -> dict[str, int]:
    """Column → its rows with a value for which there is no label; only columns with such rows, the most rows first."""
    weight = coded.counted.weight
    rows = {name: int(weight[of < 0].sum()) for name, of in zip(coded.names, numbers, strict=True)}
    return {name: count for name, count in sorted(rows.items(), key=lambda each: -each[1]) if count}


def _each(lacking: Mapping[str, int]) -> list[str]:
    """The columns with the most rows without a label, in words."""
    named = [f"'{name}' in {counted(rows, 'row', 'rows')}" for name, rows in [*lacking.items()][:_NAMED]]
    more = len(lacking) - len(named)
    return [*named, counted(more, "more column", "more columns")] if more else named


def _remedies(share: float, lacking: Sequence[str]) -> str:
    """What could be done where a share of all rows would be suppressed, for lack of labels in some columns."""
    remedies = [f"allow suppression = {math.ceil(1000 * share) / 1000:g}"] if share < 1 else []
    if lacking:
        remedies.append(
            f"release the earlier table again with a hierarchy of {some_of(lacking)} and algorithm 'optimal', whose "
            "levels have a label for every value"
        )
    return ", or ".join([*remedies, "release this table by a search of its own, with `shoal anonymize`."])
