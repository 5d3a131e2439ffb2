"""Checks a hierarchy against a column, and writes one to a file that `File` reads."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from shoal.errors import OutputError
from shoal.hierarchies.base import FixedTree, Hierarchy, HierarchySpec, Level, text_of

_NEEDS_QUOTES = re.compile('[;"\r\n\ufeff]')  # an initial U+FEFF would read as a byte order mark


@dataclass(frozen=True)
class Coverage:
    """How a hierarchy covers a column's values; its counts reveal no value.

    `uncovered_values` are values of the data: `repr` and `str` omit them, and so must every report.
    """

    leaves: int
    levels: int
    values: int
    uncovered: int
    """Distinct values that are not leaves."""
    unused: int
    """Leaves that no row uses."""
    ambiguous: int
    """Labels with different meanings at different levels. A label that also names one of its own descendants reads as
    the larger of the two and is not counted."""
    uncovered_values: tuple[str, ...] = field(repr=False)

    @property
    def covers(self) -> bool:
        return self.uncovered == 0


def check(hierarchy: Hierarchy | HierarchySpec, values: pl.Series) -> Coverage:
    """How the hierarchy covers the values; a malformed hierarchy raises a HierarchyError."""
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
    """Writes one row per leaf, `leaf;parent;…;top`, quoted where needed; `File` reads the same hierarchy."""
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
    ambiguous = {
        label
        for label, _, _, leaf, level, code in repeated.iter_rows()
        if tree.levels[level].of_leaf[leaf] != code  # the next node with this label is not above this one
    }
    return len(ambiguous)


def _nodes(tree: Hierarchy, number: int) -> pl.DataFrame:
    """label, level, code, leaf: one row per node of a level, with one of its leaves."""
    level = tree.levels[number]
    used = np.flatnonzero(level.leaves_under)
    labels = pl.Series(level.labels, dtype=pl.String)[used]
    nodes = pl.DataFrame({"label": labels, "code": used, "leaf": level.first_leaf[used]})
    return nodes.select("label", pl.lit(number).alias("level"), "code", "leaf")
