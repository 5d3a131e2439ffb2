"""Coding: from the distinct values of a column to its domain, and to the code of each of these values.

Codes depend on the values only (numbers ascending, trees depth-first), so the result of a search does not depend on the
order of the input rows. Engines code the rows; this module never sees one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal import hierarchies
from shoal.arrays import Array, Float64, Int32, Int64
from shoal.coded.counted import Coded, coded_values
from shoal.coded.domains import RANGE, SET, TREE, ItemDomain, QuasiDomain, SensitiveDomain, TargetDomain
from shoal.counts import counted
from shoal.errors import HierarchyError, PlanError, TableError
from shoal.hierarchies.base import Hierarchy, Level, text_of
from shoal.hierarchies.protected import ambiguous, require_nodes
from shoal.labels import MISSING, exact
from shoal.roles.columns import Column, quasi_sensitive
from shoal.roles.knowledge import Knowledge
from shoal.table import AS_SHOWN, Notation, read_sets, typed

_BOUNDS = {"integer": (int, float), "real": (int, float), "date": (date,), "datetime": (date,)}
"""The types that the top and bottom of a column may have; a datetime is a date, too."""


_MOST_CATEGORIES = 10
"""A target with more numbers than this is a number, unless the plan gives it a type."""


class DistinctValues(NamedTuple):
    """The distinct raw values of a column, null included if it occurs, and int64 [d] the number of rows of each."""

    values: pl.Series
    counts: Int64


@dataclass(frozen=True)
class Publishing:
    """How columns are published.

    `categories`: text by "hierarchy" or as "sets". `ranges`: "tight" or "cut". `by_level`: whether every
    quasi-identifier needs a hierarchy, for algorithms that recode by level.
    """

    categories: str = "hierarchy"
    ranges: str = "tight"
    by_level: bool = False


def code_quasi(
    distinct: DistinctValues,
    settings: Column,
    missing: Sequence[str],
    publishing: Publishing,
    notation: Notation = AS_SHOWN,
) -> tuple[QuasiDomain, Int32]:
    """The domain of a quasi-identifier, and int32 [d] the code of every distinct raw value."""
    name = distinct.values.name
    type_, values = typed(distinct.values, type=settings.type, missing=missing, notation=notation)
    values = bounded(values, type_, settings, name)
    domain, of_distinct = _ranked(values)
    counts = np.zeros(len(domain), np.int64)
    np.add.at(counts, of_distinct, distinct.counts)
    described, order = _described(name, type_, domain, counts, settings, publishing)
    codes = _places(order)[of_distinct]
    if settings.limited:
        _require_values(described)
    if settings.finest:
        described, codes = _at_finest(described, codes)
    return replace(described, ranges=publishing.ranges), codes


def code_sensitive(
    distinct: DistinctValues, settings: Column, missing: Sequence[str], notation: Notation = AS_SHOWN
) -> tuple[SensitiveDomain, Int32]:
    """The domain of a sensitive column, and int32 [d] the code of every distinct raw value.

    Codes are in the order of the values. Values are text unless the plan gives a type.
    """
    name = distinct.values.name
    values = typed(distinct.values, type=settings.type or "text", missing=missing, notation=notation).values
    domain, of_distinct = _ranked(values)
    hierarchy, order = None, np.arange(len(domain))
    if settings.hierarchy is not None:
        full, leaf_of = _placed(name, domain.drop_nulls(), settings.hierarchy, None)
        if settings.protected:
            require_nodes(name, settings.protected, settings.hierarchy, full)
        ranks = np.empty(len(full.leaves), np.int64)
        ranks[full.depth_first()] = np.arange(len(full.leaves))
        in_order = np.argsort(ranks[leaf_of], kind="stable")
        hierarchy = full.reordered(leaf_of[in_order])
        order = in_order
        if domain.null_count():  # missing is first, and a separate branch, even if a file lists it elsewhere
            hierarchy, order = hierarchy.with_missing(), np.concatenate([[0], in_order + 1])
    labels = text_of(domain.gather(order)).fill_null(MISSING).to_list()
    return SensitiveDomain(name, tuple(labels), settings, hierarchy), _places(order)[of_distinct]


def code_items(distinct: DistinctValues, settings: Column, missing: Sequence[str]) -> tuple[ItemDomain, Int32]:
    """The domain of a set-valued column, and int32 [d] the set of every distinct raw value.

    Sets are in the order of their canonical texts, so the empty set is the first if it occurs.
    """
    sets = read_sets(distinct.values, settings.separator, missing)
    codes = _ranks(sets.texts(settings.separator))
    example = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    example[codes] = np.arange(len(codes))
    lengths = np.diff(sets.offsets)[example]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    members = sets.members[np.repeat(sets.offsets[example], lengths) + within]
    items = tuple(sets.items.to_list())
    return ItemDomain(distinct.values.name, items, offsets, members, settings), codes.astype(np.int32)


def with_tree(domain: ItemDomain, missing: Sequence[str]) -> ItemDomain:
    """The domain with the hierarchy of its items; raises if a label of it could not be read as an item of a cell."""
    items = pl.Series(domain.name, domain.items, dtype=pl.String)
    full, leaf_of = _placed(domain.name, items, domain.settings.hierarchy, None)
    tree = full.reordered(leaf_of)
    labels = {label for level in tree.levels[1:] for label in level.labels}
    separator = domain.settings.separator
    if odd := sum(separator in label or label.strip() != label or label in missing for label in labels):
        raise HierarchyError(
            f"Column '{domain.name}': {counted(odd, 'label', 'labels')} of its hierarchy cannot be an item of a cell.",
            allowed=f"A label has no separator {separator!r} and no blanks around it, and is no missing value.",
            hint='rename it in the hierarchy, or choose another separator, such as items = ";".',
        )
    if several := ambiguous(full):
        names = counted(len(several), "label names", "labels name")
        raise HierarchyError(
            f"Column '{domain.name}': {names} several nodes of its hierarchy.",
            allowed="A released label must name one node, or nodes that lie within each other.",
            hint="rename one of them in the hierarchy.",
        )
    under = np.stack([level.leaves_under[level.of_leaf[leaf_of]] for level in full.levels])
    return replace(domain, hierarchy=tree, leaves_under=under)


def coded_sets(
    columns: Mapping[str, Sequence[str]], knowledge: Knowledge | None = None, beside: Coded | None = None
) -> Coded:
    """Rows with these sets of items, for examples and tests; `beside`: the same rows with other columns.

    >>> coded = coded_sets({"symptoms": ["fever|cough", "", "cough|fever"]})
    >>> coded.items["symptoms"].items, coded.counted.items["symptoms"].tolist()
    (('cough', 'fever'), [1, 0, 1])
    """
    rows = len(next(iter(columns.values())))
    coded = coded_values({}, weight=[1] * rows) if beside is None else beside
    domains, codes = {}, {}
    for name, texts in columns.items():
        values = pl.Series(name, texts, dtype=pl.String)
        domain, codes[name] = code_items(DistinctValues(values, np.ones(rows, np.int64)), quasi_sensitive(), ())
        domains[name] = replace(domain, knowledge=knowledge)
    return replace(coded, items=domains, counted=replace(coded.counted, items=codes))


def describe_target(
    distinct: DistinctValues,
    settings: Column,
    missing: Sequence[str],
    domain: SensitiveDomain,
    codes: Int32,
    notation: Notation = AS_SHOWN,
) -> TargetDomain:
    """The target whose distinct raw values have these codes.

    It has numbers if the plan gives it such a type or, without a type, if it has more than a few different numbers or
    dates. Few numbers are more often codes of categories.
    """
    type_, values = typed(distinct.values, type=settings.type, missing=missing, notation=notation)
    absent = domain.labels.index(MISSING) if MISSING in domain.labels else -1
    few = settings.type is None and values.drop_nulls().n_unique() <= _MOST_CATEGORIES
    if type_ == "text" or few:
        return TargetDomain(domain.name, absent, None)
    numbers = np.full(domain.size, math.nan)
    numbers[codes] = values.to_physical().cast(pl.Float64).fill_null(math.nan).to_numpy()
    return TargetDomain(domain.name, absent, numbers)


def _places(order: Int64) -> Int32:
    """int32 [n]: the position of every value in the order."""
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def _ranked(values: pl.Series) -> tuple[pl.Series, Int64]:
    """The distinct values ascending, null first if it occurs, and the position of every given value among them."""
    if values.dtype.is_float():
        values = values + 0.0  # -0.0 and 0.0 are one value
    return values.unique().sort(nulls_last=False), _ranks(values)


def _ranks(values: pl.Series) -> Int64:
    """int64 [n]: the position of every value among the distinct ones, null first if it occurs."""
    shift = 0 if values.null_count() else 1
    return values.rank("dense").fill_null(0).to_numpy().astype(np.int64) - shift


def bounded(values: pl.Series, type_: str, settings: Column, name: str) -> pl.Series:
    """Applies top- and bottom-coding, before all other steps."""
    for bound, which in ((settings.bottom, "bottom"), (settings.top, "top")):
        if bound is None:
            continue
        if not isinstance(bound, _BOUNDS.get(type_, ())) or (type_ == "date" and isinstance(bound, datetime)):
            raise PlanError(f"Column '{name}' is {type_}, and its {which} is not.")
        limit: Any = bound
        if type_ == "datetime" and not isinstance(bound, datetime):  # a date is its midnight
            limit = datetime.combine(limit, time(0))
        if type_ == "integer":  # the next whole number inside
            inside = math.ceil(limit) if which == "bottom" else math.floor(limit)
            limit = min(max(inside, -(2**63)), 2**63 - 1)
        values = values.clip(lower_bound=limit) if which == "bottom" else values.clip(upper_bound=limit)
    return values


def _described(
    name: str, type_: str, domain: pl.Series, counts: Int64, settings: Column, publishing: Publishing
) -> tuple[QuasiDomain, Int64]:
    """How the column is published, and the order of its codes as positions in `domain`."""
    spec = settings.hierarchy or hierarchies.default_for(type_)
    if spec is None and settings.limited:
        raise PlanError(
            f"Column '{name}' has 'finest' or 'coarsest', but no hierarchy whose levels these could be.",
            hint='hierarchy = { kind = "intervals", widths = [5, 10, 20] }',
        )
    if spec is None and publishing.by_level:
        spec = hierarchies.Learned()  # balanced bands of the data's own values
    full, leaf_of = (None, None) if spec is None else _placed(name, domain, spec, counts)
    as_sets = publishing.categories == "sets" and not publishing.by_level and not settings.limited
    published = (SET if type_ == "text" and as_sets else TREE) if full else RANGE
    leaves = len(full.leaves) if full else len(domain)
    if published != TREE or full is None or leaf_of is None:
        described = QuasiDomain(name, type_, domain, published, settings, leaves, _positions(domain, type_))
        return described, np.arange(len(domain))
    weights = np.zeros(len(full.leaves), np.int64)
    weights[leaf_of] = counts
    ranks = np.empty(len(full.leaves), np.int64)
    ranks[full.depth_first(weights)] = np.arange(len(full.leaves))
    order = np.argsort(ranks[leaf_of], kind="stable")
    used = leaf_of[order]
    under = np.stack([level.leaves_under[level.of_leaf[used]] for level in full.levels])
    values = domain.gather(order)
    position = np.linspace(0.0, 1.0, len(values))
    tree, learned = full.reordered(used), isinstance(spec, hierarchies.Learned)
    described = QuasiDomain(name, type_, values, TREE, settings, leaves, position, tree, under, learned=learned)
    return described, order


def _require_values(described: QuasiDomain) -> None:
    """Raises if a value reads like a label of a higher level: a reader could not tell whether a limit was respected."""
    texts = [exact(text) for text in described.texts]
    spec = described.settings.hierarchy
    if spec is None:
        return
    placed = spec.placed(texts)
    levels, elsewhere = ~np.isnan(placed.by_level), np.isnan(placed.outside)
    if odd := int((~levels[0] & levels[1:].any(axis=0) & elsewhere).sum()):
        raise TableError(
            f"Column '{described.name}' has {counted(odd, 'value', 'values')} that would be read as labels of its "
            "hierarchy, so nobody could verify 'finest' and 'coarsest'.",
            hint="omit both, or drop the column.",
        )


def _at_finest(described: QuasiDomain, codes: Int32) -> tuple[QuasiDomain, Int32]:
    """The domain whose codes are the nodes at the finest level that may be published, and the new codes.

    Like top and bottom coding, this comes before the search, so no algorithm can publish anything finer.
    """
    tree, under = described.tree, described.leaves_under
    assert under is not None
    finest = min(described.settings.finest, tree.height)
    base = tree.levels[finest]
    levels = [Level(level.labels, level.of_leaf[base.first_leaf]) for level in tree.levels[finest:]]
    labels = pl.Series(described.name, base.labels, dtype=pl.String)
    if finest == tree.height:  # only `*` may be published
        levels.append(levels[0])
        under = np.concatenate([under, under[-1:]])
    coarse = replace(
        described,
        values=labels.set(labels == MISSING, None),
        position=np.linspace(0.0, 1.0, len(labels)),
        hierarchy=Hierarchy(tuple(levels)),
        leaves_under=under[finest:, base.first_leaf],
        finest=finest,
    )
    return coarse, base.of_leaf[codes]


def _placed(name: str, domain: pl.Series, spec: Any, counts: Int64 | None) -> tuple[Hierarchy, Int64]:
    """The hierarchy with all its leaves, and the leaf of every domain value.

    A missing value adds a leaf.
    """
    present = domain.drop_nulls()
    tally = None if counts is None else pl.Series(counts[len(domain) - len(present) :])
    if present.is_empty():  # no value of the hierarchy occurs
        spec = hierarchies.Flat()
    try:
        full = spec.build(present, tally)
    except HierarchyError as error:
        raise HierarchyError(f"Column '{name}': {error.fact}", allowed=error.allowed, hint=error.hint) from None
    if domain.null_count():
        full = full.with_missing()
    index = full.index
    return full, np.array([index[text] for text in text_of(domain).fill_null(MISSING)], np.int64)


def _positions(domain: pl.Series, type_: str) -> Float64:
    """float64 [codes] from 0 to 1: the position of each value in the range of its column.

    A missing value lies one full range below.
    """
    if type_ == "text":
        return np.linspace(0.0, 1.0, len(domain))
    shares = _shares(domain.drop_nulls().to_physical().to_numpy())
    return np.concatenate([[shares.min(initial=0.0) - 1.0], shares]) if domain.null_count() else shares


def _shares(numbers: Array) -> Float64:
    """Ascending numbers as shares of the distance from the first to the last.

    Neighbours beyond 2^53 stay distinct.
    """
    if not len(numbers):
        return np.zeros(0)
    if numbers.dtype.kind == "f":
        overflows = float(numbers[-1]) - float(numbers[0]) == np.inf
        distances = numbers / 2 - numbers[0] / 2 if overflows else numbers - numbers[0]
    else:
        wide = numbers.astype(np.int64).view(np.uint64)
        distances = (wide - wide[0]).astype(np.float64)  # wraps around, and so is exact for differences of 64 bits
    return np.asarray(distances / distances[-1] if distances[-1] > 0 else distances)
