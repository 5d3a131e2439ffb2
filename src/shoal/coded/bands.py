"""The labels of bands that were learned from the data: they tell of released rows alone, and of nobody's exact value
where the plan says so."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import labels
from shoal.coded.boundaries import boundaries, written
from shoal.coded.encode import QuasiColumn
from shoal.coded.partition import Int64
from shoal.hierarchies.learned import LISTED


def told(column: QuasiColumn, texts: list[str], used: Int64, released: Int64, ranges: str) -> list[str]:
    """`texts`, the labels of all nodes, level after level, with those of the bands in use told anew.

    A band is the range, or the set, of the *released* values in it, and with `ranges = "cut"` numbers are told by
    boundaries between released values, so that rows left out leave no trace.
    """
    bands, found = _Bands(column, released), list(texts)
    for band in bands.among(used):
        found[band.node] = bands.label(band, found[band.node], ranges)
    return found


class _Band(NamedTuple):
    """A node of a learned hierarchy, numbered level after level, and its codes by ascending value."""

    node: int
    codes: Int64


@dataclass(frozen=True)
class _Bands:
    """A column that is published by bands of its values, and the codes that are released of it."""

    column: QuasiColumn
    released: Int64

    @cached_property
    def is_released(self) -> NDArray[np.bool_]:
        found = np.zeros(self.column.size, np.bool_)
        found[self.released] = True
        return found

    @cached_property
    def order(self) -> Int64:
        """The released codes that are not missing, by ascending value."""
        codes = np.flatnonzero(self.is_released & self.column.values.is_not_null().to_numpy())
        return codes[np.argsort(self.ranks[codes])]

    @cached_property
    def ranks(self) -> Int64:
        """int64 [codes]: the place of every code's value among all."""
        return self.column.values.rank("ordinal").cast(pl.Int64).fill_null(0).to_numpy()

    @cached_property
    def ends(self) -> dict[int, tuple[str, str]]:
        """Code → what is written where a range of numbers begins and where it ends with its value."""
        present = self.column.values.gather(self.order)
        lows, highs = (written(ends, present.dtype) for ends in boundaries(present, self.column.type))
        return dict(zip(self.order.tolist(), zip(lows, highs, strict=True), strict=True))

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
                        found.append(_Band(start + node, order[low:high]))
            start += len(level.labels)
        return found

    def label(self, band: _Band, text: str, ranges: str) -> str:
        """What is told of a band whose label was `text`."""
        names, shown = self.column.texts, band.codes[self.is_released[band.codes]].tolist()
        if self.column.type == "text":
            return labels.one_of([names[code] for code in shown]) if len(band.codes) <= LISTED else text
        if ranges == "cut":
            return labels.span(self.ends[shown[0]][0], self.ends[shown[-1]][1])
        return labels.span(names[shown[0]], names[shown[-1]])
