"""Intersection attack: two releases of the same people leave only the persons and values that both allow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int64
from shoal.attacks import promises
from shoal.attacks.base import Attack, Outcome, of_maximum, of_share
from shoal.attacks.combining import Combined, Left, combined, common_columns
from shoal.attacks.matching import Matching, known_of, matching
from shoal.attacks.target import Groups, Target
from shoal.progress import Progress, silent
from shoal.verification.regrouping import canonical

_TRIED = 2_000
_STEPS = 50


@dataclass(frozen=True)
class Intersection(Attack):
    """Keeps the joint values that an individual's classes have in both releases, and counts whom they may describe.

    Sensitive and unchanged values of a row belong to one person, so they are intersected jointly. The intruder knows
    the quasi-identifiers of the `raw` or the `reference` individuals. Without such a table, the individuals are the
    rows of the newer release, each in one of those earlier classes that overlap its labels and have its values. With
    the raw table, a value counts only if it is the right one. If no row fits in both releases, the newer one alone
    counts. The bound is what each release promises by itself.
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
        if not common_columns(target, earlier):
            return "The releases have no sensitive or unchanged column with values in common."
        return ""

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        earlier, people = _earlier(target), _people(target)
        found = _Combining.of(target, earlier, people).found(progress)
        sampled = len(people.rows) < people.groups.rows
        bound = _bound(target, earlier)
        certain = [
            of_share(
                self,
                int(found.right_both[:, place].sum()),
                len(people.rows),
                baseline=_mean(found.right_alone[:, place]),
                bound=None,
                measured="The share of individuals whose value of the sensitive column both releases together leave "
                "certain; the baseline is that of the newer release alone.",
                column=column,
                sampled=sampled,
            )
            for place, column in enumerate(found.columns)
            if column in target.sensitive
        ]
        return (*self._links(found, bound, sampled=sampled), *certain)

    def _links(self, found: _Found, bound: float | None, *, sampled: bool) -> tuple[Outcome, Outcome]:
        alone, both = found.chance_alone, found.chance_both
        said = (
            "an individual is singled out in both releases together with this probability; the baseline is that of the "
            "newer release alone."
        )
        return (
            of_share(
                self,
                float(both.sum()),
                len(both),
                baseline=_mean(alone),
                bound=bound,
                measured=f"On average, {said}",
                sampled=sampled,
                case="on average",
            ),
            of_maximum(
                self,
                float(both.max(initial=0.0)),
                len(both),
                baseline=float(alone.max(initial=0.0)),
                bound=bound,
                measured=f"At most, {said}",
                sampled=sampled,
                case="at most",
            ),
        )


def _mean(shares: Float64 | Flags) -> float:
    return float(shares.sum() / max(len(shares), 1))


def _bound(target: Target, earlier: Target) -> float | None:
    """What each release promises by itself: 1/k, or if the earlier one has smaller classes, what these allow."""
    promised = promises.link(target)
    if promised is None:
        return None
    bound = max(promised, 1 / max(int(earlier.labelled.sizes.min(initial=earlier.rows)), 1))
    return bound if bound < 1 else None


def _earlier(target: Target) -> Target:
    assert target.earlier is not None
    return replace(target, tables=target.earlier, raw=None, reference=None, earlier=None)


@dataclass(frozen=True)
class _People:
    """The individuals attacked: their groups by what is known of them, and the rows of those that are tried."""

    target: Target
    groups: Groups
    rows: Int64
    frame: pl.DataFrame | None
    unknown: bool
    """Whether a missing value is unknown to the intruder."""

    @property
    def are_rows(self) -> bool:
        """Whether the individuals are the rows of the newer release."""
        return self.groups is self.target.labelled

    def truth(self, column: str) -> pl.Series | None:
        """The value of a sensitive column of every individual who is tried, if it is known."""
        if self.frame is None or column not in self.frame.columns or column not in self.target.sensitive:
            return None
        data = self.target.plan.data
        return canonical(self.frame[column], self.target.plan.columns[column], data.absent, data.notation)[self.rows]


def _people(target: Target) -> _People:
    """The individuals of the raw table, of the reference, or the rows of the newer release."""
    if target.raw is not None:
        groups, frame = known_of(target.raw, target), target.raw
    elif target.reference is not None and set(target.quasi_identifiers) & set(target.reference.columns):
        groups, frame = known_of(target.reference, target), None
    else:
        groups, frame = target.labelled, None
    rows = np.arange(min(groups.rows, _TRIED), dtype=np.int64)
    if groups.rows > _TRIED:
        rows = np.sort(np.random.default_rng(target.seed).choice(groups.rows, _TRIED, replace=False))
    unknown = frame is None and groups is not target.labelled
    return _People(target, groups, rows, frame, unknown)


@dataclass(frozen=True)
class _Found:
    """For every individual tried, the chance to single the person out, and [individuals, columns] which are certain."""

    columns: tuple[str, ...]
    chance_alone: Float64
    chance_both: Float64
    right_alone: Flags
    right_both: Flags


@dataclass(frozen=True)
class _Combining:
    """The individuals, and the classes of both releases that they match."""

    people: _People
    releases: Combined
    now: Matching
    before: Matching
    known: dict[int, tuple[Left, dict[int, Left]]] = field(default_factory=dict)
    """Group → what the newer release leaves of it, and both: for each joint value, or for the whole group (-1)."""

    @classmethod
    def of(cls, target: Target, earlier: Target, people: _People) -> _Combining:
        now, before = (
            matching(each.labelled, people.groups, target.plan, missing_is_any=people.unknown)
            for each in (target, earlier)
        )
        return cls(people, combined(target, earlier), now, before)

    def found(self, progress: Progress) -> _Found:
        """Combines both releases for every individual that is tried."""
        alone, both, groups = [], [], self.people.groups
        runs = np.searchsorted(np.cumsum(groups.times), self.people.rows, "right")
        for place, run in enumerate(runs.tolist()):
            if place % _STEPS == 0:
                progress("combine", place / len(runs))
            one, other = self._left(run)
            alone.append(one)
            both.append(other)
        return _Found(self.releases.columns, _chances(alone), _chances(both), self._right(alone), self._right(both))

    def _left(self, run: int) -> tuple[Left, Left]:
        group = int(self.people.groups.of_run[run])
        if group not in self.known:
            self.known[group] = self._of_group(group)
        alone, both = self.known[group]
        joint = int(self.releases.now.of_run[run]) if self.people.are_rows else -1
        return alone, both.get(joint, alone)

    def _of_group(self, group: int) -> tuple[Left, dict[int, Left]]:
        before = self.before.matched(group)
        if self.people.are_rows:
            return self.releases.alone(np.array([group])), self.releases.of_rows(group, before)
        now = self.now.matched(group)
        both = self.releases.both(now, before)
        return self.releases.alone(now), {-1: both} if both.persons else {}

    def _right(self, left: list[Left]) -> Flags:
        """bool [individuals, columns]: whether a value is certain, and the right one if that is known."""
        agreed = np.stack([each.agreed for each in left]) if left else np.zeros((0, len(self.releases.columns)))
        right: Flags = agreed > 0
        for place, column in enumerate(self.releases.columns):
            if (truth := self.people.truth(column)) is not None:
                right[:, place] &= agreed[:, place] == self.releases.codes(column, truth)
        return right


def _chances(left: list[Left]) -> Float64:
    return np.array([1 / each.persons if each.persons else 0.0 for each in left])
