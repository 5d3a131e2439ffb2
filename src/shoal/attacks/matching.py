"""Matching: which released labels what is known of an individual may have become.

A known value matches every label that covers it: the value itself, a range or set that contains it, a node above it in
its hierarchy, and `*`. Two labels match if some value may have become both of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int64
from shoal.attacks.target import Groups, Target, grouped
from shoal.hierarchies.base import HierarchySpec
from shoal.hierarchies.placing import extents, meanings
from shoal.labels import ANY, MISSING, OneOf, Range, exact, read
from shoal.plan import Plan
from shoal.table import Runs
from shoal.verification.covering import Values
from shoal.verification.labelled import hierarchy

_OPAQUE = re.compile(r"group \d+ of \d+")
"""A group of values that were learned from the input: the label does not say which values it contains."""


class ColumnMatch:
    """The labels of one column, and which of them match a given label."""

    def __init__(self, labels: Sequence[str], known: Sequence[str], spec: HierarchySpec, *, missing_is_any: bool):
        self._labels, self._missing_is_any = labels, missing_is_any
        texts = list(dict.fromkeys(member for label in (*labels, *known) for member in _members(label)))
        self._path = dict(zip(texts, spec.paths(texts), strict=True))
        self._any = np.array([self._is_any(label) for label in labels], np.bool_)
        self._same, self._below = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
        for place, label in enumerate(labels):
            for member in _members(label):
                self._same[member].append(place)
                for node in self._path[member]:
                    self._below[node].append(place)
        self._ends = extents(meanings(labels))
        self._rows: dict[str, Flags] = {}

    def _is_any(self, label: str) -> bool:
        missing = label == MISSING and self._missing_is_any
        return label == ANY or missing or _OPAQUE.fullmatch(label) is not None

    def row(self, label: str) -> Flags:
        """bool [labels]: which labels match the given one."""
        if label not in self._rows:
            self._rows[label] = self._matched(label)
        return self._rows[label]

    def _matched(self, label: str) -> Flags:
        if self._is_any(label):
            return np.ones(len(self._labels), np.bool_)
        matched = self._any.copy()
        for member in _members(label):
            matched[self._below.get(member, [])] = True
            for node in self._path[member]:
                matched[self._same.get(node, []) if node != ANY else []] = True
        low, high = extents(meanings([label]))[0]
        if not np.isnan(low):
            ranges = self._is_range | isinstance(read(label), Range)
            with np.errstate(invalid="ignore"):
                matched |= ranges & (self._ends[:, 0] <= high) & (low <= self._ends[:, 1])
        return matched

    @cached_property
    def _is_range(self) -> Flags:
        return np.array([isinstance(meaning, Range) for meaning in meanings(self._labels)], np.bool_)


def _members(label: str) -> list[str]:
    """The labels of the members of a set; any other label by itself."""
    meaning = read(label)
    return [exact(value) for value in meaning.values] if isinstance(meaning, OneOf) else [label]


@dataclass(frozen=True)
class Matching:
    """Groups of released rows, and groups of individuals of whom labels are known.

    `columns`: the columns that both have.
    """

    released: Groups
    known: Groups
    columns: tuple[ColumnMatch, ...]
    codes: tuple[Int64, ...]
    """For each column, int64 [released groups]: the position of the label in its ColumnMatch."""
    texts: tuple[list[str], ...]
    """For each column, the label of every known group."""

    def matched(self, known: int) -> Int64:
        """The released groups that a known group matches."""
        found: Int64 = np.arange(len(self.released), dtype=np.int64)
        for column, codes, texts in zip(self.columns, self.codes, self.texts, strict=True):
            found = found[column.row(texts[known])[codes[found]]]
        return found

    def rows_matched(self, known: int) -> int:
        """The number of released rows that a known group matches."""
        return int(self.released.sizes[self.matched(known)].sum())


def known_of(frame: pl.DataFrame, target: Target) -> Groups:
    """The individuals of a raw table, grouped by those quasi-identifiers that it has, as exact labels."""
    plan = target.plan
    columns = tuple(name for name in target.quasi_identifiers if name in frame.columns)
    return grouped(Runs.of(frame.select(exact_labels(frame[name], plan) for name in columns)), columns, ())


def exact_labels(raw: pl.Series, plan: Plan) -> pl.Series:
    """The label that every raw value has if it is released unchanged, within `top` and `bottom` of its column."""
    counts = raw.value_counts(name="\x00rows")
    settings, data = plan.columns[raw.name], plan.data
    distinct = counts[raw.name]
    values = Values(distinct, counts["\x00rows"].to_numpy().astype(np.int64), settings, data.absent, data.notation)
    labels = pl.DataFrame({raw.name: distinct, "label": [exact(text) for text in values.texts]})
    rows = raw.to_frame().join(labels, on=raw.name, how="left", nulls_equal=True, maintain_order="left")
    return rows["label"].alias(raw.name)


def matching(released: Groups, known: Groups, plan: Plan, *, missing_is_any: bool = False) -> Matching:
    """The matching of released rows with individuals.

    `missing_is_any`: a missing value of an individual is unknown to the intruder, who then compares nothing.
    """
    names = [name for name in known.labels.columns if name in released.labels.columns]
    distinct = {name: released.labels[name].unique(maintain_order=True) for name in names}
    names.sort(key=lambda name: -len(distinct[name]))  # the most selective column first leaves little for the others
    columns, codes, texts = [], [], []
    for name in names:
        labels, of_known = distinct[name].to_list(), known.labels[name]
        column = ColumnMatch(labels, of_known.unique().to_list(), hierarchy(plan, name), missing_is_any=missing_is_any)
        positions = pl.Series(range(len(labels)), dtype=pl.Int64)
        codes.append(released.labels[name].replace_strict(distinct[name], positions).to_numpy())
        columns.append(column)
        texts.append(of_known.to_list())
    return Matching(released, known, tuple(columns), tuple(codes), tuple(texts))


def chosen(groups: Groups, most: int, seed: int) -> tuple[Int64, Float64]:
    """Groups to try, and the number of rows that each stands for: all of them, or those of a sample of `most` rows."""
    if len(groups) <= most:
        return np.arange(len(groups), dtype=np.int64), groups.sizes.astype(np.float64)
    rows = np.random.default_rng(seed).choice(groups.rows, min(most, groups.rows), replace=False)
    drawn, counts = np.unique(groups.of_rows(rows), return_counts=True)
    return drawn.astype(np.int64), counts.astype(np.float64)
