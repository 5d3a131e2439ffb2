"""The labels of a released table, and what they tell: rows, levels and losses, from the table and the plan alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal import forms
from shoal.arrays import Float64, Int64, UInt32
from shoal.hierarchies.base import HierarchySpec
from shoal.hierarchies.flat import Flat
from shoal.hierarchies.learned import Learned
from shoal.hierarchies.placing import Placed
from shoal.labels import ANY, MISSING, OneOf, Range, read
from shoal.plan import Plan
from shoal.roles.columns import Column
from shoal.table import Runs


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

    @property
    def published_as(self) -> str:
        """What the labels are: values, ranges, sets, hierarchy nodes, `*`, or several of these."""
        losses = self.placed.losses
        kinds = {_kind(label, loss) for label, loss in zip(self.labels, losses, strict=True) if label != MISSING}
        if len(self.labels) == 1 and kinds in ({"ranges"}, {"sets"}):
            return f"one {kinds.pop().removesuffix('s')}"
        *some, last = [kind for kind in _KINDS if kind in kinds] or ["values"]
        return f"{', '.join(some)} and {last}" if some else last


_KINDS = ("values", "ranges", "sets", "hierarchy nodes", ANY)


def _kind(label: str, loss: float) -> str:
    """What a label is; one that loses nothing is a value, however it is written."""
    if loss == 0:
        return "values"
    meaning = read(label)
    if isinstance(meaning, Range):
        return "ranges"
    return "sets" if isinstance(meaning, OneOf) else ANY if label == ANY else "hierarchy nodes"


def labelled(
    tables: Mapping[str, Runs], plan: Plan, readable: Callable[[Column], bool] = lambda _settings: True
) -> dict[str, Labelled]:
    """The labels of every released quasi-identifier, in the order of the table.

    The labels of a column whose hierarchy is not `readable` have no places.
    """
    main, generalizes = next(iter(tables.values())), forms.by_kind(plan.release.form).generalizes
    columns, quasi = {}, set(plan.quasi_identifiers)
    for name in [name for name in main.columns if name in quasi]:
        labels, rows = _counted(main, name)
        spec = hierarchy(plan, name) if readable(plan.columns[name]) else Flat()
        placed = spec.placed(labels) if generalizes else _unchanged(len(labels))
        columns[name] = Labelled(labels, rows, placed)
    return columns


def _counted(main: Runs, name: str) -> tuple[tuple[str, ...], Int64]:
    """The distinct labels of a column, sorted, and the rows of each."""
    if is_coded(main[name]):
        codes, texts = coded_cells(main[name])
        counts = pl.DataFrame({"label": texts, "rows": _summed(main.times, codes, len(texts))})
    else:
        counts = main.counted(name).select(pl.col(name).alias("label"), "rows")
    counts = counts.select(pl.col("label").cast(pl.String).fill_null(MISSING), "rows")
    counts = counts.group_by("label").agg(pl.col("rows").sum()).filter(pl.col("rows") > 0).sort("label")
    return tuple(counts["label"].to_list()), counts["rows"].to_numpy()


def _summed(times: Int64, codes: UInt32, size: int) -> Int64:
    """int64 [size]: the sum of `times` by code."""
    sums = np.zeros(size, np.int64)
    np.add.at(sums, codes, times)
    return sums


def is_coded(column: pl.Series) -> bool:
    """Whether a column has a dictionary of its texts."""
    return isinstance(column.dtype, pl.Categorical | pl.Enum)


def coded_cells(column: pl.Series) -> tuple[UInt32, pl.Series]:
    """A column with a dictionary: uint32 [n] the position of each cell in the texts, the last of which is missing."""
    physical = column.to_physical().cast(pl.UInt32)
    if isinstance(column.dtype, pl.Enum):
        texts = column.dtype.categories
        codes = physical.fill_null(len(texts)).to_numpy()
    else:  # a dictionary may be larger than the column
        present = column.unique().drop_nulls()
        texts, places = present.cast(pl.String), present.to_physical().to_numpy()
        unused = int(places.max(initial=0)) + 1
        dense = np.full(unused + 1, len(texts), np.uint32)
        dense[places] = np.arange(len(texts))
        codes = dense[physical.fill_null(unused).to_numpy()]
    return codes, pl.concat([texts, pl.Series([None], dtype=pl.String)])


def hierarchy(plan: Plan, name: str) -> HierarchySpec:
    """The hierarchy by which the labels of a column are read; without one in the plan, that of the algorithm."""
    given: HierarchySpec | None = plan.columns[name].hierarchy
    return given or (Learned() if plan.algorithm.recodes_by_level else Flat())


def _unchanged(labels: int) -> Placed:
    """Values that are released unchanged."""
    zeros: Float64 = np.zeros((1, labels))
    return Placed(zeros, np.full(labels, np.nan))
