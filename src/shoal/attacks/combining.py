"""Combining: what is left of an individual whose classes in two releases of the same people are known.

All values that a release publishes unchanged in one row belong to one person. So the joint values of a row, not those
of single columns, must occur in both classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int64
from shoal.attacks.target import Groups, Target, as_labels
from shoal.labels import MISSING

_COMMON = 0.1
"""The smallest share of rows whose value the other release has, too; values of fewer have changed, or are labels."""


@dataclass(frozen=True)
class Left:
    """What both releases leave.

    `persons`: the largest number of persons who may be meant, 0 if no row fits. `agreed` int64 [columns]: the code of
    the value in which all that is left agrees, 0 if there are several or if it is missing.
    """

    persons: int
    agreed: Int64


@dataclass(frozen=True)
class Counted:
    """The joint values of every class of a release, with their numbers of rows; entries are sorted by class."""

    starts: Int64
    joint: Int64
    rows: Int64
    of_run: Int64
    """int64 [runs]: the joint value of each run of the release."""

    @classmethod
    def of(cls, groups: Groups, joint: Int64) -> Counted:
        runs = pl.DataFrame({"class": groups.of_run, "joint": joint, "rows": groups.times})
        pairs = runs.group_by("class", "joint").agg(pl.col("rows").sum()).sort("class", "joint")
        starts = np.searchsorted(pairs["class"].to_numpy(), np.arange(len(groups) + 1)).astype(np.int64)
        return cls(starts, pairs["joint"].to_numpy(), pairs["rows"].to_numpy(), joint)

    def entries(self, classes: Int64) -> tuple[Int64, Int64, Int64]:
        """The entries of some classes: the place of the class among them, the joint value, the number of rows."""
        sizes = self.starts[classes + 1] - self.starts[classes]
        owners = np.repeat(np.arange(len(classes), dtype=np.int64), sizes)
        ends = np.cumsum(sizes)
        places = np.arange(len(owners)) - np.repeat(ends - sizes, sizes) + np.repeat(self.starts[classes], sizes)
        return owners, self.joint[places], self.rows[places]

    def merged(self, classes: Int64) -> tuple[Int64, Int64]:
        """The joint values of some classes together, in ascending order, with their numbers of rows."""
        _, joint, rows = self.entries(classes)
        values, places = np.unique(joint, return_inverse=True)
        return values, np.bincount(places, rows, len(values)).astype(np.int64)


@dataclass(frozen=True)
class Combined:
    """Two releases, and the columns whose values both have.

    `values` int64 [joint values, columns]: the code of each value, 0 if it is missing. `texts`: the values of every
    column in the order of their codes, which begin with 1.
    """

    columns: tuple[str, ...]
    values: Int64
    texts: tuple[pl.Series, ...]
    now: Counted
    before: Counted

    def alone(self, classes: Int64) -> Left:
        """What the newer release leaves by itself."""
        joint, rows = self.now.merged(classes)
        return Left(int(rows.sum()), self._agreed(joint))

    def both(self, now: Int64, before: Int64) -> Left:
        """What is left of an individual who is in one of some classes of each release.

        If a joint value is in a rows of one release and in b rows of the other, at most min(a, b) persons have it.
        """
        joint, rows = self.now.merged(now)
        others, other_rows = self.before.merged(before)
        common, here, there = np.intersect1d(joint, others, assume_unique=True, return_indices=True)
        return Left(int(np.minimum(rows[here], other_rows[there]).sum()), self._agreed(common))

    def of_rows(self, now: int, before: Int64) -> dict[int, Left]:
        """Joint value → what is left of the persons of a class who have it, and are in one of some earlier classes.

        Only those earlier classes count that have the joint value. If there are several, the intruder knows which one
        it is, but we do not: then the one that leaves most is taken.
        """
        joint, rows = self.now.merged(np.array([now]))
        owners, others, other_rows = self.before.entries(before)
        places = np.searchsorted(joint, others).clip(max=max(len(joint) - 1, 0))
        fits = joint[places] == others
        owners, places = owners[fits], places[fits]
        persons = np.bincount(owners, np.minimum(other_rows[fits], rows[places]), len(before)).astype(np.int64)
        most, agree = np.zeros(len(joint), np.int64), np.ones((len(joint), len(self.columns)), np.bool_)
        np.maximum.at(most, places, persons[owners])
        np.logical_and.at(agree, places, self._agree(owners, joint[places], len(before))[owners])
        agreed = np.where(agree, self.values[joint], 0)
        return {value: Left(int(most[n]), agreed[n]) for n, value in enumerate(joint.tolist()) if most[n]}

    def _agreed(self, joint: Int64) -> Int64:
        if not len(joint):
            return np.zeros(len(self.columns), np.int64)
        values = self.values[joint]
        agreed: Int64 = np.where((values == values[0]).all(axis=0), values[0], 0)
        return agreed

    def _agree(self, owners: Int64, joint: Int64, classes: int) -> Flags:
        """bool [classes, columns]: whether all entries of a class agree in a column; owners are in ascending order."""
        agree = np.zeros((classes, len(self.columns)), np.bool_)
        if len(owners):
            starts = np.flatnonzero(np.diff(owners, prepend=-1))
            values = self.values[joint]
            agree[owners[starts]] = np.minimum.reduceat(values, starts) == np.maximum.reduceat(values, starts)
        return agree

    def codes(self, column: str, texts: pl.Series) -> Int64:
        """The codes of texts of a column: 0 if missing, -1 if no release has them."""
        known = self.texts[self.columns.index(column)]
        codes = pl.Series(range(1, len(known) + 1), dtype=pl.Int64)
        coded = texts.replace_strict(known, codes, default=-1, return_dtype=pl.Int64)
        return coded.set(texts.is_null(), 0).to_numpy()


def common_columns(target: Target, earlier: Target) -> tuple[str, ...]:
    """The sensitive and the unchanged columns of both releases, as far as they have values in common."""
    quasi = {*target.quasi_identifiers, *earlier.quasi_identifiers}
    names = [name for name in target.published if name not in quasi and name in earlier.published]
    return tuple(name for name in names if _have_common(target, earlier, name))


def combined(target: Target, earlier: Target) -> Combined:
    """Two releases, counted by the joint values of their common columns."""
    columns = common_columns(target, earlier)
    runs = len(target.main.times)
    of_run, coded, texts = np.zeros(runs + len(earlier.main.times), np.int64), [], []
    for name in columns:
        column = pl.concat([_texts(each, name).cast(pl.String) for each in (target, earlier)])
        codes = column.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
        coded.append(codes)
        texts.append(column.drop_nulls().unique().sort())
        _, of_run = np.unique(of_run * (len(texts[-1]) + 1) + codes, return_inverse=True)
    _, first, of_run = np.unique(of_run, return_index=True, return_inverse=True)
    return Combined(
        columns,
        np.stack(coded, axis=1)[first],
        tuple(texts),
        Counted.of(target.labelled, of_run[:runs]),
        Counted.of(earlier.labelled, of_run[runs:]),
    )


def _texts(target: Target, name: str) -> pl.Series:
    """The texts of a column that is not generalized, null if missing."""
    if name in target.sensitive:
        return target.values(name).alias(name)
    texts = as_labels(target.main[name], target.plan.data.absent)
    return texts.set(texts == MISSING, None)


def _have_common(target: Target, earlier: Target, name: str) -> bool:
    """Whether enough rows have a value that the other release has."""
    now, before = _texts(target, name), _texts(earlier, name)
    known = target.main.times[now.is_not_null().to_numpy()].sum()
    common = target.main.times[now.is_in(before.drop_nulls().unique().implode()).fill_null(False).to_numpy()].sum()
    return bool(common >= _COMMON * known)
