"""The hierarchy files of an earlier release: as they were then, and whether they still say the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import polars as pl

from shoal.counts import counted
from shoal.errors import HierarchyError, PromiseBroken
from shoal.hierarchies import File
from shoal.hierarchies.file import LEAF_TYPES
from shoal.plan import Plan
from shoal.release.steward import kept_hierarchies
from shoal.verification.folder import private_folder

_Paths = Mapping[str, tuple[str, ...]]
"""Leaf → its labels from the leaf to the top."""


def plan_then(folder: Path, plan: Plan) -> Plan:
    """The plan with the hierarchy files as the private folder of a release keeps them; raises if one is not there."""
    columns = dict(plan.columns)
    for name, path in kept_hierarchies(private_folder(folder), plan).items():
        if not path.is_file():
            raise PromiseBroken(
                f"The private folder of '{folder}' does not have the hierarchy of column '{name}'.",
                allowed="It keeps the hierarchy files of the release, so that labels keep their meaning.",
                hint="restore the folder as it was written, or make the earlier release again.",
            )
        kept = replace(columns[name].hierarchy, path=str(path), separator=";")
        columns[name] = columns[name].model_copy(update={"hierarchy": kept})
    return plan.changed(columns=columns)


def require_same_trees(then: Plan, now: Plan, levels: Mapping[str, int], labels: Mapping[str, Collection[str]]) -> None:
    """Raises if a value that a hierarchy file has in both plans would have another label.

    `levels`: those of a full-domain recoding. Without one, all published `labels` of the column count, and the whole
    tree of a column whose values are published unchanged. A file may have further values.
    """
    for name, column in now.columns.items():
        before = then.columns[name].hierarchy
        if not isinstance(column.hierarchy, File) or before == column.hierarchy:
            continue
        try:
            moved = _moved(before, column.hierarchy, levels.get(name), labels.get(name))
        except HierarchyError as error:
            raise HierarchyError(f"Column '{name}': {error.fact}", allowed=error.allowed, hint=error.hint) from None
        if moved:
            raise HierarchyError(
                f"The hierarchy of column '{name}' in '{column.hierarchy.path}' is not that of the earlier release: "
                f"{counted(moved, 'value has', 'values have')} another place in it, so that equal labels would differ "
                "in meaning.",
                allowed="A file may have further values; those of the earlier release keep their labels.",
                hint=f"the hierarchy of the earlier release is in '{before.path}'.",
            )


def _moved(then: File, now: File, level: int | None, labels: Collection[str] | None) -> int:
    """The largest number of common leaves, as values of one type, that have another label."""
    old, new = (_paths(spec, pl.String()) for spec in (then, now))
    if old.items() <= new.items():
        return 0
    return max(
        sum(_said(path, level, labels) != _said(new[leaf], level, labels) for leaf, path in old.items() if leaf in new)
        for old, new in ((old, new), *_paths_by_type(then, now))
    )


def _paths_by_type(then: File, now: File) -> Iterator[tuple[_Paths, _Paths]]:
    """The paths in both files for every type of values in which a leaf may be written in several ways."""
    for dtype in LEAF_TYPES[1:]:
        with suppress(HierarchyError):  # two leaves are one value of this type, so no such column has this hierarchy
            yield _paths(then, dtype), _paths(now, dtype)


def _paths(spec: File, dtype: pl.DataType) -> _Paths:
    tree = spec.tree(pl.Series(dtype=dtype))
    return {leaf: tree.path(code) for leaf, code in tree.index.items()}


def _said(path: tuple[str, ...], level: int | None, labels: Collection[str] | None) -> object:
    """What of the path of a leaf a release can show."""
    if level is not None:
        return path[min(level, len(path) - 1)]
    return path if labels is None else tuple(label for label in path if label in labels)
