"""Candidates: the individuals of a reference table whom the rows of a table may describe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int32, Int64
from shoal.errors import PlanError
from shoal.hierarchies.base import HierarchySpec
from shoal.hierarchies.placing import extents, meanings, number_of
from shoal.plan import Plan
from shoal.progress import Progress
from shoal.risks.base import Candidates
from shoal.risks.classes import Classes, CodedColumn, coded_column
from shoal.risks.overlap import equal_places, overlaps, readable_hierarchy
from shoal.roles.columns import Column
from shoal.table import require_rows

_BLOCK = 4096
"""Classes that are compared between two reports of progress."""


def candidates(classes: Classes, reference: pl.DataFrame, plan: Plan, progress: Progress) -> Candidates:
    """The candidates in a reference table, by the quasi-identifiers that both tables have."""
    require_rows(reference)
    shared = [name for name in classes.columns if name in reference.columns]
    if not shared:
        raise PlanError(
            "The reference table has none of the quasi-identifiers of the plan.",
            allowed="It needs at least one column with the name of a quasi-identifier.",
            hint="rename its columns as in the table.",
        )
    # Few labels first: classes then share the most comparisons.
    shared.sort(key=lambda name: len(classes.labels[classes.columns.index(name)]))
    own = classes.on(shared)
    coded = [coded_column(reference[name], plan.columns[name], plan.data) for name in shared]
    coded = [
        _within(each, plan.columns[name], own.labels[place])
        for place, (name, each) in enumerate(zip(shared, coded, strict=True))
    ]
    fits = [
        _fitting(own.labels[place], each, readable_hierarchy(plan, name))
        for place, (name, each) in enumerate(zip(shared, coded, strict=True))
    ]
    return _matched(own, fits, progress)


class _Fits(NamedTuple):
    """int32 [rows]: the codes of a reference column, and bool [labels, codes]: which of them overlap a label.

    An empty matrix says that a code overlaps the label with the same code.
    """

    codes: Int32
    overlap: Flags


def _fitting(labels: Sequence[str], column: CodedColumn, spec: HierarchySpec) -> _Fits:
    equal = equal_places(labels, column.labels, spec)
    if equal is None:
        return _Fits(column.codes, overlaps(labels, column.labels, spec))
    codes = np.where(equal < 0, len(labels), equal).astype(np.int32)  # one code for all that no label equals
    return _Fits(codes[column.codes], np.zeros((0, 0), np.bool_))


def _matched(own: Classes, fits: Sequence[_Fits], progress: Progress) -> Candidates:
    from shoal.coded.keys import distinct_rows
    from shoal.kernels.overlapping import overlapping

    distinct = distinct_rows([each.codes for each in fits])
    rows = np.stack([each.codes[distinct.firsts] for each in fits])
    starts = np.cumsum([0, *(each.overlap.size for each in fits)])[:-1]
    widths = np.array([each.overlap.shape[1] for each in fits])
    flat = np.concatenate([each.overlap.reshape(-1) for each in fits]).view(np.uint8)
    presence, found = np.zeros(rows.shape[1]), [np.zeros(0, np.int64)]
    labels = np.ascontiguousarray(own.codes.T)
    for begin in range(0, len(labels), _BLOCK):
        progress("reference", begin / len(labels))
        block = slice(begin, begin + _BLOCK)
        found.append(
            overlapping(labels[block], own.sizes[block], rows, distinct.counts, flat, starts, widths, presence)
        )
    total: Int64 = np.concatenate(found)
    rows_given = int(distinct.counts.sum())
    return Candidates(own.columns, own.sizes, total, rows_given, np.minimum(presence, 1.0), distinct.counts)


def _within(coded: CodedColumn, settings: Column, labels: Sequence[str]) -> CodedColumn:
    """The reference values within `top` and `bottom`, if the table's values are."""
    bounds = [None if bound is None else str(bound) for bound in (settings.bottom, settings.top)]
    if bounds == [None, None]:
        return coded
    low, high = (np.nan if bound is None else float(number_of(bound)) for bound in bounds)
    ends, own = extents(meanings(coded.labels))[:, 0], extents(meanings(labels))
    with np.errstate(invalid="ignore"):
        # A range of a hierarchy may reach beyond a bound, but only a raw value lies beyond it.
        if (own[:, 1] < low).any() or (own[:, 0] > high).any():
            return coded
        below, above = (ends < low).tolist(), (ends > high).tolist()
    moved = [
        bounds[0] if under else bounds[1] if over else label
        for label, under, over in zip(coded.labels, below, above, strict=True)
    ]
    distinct, place = np.unique(np.array(moved, object), return_inverse=True)
    return CodedColumn(place.astype(np.int32)[coded.codes], tuple(distinct.tolist()))
