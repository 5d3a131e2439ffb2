"""Hierarchies learned from the data: nested bands of about equal frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.errors import PlanError
from shoal.hierarchies.base import Hierarchy, Level, text_of
from shoal.hierarchies.placing import Placed, by_meaning
from shoal.labels import ANY, one_of, span

LISTED = 8
"""Bands of text up to this size are labelled by their members, larger ones by their number."""


@dataclass(frozen=True)
class Learned:
    """Divides the values into bands of about equal frequency; each level has `fanout` times fewer than the one below.

    Bands of numbers and dates follow their order and are labelled `[lo, hi]`, with the smallest and the largest value
    of the band. Bands of text follow descending frequency: frequent values remain separate longest, rare ones are
    merged first. A band of text is labelled by its members, `{a, b}`, and a large one as `group 3 of 16`. The result is
    deterministic.

    >>> h = Learned(fanout=2).build(pl.Series(["a", "b", "c", "d"]), pl.Series([90, 4, 3, 3]))
    >>> h.levels[1].labels
    ('a', '{b, c, d}')

    With all rows in this order, band i of m contains the rows from share i/m to (i+1)/m. A value belongs to the band of
    the middle of its rows, so m · fanout bands nest in m bands.
    """

    fanout: int = 4
    """How many bands of one level form a band of the next. Allowed: whole numbers from 2."""

    kind: ClassVar[str] = "learned"

    def __post_init__(self) -> None:
        if isinstance(self.fanout, bool) or not isinstance(self.fanout, int) or self.fanout < 2:
            raise PlanError(f"Learned fanout must be an integer of at least 2; got {self.fanout!r}.")

    def build(self, values: pl.Series, counts: pl.Series | None = None) -> Hierarchy:
        text = text_of(values)
        weights = np.ones(len(values), np.int64) if counts is None else counts.cast(pl.Int64).to_numpy()
        levels = [Level.leaves(text)]
        for bands in _band_numbers(len(values), self.fanout):
            if values.dtype == pl.String:
                levels.append(_text_bands(text, _bands(weights, _by_frequency(text, weights), bands), bands))
            else:
                levels.append(_ranges(text, _bands(weights, np.arange(len(values)), bands)))
        return Hierarchy.topped(levels)

    def placed(self, labels: Sequence[str], among: Sequence[str] | None = None) -> Placed:
        """Bands are one level above the values: how many levels they have depends on values that may be suppressed."""
        return by_meaning(labels, among or labels, bands=True)

    def paths(self, labels: Sequence[str]) -> list[tuple[str, ...]]:
        return [(label, ANY) for label in labels]


def _band_numbers(values: int, fanout: int) -> list[int]:
    """The number of bands of each level from the lowest: powers of the fanout, with at least two values per band."""
    numbers: list[int] = []
    bands = fanout
    while 2 * bands <= values:
        numbers.append(bands)
        bands *= fanout
    return numbers[::-1]


def _by_frequency(text: pl.Series, weights: Int64) -> Int64:
    """int64 [values]: the values by descending frequency, then by text."""
    frame = pl.DataFrame({"weight": weights, "text": text})
    order = frame.select(pl.arg_sort_by("weight", "text", descending=[True, False]))
    return order.to_series().to_numpy().astype(np.int64)


def _bands(weights: Int64, order: Int64, bands: int) -> Int64:
    """int64 [values]: the band of each value, computed in integers so that bands nest without rounding errors."""
    ordered = weights[order]
    doubled_middle = 2 * np.cumsum(ordered) - ordered
    band_of = np.empty(len(weights), np.int64)
    band_of[order] = doubled_middle * bands // (2 * int(ordered.sum()))
    return band_of


def _ranges(text: pl.Series, bands: Int64) -> Level:
    ends = pl.DataFrame({"band": bands, "text": text}).group_by("band").agg(low=pl.first("text"), high=pl.last("text"))
    labels = {band: span(low, high) for band, low, high in ends.iter_rows()}
    return Level.keyed(bands, labels.__getitem__)


def _text_bands(text: pl.Series, bands: Int64, number: int) -> Level:
    members = pl.DataFrame({"band": bands, "text": text}).group_by("band").agg("text")
    listed = {band: values for band, values in members.iter_rows() if len(values) <= LISTED}

    def label(band: int) -> str:
        return one_of(listed[band]) if band in listed else f"group {band + 1} of {number}"

    return Level.keyed(bands, label)
