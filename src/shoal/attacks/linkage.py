"""Linkage attack: finds the rows of individuals whose quasi-identifiers are known, for example from a voter list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Float64
from shoal.attacks import promises
from shoal.attacks.base import Attack, Outcome, of_maximum, of_share
from shoal.attacks.matching import Matching, chosen, known_of, matching
from shoal.attacks.target import Target, grouped
from shoal.progress import Progress, silent

_TRIED = 2_000
_STEPS = 50
_ROWS = " Rows are counted: an individual with several rows in a class is found more easily."


@dataclass(frozen=True)
class Linkage(Attack):
    """Links individuals of the intruder's table to released rows whose labels cover what is known of them.

    With a `reference`, rows are linked to its individuals: of f rows with equal labels and F matching individuals, a
    link is right with a chance of 1/max(f, F), if as many of them as possible are in both tables. Otherwise the
    intruder knows all quasi-identifiers of the `raw` individuals, or if there is no such table, their labels, and draws
    one of the matching rows.
    Paper: Sweeney 2002.
    """

    kind: ClassVar[str] = "linkage"
    about: ClassVar[str] = "links individuals of another table to released rows by their quasi-identifiers"
    against: ClassVar[str] = "k-anonymity"
    knows: ClassVar[str] = "All quasi-identifiers of an individual who is in the table."

    def applies(self, target: Target) -> str:
        if not target.quasi_identifiers:
            return "The table has no quasi-identifier."
        reference = target.reference
        if reference is not None and not set(target.quasi_identifiers) & set(reference.columns):
            return "The reference table has no quasi-identifier of the plan."
        return ""

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        knows, individuals = self.knows, target.rows
        if target.reference is not None:
            chances, weights = _to_reference(target, target.reference, progress)
            individuals = max(individuals, target.reference.height)
            known = sum(name in target.reference.columns for name in target.quasi_identifiers)
            knows = f"A table of individuals with {known} of {len(target.quasi_identifiers)} quasi-identifiers."
        elif target.raw is not None:
            chances, weights = _from_raw(target, target.raw, progress)
        else:
            chances, weights = 1 / target.labelled.sizes, target.labelled.sizes.astype(np.float64)
        tried, bound = int(weights.sum()), promises.link(target)
        rows = "" if target.plan.data.person is None else _ROWS
        sampled = tried < (target.rows if target.raw is None or target.reference is not None else target.raw.height)
        return (
            of_share(
                self,
                float((chances * weights).sum()),
                tried,
                baseline=1 / individuals,
                bound=bound,
                measured=f"On average, the link of an individual to a row is right with this probability.{rows}",
                knows=knows,
                sampled=sampled,
                case="on average",
            ),
            of_maximum(
                self,
                float(chances.max(initial=0.0)),
                tried,
                baseline=1 / individuals,
                bound=bound,
                measured=f"At most, the link of an individual to a row is right with this probability.{rows}",
                knows=knows,
                sampled=sampled,
                case="at most",
            ),
        )


def _from_raw(target: Target, raw: pl.DataFrame, progress: Progress) -> tuple[Float64, Float64]:
    """The chance to find the row of each group of alike individuals, and how many individuals it stands for."""
    known = known_of(raw, target)
    pairs = matching(target.labelled, known, target.plan)
    groups, weights = chosen(known, _TRIED, target.seed)
    rows = _counted(pairs, groups.tolist(), progress)
    return np.divide(1.0, rows, out=np.zeros(len(rows)), where=rows > 0), weights


def _to_reference(target: Target, reference: pl.DataFrame, progress: Progress) -> tuple[Float64, Float64]:
    """The chance that a released row is linked to its individual, and how many rows it stands for."""
    known = known_of(reference, target)
    released = grouped(target.main, known.labels.columns, target.plan.data.absent)
    groups, weights = chosen(released, _TRIED, target.seed)
    pairs = matching(known, released, target.plan, missing_is_any=True)  # released labels look for individuals
    individuals = _counted(pairs, groups.tolist(), progress)
    chances = 1 / np.maximum(individuals, released.sizes[groups])
    return np.where(individuals > 0, chances, 0.0), weights


def _counted(pairs: Matching, groups: list[int], progress: Progress) -> Float64:
    """The number of rows that each group matches."""
    counts = np.zeros(len(groups))
    for place, group in enumerate(groups):
        if place % _STEPS == 0:
            progress("match", place / len(groups))
        counts[place] = pairs.rows_matched(group)
    return counts
