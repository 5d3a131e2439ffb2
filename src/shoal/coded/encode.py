"""Encoding: table and hierarchies to integers. Search works on distinct rows with weights and never sees a string.

Codes follow the values alone (numbers ascending, trees depth-first), and distinct rows follow the codes, so what a
search finds does not depend on the order of the input rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import hierarchies
from shoal.coded.partition import Int32, Int64, Rows, SensitiveCodes
from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies.base import Hierarchy, text_of
from shoal.labels import MISSING
from shoal.roles.columns import Column, Data
from shoal.table import as_text, typed

RANGE, TREE, SET = "range", "tree", "set"
LEVELS = "levels"
"""Asks `encode` to give every quasi-identifier a hierarchy, for algorithms that recode by level."""
_SMALL_ROOM = 4096
_MOST_KEYS = 1 << 62


class Dictionary(NamedTuple):
    """A column as codes uint32 [n] into its distinct raw values; a null is a value of its own."""

    codes: NDArray[np.uint32]
    distinct: pl.Series


@dataclass(frozen=True)
class QuasiColumn:
    """A quasi-identifier's codes and what they mean. Code c is the value `values[c]`, null for missing.

    `published` says how a class is described: a range, the lowest tree node, or a set. Losses count `leaves`: those of
    the hierarchy, or the values of the data. `hierarchy` has exactly the codes as leaves; `leaves_under[level, c]`
    counts the leaves of the whole hierarchy, those that do not occur in the data included. `leaf_numbers` are the
    leaves' values, ascending, where the loss of a range is counted in leaves. `learned`: whether the labels of the
    hierarchy were made of the column's own values.
    """

    name: str
    type: str
    values: pl.Series
    published: str
    weight: float
    leaves: int
    position: NDArray[np.float64]
    hierarchy: Hierarchy | None = None
    leaves_under: Int64 | None = None
    leaf_numbers: NDArray[Any] | None = None
    learned: bool = False

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def has_missing(self) -> bool:
        return self.values.null_count() > 0

    @cached_property
    def texts(self) -> list[str]:
        """The canonical text of every code, empty for missing."""
        return text_of(self.values).fill_null(MISSING).to_list()


@dataclass(frozen=True)
class Encoded:
    """The table as integers: `columns[q, d]` of distinct rows, what models see of them, and each input row's place."""

    quasi: tuple[QuasiColumn, ...]
    columns: Int32
    rows: Rows
    row_of: Int32
    target: Int32 | None = None
    """int32 [d]: the code of the target column, for searches that it guides."""
    left_out: int = 0
    """Rows of the input that are not here, for a value of them is missing: measures count them as lost."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.quasi)

    @cached_property
    def codes(self) -> Int32:
        """int32 [d, q]: the same row by row, for searches that look at several columns of a row."""
        return np.ascontiguousarray(self.columns.T)


def encode(
    frame: pl.DataFrame,
    columns: Mapping[str, Column],
    data: Data,
    reads: Sequence[str],
    categories: str,
    target: str | None = None,
) -> Encoded:
    """The distinct rows of quasi-identifiers, of the sensitive columns that models read, of persons and the target.

    Quasi-identifiers stand as the table orders them, so that their order in the plan does not change the result.
    """
    names = [name for name in frame.columns if name in columns and columns[name].role == "quasi-identifier"]
    with ThreadPoolExecutor(pl.thread_pool_size()) as aside:
        quasi_found = aside.map(lambda name: encode_quasi(frame[name], columns[name], data.absent, categories), names)
        sensitive_found = aside.map(lambda name: encode_sensitive(frame[name], columns[name], data.absent), reads)
        person = [] if data.person is None else [dictionary(frame[data.person]).codes.astype(np.int32)]
        guide = [] if target is None else [encode_sensitive(frame[target], Column(role="target"), data.absent).codes]
        quasi, quasi_codes = zip(*quasi_found, strict=True)
        sensitive = list(sensitive_found)
    row_of, firsts, weight = distinct_rows([*quasi_codes, *(column.codes for column in sensitive), *person, *guide])
    rows = Rows(
        weight=weight,
        sensitive={
            c.name: SensitiveCodes(c.name, c.codes[firsts], c.labels, c.missing, c.hierarchy) for c in sensitive
        },
        person=person[0][firsts] if person else None,
    )
    found = np.stack([column[firsts] for column in quasi_codes])
    return Encoded(tuple(quasi), found, rows, row_of, guide[0][firsts] if guide else None)


def dictionary(column: pl.Series) -> Dictionary:
    """Codes and distinct raw values of a column of any kind."""
    from shoal.kernels.distinct import first_places

    text = column if column.dtype == pl.String else as_text(column)
    coded = text.cast(pl.Categorical(pl.Categories.random())).to_physical()
    largest = coded.max()
    free = largest + 1 if isinstance(largest, int) else 0
    codes = coded.fill_null(free).to_numpy()
    first = first_places(codes, free + 1)
    used = np.flatnonzero(first >= 0)
    if used[-1:].tolist() != [len(used) - 1]:  # codes with gaps, as a subset of a larger dictionary has
        dense = np.zeros(free + 1, np.uint32)
        dense[used] = np.arange(len(used))
        codes = dense[codes]
    return Dictionary(codes, column.gather(first[used]))


def encode_quasi(
    column: pl.Series, settings: Column, missing: Sequence[str], categories: str
) -> tuple[QuasiColumn, Int32]:
    """A quasi-identifier and its code for every input row."""
    coded = dictionary(column)
    type_, values = typed(coded.distinct, type=settings.type, missing=missing)
    values = bounded(values, type_, settings, column.name)
    domain, of_distinct = _ranked(values)
    counts = np.zeros(len(domain), np.int64)
    np.add.at(counts, of_distinct, np.bincount(coded.codes, minlength=len(of_distinct)))
    described, order = _described(column.name, type_, domain, counts, settings, categories)
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return described, places[of_distinct][coded.codes]


def encode_sensitive(column: pl.Series, settings: Column, missing: Sequence[str]) -> SensitiveCodes:
    """A sensitive column's codes for every input row, ordered by value; text unless the plan gives it a type."""
    coded = dictionary(column)
    values = typed(coded.distinct, type=settings.type or "text", missing=missing).values
    domain, of_distinct = _ranked(values)
    hierarchy, order = None, np.arange(len(domain))
    if settings.hierarchy is not None:
        whole, leaf_of = _placed(column.name, domain.drop_nulls(), settings.hierarchy, None)
        ranks = np.empty(len(whole.leaves), np.int64)
        ranks[whole.depth_first()] = np.arange(len(whole.leaves))
        in_order = np.argsort(ranks[leaf_of], kind="stable")
        hierarchy = whole.reordered(leaf_of[in_order])
        order = in_order
        if domain.null_count():  # missing is first, and a branch of its own, whatever a file says of it
            hierarchy, order = hierarchy.with_missing(), np.concatenate([[0], in_order + 1])
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    labels = text_of(domain.gather(order)).fill_null(MISSING).to_list()
    uncounted = -1 if settings.missing_counts or not domain.null_count() else labels.index(MISSING)
    return SensitiveCodes(column.name, places[of_distinct][coded.codes], tuple(labels), uncounted, hierarchy)


def distinct_rows(columns: Sequence[Int32]) -> tuple[Int32, Int64, Int64]:
    """Distinct combinations in ascending order: id of every row, first row of each, number of rows of each."""
    keys, room = columns[0].astype(np.int64), int(columns[0].max(initial=0)) + 1
    for column in columns[1:]:
        size = int(column.max(initial=0)) + 1
        if room * size > _MOST_KEYS:
            ids, firsts, _ = _distinct(keys, room)
            keys, room = ids.astype(np.int64), len(firsts)
        keys *= size
        keys += column
        room *= size
    return _distinct(keys, room)


def _distinct(keys: Int64, room: int) -> tuple[Int32, Int64, Int64]:
    """The distinct keys, all below `room`, in ascending order: id of every key, first of each, number of each."""
    from shoal.kernels.distinct import distinct_codes, runs

    if room <= max(len(keys), _SMALL_ROOM):
        found: tuple[Int32, Int64, Int64] = distinct_codes(keys, room)
    else:
        # Sorting is quicker than hashing here: most tables have many distinct rows, and they are to be in order.
        found = runs(keys, np.argsort(keys))
    return found


def _ranked(values: pl.Series) -> tuple[pl.Series, Int64]:
    """The distinct values ascending, null first where there is one, and the place of every given value among them."""
    if values.dtype.is_float():
        values = values + 0.0  # -0.0 and 0.0 are one value
    domain = values.unique().sort(nulls_last=False)
    shift = 0 if values.null_count() else 1
    ranks = values.rank("dense").fill_null(0).to_numpy().astype(np.int64) - shift
    return domain, ranks


def bounded(values: pl.Series, type_: str, settings: Column, name: str) -> pl.Series:
    """Top- and bottom-coding, before anything else looks at the values."""
    for bound, which in ((settings.bottom, "bottom"), (settings.top, "top")):
        if bound is None:
            continue
        fits = (
            isinstance(bound, int | float)
            if type_ in ("integer", "real")
            else type_ == "date" and not isinstance(bound, int | float)
        )
        if not fits:
            raise PlanError(f"Column '{name}' is {type_}, and its {which} is not.")
        limit: Any = bound
        if type_ == "integer":  # the next whole number inside
            inside = math.ceil(limit) if which == "bottom" else math.floor(limit)
            limit = min(max(inside, -(2**63)), 2**63 - 1)
        values = values.clip(lower_bound=limit) if which == "bottom" else values.clip(upper_bound=limit)
    return values


def _described(
    name: str, type_: str, domain: pl.Series, counts: Int64, settings: Column, categories: str
) -> tuple[QuasiColumn, Int64]:
    """How the column is published, and the order of its codes as places in `domain`."""
    spec = settings.hierarchy or hierarchies.default_for(type_)
    if spec is None and categories == LEVELS:
        spec = hierarchies.Learned()  # whoever recodes by level needs levels: balanced bands of the data's own values
    whole, leaf_of = (None, None) if spec is None else _placed(name, domain, spec, counts)
    published = (SET if type_ == "text" else RANGE) if categories == "sets" else (TREE if whole else RANGE)
    leaves = len(whole.leaves) if whole else len(domain)
    if published != TREE or whole is None or leaf_of is None:
        numbers = _leaf_numbers(whole, domain, type_) if whole and published == RANGE else None
        position = _positions(domain, type_, numbers, leaves)
        described = QuasiColumn(name, type_, domain, published, settings.weight, leaves, position, leaf_numbers=numbers)
        return described, np.arange(len(domain))
    weights = np.zeros(len(whole.leaves), np.int64)
    weights[leaf_of] = counts
    ranks = np.empty(len(whole.leaves), np.int64)
    ranks[whole.depth_first(weights)] = np.arange(len(whole.leaves))
    order = np.argsort(ranks[leaf_of], kind="stable")
    used = leaf_of[order]
    under = np.stack([level.leaves_under[level.of_leaf[used]] for level in whole.levels])
    values = domain.gather(order)
    position = np.linspace(0.0, 1.0, len(values))
    tree, learned = whole.reordered(used), isinstance(spec, hierarchies.Learned)
    described = QuasiColumn(name, type_, values, TREE, settings.weight, leaves, position, tree, under, learned=learned)
    return described, order


def _placed(name: str, domain: pl.Series, spec: Any, counts: Int64 | None) -> tuple[Hierarchy, Int64]:
    """The hierarchy with all its leaves (one more where a value is missing), and the leaf of every domain value."""
    present = domain.drop_nulls()
    tally = None if counts is None else pl.Series(counts[len(domain) - len(present) :])
    if present.is_empty():  # whatever the hierarchy is of, none of it is here
        spec = hierarchies.Flat()
    try:
        whole = spec.build(present, tally)
    except HierarchyError as error:
        raise HierarchyError(f"Column '{name}': {error.fact}", allowed=error.allowed, hint=error.hint) from None
    if domain.null_count():
        whole = whole.with_missing()
    index = whole.index
    return whole, np.array([index[text] for text in text_of(domain).fill_null(MISSING)], np.int64)


def _positions(domain: pl.Series, type_: str, leaf_numbers: NDArray[Any] | None, leaves: int) -> NDArray[np.float64]:
    """float64 [codes] from 0 to 1: where each value lies in its column's range; a missing value lies a range away.

    With a hierarchy the range is counted in leaves, so that a range and a tree node of as many leaves lose as much.
    """
    if type_ == "text":
        return np.linspace(0.0, 1.0, len(domain))
    numbers = domain.drop_nulls().to_physical().to_numpy()
    found = _shares(numbers)
    if leaf_numbers is not None:
        found = np.searchsorted(leaf_numbers, numbers) / max(leaves - 1, 1)
    return np.concatenate([[found.min(initial=0.0) - 1.0], found]) if domain.null_count() else found


def _shares(numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Ascending numbers as shares of the way from the first to the last; neighbours beyond 2^53 stay apart."""
    if not len(numbers):
        return np.zeros(0)
    if numbers.dtype.kind == "f":
        endless = float(numbers[-1]) - float(numbers[0]) == np.inf
        ways = numbers / 2 - numbers[0] / 2 if endless else numbers - numbers[0]
    else:
        wide = numbers.astype(np.int64).view(np.uint64)
        ways = (wide - wide[0]).astype(np.float64)  # wraps around: exact even where the difference needs 64 bits
    return np.asarray(ways / ways[-1] if ways[-1] > 0 else ways)


def _leaf_numbers(whole: Hierarchy, domain: pl.Series, type_: str) -> NDArray[Any]:
    """The hierarchy's leaves as numbers, ascending; without what a file lists and is no such value, as `unknown`."""
    texts = pl.Series(whole.leaves, dtype=pl.String)
    values = texts.str.to_date("%Y-%m-%d", strict=False) if type_ == "date" else texts.cast(domain.dtype, strict=False)
    return values.drop_nulls().sort().to_physical().to_numpy()
