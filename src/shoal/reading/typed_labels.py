"""Typed labels: what the labels of a column say, as numbers, dates, lists and levels to compute with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

import polars as pl

from shoal.hierarchies import Dates, Flat, HierarchySpec, Intervals, Learned, Prefix
from shoal.hierarchies.dates import period
from shoal.hierarchies.placing import meanings
from shoal.labels import ANY, MISSING, Exactly, Meaning, OneOf, Range
from shoal.roles.columns import Column
from shoal.table import typed

VALUE, RANGE, SET, NODE, ANYTHING, ABSENT = KINDS = ("value", "range", "set", "node", "any", "missing")
"""What a label is: one value, all values from low to high, one of several, a node of a tree, any value, or missing."""
KIND, LOW, HIGH, MIDPOINT, MEMBERS, LEVEL = "kind", "low", "high", "midpoint", "members", "level"

ORDERED = Dates | Flat | Intervals | Learned | None
"""The hierarchies whose labels are values and ranges; those of all others are text."""


@dataclass(frozen=True)
class LabelColumn:
    """The distinct labels of one quasi-identifier, and what is published about them.

    `spec`: the hierarchy by which they are read. `book`: the entry of the column in the codebook, whose `levels` and
    `shares` belong to its own list of `labels`.
    """

    name: str
    labels: Sequence[str]
    settings: Column
    spec: HierarchySpec | None = None
    book: Mapping[str, Any] = field(default_factory=dict)

    @property
    def meanings(self) -> list[Meaning]:
        return meanings(self.labels)

    def listed(self, key: str) -> list[Any]:
        """The figure of the codebook for each label; None if it has none."""
        known = dict(zip(self.book.get("labels", ()), self.book.get(key, ()), strict=False))
        return [known.get(label) for label in self.labels]


def typed_labels(column: LabelColumn, type: str | None = None) -> pl.DataFrame:
    """One row for each label: its `kind`, what it says, and its `level`, if the codebook has levels.

    Numbers and dates have `low`, `high` and `midpoint`, text has `members`. An end is null if it is unknown: both ends
    of `*` and of a missing value, and an end that top- or bottom-coding opened. `type` is that of the column, by
    default that of the plan, or the one that its labels show.

    >>> from shoal.roles.columns import quasi
    >>> typed_labels(LabelColumn("age", ["[30, 39]", "41", "*", ""], quasi())).rows()
    [('range', 30, 39, 34.5), ('value', 41, 41, 41.0), ('any', None, None, None), ('missing', None, None, None)]
    """
    type = type or label_type(column)
    said = _members(column) if type == "text" else _ends(column, type)
    levels = column.listed("levels")
    if any(level is not None for level in levels):
        said = said.with_columns(pl.Series(LEVEL, levels, dtype=pl.Int16))
    return said


def label_type(column: LabelColumn) -> str:
    """The type of the values behind labels: that of the plan, or the narrowest one that fits their ends."""
    if not isinstance(column.spec, ORDERED) or any(isinstance(each, OneOf) for each in column.meanings):
        return "text"
    if column.settings.type is not None:
        return column.settings.type
    if isinstance(column.spec, Dates):
        return "datetime" if _has_times(column.spec, column.labels) else "date"
    ends = [end for meaning in column.meanings for end in _written_ends(meaning)]
    if not ends:
        return "real" if isinstance(column.spec, Intervals) else "text"
    return typed(pl.Series(column.name, ends), type=None, missing=()).type


def _has_times(spec: Dates, labels: Sequence[str]) -> bool:
    """Whether labels are of date-times, not of dates: only those have hours and days as levels, or a time."""
    firsts = [ends[0] for label in labels if (ends := period(label, timed=True))]
    return not {"hour", "day"}.isdisjoint(spec.levels) or any(first.time() != time(0) for first in firsts)


def _written_ends(meaning: Meaning) -> tuple[str, ...]:
    """The texts of the ends of a range, or of a value; none for all else."""
    if isinstance(meaning, Range):
        return meaning.low, meaning.high
    return (meaning.value, meaning.value) if isinstance(meaning, Exactly) and meaning.value != MISSING else ()


# -- text -----------------------------------------------------------------------------------------------------------


def _members(column: LabelColumn) -> pl.DataFrame:
    """The kind of each label of text, and the values that it lists; null if it lists none."""
    levels, shares = column.listed("levels"), column.listed("shares")
    kinds, members = [], list[list[str | None] | None]()
    for label, meaning, level, share in zip(column.labels, column.meanings, levels, shares, strict=True):
        kind = _text_kind(label, meaning, _is_node(column.spec, label, level, share))
        kinds.append(kind)
        members.append([value or None for value in _values(meaning)] if kind in (VALUE, SET) else None)
    return pl.DataFrame([_kinds(kinds), pl.Series(MEMBERS, members, dtype=pl.List(pl.String))])


def _text_kind(label: str, meaning: Meaning, is_node: bool) -> str:
    if label in (ANY, MISSING):
        return ANYTHING if label == ANY else ABSENT
    return SET if isinstance(meaning, OneOf) else NODE if is_node else VALUE


def _values(meaning: Meaning) -> tuple[str, ...]:
    if isinstance(meaning, OneOf):
        return meaning.values
    return (meaning.value,) if isinstance(meaning, Exactly) else ()


def _is_node(spec: HierarchySpec | None, label: str, level: int | None, share: float | None) -> bool:
    """Whether a label stands for several values of a hierarchy; in doubt it does, because it is then claimed for none.

    Without a level, one label of the column is no node, and only a label that loses nothing is a value.
    """
    if isinstance(spec, Prefix):
        return label.endswith(ANY) and level != 0
    if level is None:
        return share is not None and share > 0
    return level > 0 and not isinstance(spec, Flat | None)


def _kinds(kinds: list[str]) -> pl.Series:
    return pl.Series(KIND, kinds, dtype=pl.Enum(KINDS))


# -- numbers and dates ----------------------------------------------------------------------------------------------


def _ends(column: LabelColumn, type: str) -> pl.DataFrame:
    """The kind and the ends of each label of numbers or dates, and the middle between them."""
    low, high = _typed_periods(column, type) if type in ("date", "datetime") else _typed_numbers(column, type)
    bottom, top = coded_at(column.settings.bottom, type, math.ceil), coded_at(column.settings.top, type, math.floor)
    if bottom is not None:
        low = low.set((low <= bottom).fill_null(False), None)
    if top is not None:
        high = high.set((high >= top).fill_null(False), None)
    ends = pl.DataFrame([low.alias(LOW), high.alias(HIGH)])
    same = (ends[LOW] == ends[HIGH]).to_list()  # None if an end is open
    kinds = [
        ANYTHING if label == ANY else ABSENT if label == MISSING else VALUE if equal else RANGE
        for label, equal in zip(column.labels, same, strict=True)
    ]
    return ends.select(_kinds(kinds), LOW, HIGH, _middle(ends).alias(MIDPOINT))


def _typed_numbers(column: LabelColumn, type: str) -> tuple[pl.Series, pl.Series]:
    ends = [_written_ends(meaning) or (None, None) for meaning in column.meanings]
    lows, highs = zip(*ends, strict=True) if ends else ((), ())
    both = pl.Series(column.name, [*lows, *highs], dtype=pl.String)
    values = typed(both, type=type, missing=()).values
    return values[: len(ends)], values[len(ends) :]


def _typed_periods(column: LabelColumn, type: str) -> tuple[pl.Series, pl.Series]:
    timed = type == "datetime"
    ends = [period(label, timed=timed) or (None, None) for label in column.labels]
    dtype = pl.Datetime("us") if timed else pl.Date()
    low, high = (pl.Series([each[end] for each in ends], dtype=dtype) for end in (0, 1))
    return low, high


def coded_at(bound: Any, type: str, inside: Any) -> Any:
    """The value at which top- or bottom-coding puts all values beyond it, as the column has it."""
    if bound is None:
        return None
    if type == "integer":  # a bound may lie beyond all numbers that a column can have
        return min(max(inside(bound), -(2**63)), 2**63 - 1)
    is_day = type == "datetime" and isinstance(bound, date) and not isinstance(bound, datetime)
    return datetime.combine(bound, time(0)) if is_day else bound


def _middle(ends: pl.DataFrame) -> pl.Series:
    """Half-way between low and high; that of dates is rounded down to a day, that of date-times to a microsecond."""
    low, high = ends[LOW], ends[HIGH]
    if low.dtype.is_temporal():
        first = low.to_physical()
        return (first + (high.to_physical() - first) // 2).cast(low.dtype)
    return low.cast(pl.Float64) / 2 + high.cast(pl.Float64) / 2  # halves, because a sum may be too large
