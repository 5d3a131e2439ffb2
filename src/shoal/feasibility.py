"""Models that cannot be met: which of them block, why, and the nearest parameters that would hold.

All hierarchies end in a single value, so any recoding can be raised until all rows form one class. If a model fails
there, and merged passing classes would pass, then no recoding can help. Suppression can help if the model judges
shares.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.coded.counted import Coded
from shoal.coded.keys import distinct_rows
from shoal.coded.stats import ClassStats, MemberStats, whole_table
from shoal.counts import counted
from shoal.errors import CannotBeMet, PlanError
from shoal.exact import fraction
from shoal.labels import MISSING
from shoal.models.base import ClassModel, Monotone
from shoal.models.evidence import CLASS, COUNT, PERSON, Evidence, SensitiveFacts
from shoal.models.items import known, links_of
from shoal.percent import percent
from shoal.plan import Plan
from shoal.search.class_limits import rows_beyond
from shoal.verification.tables import facts

_PLACES = 10**4


def require_possible(coded: Coded, plan: Plan) -> None:
    """Raises CannotBeMet if a model fails with all rows in one class, and the allowed suppression cannot help.

    Also if the limits of the plan require more classes than a model allows.
    """
    _require_enough_labels(coded, plan)
    table = Whole.of(coded, plan)
    blocking = table.blocking
    if not blocking or all(table.may_be_helped(model) for model in blocking):
        _require_few_classes(table)
        return
    raise CannotBeMet(
        " ".join(table.why(model) for model in blocking),
        allowed="No recoding can help, because all classes are parts of this one.",
        hint="; ".join(table.remedy(model) for model in blocking) + ".",
    )


def _require_enough_labels(coded: Coded, plan: Plan) -> None:
    """Raises if a row links to a label, and the knowledge table has too few of them even for rows without items."""
    for model in plan.linking:
        domain = coded.items[model.column]
        reason = model.impossible(known(domain).size)
        if reason and links_of(domain).sizes[coded.counted.items[model.column]].any():
            raise CannotBeMet(
                f"Model '{model.kind}' ({_written(model)}) cannot be met by removing items. {reason}",
                hint="lower l or raise c, or name a knowledge table with more labels.",
            )


def _require_few_classes(table: Whole) -> None:
    """Raises if classes that 'coarsest' keeps apart are more than a model allows, and too large to be suppressed."""
    sizes = table.sizes_apart
    for model in table.plan.searched:
        most = model.most_classes(table.stats)
        if most is not None and rows_beyond(sizes, most) > table.limit:
            raise CannotBeMet(
                f"Model '{model.kind}' ({_written(model)}) cannot be met: the values of this table suffice for at most "
                f"{counted(most, 'class', 'classes')}, and the limits 'coarsest' of the plan keep {len(sizes)} apart.",
                allowed="Every class needs its own rows with different values.",
                hint=f"raise or omit 'coarsest', or relax '{model.kind}'.",
            )


@contextmanager
def explained(coded: Coded, plan: Plan) -> Iterator[None]:
    """Adds the blocking models to the error of a failed search."""
    try:
        yield
    except CannotBeMet as error:
        table = Whole.of(coded, plan)
        raise CannotBeMet(
            " ".join([error.fact, *(table.why(model) for model in table.blocking)]),
            allowed=error.allowed,
            hint="; ".join([error.hint.removesuffix("."), *(table.remedy(model) for model in table.blocking)]) + ".",
        ) from None


@dataclass(frozen=True)
class Whole:
    """All rows that the promises cover as a single class."""

    coded: Coded
    plan: Plan

    @classmethod
    def of(cls, coded: Coded, plan: Plan) -> Whole:
        """The rows of a table that the promises of a plan cover."""
        return cls(coded.in_scope, plan)

    @property
    def stats(self) -> MemberStats:
        return whole_table(self.coded)

    @property
    def blocking(self) -> list[ClassModel]:
        """The models that hold in no recoding.

        Either no class can be large enough, or the model fails on this class, into which all passing classes would
        merge.
        """
        stats, persons = self.stats, self.coded.counts_persons
        return [
            model
            for model in self.plan.searched
            if model.floor > stats.sizes[0] or (model.monotone.merges(persons) and not model.passes(stats)[0])
        ]

    @property
    def passes(self) -> bool:
        """Whether every model holds on this class, so that a release exists."""
        return all(model.passes(self.stats)[0] for model in self.plan.searched)

    @property
    def rows(self) -> int:
        return self.coded.counted.rows

    @property
    def sizes_apart(self) -> Int64:
        """int64 [classes]: the rows of the fewest classes that the limits 'coarsest' of the plan allow."""
        counted, limits = self.coded.counted, [domain.blocks for domain in self.coded.quasi]
        blocks = [limit[codes] for limit, codes in zip(limits, counted.quasi, strict=True) if limit is not None]
        apart = distinct_rows(blocks).ids if blocks else np.zeros(len(counted), np.int64)
        return np.bincount(apart, counted.weight).astype(np.int64)

    @property
    def limit(self) -> int:
        """The number of rows that may be suppressed; 0 if the algorithm does not suppress."""
        return math.floor(fraction(self.plan.release.suppression) * self.rows) if self.plan.algorithm.suppresses else 0

    def must_lose(self, model: ClassModel) -> int:
        """The fewest rows that must be suppressed before the model can hold."""
        return model.least_lost(self.stats, np.zeros(1, np.bool_))

    def may_be_helped(self, model: ClassModel) -> bool:
        """Whether the allowed suppression might let the model hold."""
        return self.limit > 0 and model.monotone is not Monotone.UPWARD and self.must_lose(model) <= self.limit

    def why(self, model: ClassModel) -> str:
        """What the model requires and what the table has, in counts only."""
        stats = self.stats
        who = "persons" if stats.counts_persons else "rows"
        size = int(stats.sizes[0])
        everyone = f"all {size} {who}" if size != 1 else f"the only {who.removesuffix('s')}"
        columns = [
            model.counted_in(stats, name) or _of_column(stats, name, model.names_values, who) for name in model.reads
        ]
        facts_there = f" There, {'; '.join(columns)}." if columns else ""
        return (
            f"Model '{model.kind}' ({_written(model)}) cannot be met: it does not hold even with {everyone} in a "
            f"single class.{facts_there}"
        )

    def remedy(self, model: ClassModel) -> str:
        """What would work instead."""
        known, changes = model.remedy(self.stats), self.nearest(model)
        if known:
            alone = " as a single class" if len(self.sizes_apart) > 1 else ""
            nearest = f"this table{alone} allows '{model.kind}' with {known}"
        elif changes:
            nearest = f"'{model.kind}' would hold with {_listed(changes)}"
        else:
            instead = model.alternative or "remove the model"
            nearest = f"no parameters of '{model.kind}' hold on this table: {instead}"
        return nearest + self._by_suppression(model)

    def _by_suppression(self, model: ClassModel) -> str:
        """How suppression would let the model hold, to append to a remedy."""
        if model.monotone is Monotone.UPWARD or model.judges_table:
            return ""
        rows = max(self.must_lose(model), 1)
        if rows >= self.rows:
            return ""
        if rows <= self.limit:
            return f", or more rows than the allowed {self.limit} would have to be suppressed: raise suppression"
        share = f"{rows} of {self.rows} rows ({percent(rows / self.rows)})"
        need = "" if self.plan.algorithm.suppresses else ", with an algorithm that suppresses, such as 'optimal'"
        return f", or at least {share} would have to be suppressed: raise suppression under [release]{need}"

    def nearest(self, model: ClassModel) -> dict[str, Any]:
        """The parameters that must change for the model to hold on all rows, with their values; empty if none do."""
        achieved = model.holds(self.evidence(model)).achieved
        for changes in _changes(model, achieved):
            try:
                changed: ClassModel = dataclasses.replace(model, **changes)  # type: ignore[type-var]
            except PlanError:
                continue  # such as k = 1, which is no valid k
            if changed.passes(self.stats)[0]:
                return changes
        return {}

    def evidence(self, model: ClassModel) -> Evidence:
        """The table as verification would see it if it were released as one class."""
        counted = self.coded.counted
        columns = {CLASS: pl.zeros(len(counted), dtype=pl.Int64, eager=True), COUNT: pl.Series(counted.weight)}
        if counted.person is not None:
            columns[PERSON] = pl.Series(counted.person)
        for name in model.reads:
            labels = pl.Series([text or None for text in self.coded.sensitive[name].labels], dtype=pl.String)
            columns[name] = labels.gather(counted.sensitive[name])
        known = {
            name: facts(self.plan.columns[name], columns[name], tree=name in model.reads_trees) for name in model.reads
        }
        for name in model.reads_items:
            columns[name] = self.coded.items[name].texts.fill_null(MISSING).gather(counted.items[name])
            known[name] = SensitiveFacts(self.plan.columns[name])
        shown = pl.DataFrame({CLASS: [0], **{name: ["*"] for name in self.coded.names}})
        return Evidence(pl.DataFrame(columns), known, labels=shown)


def _of_column(stats: ClassStats, name: str, named: Sequence[str], who: str) -> str:
    """The facts about a sensitive column, in counts only."""
    sensitive = stats.domain(name)
    counts = stats.counts(name).without(sensitive.missing)
    if named:
        listed = np.array([label in named for label in sensitive.labels])
        most = int(counts.counts[listed[counts.values]].max(initial=0))
        return f"the most frequent of the values of '{name}' that the plan lists ({len(named)}) has {most} {who}"
    most = int(counts.counts.max(initial=0))
    return f"'{name}' has {len(counts.values)} values that count, the most frequent with {most} {who}"


def _changes(model: ClassModel, achieved: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Changes of parameters to what was achieved, or to it rounded either way; the fewest changes first."""
    asked = {item.name: getattr(model, item.name) for item in dataclasses.fields(model)}  # type: ignore[arg-type]
    known = {name: value for name, value in achieved.items() if name in asked and value is not None}
    able = {name: _rounded(asked[name], value) for name, value in known.items()}
    choices = [dict(zip(able, values, strict=True)) for values in product(*able.values())]
    changes = [{name: value for name, value in choice.items() if value != asked[name]} for choice in choices]
    yield from (change for change in sorted(changes, key=len) if change)


def _rounded(asked: Any, value: Any) -> list[Any]:
    if not isinstance(value, float):
        return [asked, value]
    down, up = math.floor(value * _PLACES) / _PLACES, math.ceil(value * _PLACES) / _PLACES
    return [asked, down, up, round(up + 1 / _PLACES, 4)]  # the last for strict definitions


def _written(model: ClassModel) -> str:
    """The parameters of a model as a plan would list them."""
    from shoal.roles.spec import to_table

    return _listed({name: value for name, value in to_table(model).items() if name != "kind"})


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())
