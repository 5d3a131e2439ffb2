"""Recodings: how the members of a class become published values.

Only a recoding knows which label a class gets in a column, and what information a cell loses by it. `alike` finds the
classes that look the same to a reader.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from shoal import labels
from shoal.arrays import Float64, Int16, Int32, Int64
from shoal.coded import loss
from shoal.coded.bands import band_labels
from shoal.coded.boundaries import Ends, boundary_ends, value_ends
from shoal.coded.counted import Coded
from shoal.coded.domains import SET, TREE, QuasiDomain
from shoal.coded.keys import distinct_rows
from shoal.coded.stats import Members


class Shown(NamedTuple):
    """One quasi-identifier as every class shows it: `codes` int64 [classes] into `labels`.

    `loss` float64 [classes]: the information loss of a cell of the class, 0 to 1. `level` float64 [classes]: the share
    of the height of the hierarchy to which the class was generalized, NaN without a hierarchy.
    """

    codes: Int64
    labels: list[str]
    loss: Float64
    level: Float64

    @property
    def of_class(self) -> list[str]:
        """The label of every class."""
        return [self.labels[code] for code in self.codes.tolist()]


class Recoding(ABC):
    """How the members of a class become published values."""

    @classmethod
    def refuses(cls, ranges: str) -> str:
        """Why this recoding cannot publish such ranges safely; empty if it can."""
        return ""

    @abstractmethod
    def shown(self, coded: Coded, members: Members, a: int) -> Shown:
        """What every class shows of quasi-identifier a."""

    def class_levels(self) -> Int16 | None:
        """int16 [classes, quasi-identifiers]: the level at which each class is published, if classes have levels."""
        return None

    def rule(self, coded: Coded, members: Members) -> Mapping[str, list[str]]:
        """Column → the label of each of its codes, for columns in which a code has the same label in every class."""
        return {}


def shown_columns(recoding: Recoding, coded: Coded, members: Members) -> dict[str, Shown]:
    """What every class shows, by quasi-identifier."""
    return {domain.name: recoding.shown(coded, members, a) for a, domain in enumerate(coded.quasi)}


def alike(shown: Sequence[Shown]) -> Int32:
    """int32 [classes]: equal numbers for classes whose labels are all equal.

    To a reader these are one class.
    """
    return distinct_rows([_label_numbers(column) for column in shown]).ids


def _label_numbers(column: Shown) -> Int32:
    """int32 [classes]: a number for the label of each class; a label may be listed more than once."""
    number: dict[str, int] = {}
    used = np.unique(column.codes)
    of_label = np.zeros(len(column.labels), np.int32)
    of_label[used] = [number.setdefault(column.labels[code], len(number)) for code in used.tolist()]
    return of_label[column.codes]


def label_numbers(shown: Sequence[Shown]) -> Int32:
    """int32 [classes, columns]: a number for every label, equal for equal labels of a column."""
    return np.stack([_label_numbers(column) for column in shown], axis=1)


@dataclass(frozen=True)
class Exact(Recoding):
    """Publishes the members' own values, which are the same for all members of a class."""

    def shown(self, coded: Coded, members: Members, a: int) -> Shown:
        domain = coded.quasi[a]
        codes = coded.counted.quasi[a, members.firsts].astype(np.int64)
        texts = [labels.exact(text) for text in domain.texts]
        climbed = 0.0 if domain.published == TREE else np.nan
        return Shown(codes, texts, np.zeros(len(codes)), np.full(len(codes), climbed))

    def rule(self, coded: Coded, members: Members) -> Mapping[str, list[str]]:
        return {domain.name: [labels.exact(text) for text in domain.texts] for domain in coded.quasi}


@dataclass(frozen=True)
class Observed(Recoding):
    """Publishes what occurs in a class: the range of its values, the lowest node above them, or their set."""

    @classmethod
    def refuses(cls, ranges: str) -> str:
        if ranges == "tight":
            return ""
        return (
            'ranges = "cut" needs classes that are bounded by cuts. Hint: set ranges = "tight" under [release], which '
            "publishes the smallest and largest value of each class, or use mondrian without refine."
        )

    def shown(self, coded: Coded, members: Members, a: int) -> Shown:
        domain = coded.quasi[a]
        if domain.published == SET:
            return _sets(domain, coded, members, a)
        codes, low, high = _extremes(coded, members, a)
        if domain.published == TREE:
            return _at_levels(domain, low, loss.lowest_levels(domain, low, high), codes)
        return _spans(domain, low, high)


@dataclass(frozen=True)
class Boxes(Recoding):
    """Classes that are bounded by cuts.

    `boxes` int32 [classes, quasi-identifiers, 2]: the first and last code of each box. If the plan publishes cuts,
    ranges end at the boundaries of the box. All else is published as observed.
    """

    boxes: Int32

    def shown(self, coded: Coded, members: Members, a: int) -> Shown:
        domain = coded.quasi[a]
        if domain.ranges != "cut" or domain.published in (SET, TREE):
            return Observed().shown(coded, members, a)
        _, low, high = _extremes(coded, members, a)
        return _boxes(domain, self.boxes[:, a, 0], self.boxes[:, a, 1], low, high)


@dataclass(frozen=True)
class Levels(Recoding):
    """Hierarchy levels: `levels` int16 [classes, quasi-identifiers], the same for every member of a class."""

    levels: Int16

    def shown(self, coded: Coded, members: Members, a: int) -> Shown:
        codes = coded.counted.quasi[a]
        level = self.levels[:, a].astype(np.int64)
        return _at_levels(coded.quasi[a], codes[members.firsts], level, codes[members.rows])

    def class_levels(self) -> Int16 | None:
        return self.levels

    def rule(self, coded: Coded, members: Members) -> Mapping[str, list[str]]:
        rules = {}
        for a, domain in enumerate(coded.quasi):
            if len(self.levels) and (self.levels[:, a] == self.levels[0, a]).all():
                every = np.arange(domain.size)
                level = np.full(domain.size, self.levels[0, a], np.int64)
                rules[domain.name] = _at_levels(domain, every, level, coded.counted.quasi[a, members.rows]).of_class
        return rules


@dataclass(frozen=True)
class Cuts(Recoding):
    """Publishes the same value for a code in every row.

    `ranges`: per quasi-identifier int32 [codes, 2], the first and last code of the value as which each code is
    published.
    """

    ranges: tuple[Int32, ...]

    def shown(self, coded: Coded, members: Members, a: int) -> Shown:
        ends = self.ranges[a][coded.counted.quasi[a, members.firsts]]
        return _as_one_value(coded.quasi[a], ends[:, 0], ends[:, 1])

    def rule(self, coded: Coded, members: Members) -> Mapping[str, list[str]]:
        return {
            domain.name: _as_one_value(domain, ends[:, 0], ends[:, 1]).of_class
            for domain, ends in zip(coded.quasi, self.ranges, strict=True)
        }


@dataclass(frozen=True)
class Given(Recoding):
    """Publishes labels that were chosen for another table.

    `labels`: per quasi-identifier, the label of each code; None for codes that only suppressed rows have. `levels`
    int16 [classes, quasi-identifiers]: those of that table, if it had levels. Losses are unknown: no search compares
    them.
    """

    labels: tuple[tuple[str | None, ...], ...]
    levels: Int16 | None = None

    def shown(self, coded: Coded, members: Members, a: int) -> Shown:
        codes = coded.counted.quasi[a, members.firsts].astype(np.int64)
        return _without_level(codes, [text or labels.MISSING for text in self.labels[a]], np.full(len(codes), np.nan))

    def class_levels(self) -> Int16 | None:
        return self.levels

    def rule(self, coded: Coded, members: Members) -> Mapping[str, list[str]]:
        every = zip(coded.quasi, self.labels, strict=True)
        return {domain.name: [text or labels.MISSING for text in texts] for domain, texts in every if None not in texts}


@dataclass(frozen=True)
class Composed(Recoding):
    """Several recodings side by side.

    `parts`: int64 classes, with the recoding of these classes. Every class is in exactly one part.
    """

    parts: tuple[tuple[Int64, Recoding], ...]

    def shown(self, coded: Coded, members: Members, a: int) -> Shown:
        classes = len(members.offsets) - 1
        codes, texts = np.zeros(classes, np.int64), list[str]()
        lost, climbed = np.zeros(classes), np.full(classes, np.nan)
        for in_part, recoding in self.parts:
            part = recoding.shown(coded, _only(members, in_part), a)
            codes[in_part], lost[in_part], climbed[in_part] = part.codes + len(texts), part.loss, part.level
            texts += part.labels
        return Shown(codes, texts, lost, climbed)


def _only(members: Members, classes: Int64) -> Members:
    """The members of some classes."""
    sizes = np.diff(members.offsets)[classes]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    places = np.repeat(members.offsets[classes] - offsets[:-1], sizes) + np.arange(offsets[-1])
    return Members(members.rows[places], offsets, members.weight[places])


# -- labels and losses in one column --------------------------------------------------------------------------------


def _extremes(coded: Coded, members: Members, a: int) -> tuple[Int32, Int32, Int32]:
    """The codes of all entries, and the smallest and largest code of each class."""
    codes = coded.counted.quasi[a, members.rows]
    firsts = members.offsets[:-1]
    return codes, np.minimum.reduceat(codes, firsts), np.maximum.reduceat(codes, firsts)


def _as_one_value(domain: QuasiDomain, low: Any, high: Any) -> Shown:
    """Publishes the codes low to high as one value, the same in every class.

    The label reveals nothing about the members of the class.
    """
    if domain.published == TREE:
        return _at_levels(domain, low, loss.lowest_levels(domain, low, high), np.arange(domain.size))
    if domain.published != SET:
        return _boxes(domain, low, high, low, high) if domain.ranges == "cut" else _spans(domain, low, high)
    pairs, codes = np.unique(low.astype(np.int64) * domain.size + high, return_inverse=True)
    texts = [labels.one_of(domain.texts[p // domain.size : p % domain.size + 1]) for p in pairs.tolist()]
    return _without_level(codes.reshape(-1), texts, loss.of_codes(domain, low, high))


def _at_levels(domain: QuasiDomain, code: Any, level: Int64, released: Any) -> Shown:
    """The node above one code of each class, at the level of that class; `released` are the codes of all rows."""
    levels = domain.tree.levels
    starts = np.concatenate([[0], np.cumsum([len(tree_level.labels) for tree_level in levels])])
    of_leaf = np.stack([tree_level.of_leaf for tree_level in levels])
    lowest = levels[0].labels if domain.finest else [labels.exact(text) for text in levels[0].labels]
    texts = [*lowest, *(text for tree_level in levels[1:] for text in tree_level.labels)]
    nodes = starts[level] + of_leaf[level, code]
    if domain.learned:
        texts = band_labels(domain, texts, np.unique(nodes), np.unique(released))
    return Shown(nodes, texts, loss.node_losses(domain)[level, code], _share_of_height(domain, level))


def _share_of_height(domain: QuasiDomain, level: Int64) -> Float64:
    shares: Float64 = (level + domain.finest) / (domain.tree.height + domain.finest)
    return shares


def _spans(domain: QuasiDomain, low: Any, high: Any) -> Shown:
    """The smallest and largest value of each class."""
    ends = value_ends(domain)
    return _ranges(domain, low, high, ends, ends)


def _boxes(domain: QuasiDomain, first: Any, last: Any, low: Any, high: Any) -> Shown:
    """The boundaries of the cuts around each class, which are no individual's exact value."""
    shift = 1 if domain.has_missing else 0
    only_missing = shift * (high == 0)  # a class of missing values only has no boundaries
    first = np.where((only_missing == 0) & (low > 0), np.maximum(first, shift), first)
    return _ranges(domain, np.where(only_missing, 0, first), np.where(only_missing, 0, last), *boundary_ends(domain))


def _ranges(domain: QuasiDomain, low: Any, high: Any, lows: Ends, highs: Ends) -> Shown:
    """The labels of the code ranges low to high; a range of both missing and present values is `*`."""
    pairs, codes = np.unique(low.astype(np.int64) * domain.size + high, return_inverse=True)
    texts = []
    for pair in pairs.tolist():
        i, j = divmod(pair, domain.size)
        mixed = domain.has_missing and i == 0 and j > 0
        texts.append(labels.ANY if mixed else labels.span(lows.texts[i], highs.texts[j]))
    return _without_level(codes.reshape(-1), texts, loss.of_range(lows.position[low], highs.position[high]))


def _sets(domain: QuasiDomain, coded: Coded, members: Members, a: int) -> Shown:
    """The set of values that occur in each class."""
    from shoal.kernels.counting import class_values

    starts, values, _ = class_values(members.rows, members.offsets, coded.counted.quasi[a], members.weight, domain.size)
    sizes = np.diff(starts)
    codes = values[starts[:-1]].astype(np.int64)  # a single value is its own label
    texts, known = [labels.exact(text) for text in domain.texts], dict[bytes, int]()
    for c in np.flatnonzero(sizes > 1):
        inside = values[starts[c] : starts[c + 1]]
        key = inside.tobytes()
        if key not in known:
            known[key] = len(texts)
            texts.append(labels.one_of(domain.texts[code] for code in inside))
        codes[c] = known[key]
    return _without_level(codes, texts, loss.of_leaves(domain, sizes))


def _without_level(codes: Int64, texts: list[str], lost: Float64) -> Shown:
    return Shown(codes, texts, lost, np.full(len(lost), np.nan))
