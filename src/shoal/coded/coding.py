"""Coding: from the distinct values of a column to its domain, and the code of each of these values.

Codes follow the values alone (numbers ascending, trees depth-first), so that what a search finds does not depend on the
order of the input rows. Rows are coded by engines; nothing here sees one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal import hierarchies
from shoal.arrays import Array, Float64, Int32, Int64
from shoal.coded import loss
from shoal.coded.domains import RANGE, SET, TREE, QuasiDomain, SensitiveDomain
from shoal.errors import HierarchyError, PlanError
from shoal.hierarchies.base import Hierarchy, text_of
from shoal.labels import MISSING
from shoal.roles.columns import Column
from shoal.table import typed


class DistinctValues(NamedTuple):
    """The distinct raw values of a column, null among them where there is one, and int64 [d] the rows of each."""

    values: pl.Series
    counts: Int64


@dataclass(frozen=True)
class Publishing:
    """How columns are published. `categories`: text by "hierarchy" or as "sets". `ranges`: "tight" or "cut".

    `by_level`: whether every quasi-identifier needs a hierarchy, for algorithms that recode by level.
    """

    categories: str = "hierarchy"
    ranges: str = "tight"
    by_level: bool = False


def code_quasi(
    distinct: DistinctValues, settings: Column, missing: Sequence[str], publishing: Publishing
) -> tuple[QuasiDomain, Int32]:
    """The domain of a quasi-identifier, and int32 [d] the code of every distinct raw value."""
    name = distinct.values.name
    type_, values = typed(distinct.values, type=settings.type, missing=missing)
    values = bounded(values, type_, settings, name)
    domain, of_distinct = _ranked(values)
    counts = np.zeros(len(domain), np.int64)
    np.add.at(counts, of_distinct, distinct.counts)
    described, order = _described(name, type_, domain, counts, settings, publishing)
    return replace(described, ranges=publishing.ranges), _places(order)[of_distinct]


def code_sensitive(distinct: DistinctValues, settings: Column, missing: Sequence[str]) -> tuple[SensitiveDomain, Int32]:
    """The domain of a sensitive column, and int32 [d] the code of every distinct raw value.

    Codes are ordered by value; values are text unless the plan gives a type.
    """
    name = distinct.values.name
    values = typed(distinct.values, type=settings.type or "text", missing=missing).values
    domain, of_distinct = _ranked(values)
    hierarchy, order = None, np.arange(len(domain))
    if settings.hierarchy is not None:
        whole, leaf_of = _placed(name, domain.drop_nulls(), settings.hierarchy, None)
        ranks = np.empty(len(whole.leaves), np.int64)
        ranks[whole.depth_first()] = np.arange(len(whole.leaves))
        in_order = np.argsort(ranks[leaf_of], kind="stable")
        hierarchy = whole.reordered(leaf_of[in_order])
        order = in_order
        if domain.null_count():  # missing is first, and a branch of its own, whatever a file says of it
            hierarchy, order = hierarchy.with_missing(), np.concatenate([[0], in_order + 1])
    labels = text_of(domain.gather(order)).fill_null(MISSING).to_list()
    return SensitiveDomain(name, tuple(labels), settings, hierarchy), _places(order)[of_distinct]


def _places(order: Int64) -> Int32:
    """int32 [n]: the place of every value in the order."""
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


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
    name: str, type_: str, domain: pl.Series, counts: Int64, settings: Column, publishing: Publishing
) -> tuple[QuasiDomain, Int64]:
    """How the column is published, and the order of its codes as places in `domain`."""
    spec = settings.hierarchy or hierarchies.default_for(type_)
    if spec is None and publishing.by_level:
        spec = hierarchies.Learned()  # balanced bands of the data's own values
    whole, leaf_of = (None, None) if spec is None else _placed(name, domain, spec, counts)
    as_sets = publishing.categories == "sets" and not publishing.by_level
    published = (SET if type_ == "text" else RANGE) if as_sets else (TREE if whole else RANGE)
    leaves = len(whole.leaves) if whole else len(domain)
    if published != TREE or whole is None or leaf_of is None:
        numbers = _leaf_numbers(whole, domain, type_) if whole and published == RANGE else None
        position = _positions(domain, type_, numbers, leaves)
        described = QuasiDomain(name, type_, domain, published, settings, leaves, position, leaf_numbers=numbers)
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
    described = QuasiDomain(name, type_, values, TREE, settings, leaves, position, tree, under, learned=learned)
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


def _positions(domain: pl.Series, type_: str, leaf_numbers: Array | None, leaves: int) -> Float64:
    """float64 [codes] from 0 to 1: where each value lies in its column's range; a missing value lies a range away.

    With a hierarchy the range is counted in leaves, so that a range and a tree node of as many leaves lose as much.
    """
    if type_ == "text":
        return np.linspace(0.0, 1.0, len(domain))
    numbers = domain.drop_nulls().to_physical().to_numpy()
    shares = _shares(numbers)
    if leaf_numbers is not None:
        shares = loss.position_of_leaf(np.searchsorted(leaf_numbers, numbers), leaves)
    return np.concatenate([[shares.min(initial=0.0) - 1.0], shares]) if domain.null_count() else shares


def _shares(numbers: Array) -> Float64:
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


def _leaf_numbers(whole: Hierarchy, domain: pl.Series, type_: str) -> Array:
    """The hierarchy's leaves as numbers, ascending; without what a file lists and is no such value, as `unknown`."""
    texts = pl.Series(whole.leaves, dtype=pl.String)
    values = texts.str.to_date("%Y-%m-%d", strict=False) if type_ == "date" else texts.cast(domain.dtype, strict=False)
    return values.drop_nulls().sort().to_physical().to_numpy()
