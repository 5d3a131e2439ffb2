"""Overlap: which values of a reference table the labels of a table may stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.arrays import Flags, Int32
from shoal.errors import HierarchyError, PlanError, TableError
from shoal.hierarchies.base import HierarchySpec
from shoal.hierarchies.placing import extents, meanings
from shoal.labels import ANY, MISSING, Exactly, OneOf, Range, exact, read
from shoal.plan import Plan
from shoal.verification.labelled import hierarchy
from shoal.verification.labels import is_readable

LARGEST = 1 << 30
"""The most pairs of a label and a value that are held in memory, one byte each."""
_AT_ONCE = 1 << 22
_LEARNED = "group "


def overlaps(labels: Sequence[str], values: Sequence[str], spec: HierarchySpec) -> Flags:
    """bool [labels, values]: whether a label and a value, or two labels, may stand for the same value.

    Equal texts overlap, `*` overlaps all, ranges overlap if they share a number, sets if they share a member, and nodes
    of a hierarchy if one is above the other. A missing value overlaps only itself and `*`.
    """
    if len(labels) * len(values) > LARGEST:
        raise TableError(
            f"A column has {len(labels):,} labels and the reference table {len(values):,} values of it.",
            allowed=f"At most {LARGEST:,} pairs of a label and a value can be compared.",
            hint="round the values of the reference table, or leave the column out of it.",
        )
    some = max(_AT_ONCE // max(len(values), 1), 1)
    blocks = [_overlaps(labels[begin : begin + some], values, spec) for begin in range(0, len(labels), some)]
    return np.concatenate(blocks)


def equal_places(labels: Sequence[str], values: Sequence[str], spec: HierarchySpec) -> Int32 | None:
    """int32 [values]: the position of the equal label, or -1; None if a label may overlap a value without being equal.

    Columns with many values, which are compared with a raw table, need no more.
    """
    if not all(isinstance(read(text), Exactly) and not text.startswith(_LEARNED) for text in (*labels, *values)):
        return None
    try:
        related = _above(values, spec).keys() & set(labels) or _above(labels, spec).keys() & set(values)
    except HierarchyError:
        related = set()
    place = {label: number for number, label in enumerate(labels)}
    return None if related else np.array([place.get(value, -1) for value in values], np.int32)


def _overlaps(labels: Sequence[str], values: Sequence[str], spec: HierarchySpec) -> Flags:
    parts, of_label = _atoms(labels)
    others, of_value = _atoms(values)
    atoms = _equal(parts, others) | _ranges(parts, others) | _nodes(parts, others, spec)
    return _merged(_merged(atoms, of_label).T, of_value).T


def _merged(atoms: Flags, places: Sequence[int]) -> Flags:
    """The rows of a matrix, with those of the same place combined; places ascend and none is left out."""
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    return atoms if len(starts) == len(atoms) else np.logical_or.reduceat(atoms, starts, axis=0)


def readable_hierarchy(plan: Plan, column: str) -> HierarchySpec:
    """The hierarchy by which labels of a column are compared with values; raises if its file is not at hand."""
    if not is_readable(plan.columns[column]):
        raise PlanError(
            f"The hierarchy file of column '{column}' is not at hand, so its labels cannot be compared with values.",
            hint="use the plan with which the release was made, next to its hierarchies.",
        )
    return hierarchy(plan, column)


def _atoms(labels: Sequence[str]) -> tuple[list[str], list[int]]:
    """The labels, with a set replaced by its members, and for each the position of the label that it comes from."""
    atoms, places = [], []
    for place, label in enumerate(labels):
        meaning = read(label)
        members = [exact(value) for value in meaning.values] if isinstance(meaning, OneOf) else [label]
        atoms += members
        places += [place] * len(members)
    return atoms, places


def _equal(labels: Sequence[str], values: Sequence[str]) -> Flags:
    result = np.zeros((len(labels), len(values)), np.bool_)
    places = _places(values)
    for number, label in enumerate(labels):
        result[number, places.get(label, [])] = True
        # A group that was learned from the table does not list its members: any value may be one.
        if label == ANY or label.startswith(_LEARNED):
            result[number, :] = True
    result[:, places.get(ANY, [])] = True
    return result


def _places(values: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for number, value in enumerate(values):
        places.setdefault(value, []).append(number)
    return places


def _ranges(labels: Sequence[str], values: Sequence[str]) -> Flags:
    """Ranges of numbers or dates that meet; two single values are compared as text only, as codes may be numbers."""
    left, right = meanings(labels), meanings(values)
    ends, other = extents(left), extents(right)
    with np.errstate(invalid="ignore"):
        meet = (ends[:, None, 0] <= other[None, :, 1]) & (other[None, :, 0] <= ends[:, None, 1])
    is_range = np.array([isinstance(each, Range) for each in left], np.bool_)
    others = np.array([isinstance(each, Range) for each in right], np.bool_)
    return meet & (is_range[:, None] | others[None, :])


def _nodes(labels: Sequence[str], values: Sequence[str], spec: HierarchySpec) -> Flags:
    """Nodes of a hierarchy that are above each other."""
    result = np.zeros((len(labels), len(values)), np.bool_)
    try:
        above_labels, above_values = _above(labels, spec), _above(values, spec)
    except HierarchyError:  # the labels have no such hierarchy, so that only texts and ranges can be compared
        return result
    for number, label in enumerate(labels):
        result[number, above_values.get(label, [])] = True
    for number, value in enumerate(values):
        result[above_labels.get(value, []), number] = True
    return result


def _above(labels: Sequence[str], spec: HierarchySpec) -> Mapping[str, list[int]]:
    """Node → the positions of the labels below it; nothing is above a missing value or `*`."""
    known = [place for place, label in enumerate(labels) if label not in (MISSING, ANY)]
    nodes: dict[str, list[int]] = {}
    for place, path in zip(known, spec.paths([labels[place] for place in known]), strict=True):
        for node in path[1:]:
            if node != ANY:
                nodes.setdefault(node, []).append(place)
    return nodes
