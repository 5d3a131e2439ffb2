"""Intersection attack: two releases of the same people leave only the sensitive values that both allow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.attacks.base import Attack, Outcome, of_share
from shoal.attacks.matching import Matching, known_of, matching
from shoal.attacks.target import CLASS, Groups, Target
from shoal.progress import Progress, silent
from shoal.verification.regrouping import canonical

_TRIED = 2_000
_STEPS = 50


@dataclass(frozen=True)
class Intersection(Attack):
    """Keeps the sensitive values that an individual's classes have in both releases, until a single one remains.

    The intruder knows the quasi-identifiers of the `raw` or the `reference` individuals, or if there is no such table,
    the class in the newer release, whose labels may overlap several classes of the earlier one. With the raw table, a
    value counts only if it is the right one. No model promises anything about several releases.
    Paper: Ganta, Kasiviswanathan, Smith 2008.
    """

    kind: ClassVar[str] = "intersection"
    about: ClassVar[str] = "combines two releases of the same people"
    against: ClassVar[str] = ""
    knows: ClassVar[str] = "All quasi-identifiers of an individual who is in both releases."

    def applies(self, target: Target) -> str:
        if target.earlier is None:
            return "There is no earlier release of the same people."
        earlier = _earlier(target)
        if target.is_anatomy or earlier.is_anatomy:
            return "A release is an anatomy, and this attack combines generalized tables."
        if not set(target.quasi_identifiers) & set(earlier.quasi_identifiers):
            return "The releases have no quasi-identifier in common."
        shared = set(target.sensitive) & set(earlier.sensitive)
        return "" if shared else "The releases have no sensitive column in common."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        earlier, people = _earlier(target), _people(target)
        before = matching(earlier.labelled, people.groups, target.plan, missing_is_any=people.unknown)
        now = matching(target.labelled, people.groups, target.plan, missing_is_any=people.unknown)
        columns = [name for name in target.sensitive if name in earlier.sensitive]
        outcomes = []
        for place, column in enumerate(columns):
            newer, older = _Values.of(target, column, now), _Values.of(earlier, column, before)
            alone = people.attacked(column, newer, None, silent)
            both = people.attacked(column, newer, older, _part(progress, place, len(columns)))
            outcomes.append(
                of_share(
                    self,
                    both,
                    len(people.rows),
                    baseline=alone / max(len(people.rows), 1),
                    bound=None,
                    measured="The share of individuals with a single value that both releases allow; the baseline is "
                    "that of the newer release alone.",
                    column=column,
                    sampled=len(people.rows) < len(people.groups.of_row),
                )
            )
        return tuple(outcomes)


def _earlier(target: Target) -> Target:
    assert target.earlier is not None
    return replace(target, tables=target.earlier, raw=None, reference=None, earlier=None)


def _part(progress: Progress, place: int, parts: int) -> Progress:
    return lambda step, share: progress(step, (place + share) / parts)


@dataclass(frozen=True)
class _People:
    """The individuals attacked: their groups by what is known of them, and the rows of those that are tried."""

    target: Target
    groups: Groups
    rows: Int64
    frame: pl.DataFrame | None
    unknown: bool
    """Whether a missing value is unknown to the intruder."""

    def attacked(self, column: str, now: _Values, before: _Values | None, progress: Progress) -> int:
        """The number of individuals with a single value left, the right one if that is known."""
        truth, found = self._truth(column), 0
        left: dict[int, set[str | None]] = {}
        for place, row in enumerate(self.rows.tolist()):
            if place % _STEPS == 0:
                progress("combine", place / len(self.rows))
            group = int(self.groups.of_row[row])
            if group not in left:
                left[group] = now.allowed(group) & before.allowed(group) if before else now.allowed(group)
            values = left[group]
            found += len(values) == 1 and None not in values and (truth is None or truth[row] in values)
        return found

    def _truth(self, column: str) -> list[str | None] | None:
        if self.frame is None or column not in self.frame.columns:
            return None
        data = self.target.plan.data
        settings = self.target.plan.columns[column]
        return canonical(self.frame[column], settings, data.absent, data.notation).to_list()


def _people(target: Target) -> _People:
    """The individuals of the raw table, of the reference, or those whose classes are known."""
    if target.raw is not None:
        groups, frame = known_of(target.raw, target), target.raw
    elif target.reference is not None and set(target.quasi_identifiers) & set(target.reference.columns):
        groups, frame = known_of(target.reference, target), None
    else:
        groups, frame = target.labelled, None
    rows = np.arange(len(groups.of_row), dtype=np.int64)
    if len(rows) > _TRIED:
        rows = np.sort(np.random.default_rng(target.seed).choice(rows, _TRIED, replace=False))
    unknown = frame is None and groups is not target.labelled
    return _People(target, groups, rows, frame, unknown)


@dataclass(frozen=True)
class _Values:
    """The sensitive values that a release allows each group of individuals."""

    counts: pl.DataFrame
    pairs: Matching
    own: bool
    """Whether the groups are the classes of this release themselves."""

    @classmethod
    def of(cls, target: Target, column: str, pairs: Matching) -> _Values:
        return cls(target.counts(column).sort(CLASS), pairs, pairs.known is target.labelled)

    def allowed(self, group: int) -> set[str | None]:
        classes = [group] if self.own else self.pairs.matched(group).tolist()
        values: set[str | None] = set()
        for number in classes:
            values.update(self._values[self._starts[number] : self._starts[number + 1]])
        return values

    @cached_property
    def _values(self) -> list[str | None]:
        return self.counts["value"].to_list()

    @cached_property
    def _starts(self) -> list[int]:
        classes = np.arange(len(self.pairs.released) + 1)
        return [int(place) for place in np.searchsorted(self.counts[CLASS].to_numpy(), classes)]
