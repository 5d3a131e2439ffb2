"""Linking for verification: what the items of released rows reveal about labels, in polars, from the definition.

A row links to the labels that have all of its items, each with the same probability; β of a class and a label is the
mean of these probabilities over the rows of the class. Sums are floats. Where they are within a margin of a threshold,
models compare whole numbers instead.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Int64, UInt8
from shoal.errors import TableError
from shoal.models.evidence import CLASS, Evidence
from shoal.roles.knowledge import Knowledge

MARGIN = 1e-9
"""Floats that differ by no more than this are compared as whole numbers."""
_ROOM = 10_000_000
"""The most pairs of a set or a class and a label that are looked at together."""


class Whole(NamedTuple):
    """β of a class in whole numbers: label → `own`, and `base` for every other label, each divided by `under`."""

    own: dict[int, int]
    base: int
    under: int


@dataclass(frozen=True)
class Linked:
    """The labels that distinct sets link to.

    `labels`: the number of labels of the knowledge table. `sets`: `value`, the text of a set, `set`, its number, and
    `size`, the number of its labels. `pairs`: `set`, `label`, in the order of the sets, for sets that have items.
    """

    labels: int
    sets: pl.DataFrame
    pairs: pl.DataFrame

    @cached_property
    def starts(self) -> Int64:
        """int64 [sets]: the place of the first pair of each set."""
        sizes = np.zeros(self.sets.height, np.int64)
        np.add.at(sizes, self.pairs["set"].to_numpy(), 1)
        return np.cumsum(sizes) - sizes

    def beliefs(self, counts: pl.DataFrame) -> Iterator[Beliefs]:
        """β of all classes, some at a time, given `counts` of CLASS, `value` and `count`."""
        entries = counts.join(self.sets, on="value", how="left")
        of_class = entries.group_by(CLASS).agg((pl.col("size").sum() + self.labels).alias("room")).sort(CLASS)
        part = of_class.select(CLASS, part=(pl.col("room").cum_sum() // _ROOM))
        for _, some in entries.join(part, on=CLASS).sort("part").group_by("part", maintain_order=True):
            yield Beliefs(self, some.drop("part"))


@dataclass(frozen=True)
class Beliefs:
    """What an intruder believes about some classes: `entries` has CLASS, `value`, `count`, `set`, `size`."""

    linked: Linked
    entries: pl.DataFrame

    @cached_property
    def classes(self) -> pl.DataFrame:
        """CLASS, `n`, `base`: the rows of each class, and the share that rows without items give to every label."""
        empty = pl.col("count").filter(pl.col("value") == "").sum()
        sums = self.entries.group_by(CLASS).agg(n=pl.col("count").sum(), empty=empty)
        labels = self.linked.labels
        return sums.select(CLASS, "n", base=pl.col("empty") / (pl.col("n") * labels) if labels else pl.lit(0.0))

    @cached_property
    def shares(self) -> pl.DataFrame:
        """CLASS, `label`, `base`, `share`: β of the labels that a row with items links to, `base` included."""
        labels, some = self.linked.labels, self.entries.filter(pl.col("value") != "", pl.col("size") > 0)
        classes = self.classes.sort(CLASS)
        place = classes[CLASS].search_sorted(some[CLASS]).to_numpy().astype(np.int64)
        start, size = self.linked.starts[some["set"].to_numpy()], some["size"].to_numpy()
        within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        label = self.linked.pairs["label"].to_numpy()[np.repeat(start, size) + within]
        weights = np.repeat(some["count"].to_numpy() / size, size)
        own = np.bincount(np.repeat(place, size) * labels + label, weights, minlength=classes.height * labels)
        cells = np.flatnonzero(own)
        found = classes[cells // max(labels, 1)].with_columns(
            pl.Series("label", cells % max(labels, 1), dtype=pl.UInt32), pl.Series("own", own[cells])
        )
        return found.select(CLASS, "label", "base", share=pl.col("own") / pl.col("n") + pl.col("base"))

    def exact(self, classes: pl.Series) -> dict[int, Whole]:
        """CLASS → β in whole numbers, for these classes."""
        some = self.entries.filter(pl.col(CLASS).is_in(classes.implode()))
        size, is_empty = pl.col("size"), pl.col("value") == ""
        of_class = some.group_by(CLASS).agg(pl.col("count").sum(), size.filter(size > 0).unique())
        common = {number: (rows, math.lcm(*sizes)) for number, rows, sizes in of_class.rows()}
        base, own = dict.fromkeys(common, 0), {number: defaultdict[int, int](int) for number in common}
        for number, count, labels in some.filter(is_empty & (size > 0)).select(CLASS, "count", "size").rows():
            base[number] += count * (common[number][1] // labels)
        paired = some.filter(~is_empty).join(self.linked.pairs, on="set")
        for number, label, count, labels in paired.select(CLASS, "label", "count", "size").rows():
            own[number][label] += count * (common[number][1] // labels)
        return {
            number: Whole(
                {label: share + base[number] for label, share in own[number].items()}, base[number], rows * unit
            )
            for number, (rows, unit) in common.items()
        }


def linked(evidence: Evidence, column: str, *others: pl.Series) -> Linked:
    """The labels of all released sets of a column, and of others given as texts."""
    facts = evidence.facts[column]
    if facts.knowledge is None:
        raise TableError(
            f"Column '{column}' cannot be verified without its knowledge table.",
            hint="name the file with --knowledge, or in the plan.",
        )
    values = pl.concat([evidence.rows[column], *others]).unique().sort().alias("value")
    return _linked(values, facts.settings.separator, facts.knowledge)


def _linked(values: pl.Series, separator: str, knowledge: Knowledge) -> Linked:
    """The labels of distinct sets, given as canonical texts."""
    sets = pl.DataFrame({"value": values}).with_row_index("set")
    step, labels_of = max(_ROOM // max(knowledge.size, 1), 1), _labels_of(knowledge)
    numbers = pl.DataFrame({"item": pl.Series(knowledge.items, dtype=pl.String)}).with_row_index("number")
    parts = [_pairs(sets[begin : begin + step], separator, numbers, labels_of) for begin in range(0, len(sets), step)]
    pairs = pl.concat([pl.DataFrame(schema={"set": pl.UInt32, "label": pl.UInt32}), *parts])
    sizes = pairs.group_by("set").agg(size=pl.len().cast(pl.Int64))
    everything = pl.when(pl.col("value") == "").then(knowledge.size).otherwise(pl.col("size").fill_null(0))
    sized = sets.join(sizes, on="set", how="left").with_columns(size=everything.cast(pl.Int64))
    return Linked(knowledge.size, sized.sort("set"), pairs.sort("set"))


def _labels_of(knowledge: Knowledge) -> UInt8:
    """uint8 [items + 1, bytes]: a bit for each label that has the item; the last stands for items that no label has."""
    label = np.repeat(np.arange(knowledge.size), np.diff(knowledge.offsets))
    flags = np.zeros((len(knowledge.items) + 1, -(-knowledge.size // 8)), np.uint8)
    np.bitwise_or.at(flags, (knowledge.members, label // 8), (1 << (label % 8)).astype(np.uint8))
    return flags


def _pairs(sets: pl.DataFrame, separator: str, numbers: pl.DataFrame, labels_of: UInt8) -> pl.DataFrame:
    """`set`, `label` for each label that has all items of a set; `numbers`: `item`, `number`."""
    items = sets.select("set", item=pl.col("value").str.split(separator)).explode("item").filter(pl.col("item") != "")
    items = items.join(numbers, on="item", how="left", maintain_order="left")
    if items.is_empty():
        return pl.DataFrame(schema={"set": pl.UInt32, "label": pl.UInt32})
    number = items["number"].fill_null(len(labels_of) - 1).to_numpy()
    set_of, starts = np.unique(items["set"].to_numpy(), return_index=True)
    common = np.bitwise_and.reduceat(labels_of[number], starts, axis=0)
    at, byte = np.nonzero(common)
    pair, bit = np.nonzero(np.unpackbits(common[at, byte][:, None], axis=1, bitorder="little"))
    return pl.DataFrame({"set": set_of[at[pair]], "label": (8 * byte[pair] + bit).astype(np.uint32)})
