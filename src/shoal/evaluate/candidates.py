"""Candidates: variants of a plan that keep its columns, roles and promises, and what is tried next to one of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from shoal import forms
from shoal.algorithms import KMember, Mondrian, Optimal, Pais
from shoal.algorithms.base import Algorithm
from shoal.models import KAnonymity
from shoal.models.base import ClassModel
from shoal.plan import Plan
from shoal.roles.columns import Column

LARGE = 50_000
"""Above so many rows, k-member looks for members in a neighbourhood only."""
_SHARES = (0.01, 0.02, 0.05)
"""The limits of suppression that are tried, up to the one that is allowed."""


@dataclass(frozen=True, order=True)
class Change:
    """A setting of a column that differs from the given plan: `drop`, `weight` (times), `finest` or `coarsest`."""

    column: str
    key: str
    value: float = 0

    @property
    def is_neutral(self) -> bool:
        """Whether it changes nothing."""
        return (self.key, self.value) == ("weight", 1.0)

    @property
    def words(self) -> str:
        """The change as part of the name of a plan."""
        if self.key == "drop":
            return f"without {self.column}"
        return f"{self.key} of {self.column} {'× ' if self.key == 'weight' else ''}{self.value:.3g}"


@dataclass(frozen=True)
class Candidate:
    """A variant of a plan: an algorithm, a smallest class, a limit of suppression, and settings of columns."""

    algorithm: Any
    k: int
    suppression: float = 0.0
    changes: tuple[Change, ...] = ()

    def plan(self, given: Plan) -> Plan:
        """The variant of the given plan; raises PlanError if its parts cannot be combined."""
        columns = dict(given.columns)
        for change in self.changes:
            columns[change.column] = _changed(columns[change.column], change)
        return given.changed(
            columns=columns,
            models=with_floor(given, self.k),
            algorithm=self.algorithm,
            release=given.release.model_copy(update={"suppression": float(self.suppression)}),
        )

    @property
    def name(self) -> str:
        """The variant in words."""
        parts = [_described(self.algorithm), f"k = {self.k}"]
        parts += [f"suppression {self.suppression:.3g}"] if self.suppression else []
        return ", ".join([*parts, *(change.words for change in self.changes)])

    def having(self, change: Change) -> Candidate:
        """The same with one setting of a column changed; a dropped column has no other settings."""
        kept = [
            each
            for each in self.changes
            if each.column != change.column or (change.key != "drop" and each.key != change.key)
        ]
        return replace(self, changes=tuple(sorted([*kept, *([] if change.is_neutral else [change])])))

    def weight(self, column: str) -> float:
        """How many times larger the weight of a column is than in the given plan."""
        return next((each.value for each in self.changes if (each.column, each.key) == (column, "weight")), 1.0)


def _changed(column: Column, change: Change) -> Column:
    if change.key == "drop":
        return Column(role="drop")
    if change.key == "weight":
        return column.model_copy(update={"weight": column.weight * change.value})
    return column.model_copy(update={change.key: int(change.value)})


def _described(algorithm: Any) -> str:
    """The kind of an algorithm, and its parameters that differ from the defaults."""
    given = [(field.name, getattr(algorithm, field.name), field.default) for field in dataclasses.fields(algorithm)]
    differing = [(name, value) for name, value, default in given if value != default]
    parts = [name if value is True else f"{name} = {value}" for name, value in differing]
    return f"{algorithm.kind} ({', '.join(parts)})" if parts else str(algorithm.kind)


def floor_of(plan: Plan) -> int:
    """The fewest rows of a class that the models of a plan allow."""
    return max((model.floor for model in plan.searched), default=1)


def with_floor(plan: Plan, k: int) -> list[ClassModel]:
    """The models of a plan, with a k-anonymity of at least k. No model is weakened."""
    models = list(plan.models)
    if k <= floor_of(plan):
        return models
    place = next((place for place, model in enumerate(models) if isinstance(model, KAnonymity)), None)
    if place is None:
        return [KAnonymity(k=k), *models]
    models[place] = dataclasses.replace(models[place], k=k)
    return models


# -- where the search begins --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """What candidates are variants of, and within which limits.

    `k`: the smallest class that models and thresholds require. `suppression`: the largest share of rows that may be
    suppressed. `heights`: column → the number of levels above its values, if they do not depend on the table.
    `by_level`: whether algorithms that search levels of hierarchies can be used.
    """

    plan: Plan
    use: str
    k: int
    suppression: float
    heights: Mapping[str, int]
    by_level: bool


def starts(setting: Setting, rows: int) -> Iterator[Candidate]:
    """The given plan, also with the classes that thresholds need, and every algorithm that may suit so many rows."""
    plan, k, suppression = setting.plan, setting.k, setting.suppression
    given = Candidate(plan.algorithm, floor_of(plan), plan.release.suppression)
    yield given
    if k > given.k:
        yield replace(given, k=k)
    found: list[Algorithm] = [Mondrian(), Mondrian(refine=True), KMember(bounded=rows > LARGE, refine=True)]
    if setting.by_level:
        found += [Optimal(local=True), Optimal(local=True, measure="entropy"), Optimal()]
    found.append(Pais())
    if setting.use == "classification":
        found += [Mondrian(cut="target"), Mondrian(cut="target", refine=True)]
        found += [Pais(goal="classification"), Pais(goal="classification", score="weighted")]
    for algorithm in found:
        yield Candidate(algorithm, k)
        if suppression and algorithm.suppresses:
            yield Candidate(algorithm, k, suppression)


# -- what is tried next to a candidate ----------------------------------------------------------------------------


def neighbours(candidate: Candidate, setting: Setting, lost: Mapping[str, float], times: float) -> list[Candidate]:
    """Candidates that differ in one setting, those first that change most often for the better.

    `lost`: the information loss of every column in the release of the candidate. `times`: the factor of weights.
    """
    plan, suppression = setting.plan, setting.suppression
    columns = sorted(lost, key=lambda name: (-lost[name], name))
    changes = [*_drops(columns, plan, lost, setting.use)]
    if candidate.algorithm.weighs and len(columns) > 1:
        # A column that loses much gains from more weight, one that loses little frees the others with less.
        changes += [Change(name, "weight", candidate.weight(name) * times) for name in columns]
        changes += [Change(name, "weight", candidate.weight(name) / times) for name in reversed(columns)]
    changes += _levels(columns, plan, setting.heights)
    found = [replace(candidate, algorithm=each) for each in _settings(candidate.algorithm)]
    found += [candidate.having(change) for change in changes]
    if candidate.algorithm.suppresses and suppression:
        shares = sorted({0.0, *(share for share in _SHARES if share < suppression), suppression})
        found += [replace(candidate, suppression=share) for share in shares if share != candidate.suppression]
    return [each for each in found if each != candidate]


def _drops(columns: list[str], plan: Plan, lost: Mapping[str, float], use: str) -> Iterator[Change]:
    """Columns without which the others may be released in more detail: those that are mostly lost already.

    A classifier may do without any column.
    """
    if len(columns) < 2 or not forms.by_kind(plan.release.form).generalizes:
        return
    for name in columns:
        if lost[name] >= 0.5 or use == "classification":
            yield Change(name, "drop")


def _levels(columns: list[str], plan: Plan, heights: Mapping[str, int]) -> Iterator[Change]:
    """Coarser values to begin with, and `*` forbidden, where the levels of a hierarchy are fixed."""
    for name in columns:
        column, height = plan.columns[name], heights.get(name, 0)
        if height < 2:
            continue
        highest = height - 1 if column.coarsest is None else min(column.coarsest, height) - 1
        if column.finest + 1 <= highest:
            yield Change(name, "finest", column.finest + 1)
        if highest >= max(column.finest, 1):
            yield Change(name, "coarsest", highest)


def _settings(algorithm: Any) -> list[Any]:
    """Other parameters of an algorithm."""
    if isinstance(algorithm, Optimal):
        measures = ("loss", "entropy", "precision", "discernibility", "average-class-size")
        return [replace(algorithm, measure=each) for each in measures if each != algorithm.measure]
    if isinstance(algorithm, Pais):
        return [replace(algorithm, score=each) for each in ("sparing", "weighted", "paper") if each != algorithm.score]
    if isinstance(algorithm, Mondrian | KMember):
        return [replace(algorithm, refine=not algorithm.refine)]
    return []


def needed_floor(plan: Plan, thresholds: Mapping[str, float]) -> int:
    """The smallest class that the models and the threshold of the highest risk require."""
    highest = thresholds.get("highest")
    if not highest:
        return floor_of(plan)
    least = math.ceil(1 / highest)
    exact = least - 1 if least > 1 and 1 / (least - 1) <= highest else least  # rounding must not cost a row
    return max(floor_of(plan), exact)
