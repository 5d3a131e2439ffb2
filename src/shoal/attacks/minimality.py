"""Minimality attack: the intruder runs the algorithm on every table that the individuals may have had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod
from typing import ClassVar

import numpy as np
import polars as pl

from shoal import forms
from shoal.arrays import Float64, Int64
from shoal.attacks.base import Attack, Outcome, of_share
from shoal.attacks.matching import known_of, matching
from shoal.attacks.target import Groups, Target
from shoal.coded.recoding import shown_columns
from shoal.counts import counted
from shoal.engines.fitting import fit, published_columns, sensitive_text
from shoal.engines.local import LocalEngine
from shoal.errors import CannotBeMet, PlanError
from shoal.forms.base import Publishable
from shoal.forms.generalized import RELEASE
from shoal.plan import Plan
from shoal.progress import Progress, silent
from shoal.verification.regrouping import canonical

_MOST_ROWS = 40
_MOST_TABLES = 50
_FEWEST_TABLES = 10
_NODES = 250_000
"""The number of lattice nodes that all runs together may check; a few seconds."""
_NODES_OF_A_RUN = 1_500
"""What a run costs besides its search, as a number of nodes."""
_MOST_MEMBERS = 8
"""Larger classes have more orders than can be listed, even if few of them differ."""


@dataclass(frozen=True)
class Minimality(Attack):
    """Keeps the tables from which the algorithm makes exactly this release, and reads sensitive values from them.

    An algorithm generalizes no more than the models require, so that its choice depends on the sensitive values. Within
    every class, the released values are assigned to the individuals in every possible way, or in a sample of them, and
    the plan is run on each table. No model promises anything about this intruder. Only tables of up to 40 rows are
    tried, and the larger the lattice of the plan, the fewer ways.
    Paper: Wong, Fu, Wang, Pei 2007.
    """

    kind: ClassVar[str] = "minimality"
    about: ClassVar[str] = "runs the algorithm again on every table that may have led to the release"
    against: ClassVar[str] = ""
    knows: ClassVar[str] = "The plan, the algorithm, and all quasi-identifiers of all individuals."

    def applies(self, target: Target) -> str:
        raw = target.raw
        if raw is None:
            return "The raw table, from which the individuals are known, is not given."
        if target.is_anatomy or not target.sensitive:
            return "The release is an anatomy, or has no sensitive column."
        if target.rows > _MOST_ROWS:
            return f"The release has more than {_MOST_ROWS} rows."
        if raw.height != target.rows:
            return "Some rows of the raw table are not released."
        if _runs(raw, target.plan) < _FEWEST_TABLES:
            return "The lattice of the plan has too many nodes to run its algorithm again and again."
        return "" if _members(target, raw) is not None else "The labels do not show which individuals form a class."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        raw = target.raw
        assert raw is not None
        classes = _members(target, raw)
        assert classes is not None
        values = [name for name in raw.columns if name not in target.quasi_identifiers]
        kinds = _kinds(raw.select(name for name in values if name in target.published))
        tables, consistent = _tables(classes, kinds, _runs(raw, target.plan), target.seed), []
        for place, table in enumerate(tables):
            progress("tables", place / len(tables))
            released = _released(raw.with_columns(raw[name][table].alias(name) for name in values), target.plan)
            if released is not None and _equal(released, target.main.expanded()):
                consistent.append(table)
        tried = f"of {counted(len(tables), 'table', 'tables')} that were tried"
        return tuple(self._outcome(target, raw, column, classes, consistent, tried) for column in target.sensitive)

    def _outcome(
        self,
        target: Target,
        raw: pl.DataFrame,
        column: str,
        classes: Sequence[Int64],
        consistent: Sequence[Int64],
        tried: str,
    ) -> Outcome:
        settings, data = target.plan.columns[column], target.plan.data
        truth = canonical(raw[column], settings, data.absent, data.notation).fill_null("").to_numpy()
        by_class: Float64 = np.zeros(raw.height)
        for members in classes:
            by_class[members] = (truth[members][:, None] == truth[members][None, :]).mean(axis=1)
        right = np.mean([truth[table] == truth for table in consistent], axis=0) if consistent else by_class
        return of_share(
            self,
            float(right.sum()),
            raw.height,
            baseline=float(by_class.mean()),
            bound=None,
            measured=f"The mean probability of an individual's own value among those tables, {tried}, that lead to "
            "this release; the baseline is its share in the class.",
            column=column,
        )


def _members(target: Target, raw: pl.DataFrame) -> list[Int64] | None:
    """The raw rows of every class; None if the labels of several classes cover an individual."""
    known = known_of(raw, target)
    if set(known.labels.columns) != set(target.quasi_identifiers):
        return None
    pairs = matching(target.labelled, known, target.plan)
    own = [pairs.matched(group).tolist() for group in range(len(known))]
    if any(len(each) != 1 for each in own):
        return None
    class_of = np.array([each[0] for each in own])[known.of_run]
    sizes = np.bincount(class_of, minlength=len(target.labelled))
    return _split(class_of, target.labelled) if (sizes == target.labelled.sizes).all() else None


def _split(class_of: Int64, groups: Groups) -> list[Int64]:
    return [np.flatnonzero(class_of == number) for number in range(len(groups))]


def _kinds(values: pl.DataFrame) -> Int64:
    """int64 [rows]: equal numbers for rows that are alike in everything but their quasi-identifiers."""
    return values.select(pl.struct(pl.all()).rank("dense")).to_series().cast(pl.Int64).to_numpy()


def _runs(raw: pl.DataFrame, plan: Plan) -> int:
    """How often the plan can be run again, by the size of its lattice: the same on every machine."""
    if not plan.algorithm.recodes_by_level:
        return _MOST_TABLES
    try:
        domains = fit(LocalEngine(raw), plan).coded.quasi
    except (CannotBeMet, PlanError):
        return _MOST_TABLES  # each run ends as early
    return min(_MOST_TABLES, _NODES // (_NODES_OF_A_RUN + prod(domain.coarsest + 1 for domain in domains)))


def _tables(classes: Sequence[Int64], kinds: Int64, most: int, seed: int) -> list[Int64]:
    """All ways to assign the values of each class to its members, or a sample of `most` of them.

    A way is given by the raw row, int64 [rows], whose values each individual gets.
    """
    ways = [
        factorial(len(members)) // prod(factorial(n) for n in Counter(kinds[members].tolist()).values())
        for members in classes
    ]
    rows = max((int(members.max()) for members in classes if len(members)), default=-1) + 1
    if prod(ways) <= most and max(len(members) for members in classes) <= _MOST_MEMBERS:
        arranged = product(*(_arrangements(members, kinds) for members in classes))
        return [_assembled(classes, each, rows) for each in arranged]
    draw = np.random.default_rng(seed)
    return [_assembled(classes, [draw.permutation(each) for each in classes], rows) for _ in range(most)]


def _arrangements(members: Int64, kinds: Int64) -> Iterator[Int64]:
    """The members in every order that differs in what they have."""
    seen: set[tuple[int, ...]] = set()
    for order in permutations(members.tolist()):
        key = tuple(kinds[list(order)].tolist())
        if key not in seen:
            seen.add(key)
            yield np.array(order, np.int64)


def _assembled(classes: Sequence[Int64], orders: Sequence[Int64], rows: int) -> Int64:
    table = np.arange(rows, dtype=np.int64)
    for members, order in zip(classes, orders, strict=True):
        table[members] = order
    return table


def _released(raw: pl.DataFrame, plan: Plan) -> pl.DataFrame | None:
    """The release of a table by the plan, not verified; None if the plan makes none."""
    try:
        fitted = fit(LocalEngine(raw), plan)
        coded, engine = fitted.coded, fitted.engine
        partition = plan.algorithm.partition(coded, plan.searched, plan.release.suppression, plan.seed, silent)
    except (CannotBeMet, PlanError):
        return None
    shown = shown_columns(partition.recoding, coded, partition.members)
    columns = published_columns(engine.columns, plan)
    sensitive = {name: sensitive_text(engine, name, plan) for name in columns if name in plan.sensitive}
    layout = forms.by_kind(plan.release.form).layout(Publishable(columns, shown, fitted.exact_text, sensitive))
    return engine.publish(partition, layout, plan.data.person).tables[RELEASE].expanded()


def _equal(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two tables have the same rows, in any order and however their cells are stored."""
    first, second = (frame.select(pl.all().cast(pl.String).fill_null("")) for frame in (one, other))
    return first.columns == second.columns and first.sort(pl.all()).equals(second.sort(pl.all()))
