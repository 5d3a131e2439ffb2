"""Attack with few known items: the intruder knows some items of an individual, and looks for rows that have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb
from typing import Any, ClassVar

import numpy as np

from shoal.arrays import Int32, Int64
from shoal.attacks.base import Attack, Outcome, of_maximum
from shoal.attacks.target import Target
from shoal.counts import counted
from shoal.progress import Progress, silent
from shoal.table import read_sets

_KNOWN = 2
"""The number of known items if no model of the plan bounds it."""
_SETS_TRIED = 2_000
_COMBINATIONS_TRIED = 200
"""The most combinations of items of a set that are tried."""
_ITEMS_TRIED = 60
"""The most items of a set that are tried; each is a bit of a whole number."""


@dataclass(frozen=True)
class KnownItems(Attack):
    """Finds the known items that the fewest rows have: exactly as many as the model allows, and one more.

    Items are those that are released, or the labels that stand for them. Of many different sets, a sample is tried.
    Paper: Terrovitis, Mamoulis, Kalnis 2008.
    """

    known: int | None = None
    """The number of items that the intruder knows; by default m of the model `km-anonymity` of the column, else 2."""

    kind: ClassVar[str] = "known-items"
    about: ClassVar[str] = "links by any few items of an individual"
    against: ClassVar[str] = "km-anonymity"
    knows: ClassVar[str] = "At most m items of an individual, and so their released labels."

    def applies(self, target: Target) -> str:
        return "" if _columns(target) else "The plan has no set-valued column."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        columns, outcomes = _columns(target), []
        for place, column in enumerate(columns):
            progress(column, place / len(columns))
            rows = _Rows.of(target, column)
            outcomes += [self._linked(target, column, rows, known) for known in self._tried(target, column)]
        return tuple(outcomes)

    def _tried(self, target: Target, column: str) -> tuple[int, ...]:
        """The numbers of known items."""
        if self.known is not None:
            return (self.known,)
        most = max((model.m for model in _promising(target, column)), default=None)
        return (_KNOWN,) if most is None else (most, most + 1)

    def _linked(self, target: Target, column: str, rows: _Rows, known: int) -> Outcome:
        fewest, sampled = rows.fewest(known)
        bounds = [1 / model.k for model in _promising(target, column) if model.m >= known and target.promises_rows]
        few = counted(known, "item", "items")
        return of_maximum(
            self,
            1 / fewest if fewest else 0.0,
            target.rows,
            baseline=1 / max(target.rows, 1),
            bound=min(bounds, default=None),
            measured=f"The largest chance, over all rows, to find the row of an individual by any {few}.",
            column=column,
            knows=f"Any {few} of an individual, or all if there are fewer.",
            sampled=sampled,
            case=few,
        )


def _columns(target: Target) -> tuple[str, ...]:
    """The published set-valued columns."""
    return tuple(name for name in target.plan.quasi_sensitive if name in target.main.columns)


def _promising(target: Target, column: str) -> list[Any]:
    """The models that promise something to individuals of whom some items of this column are known."""
    models = [model for model in target.plan.enforced if model.kind == KnownItems.against]
    return [model for model in models if column in model.reads_items]


@dataclass(frozen=True)
class _Rows:
    """The runs of a column: run r has the items `members[offsets[r]:offsets[r+1]]`, item i is in `runs_of[i]`.

    `times` int64 [runs]: the number of rows of each.
    """

    offsets: Int64
    members: Int32
    runs_of: Sequence[Int64]
    times: Int64
    seed: int

    @classmethod
    def of(cls, target: Target, column: str) -> _Rows:
        read = read_sets(target.main[column], target.plan.columns[column].separator, target.plan.data.absent)
        run_of = np.repeat(np.arange(len(target.main.times)), np.diff(read.offsets))
        ends = np.cumsum(np.bincount(read.members, minlength=len(read.items)))
        runs_of = np.split(run_of[np.argsort(read.members, kind="stable")], ends[:-1]) if len(read.items) else []
        return cls(read.offsets, read.members, runs_of, target.main.times, target.seed)

    def fewest(self, known: int) -> tuple[int, bool]:
        """The fewest rows that match any knowledge, 0 if no row has an item; and whether only a sample was tried."""
        sets = self._distinct()
        drawn = _sample(sets, self.seed)
        sampled = len(drawn) < len(sets) or any(_is_cut(items, known) for items in drawn)
        fewest = [self._fewest_of(items[:_ITEMS_TRIED], known) for items in drawn]
        return min(fewest, default=0), sampled

    def _distinct(self) -> list[tuple[int, ...]]:
        """The different sets of the rows that have an item."""
        parts = np.split(self.members, self.offsets[1:-1])
        return sorted({tuple(part.tolist()) for part in parts if len(part)})

    def _fewest_of(self, items: Sequence[int], known: int) -> int:
        """The fewest rows that have any of the known items of a set, of which each row shares some."""
        bits = np.left_shift(1, np.arange(len(items)))
        having, run = np.unique(np.concatenate([self.runs_of[item] for item in items]), return_inverse=True)
        shared = np.zeros(len(having), np.int64)
        np.add.at(shared, run, np.repeat(bits, [len(self.runs_of[item]) for item in items]))
        masks, place = np.unique(shared, return_inverse=True)
        rows = np.zeros(len(masks), np.int64)
        np.add.at(rows, place, self.times[having])
        tried = islice(combinations(bits.tolist(), min(known, len(items))), _COMBINATIONS_TRIED)
        return min(int(rows[masks & sum(each) == sum(each)].sum()) for each in tried)


def _sample(sets: Sequence[tuple[int, ...]], seed: int) -> list[tuple[int, ...]]:
    """The sets that are tried: all, or some of them."""
    if len(sets) <= _SETS_TRIED:
        return list(sets)
    places = np.random.default_rng(seed).choice(len(sets), _SETS_TRIED, replace=False)
    return [sets[place] for place in sorted(places.tolist())]


def _is_cut(items: Sequence[int], known: int) -> bool:
    """Whether some combinations of known items of a set are not tried."""
    return len(items) > _ITEMS_TRIED or comb(len(items), min(known, len(items))) > _COMBINATIONS_TRIED
