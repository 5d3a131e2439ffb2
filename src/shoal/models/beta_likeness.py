"""β-likeness: no sensitive value gains more than β, relative to its share in the whole table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags
from shoal.coded.stats import ClassStats
from shoal.exact import at_most, fraction
from shoal.models.base import About, ColumnModel, Monotone
from shoal.models.evidence import CLASS, LOG_TOLERANCE, Evidence, Finding, exceeds, largest_ratio, small_total
from shoal.roles.parameters import number, one_of


@dataclass(frozen=True)
class BetaLikeness(ColumnModel):
    """In every class, a value of share p in the table and q > p in the class has (q − p)/p <= β.

    basic: that. enhanced: (q − p)/p <= min(β, −ln p), so that frequent values, too, are kept from certainty.
    A missing value is a value like any other.

    Monotone: UNION, because a share in merged classes lies between the two shares, and the bound depends on p alone.
    Paper: Cao, Karras 2012.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"disease": ["flu", "HIV", "flu", "flu"]})
    >>> BetaLikeness("disease", beta=1).passes(stats_of(rows, [[0, 1], [1], [2, 3]])).tolist()
    [True, False, True]
    """

    column: str
    beta: int | float
    variant: str = "basic"

    kind: ClassVar[str] = "beta-likeness"
    largest: ClassVar[tuple[str, ...]] = ("beta",)
    about: ClassVar[About] = About(
        promise=(
            "Finding a person's class raises an intruder's confidence in any sensitive value by at most β times what "
            "it was from the whole table. Rare values are protected as much as frequent ones."
        ),
        not_protected=(
            "Loss of confidence: that a class holds none of a value may be told. Basic alone lets a value of share 1/2 "
            "reach certainty at β = 1; enhanced does not. Similar values are not recognised as similar."
        ),
        example=(
            "2 % of all patients have HIV. At β = 1 a class may have at most 4 %: one HIV patient needs a class of 25, "
            "where t-closeness with t = 0.2 would allow a class of five."
        ),
        paper="J. Cao, P. Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012.",
        sample={"column": "diagnosis", "beta": 1},
    )

    def __post_init__(self) -> None:
        self._check_column()
        number(self, "beta", self.beta, above=0)
        one_of(self, "variant", self.variant, ("basic", "enhanced"))

    @property
    def monotone(self) -> Monotone:
        return Monotone.UNION

    @property
    def floor(self) -> int:
        return 1

    @property
    def relative_to_released(self) -> bool:
        return True

    def passes(self, stats: ClassStats) -> Flags:
        counts = stats.counts(self.column)
        whole = stats.reference(self.column)
        total = small_total(int(whole.sum()))
        expected = whole[counts.values] * counts.totals[counts.class_of]  # N times the count at equal shares
        most = 1 + fraction(self.beta)  # q/p <= 1 + β also holds wherever q <= p
        fine = at_most(counts.counts, total * most.denominator, expected, most.numerator)
        if self.variant == "enhanced":
            gain = (counts.counts * total - expected) / expected
            fine &= gain <= -np.log(whole[counts.values] / total) + LOG_TOLERANCE
        return counts.every(fine)

    def holds(self, evidence: Evidence) -> Finding:
        whole = evidence.reference(self.column).rename({"count": "whole"})
        total = pl.lit(whole["whole"].sum(), dtype=pl.Int128)
        size = pl.col("count").sum().over(CLASS).cast(pl.Int128)
        gains = (
            evidence.counts(self.column)
            .join(whole, on="value", nulls_equal=True)
            .with_columns((pl.col("whole") * size).alias("expected"), (pl.col("count") * total).alias("found"))
            .filter(pl.col("found") > pl.col("expected"))
            .with_columns((pl.col("found") - pl.col("expected")).alias("gain"))
        )
        fails = exceeds(gains["gain"], gains["expected"], fraction(self.beta))
        if self.variant == "enhanced":
            fails |= _above_log(gains, int(whole["whole"].sum()))
        failing = gains.filter(fails)[CLASS].n_unique()
        achieved = {"beta": largest_ratio(gains["gain"], gains["expected"])}
        return Finding(holds=failing == 0, achieved=achieved, failing=failing)


def _above_log(gains: pl.DataFrame, total: int) -> pl.Series:
    relative = pl.col("gain").cast(pl.Float64) / pl.col("expected").cast(pl.Float64)
    bound = math.log(total) - pl.col("whole").log() if total else pl.lit(0.0)
    return gains.select((relative > bound + LOG_TOLERANCE).alias("fails"))["fails"]
