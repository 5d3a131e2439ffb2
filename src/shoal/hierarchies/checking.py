"""Checking a hierarchy against a column, and saving one as a file that `File` reads back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from shoal.errors import OutputError
from shoal.hierarchies.base import FixedTree, Hierarchy, HierarchySpec, Level, text_of

_NEEDS_QUOTES = re.compile('[;"\r\n\ufeff]')  # a byte order mark too: in front, it would be taken for the file's own


@dataclass(frozen=True)
class Coverage:
    """How a hierarchy and a column's values fit; counts only, so that it can be shown to anyone.

    `uncovered_values` is for the steward's own screen: `repr` and `str` leave it out, and so must every report.
    """

    leaves: int
    levels: int
    values: int
    uncovered: int
    """Distinct values that are not leaves."""
    unused: int
    """Leaves that no row has."""
    ambiguous: int
    """Labels that stand for different things at different levels. A label that also names one of its own descendants
    reads as the larger of the two and is not counted."""
    uncovered_values: tuple[str, ...] = field(repr=False)

    @property
    def covers(self) -> bool:
        return self.uncovered == 0


def check(hierarchy: Hierarchy | HierarchySpec, values: pl.Series) -> Coverage:
    """How the hierarchy fits the values, uncovered ones counted; a malformed hierarchy is a HierarchyError."""
    values = values.drop_nulls().unique().sort()
    tree = hierarchy if isinstance(hierarchy, Hierarchy) else _tree(hierarchy, values)
    covered = tree.covers(values)
    uncovered = text_of(values.filter(~covered))
    return Coverage(
        leaves=len(tree.leaves),
        levels=len(tree.levels),
        values=len(values),
        uncovered=len(uncovered),
        unused=len(tree.leaves) - int(covered.sum()),
        ambiguous=_ambiguous(tree),
        uncovered_values=tuple(uncovered),
    )


def write(hierarchy: Hierarchy, path: Path) -> None:
    """Writes one row per leaf, `leaf;parent;…;top`, quoted where needed: `File` reads back the same hierarchy."""
    columns = [_written(level) for level in hierarchy.levels]
    lines = (";".join(row) + "\n" for row in zip(*columns, strict=True))
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
    except OSError as problem:
        raise OutputError(f"'{path}' cannot be written: {problem.strerror or 'unknown reason'}.") from None


def _written(level: Level) -> list[str]:
    """The label of every leaf as a field of the file."""
    fields = np.array([_quoted(label) for label in level.labels], dtype=object)
    return list(fields[level.of_leaf])


def _quoted(label: str) -> str:
    return '"' + label.replace('"', '""') + '"' if _NEEDS_QUOTES.search(label) else label


def _tree(spec: HierarchySpec, values: pl.Series) -> Hierarchy:
    return spec.tree(values) if isinstance(spec, FixedTree) else spec.build(values)


def _ambiguous(tree: Hierarchy) -> int:
    nodes = pl.concat(_nodes(tree, number) for number in range(len(tree.levels)))
    next_up = [pl.col(name).shift(-1).over("label").alias(f"next_{name}") for name in ("level", "code")]
    repeated = nodes.with_columns(next_up).drop_nulls()
    astray = {
        label
        for label, _, _, leaf, level, code in repeated.iter_rows()
        if tree.levels[level].of_leaf[leaf] != code  # the next node of that name does not lie above this one
    }
    return len(astray)


def _nodes(tree: Hierarchy, number: int) -> pl.DataFrame:
    """label, level, code, leaf: one row per node of a level, with one of its leaves."""
    level = tree.levels[number]
    used = np.flatnonzero(level.leaves_under)
    labels = pl.Series(level.labels, dtype=pl.String)[used]
    nodes = pl.DataFrame({"label": labels, "code": used, "leaf": level.first_leaf[used]})
    return nodes.select("label", pl.lit(number).alias("level"), "code", "leaf")
