"""Exponential l-diversity: rows that agree in all sensitive columns but one hold l values of that column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int32, Int64
from shoal.coded.stats import ClassStats
from shoal.models.about import About, Weak
from shoal.models.base import ColumnsModel, Monotone
from shoal.models.evidence import CLASS, Evidence, Finding, least
from shoal.roles.parameters import whole_number

_LARGEST_FLOOR = 2**31 - 1
_VALUES = "\x00values"
"""A name that no column of a table can have."""


@dataclass(frozen=True)
class ExponentialL(ColumnsModel):
    """In every class, rows that agree in all sensitive columns but one hold at least l values of that column.

    This is the rule of Machanavajjhala et al. for several sensitive columns. It is offered for comparison with
    `multi-sensitive`: with m columns a class needs l^m rows, and on real tables even all rows together seldom pass. A
    missing value does not count towards l unless the plan says so. Rows with the same other values missing agree in
    them.

    Monotone: UNION, because the rows of a merged class that agree with a row include those of its own class, which hold
    l values already.
    Floor: l^m, because every row has l − 1 others that differ from it in the first column only, each of these has l − 1
    others that differ in the second column only, and so on.
    Paper: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006; as in Gal, Chen, Gangopadhyay 2008.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"a": ["x", "x", "y", "y"], "b": ["x", "y", "x", "y"]})
    >>> ExponentialL(l=2, columns=("a", "b")).passes(stats_of(rows, [[0, 1, 2, 3], [0, 1, 2]])).tolist()
    [True, False]
    """

    l: int
    """The smallest number of values of one column among rows that agree in all others. Allowed: whole numbers from 2.
    """
    columns: tuple[str, ...] | None = None
    """The columns that are judged together. By default, all sensitive columns of the plan. Allowed: a list of names of
    sensitive columns."""

    kind: ClassVar[str] = "exponential-l"
    counts_values: ClassVar[bool] = True
    about: ClassVar[About] = About(
        promise=(
            "An intruder who knows an individual's class, and all sensitive values of the individual but one, still "
            "finds at least l values of that one."
        ),
        not_protected=(
            "Identity: a class needs no more individuals than the l^m that its values require. Probability and "
            "meaning, as with l-diversity. The model is offered for comparison with multi-sensitive: real tables can "
            "hardly ever satisfy it."
        ),
        example=(
            "Four patients have flu or asthma, each of them with either of two drugs: l = 2 passes. Without the "
            "patient who takes the second drug for asthma it fails: an intruder who knows that an individual has "
            "asthma learns the drug."
        ),
        paper=(
            "A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam, l-diversity: privacy beyond k-anonymity, "
            "ICDE 2006."
        ),
        sample={"l": 3},
        weak=Weak(
            attack="linkage",
            parameters={"l": 2},
            columns=("age", "diagnosis", "treatment"),
            rows=tuple(
                (age, diagnosis, treatment)
                for age in ("31", "42", "57")
                for diagnosis in ("asthma", "flu")
                for treatment in ("inhaler", "rest")
            ),
            shows="Every class has all pairs of values, but an exact age narrows an individual down to four rows.",
            sensitive=("diagnosis", "treatment"),
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self, "l", self.l, 2)
        self._check_columns()

    @property
    def monotone(self) -> Monotone:
        return Monotone.UNION

    @property
    def floor(self) -> int:
        rows = 1
        for _ in self.columns or ("one at least",):
            rows = min(rows * self.l, _LARGEST_FLOOR)
        return rows

    def fewest_values(self, column: str) -> int:
        return self.l

    def passes(self, stats: ClassStats) -> Flags:
        columns = self.known_columns
        counts, joint = stats.joint(columns)
        passing = np.ones(len(stats), np.bool_)
        for a, column in enumerate(columns):
            agreeing, number = _agreeing(np.delete(joint, a, axis=1))
            keys = counts.class_of * number + agreeing[counts.values]
            sets, set_of = np.unique(keys, return_inverse=True)
            is_counted = joint[counts.values, a] != stats.domain(column).missing
            values = np.bincount(set_of, is_counted, len(sets))
            passing[sets[values < self.l] // number] = False
        return passing

    @property
    def reads_jointly(self) -> bool:
        return len(self.columns or ()) != 1

    def holds(self, evidence: Evidence) -> Finding:
        if not evidence.linked and self.reads_jointly:
            return self._can_hold(evidence)
        columns = self.known_columns
        fewest = evidence.sizes.select(CLASS)
        for number, column in enumerate(columns):
            others = [other for other in columns if other != column]
            value = pl.col(column) if not evidence.facts[column].missing_counts else pl.col(column).fill_null("\x00")
            agreeing = evidence.rows.group_by(CLASS, *others).agg(value.drop_nulls().n_unique().alias(_VALUES))
            worst = agreeing.group_by(CLASS).agg(pl.col(_VALUES).min().cast(pl.Int64).alias(f"values {number}"))
            fewest = fewest.join(worst, on=CLASS, how="left")
        smallest = fewest.select(pl.min_horizontal(pl.exclude(CLASS)))
        values = smallest.to_series()
        failing = int((values < self.l).sum())
        return Finding(holds=failing == 0, achieved={"l": least(values)}, failing=failing)

    def _can_hold(self, evidence: Evidence) -> Finding:
        """Checks what the counts of unlinked columns can show.

        A class can hold the promise only if every column has l values and the class has as many rows as these need.
        """
        classes = evidence.sizes
        for number, column in enumerate(self.known_columns):
            values = evidence.counted(column).group_by(CLASS).agg(pl.len().cast(pl.Int64).alias(f"values {number}"))
            classes = classes.join(values, on=CLASS, how="left")
        fewest = pl.min_horizontal(pl.selectors.starts_with("values ").fill_null(0))
        judged = classes.select("size", fewest.alias("fewest"))
        failing = int(((judged["fewest"] < self.l) | (judged["size"] < self.floor)).sum())
        return Finding(holds=failing == 0, achieved={"l at most": least(judged["fewest"])}, failing=failing)


def _agreeing(others: Int32) -> tuple[Int64, int]:
    """int64 [tuples]: a number that is equal for tuples that agree in all other columns; and the count of numbers."""
    if not others.shape[1]:
        return np.zeros(len(others), np.int64), 1
    distinct, places = np.unique(others, axis=0, return_inverse=True)
    return places.reshape(-1).astype(np.int64), len(distinct)
