"""Replaying a specialization on the released table: the steps that lead to its labels, found from the table alone.

The steps of the search itself depend on values that were merged or suppressed, so they are not published.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int32, Int64, UInt32
from shoal.coded.coding import DistinctValues, code_items, code_sensitive
from shoal.coded.counted import Coded, Counted, reference_counts
from shoal.coded.domains import RANGE, TREE, QuasiDomain
from shoal.coded.keys import distinct_recoded
from shoal.coded.record import Specialized
from shoal.engines.dictionary import dictionary
from shoal.errors import ShoalError
from shoal.hierarchies.base import Hierarchy, HierarchySpec
from shoal.hierarchies.placing import extents, meanings
from shoal.labels import ANY, MISSING
from shoal.plan import Plan
from shoal.roles.columns import Column
from shoal.table import Runs
from shoal.verification.labelled import Labelled, hierarchy

_FINE = 2**40
"""Leaves in which losses between 0 and 1 are counted, so many that rounding does not matter."""


class Replay(NamedTuple):
    """The replayed steps, and the released values of each column in the order to which the steps refer."""

    steps: tuple[Specialized, ...] | None = None
    values: Mapping[str, tuple[str, ...]] = {}


def replayed(released: Runs, plan: Plan, columns: Mapping[str, Labelled], rows_out: int) -> Replay:
    """The steps that the plan's algorithm takes from `*` to the released labels; none if it does not specialize.

    `rows_out`: the number of input rows that were not released.
    """
    if not plan.algorithm.specializes:
        return Replay()
    domains = [_domain(name, column, plan) for name, column in columns.items()]
    values = {domain.name: tuple(domain.texts) for domain in domains}
    try:
        steps = plan.algorithm.replayed(_coded(released, plan, domains, rows_out), plan.searched)
    except ShoalError:  # the models hold for the classes, but not on the way to them
        steps = ()
    return Replay(steps, values)


def _domain(name: str, column: Labelled, plan: Plan) -> QuasiDomain:
    """The released labels as values: numbers in their order, all others below their hierarchy."""
    ends = extents(meanings(column.labels))
    apart = np.array([label in (MISSING, ANY) for label in column.labels])
    if plan.columns[name].hierarchy is None and not apart.all() and not np.isnan(ends[~apart]).any():
        return _of_numbers(name, column, ends, apart)
    return _of_tree(name, column, hierarchy(plan, name))


def _of_numbers(name: str, column: Labelled, ends: Float64, apart: Flags) -> QuasiDomain:
    """Ranges of numbers. A missing value lies one full range below, alone or together with numbers as `*`."""
    low, distance = ends[~apart].min(), np.ptp(ends[~apart]) or 1.0
    position = np.where(apart, -1.0, (ends[:, 0] - low) / distance)
    extent = np.where(apart, column.placed.losses, (ends[:, 1] - ends[:, 0]) / distance)
    order = np.argsort(position, kind="stable")
    return _labels_as_values(name, column, order, published=RANGE, position=position[order], extent=extent[order])


def _of_tree(name: str, column: Labelled, spec: HierarchySpec) -> QuasiDomain:
    """Labels below their hierarchy, whose nodes lose what the specification says."""
    full = _tree(spec.paths(column.labels))
    order = full.depth_first(column.rows)
    tree = full.reordered(order)
    losses = [spec.placed(level.labels, column.labels).losses for level in tree.levels[:-1]]
    losses[0] = column.placed.losses[order]
    shares = np.stack(
        [np.nan_to_num(lost, nan=1.0)[level.of_leaf] for lost, level in zip(losses, tree.levels, strict=False)]
        + [np.ones(len(order))]
    )
    under = 1 + np.rint(shares * (_FINE - 1)).astype(np.int64)
    place = np.linspace(0.0, 1.0, len(order))
    return _labels_as_values(name, column, order, published=TREE, position=place, hierarchy=tree, leaves_under=under)


def _labels_as_values(name: str, column: Labelled, order: Int64, **facts: Any) -> QuasiDomain:
    """A column whose values are the released labels, in this order."""
    labels = pl.Series(column.labels, dtype=pl.String).gather(order)
    values = labels.set(labels == MISSING, None)
    leaves = _FINE if "leaves_under" in facts else len(order)
    return QuasiDomain(
        name=name, type="text", values=values, settings=Column(role="quasi-identifier"), leaves=leaves, **facts
    )


def _tree(paths: list[tuple[str, ...]]) -> Hierarchy:
    """The hierarchy of these paths, of which short ones begin higher."""
    height = max(2, *map(len, paths))
    return Hierarchy.from_paths([(path[0],) * (height - len(path)) + path for path in paths])


def _coded(released: Runs, plan: Plan, domains: list[QuasiDomain], rows_out: int) -> Coded:
    """The released rows, coded by their labels."""
    target = plan.guide
    reads = list(dict.fromkeys((*plan.reads, *([] if target is None else [target]))))
    columns = {
        name: _values(released, name) for name in (*(each.name for each in domains), *reads, *plan.quasi_sensitive)
    }
    read = [code_sensitive(columns[name].distinct, plan.columns[name], plan.data.absent) for name in reads]
    sets = [code_items(columns[name].distinct, plan.columns[name], plan.data.absent) for name in plan.quasi_sensitive]
    codes = {domain.name: _label_codes(domain, columns[domain.name].distinct.values) for domain in domains}
    codes |= {domain.name: of_value for domain, of_value in read}
    codes |= {domain.name: of_value for domain, of_value in sets}
    counted, weight = _counted([(columns[name].codes, of_value) for name, of_value in codes.items()], released.times)
    others = dict(zip([domain.name for domain, _ in read], counted[len(domains) :], strict=False))
    of_rows = dict(zip(plan.quasi_sensitive, counted[len(domains) + len(read) :], strict=True))
    guide = None if target is None else others[target]
    others = {name: others[name] for name in plan.reads}
    sensitive = {domain.name: domain for domain, _ in read if domain.name in others}
    reference = {name: reference_counts(others[name], domain.size, weight, None) for name, domain in sensitive.items()}
    rows = Counted(counted[: len(domains)], weight, others, of_rows, None, guide, reference, rows_out)
    return Coded(tuple(domains), sensitive, rows, {domain.name: domain for domain, _ in sets})


class _Values(NamedTuple):
    """A released column: uint32 [runs] the distinct value of each run, and these with the rows of each."""

    codes: UInt32
    distinct: DistinctValues


def _values(released: Runs, name: str) -> _Values:
    column = released[name]
    coded = dictionary(column.cast(pl.String) if isinstance(column.dtype, pl.Categorical | pl.Enum) else column)
    counts = np.zeros(len(coded.distinct), np.int64)
    np.add.at(counts, coded.codes, released.times)
    return _Values(coded.codes, DistinctValues(coded.distinct, counts))


def _label_codes(domain: QuasiDomain, values: pl.Series) -> Int32:
    place = {label: code for code, label in enumerate(domain.texts)}
    return np.array([place[label] for label in values.fill_null(MISSING)], np.int32)


def _counted(columns: list[tuple[UInt32, Int32]], times: Int64) -> tuple[Int32, Int64]:
    """The distinct rows of coded columns, and the rows of each: int32 [columns, d], int64 [d]."""
    if not columns:
        return np.zeros((0, 1), np.int32), np.array([times.sum()], np.int64)
    ids, firsts, _ = distinct_recoded(columns)
    weight = np.zeros(len(firsts), np.int64)
    np.add.at(weight, ids, times)
    return np.stack([of_value[codes[firsts]] for codes, of_value in columns]), weight
