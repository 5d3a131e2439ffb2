"""Previews of hierarchies: what the values of a column would become at every level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from shoal import hierarchies
from shoal.coded.coding import bounded
from shoal.hierarchies import Hierarchy
from shoal.roles.columns import Column, Data
from shoal.table import typed

FEWEST_ROWS = 5
"""Values and labels of fewer rows are counted, and not shown."""


@dataclass(frozen=True)
class LevelPreview:
    """One level: its number of labels, the rows of the smallest one, and frequent labels as examples."""

    level: int
    labels: int
    smallest: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Preview:
    """What a hierarchy does to a column.

    `paths`: for frequent values, their labels at every level and their rows. `uncovered`: how many of the values the
    hierarchy does not have. `lacking`: these values, for the steward alone.
    """

    type: str
    levels: tuple[LevelPreview, ...]
    paths: tuple[tuple[tuple[str, ...], int], ...]
    uncovered: int = 0
    lacking: tuple[str, ...] = field(default=(), repr=False)


def preview(
    values: Sequence[tuple[str | None, int]], settings: Column, data: Data, *, most: int = 12
) -> Preview | None:
    """The preview of a column's hierarchy on these values with their counts; None if it has no hierarchy."""
    type_, column, counts = _typed(values, settings, data)
    spec = settings.hierarchy or hierarchies.default_for(type_)
    if spec is None:
        return None
    coverage = hierarchies.check(spec, column)
    if coverage.uncovered:
        return Preview(type_, (), (), coverage.uncovered, coverage.uncovered_values)
    built = spec.build(column, counts)
    rows = _rows(built, hierarchies.text_of(column), counts)
    order = np.argsort(-rows, kind="stable")[: most * 4]
    frequent = [int(leaf) for leaf in order if rows[leaf] >= FEWEST_ROWS][:most]
    paths = tuple((built.path(leaf), int(rows[leaf])) for leaf in frequent)
    return Preview(type_, tuple(_level(built, number, rows) for number in range(len(built.levels))), paths)


def type_of(values: Sequence[tuple[str | None, int]], settings: Column, data: Data) -> str:
    """The type as which a column is read."""
    return _typed(values, settings, data)[0]


def _typed(values: Sequence[tuple[str | None, int]], settings: Column, data: Data) -> tuple[str, pl.Series, pl.Series]:
    """The type of a column, its distinct values, sorted, and the rows of each."""
    texts = pl.Series("column", [value for value, _ in values], dtype=pl.String)
    type_, read = typed(texts, type=settings.type, missing=data.missing, notation=data.notation)
    read = bounded(read, type_, settings, "column")
    frame = pl.DataFrame({"value": read, "count": [count for _, count in values]}).drop_nulls("value")
    frame = frame.group_by("value").agg(pl.col("count").sum()).sort("value")
    return type_, frame["value"], frame["count"].cast(pl.Int64)


def _rows(built: Hierarchy, texts: pl.Series, counts: pl.Series) -> Any:
    """int64 [leaves]: the rows of every leaf."""
    rows = np.zeros(len(built.leaves), np.int64)
    for text, count in zip(texts, counts, strict=True):
        rows[built.index[text]] += count
    return rows


def _level(built: Hierarchy, number: int, rows: Any) -> LevelPreview:
    level = built.levels[number]
    totals = np.zeros(len(level.labels), np.int64)
    np.add.at(totals, level.of_leaf, rows)
    used = np.flatnonzero(totals)
    examples = [int(code) for code in used[np.argsort(-totals[used], kind="stable")] if totals[code] >= FEWEST_ROWS]
    smallest = int(totals[used].min()) if len(used) else 0
    return LevelPreview(number, len(used), smallest, tuple(level.labels[code] for code in examples[:4]))
