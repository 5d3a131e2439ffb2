"""Labels of bands that were learned from the data.

They depend on released rows only. If the plan publishes cuts, their ends are no individual's exact value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal import labels
from shoal.arrays import Flags, Int64
from shoal.coded.boundaries import boundaries, written
from shoal.coded.domains import QuasiDomain
from shoal.hierarchies.learned import LISTED


def band_labels(domain: QuasiDomain, texts: list[str], used: Int64, released: Int64) -> list[str]:
    """`texts`, the labels of all nodes, level after level, with new labels for the bands in use.

    The label of a band is the range, or the set, of the *released* values in it, so suppressed rows leave no trace.
    With `ranges = "cut"`, ranges end at boundaries between released values.
    """
    bands, relabelled = _Bands(domain, released), list(texts)
    for band in bands.among(used):
        relabelled[band.node] = bands.label(band, relabelled[band.node])
    return relabelled


class _Band(NamedTuple):
    """A node of a learned hierarchy, numbered level after level, and its codes in ascending order of value."""

    node: int
    codes: Int64


@dataclass(frozen=True)
class _Bands:
    """A column that is published as bands of its values, and its released codes."""

    domain: QuasiDomain
    released: Int64

    @cached_property
    def is_released(self) -> Flags:
        flags = np.zeros(self.domain.size, np.bool_)
        flags[self.released] = True
        return flags

    @cached_property
    def order(self) -> Int64:
        """The released codes that are not missing, in ascending order of value."""
        codes = np.flatnonzero(self.is_released & self.domain.values.is_not_null().to_numpy())
        return codes[np.argsort(self.ranks[codes])]

    @cached_property
    def ranks(self) -> Int64:
        """int64 [codes]: the rank of the value of each code among all values."""
        return self.domain.values.rank("ordinal").cast(pl.Int64).fill_null(0).to_numpy()

    @cached_property
    def ends(self) -> dict[int, tuple[str, str]]:
        """Code → the texts with which a range of numbers begins and ends at its value."""
        present = self.domain.values.gather(self.order)
        lows, highs = (
            written(ends, present.dtype) for ends in boundaries(present, self.domain.type, self.domain.settings)
        )
        return dict(zip(self.order.tolist(), zip(lows, highs, strict=True), strict=True))

    def among(self, nodes: Int64) -> list[_Band]:
        """The bands among these nodes: nodes between the leaves and `*`, except that of missing values."""
        bands, start = [], 0
        for number, level in enumerate(self.domain.tree.levels):
            here = nodes[(nodes >= start) & (nodes < start + len(level.labels))] - start
            if 0 < number < self.domain.tree.height:
                order = np.lexsort((self.ranks, level.of_leaf))
                ends = np.searchsorted(level.of_leaf[order], [here, here + 1])
                for node, low, high in zip(here.tolist(), *ends.tolist(), strict=True):
                    if level.labels[node] != labels.MISSING:
                        bands.append(_Band(start + node, order[low:high]))
            start += len(level.labels)
        return bands

    def label(self, band: _Band, text: str) -> str:
        """The new label of a band that was labelled `text` when it was learned."""
        names, shown = self.domain.texts, band.codes[self.is_released[band.codes]].tolist()
        if not shown:  # no released value lies in this band
            return text
        if self.domain.type == "text":
            return labels.one_of([names[code] for code in shown]) if len(band.codes) <= LISTED else text
        if self.domain.ranges == "cut":
            return labels.span(self.ends[shown[0]][0], self.ends[shown[-1]][1])
        return labels.span(names[shown[0]], names[shown[-1]])
