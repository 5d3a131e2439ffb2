"""Refinement: changes classes where the total information loss falls and every class still passes.

First, groups of neighbouring classes are clustered again. Then rows move to another class nearby, and classes swap
rows, round by round. The changes of a round touch disjoint classes, so the models are asked once per round.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int32, Int64
from shoal.coded.counted import Coded
from shoal.coded.keys import distinct_rows
from shoal.coded.partition import Partition
from shoal.coded.recoding import Observed, shown_columns
from shoal.models.base import ClassModel
from shoal.progress import Progress
from shoal.search.blocks import limits_of
from shoal.search.clustering import Clustering
from shoal.search.clusters import Classes, classes_of, units_of
from shoal.search.geometry import geometry
from shoal.search.judging import Judge

_GROUPS = (1024, 128, 16)
"""Distinct rows of the groups that are clustered again. What fails in a large group is tried in smaller ones."""
_TRIED = 8
"""Groups that are tried before all others are clustered again, if models read sensitive values."""
_MERGED = 8
"""Rounds of merging after a group was clustered again."""
_ROUNDS = 50
"""The most rounds in which rows move."""
_MANY = 50_000
"""From so many units on, rows move in one round only after classes were clustered again. All rounds would take as long
as that, and save a tenth of the loss."""
_WORTH = 0.005
"""The share of the loss that a round must save, so that another one follows."""
_ALONG = 8
"""The most columns along which neighbours are looked for."""
_SWAPPING = 64
"""Classes of up to so many distinct rows swap rows. The work grows with the square of this."""
_ROUNDING = 1e-9


def refined(
    coded: Coded, models: Sequence[ClassModel], partition: Partition, progress: Progress, *, clustered: bool = False
) -> Partition:
    """A partition that loses less information, or the same one; every class passes every model.

    `clustered`: whether the classes are clusters, which are not clustered again.
    """
    units = units_of(coded, models)
    judge, limits = Judge(coded, tuple(models), units), limits_of(coded)[units.first]
    of_entry = partition.class_of.astype(np.int64)
    classes = classes_of(units.of_rows[partition.row], partition.weight, of_entry, limits)
    steps = [classes]
    if not clustered:
        progress("search", 0.5)
        steps.append(_regrouped(judge, limits, classes))
    progress("search", 0.75)
    steps.append(_moved(judge, limits, steps[-1], once=not clustered and len(units) >= _MANY))
    given = mean_loss(coded, partition)
    for changed in reversed(steps[1:]):
        better = Partition(*judge.members(changed), Observed(), partition.record)
        # Kernels and labels may rate a class differently, and labels decide.
        if (lost := mean_loss(coded, better)) < given and not judge.failing_alike(changed):
            return replace(better, record=replace(partition.record, refined_by=1 - lost / given))
    return partition


def mean_loss(coded: Coded, partition: Partition) -> float:
    """The information loss of a partition per cell, with the weights of the columns: a share from 0 to 1."""
    shown, weight = shown_columns(partition.recoding, coded, partition.members), 0.0
    lost = 0.0
    for domain in coded.quasi:
        lost += domain.weight * float(shown[domain.name].loss @ partition.rows)
        weight += domain.weight
    return lost / (weight * float(partition.rows.sum())) if weight else 0.0


def mean_precision(coded: Coded, partition: Partition) -> float | None:
    """Prec: 1 minus the mean share of its hierarchy's height to which a cell was raised; suppressed rows count as 1.

    None if no quasi-identifier has a hierarchy. Columns without one do not count.
    """
    shown = shown_columns(partition.recoding, coded, partition.members).values()
    raised = [float(each.level @ partition.rows) for each in shown if not np.isnan(each.level).any()]
    released, total = int(partition.rows.sum()), coded.counted.rows
    return 1 - (sum(raised) / len(raised) + total - released) / total if raised else None


# -- clustering groups of classes again ---------------------------------------------------------------------------


def _regrouped(judge: Judge, limits: Int64, classes: Classes) -> Classes:
    """Classes after groups of them were clustered again. What fails in a large group is tried in smaller ones."""
    done, rest = list[Classes](), classes
    for most in _GROUPS:
        if not len(rest):
            break
        group = groups(np.diff(rest.offsets), rest.block, most)
        if judge.reads and not _promising(judge, limits, rest, group):
            continue
        better, rest = _clustered_again(judge, limits, rest, group)
        done.append(better)
    done.append(rest)
    before = np.cumsum([0, *(len(each) for each in done)])
    return classes_of(
        np.concatenate([each.unit for each in done]),
        np.concatenate([each.weight for each in done]),
        np.concatenate([each.class_of + start for each, start in zip(done, before, strict=False)]),
        limits,
    )


def _promising(judge: Judge, limits: Int64, classes: Classes, group: Int64) -> bool:
    """Whether one of a few groups gains from being clustered again.

    Under models of sensitive values, clusters often fail or lose more, and it takes long to find out for all groups.
    """
    count = int(group[-1]) + 1
    if count <= _TRIED:
        return True
    tried = np.isin(group, np.linspace(0, count - 1, _TRIED).astype(np.int64))
    of_entry = tried[classes.class_of]
    some = classes_of(classes.unit[of_entry], classes.weight[of_entry], classes.class_of[of_entry], limits)
    numbers = np.unique(group[tried], return_inverse=True)[1]
    return len(_clustered_again(judge, limits, some, numbers)[0]) > 0


def groups(entries: Int64, block: Int64, most: int) -> Int64:
    """int64 [classes]: groups of adjacent classes of the same block, of about `most` entries each.

    >>> groups(np.array([2, 2, 2, 2]), np.array([0, 0, 0, 1]), 4).tolist()
    [0, 0, 1, 2]
    """
    part = (np.cumsum(entries) - entries) // most
    return np.cumsum((np.diff(part, prepend=-1) != 0) | (np.diff(block, prepend=-1) != 0)) - 1


def _clustered_again(judge: Judge, limits: Int64, classes: Classes, group: Int64) -> tuple[Classes, Classes]:
    """The new classes of those groups that pass and lose less than before, and the classes of all other groups."""
    count, of_entry = int(group[-1]) + 1, np.repeat(group, np.diff(classes.offsets))
    parts = judge._replace(units=judge.units.parts(classes.unit, classes.weight, of_entry))
    clustering = Clustering(parts, of_entry)
    for size, most in clustering.rounds:
        clustering.grow(size, most)
    new = clustering.collected()
    new, passing = clustering.merged(new, parts.passing(new), _MERGED)
    saved = np.bincount(group, weights=judge.lost(classes), minlength=count)
    saved -= np.bincount(new.block, weights=parts.lost(new), minlength=count)
    better = (saved > _ROUNDING) & (np.bincount(new.block, weights=~passing, minlength=count) == 0)
    kept, made = ~better[of_entry], better[new.block][new.class_of]
    return (
        classes_of(classes.unit[new.unit[made]], new.weight[made], new.class_of[made], limits),
        classes_of(classes.unit[kept], classes.weight[kept], classes.class_of[kept], limits),
    )


# -- moving and swapping rows -------------------------------------------------------------------------------------


def _moved(judge: Judge, limits: Int64, classes: Classes, *, once: bool) -> Classes:
    """Classes after rows moved and were swapped; it ends when a round saves little.

    `once`: in one round only, and only for classes that lose more than the mean.
    """
    moves, lost = _Moves(judge, limits, classes), judge.lost(classes)
    waiting, left = lost > (lost.mean() if once else 0.0), float(lost.sum())
    for _ in range(1 if once else _ROUNDS):
        saved = moves.round(waiting)
        left -= saved
        if saved <= _WORTH * left:
            break
    return moves.classes()


class _Changes(NamedTuple):
    """Changes, each of two classes: `rows` rows of `entry` go to class `other`; the entry `back`, if any, comes back.

    gain float64, all else int64 [changes]; `one` is the class of the entry, `back` is -1 for none.
    """

    gain: Float64
    one: Int64
    entry: Int64
    other: Int64
    rows: Int64
    back: Int64

    def only(self, which: Flags) -> _Changes:
        gain, one, entry, other, rows, back = self
        return _Changes(gain[which], one[which], entry[which], other[which], rows[which], back[which])


class _Moves:
    """Classes that exchange rows, round by round. Their numbers stay the same; some may become empty."""

    def __init__(self, judge: Judge, limits: Int64, classes: Classes) -> None:
        from shoal.kernels import refining

        self.judge, self.units, self.limits = judge, judge.units, limits
        self.kernel, self.geometry, self.count = refining, geometry(judge.coded), len(classes)
        self.unit, self.weight, self.class_of = classes.unit, classes.weight, classes.class_of
        self.offsets = classes.offsets
        _, first, self.spot = np.unique(self.units.spot, return_index=True, return_inverse=True)
        self.near = neighbours(self.units.codes[first])

    def round(self, waiting: Flags) -> float:
        """Makes the best changes of disjoint classes; returns what they save.

        `waiting`: the classes for which a change is looked for. Afterwards, these are the classes that changed, and
        those with a change that another one prevented.
        """
        changes = self._proposed(np.flatnonzero(waiting))
        waiting[:] = False
        waiting[changes.one] = True
        chosen = self._disjoint(changes)
        passing = self._passing(chosen)
        waiting[chosen.one[~passing]] = False  # the models would refuse the same change again
        made = chosen.only(passing)
        waiting[made.one] = waiting[made.other] = True
        self._make(made)
        return float(made.gain.sum())

    def _proposed(self, todo: Int64) -> _Changes:
        """The best change of each of these classes, if there is one that lowers the loss."""
        spot = self.spot[self.unit]
        by_spot = np.argsort(spot, kind="stable")
        edges = np.concatenate([[0], np.cumsum(np.bincount(spot, minlength=len(self.near)))])

        def propose(part: Int64) -> tuple[Float64, Int64, Int64, Int64, Int64]:
            found: tuple[Float64, Int64, Int64, Int64, Int64] = self.kernel.propose(
                self.units.codes,
                self.limits,
                self.unit,
                self.weight,
                self.offsets,
                self.class_of,
                part,
                self.spot,
                self.near,
                by_spot,
                edges,
                self.judge.floor,
                self.judge.coded.counts_persons,
                _SWAPPING,
                self.geometry,
            )
            return found

        parts = np.array_split(todo, pl.thread_pool_size())
        with ThreadPoolExecutor(len(parts)) as threads:
            found = list(threads.map(propose, parts))
        gain, entry, other, rows, back = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return _Changes(gain, todo, entry, other, rows, back).only(gain > 0)

    def _disjoint(self, changes: _Changes) -> _Changes:
        """Changes no two of which touch the same class, those that gain most first."""
        order = np.lexsort((changes.one, -changes.gain))
        return changes.only(self.kernel.disjoint(order, changes.one, changes.other, self.count))

    def _passing(self, changes: _Changes) -> Flags:
        """bool [changes]: whether both classes pass after each change; one may be empty."""
        unit, weight, class_of = self._after(changes)
        touched = np.zeros(self.count, np.bool_)
        touched[changes.one] = touched[changes.other] = True
        here = touched[class_of] & (weight > 0)
        classes = classes_of(unit[here], weight[here], class_of[here], np.zeros(len(self.units), np.int64))
        passing = np.ones(self.count, np.bool_)
        passing[np.unique(class_of[here])] = self.judge.passing(classes)
        both: Flags = passing[changes.one] & passing[changes.other]
        return both

    def _after(self, changes: _Changes) -> tuple[Int64, Int64, Int64]:
        """Unit, weight and class of all entries after the changes; what went away has weight 0."""
        back = changes.only(changes.back >= 0)
        weight = self.weight.copy()
        weight[changes.entry] -= changes.rows
        weight[back.back] = 0
        return (
            np.concatenate([self.unit, self.unit[changes.entry], self.unit[back.back]]),
            np.concatenate([weight, changes.rows, self.weight[back.back]]),
            np.concatenate([self.class_of, changes.other, back.one]),
        )

    def _make(self, changes: _Changes) -> None:
        from shoal.kernels.distinct import counting_order

        unit, weight, class_of = self._after(changes)
        left = np.flatnonzero(weight > 0)
        left = left[counting_order(class_of[left].astype(np.int32), self.count)]
        self.unit, self.weight, self.class_of = unit[left], weight[left], class_of[left]
        self.offsets = np.searchsorted(self.class_of, np.arange(self.count + 1))

    def classes(self) -> Classes:
        return classes_of(self.unit, self.weight, self.class_of, self.limits)


def neighbours(codes: Int32) -> Int32:
    """int32 [spots, n]: the spots next to each of several distinct spots, and itself; -1 for none.

    codes int32 [spots, q]. The spots are sorted once along each column, by all other columns first. So the next ones
    have the same codes in the other columns, or similar ones.
    """
    spots, q = codes.shape
    sizes = codes.max(axis=0, initial=0)
    columns = [np.ascontiguousarray(codes[:, a]) for a in range(q)]
    near = [np.arange(spots, dtype=np.int32)]
    for a in np.argsort(-sizes, kind="stable")[:_ALONG].tolist():
        others = [columns[b] for b in np.argsort(sizes, kind="stable").tolist() if b != a]
        order = distinct_rows([*others, columns[a]]).firsts.astype(np.int32)
        before, after = np.full(spots, -1, np.int32), np.full(spots, -1, np.int32)
        before[order[1:]], after[order[:-1]] = order[:-1], order[1:]
        near += [before, after]
    return np.stack(near, axis=1)
