"""The labels of bands that were learned from the data: they tell of released rows alone, and of nobody's exact value
where the plan says so."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import labels
from shoal.encode import QuasiColumn
from shoal.forms.boundaries import boundaries, written
from shoal.hierarchies.learned import LISTED
from shoal.partition import Int64


def told(column: QuasiColumn, texts: list[str], used: Int64, released: Int64, ranges: str) -> list[str]:
    """`texts`, the labels of all nodes, level after level, with those of the bands in use told anew.

    A band is the range, or the set, of the *released* values in it, so that rows left out leave no trace. With
    `ranges = "cut"` numbers are told by boundaries instead. Bands of different levels that would be told alike, because
    rows are left out, are told by boundaries or by number.
    """
    bands = _Bands(column)
    is_released = np.zeros(column.size, np.bool_)
    is_released[released] = True
    found, among = list(texts), bands.among(used)
    for band in among:
        found[band.node] = bands.label(band, is_released, found[band.node], ranges)
    times = Counter(found[node] for node in used.tolist())
    for band in among:
        if times[found[band.node]] > 1:
            found[band.node] = bands.apart(band)
    return found


class _Band(NamedTuple):
    """A node of a learned hierarchy, numbered level after level, and its codes by ascending value."""

    node: int
    level: int
    codes: Int64


@dataclass(frozen=True)
class _Bands:
    """A column that is published by bands of its values."""

    column: QuasiColumn

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """int64 [codes]: the place of every code's value among those that are present, -1 for missing."""
        return self.column.values.rank("ordinal").cast(pl.Int64).fill_null(0).to_numpy() - 1

    @cached_property
    def ends(self) -> tuple[list[str], list[str]]:
        """What is written where a range of numbers begins or ends with a value, by rank."""
        present = self.column.values.drop_nulls().sort()
        lows, highs = boundaries(present, self.column.type)
        return written(lows, present.dtype), written(highs, present.dtype)

    def among(self, nodes: Int64) -> list[_Band]:
        """Those nodes that stand between values and `*`; missing values are no band."""
        assert self.column.hierarchy is not None
        found, start = [], 0
        for number, level in enumerate(self.column.hierarchy.levels):
            here = nodes[(nodes >= start) & (nodes < start + len(level.labels))] - start
            if 0 < number < self.column.hierarchy.height:
                order = np.lexsort((self.ranks, level.of_leaf))
                ends = np.searchsorted(level.of_leaf[order], [here, here + 1])
                for node, low, high in zip(here.tolist(), *ends.tolist(), strict=True):
                    if level.labels[node] != labels.MISSING:
                        found.append(_Band(start + node, number, order[low:high]))
            start += len(level.labels)
        return found

    def label(self, band: _Band, is_released: NDArray[np.bool_], text: str, ranges: str) -> str:
        """What is told of a band whose label was `text`."""
        names, shown = self.column.texts, band.codes[is_released[band.codes]]
        if self.column.type == "text":
            return labels.one_of([names[code] for code in shown]) if len(band.codes) <= LISTED else text
        return self._cut(band) if ranges == "cut" else labels.span(names[shown[0]], names[shown[-1]])

    def apart(self, band: _Band) -> str:
        """A label that no other band has."""
        assert self.column.hierarchy is not None
        if self.column.type != "text":
            return self._cut(band)
        level = self.column.hierarchy.levels[band.level]
        return f"group {level.of_leaf[band.codes[0]] + 1} of {len(level.labels)}"

    def _cut(self, band: _Band) -> str:
        lows, highs = self.ends
        return labels.span(lows[self.ranks[band.codes[0]]], highs[self.ranks[band.codes[-1]]])
