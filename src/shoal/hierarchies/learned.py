"""Hierarchies learned from the data: bands of about equal frequency, nested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.errors import PlanError
from shoal.hierarchies.base import Hierarchy, Level, text_of
from shoal.labels import one_of, span

LISTED = 8
"""Groups of text up to this size are labelled by their members, larger ones by their number."""


@dataclass(frozen=True)
class Learned:
    """Every level cuts the rows into bands of about equal frequency, `fanout` times fewer than the level below.

    Numbers and dates are banded in their order and labelled `[lo, hi]`, from the smallest to the largest value of the
    band. Text is banded in order of falling frequency: frequent values stay alone longest, rare ones are grouped
    first; a group is labelled by its members, `{a, b}`, and a large one as `group 3 of 16`. Deterministic.

    >>> h = Learned(fanout=2).build(pl.Series(["a", "b", "c", "d"]), pl.Series([90, 4, 3, 3]))
    >>> h.levels[1].labels
    ('a', '{b, c, d}')

    A value belongs to the band in which the middle of its rows lies, when all rows stand in that order: band i of m
    runs from i/m to (i+1)/m of the rows, so bands of m · fanout nest in bands of m.
    """

    fanout: int = 4

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
                levels.append(_groups(text, _bands(weights, _falling(text, weights), bands), bands))
            else:
                levels.append(_ranges(text, _bands(weights, np.arange(len(values)), bands)))
        return Hierarchy.topped(levels)


def _band_numbers(values: int, fanout: int) -> list[int]:
    """How many bands each level has, from below: powers of the fanout, with two values to a band or more."""
    numbers: list[int] = []
    bands = fanout
    while 2 * bands <= values:
        numbers.append(bands)
        bands *= fanout
    return numbers[::-1]


def _falling(text: pl.Series, weights: Int64) -> Int64:
    """The values' numbers by falling frequency, equally frequent ones by text."""
    frame = pl.DataFrame({"weight": weights, "text": text})
    order = frame.select(pl.arg_sort_by("weight", "text", descending=[True, False]))
    return order.to_series().to_numpy().astype(np.int64)


def _bands(weights: Int64, order: Int64, bands: int) -> Int64:
    """int64 [values]: the band of each value, in whole numbers so that bands nest without rounding."""
    ordered = weights[order]
    doubled_middle = 2 * np.cumsum(ordered) - ordered
    found = np.empty(len(weights), np.int64)
    found[order] = doubled_middle * bands // (2 * int(ordered.sum()))
    return found


def _ranges(text: pl.Series, bands: Int64) -> Level:
    ends = pl.DataFrame({"band": bands, "text": text}).group_by("band").agg(low=pl.first("text"), high=pl.last("text"))
    labels = {band: span(low, high) for band, low, high in ends.iter_rows()}
    return Level.keyed(bands, labels.__getitem__)


def _groups(text: pl.Series, bands: Int64, number: int) -> Level:
    members = pl.DataFrame({"band": bands, "text": text}).group_by("band").agg("text")
    listed = {band: values for band, values in members.iter_rows() if len(values) <= LISTED}

    def label(band: int) -> str:
        return one_of(listed[band]) if band in listed else f"group {band + 1} of {number}"

    return Level.keyed(bands, label)
