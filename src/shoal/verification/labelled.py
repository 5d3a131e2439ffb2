"""The labels of a released table, and what they tell: rows, levels and losses, from the table and the plan alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal import forms
from shoal.arrays import Float64, Int64
from shoal.hierarchies.base import HierarchySpec
from shoal.hierarchies.flat import Flat
from shoal.hierarchies.learned import Learned
from shoal.hierarchies.placing import Placed
from shoal.labels import MISSING
from shoal.plan import Plan
from shoal.roles.columns import Column


class Labelled(NamedTuple):
    """The distinct labels of a quasi-identifier, sorted, the released rows of each, int64, and their places."""

    labels: tuple[str, ...]
    rows: Int64
    placed: Placed

    @property
    def lost(self) -> float:
        """The loss of all released cells of the column."""
        return float((self.rows * self.placed.losses).sum())

    @property
    def raised(self) -> float:
        """The sum over all released cells of level / height; NaN if the labels have no levels."""
        return float((self.rows * self.placed.levels).sum()) / max(self.placed.height, 1)

    @property
    def by_level(self) -> dict[int, Int64]:
        """Level → the positions of the labels at this level, ascending; empty if the labels have no levels."""
        levels = self.placed.levels
        if np.isnan(levels).any():
            return {}
        return {int(level): np.flatnonzero(levels == level) for level in np.unique(levels)}


def labelled(
    tables: Mapping[str, pl.DataFrame], plan: Plan, readable: Callable[[Column], bool] = lambda _settings: True
) -> dict[str, Labelled]:
    """The labels of every released quasi-identifier, in the order of the table.

    The labels of a column whose hierarchy is not `readable` have no places.
    """
    main, generalizes = next(iter(tables.values())), forms.by_kind(plan.release.form).generalizes
    columns, quasi = {}, set(plan.quasi_identifiers)
    for name in [name for name in main.columns if name in quasi]:
        counts = main[name].alias("label").value_counts(name="rows")
        counts = counts.with_columns(pl.col("label").cast(pl.String).fill_null(MISSING))
        counts = counts.group_by("label").agg(pl.col("rows").sum().cast(pl.Int64)).sort("label")
        labels = tuple(counts["label"].to_list())
        spec = hierarchy(plan, name) if readable(plan.columns[name]) else Flat()
        placed = spec.placed(labels) if generalizes else _unchanged(len(labels))
        columns[name] = Labelled(labels, counts["rows"].to_numpy(), placed)
    return columns


def hierarchy(plan: Plan, name: str) -> HierarchySpec:
    """The hierarchy by which the labels of a column are read; without one in the plan, that of the algorithm."""
    given: HierarchySpec | None = plan.columns[name].hierarchy
    return given or (Learned() if plan.algorithm.recodes_by_level else Flat())


def _unchanged(labels: int) -> Placed:
    """Values that are released unchanged."""
    zeros: Float64 = np.zeros((1, labels))
    return Placed(zeros, np.full(labels, np.nan))
