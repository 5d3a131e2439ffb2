"""Row order: if released rows are in the order of the input, their places reveal whose they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal import table
from shoal.arrays import Flags, Int64
from shoal.attacks.base import Attack, Outcome, of_share
from shoal.attacks.matching import chosen, known_of, matching
from shoal.attacks.target import CLASS, Groups, Target
from shoal.labels import MISSING
from shoal.progress import Progress, silent
from shoal.verification.regrouping import canonical

_TRIED = 2_000


@dataclass(frozen=True)
class RowOrder(Attack):
    """Lines up the rows of a class, in released order, with its individuals in the order of the input.

    Rows that are sorted by all their cells say nothing of the input's order, whatever it was: the intruder is then
    right as often as by chance. Otherwise the guess is checked with the `raw` table, if there is one. Without it, every
    row of a class whose values are in no order counts as disclosed, and all others as often as by chance.
    """

    kind: ClassVar[str] = "row-order"
    about: ClassVar[str] = "reads sensitive values from the places of the rows"
    against: ClassVar[str] = ""
    knows: ClassVar[str] = "All quasi-identifiers of all individuals, and the order in which the input lists them."

    def applies(self, target: Target) -> str:
        if target.counted:
            return "Equal rows were counted, so that their order is not known."
        if target.is_anatomy:
            return "An anatomy has no row with a sensitive value."
        return "" if target.sensitive else "The table has no sensitive column."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        if is_sorted(target.main.rows):
            return tuple(self._nothing(target, column) for column in target.sensitive)
        known = None if target.raw is None else _lined_up(target, target.raw, progress)
        return tuple(
            self._unchecked(target, column) if known is None else self._checked(target, column, *known)
            for column in target.sensitive
        )

    def _nothing(self, target: Target, column: str) -> Outcome:
        chance = _by_chance(target.valued(column))
        return self._outcome(column, chance, target.rows, chance / max(target.rows, 1), "The table is sorted.")

    def _unchecked(self, target: Target, column: str) -> Outcome:
        rows = target.valued(column).with_columns(pl.col("value").fill_null(MISSING))
        falls = (pl.col("value") < pl.col("value").shift(1)).any().alias("falls")
        classes = rows.with_columns(falls.over(CLASS))
        disclosed, others = int(classes.filter("falls")["rows"].sum()), classes.filter(~pl.col("falls"))
        baseline = _by_chance(rows) / max(target.rows, 1)
        note = "Without the input, every row counts whose class is in no order, and others as often as by chance."
        return self._outcome(column, disclosed + _by_chance(others), target.rows, baseline, note)

    def _checked(self, target: Target, column: str, rows: Int64, individuals: Int64) -> Outcome:
        runs = target.main.run_of(rows)
        released, settings = target.values(column)[runs], target.plan.columns[column]
        raw = target.raw
        assert raw is not None
        truth = canonical(raw[column], settings, target.plan.data.absent, target.plan.data.notation)[individuals]
        right = int((released == truth).fill_null(False).sum())
        tried = pl.DataFrame({CLASS: target.classes.of_run[runs], "value": released, "rows": np.ones_like(runs)})
        baseline = _by_chance(tried) / max(len(rows), 1)
        sampled = len(rows) < target.rows
        return self._outcome(column, right, len(rows), baseline, "The table is not sorted.", sampled=sampled)

    def _outcome(
        self, column: str, successes: float, tried: int, baseline: float, note: str, *, sampled: bool = False
    ) -> Outcome:
        measured = (
            "The share of rows whose sensitive value the place in the class reveals; the baseline is that of rows in "
            f"random order. {note}"
        )
        return of_share(
            self, successes, tried, baseline=baseline, bound=None, measured=measured, column=column, sampled=sampled
        )


def is_sorted(rows: pl.DataFrame) -> bool:
    """Whether rows are in the order of the texts of their cells, the first column first and missing values first.

    A missing value is written in two ways, null and empty, so that rows are not compared beyond one.
    """
    tied: Flags = np.ones(max(rows.height - 1, 0), np.bool_)
    for column in rows:
        texts = (column.cast(pl.String) if column.dtype.is_float() else table.as_text(column)).fill_null(MISSING)
        these, next_ones = texts[:-1], texts[1:]
        if (tied & (these > next_ones).to_numpy()).any():
            return False
        tied &= ((these == next_ones) & (these != MISSING)).to_numpy()
    return True


def _by_chance(rows: pl.DataFrame) -> float:
    """The expected number of right values if the rows of every class are in random order."""
    counts = rows.group_by(CLASS, "value").agg(pl.col("rows").sum())
    counts = counts.sort(CLASS, "value").with_columns(size=pl.col("rows").sum().over(CLASS)).drop_nulls("value")
    return float((counts["rows"].cast(pl.Float64) ** 2 / counts["size"]).sum())


def _lined_up(target: Target, raw: pl.DataFrame, progress: Progress) -> tuple[Int64, Int64]:
    """Released rows and the input rows that they are taken for, of classes whose individuals are known for certain."""
    known, released = known_of(raw, target), target.labelled
    groups, _ = chosen(released, _TRIED, target.seed)
    pairs = matching(known, released, target.plan)
    rows_of, individuals_of = _members(released), _members(known)
    rows, individuals = [], []
    for place, group in enumerate(groups.tolist()):
        progress("line up", place / len(groups))
        matched = [individuals_of[each] for each in pairs.matched(group).tolist()]
        own = np.sort(np.concatenate(matched)) if matched else np.empty(0, np.int64)
        if len(own) == len(rows_of[group]):
            rows.append(rows_of[group])
            individuals.append(own)
    empty = [np.empty(0, np.int64)]
    return np.concatenate([*rows, *empty]), np.concatenate([*individuals, *empty])


def _members(groups: Groups) -> list[Int64]:
    """The rows of every group, in order."""
    order = np.argsort(np.repeat(groups.of_run, groups.times), kind="stable")
    return np.split(order, np.cumsum(groups.sizes)[:-1])
