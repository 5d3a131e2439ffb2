"""β-likeness: no class raises the share of a sensitive value by more than β, relative to its share in the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags
from shoal.coded.stats import ClassStats
from shoal.exact import at_most, fraction
from shoal.models.about import About, Weak
from shoal.models.base import ColumnModel, Monotone
from shoal.models.evidence import CLASS, LOG_TOLERANCE, Evidence, Finding, exceeds, largest_ratio, small_total
from shoal.roles.parameters import number, one_of


@dataclass(frozen=True)
class BetaLikeness(ColumnModel):
    """In every class, a value with a share q above its share p in the table satisfies (q − p)/p <= β.

    basic: this bound.
    enhanced: (q − p)/p <= min(β, −ln p), which also keeps frequent values from becoming certain.
    A missing value counts as a value.

    Monotone: UNION, because a share in merged classes lies between the two shares, and the bound depends on p only.
    Floor: 1 row.
    Paper: Cao, Karras 2012.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"disease": ["flu", "HIV", "flu", "flu"]})
    >>> BetaLikeness("disease", beta=1).passes(stats_of(rows, [[0, 1], [1], [2, 3]])).tolist()
    [True, False, True]
    """

    column: str
    """The column whose shares in a class are compared. Allowed: the name of a sensitive column."""
    beta: int | float
    """The largest relative increase of a value's share in a class over its share in the table. Allowed: numbers above
    0."""
    variant: str = "basic"
    """`"enhanced"` also keeps frequent values from becoming certain. Allowed: `"basic"`, `"enhanced"`."""

    kind: ClassVar[str] = "beta-likeness"
    bounds_shares: ClassVar[bool] = True
    largest: ClassVar[tuple[str, ...]] = ("beta",)
    about: ClassVar[About] = About(
        promise=(
            "Knowing an individual's class raises an intruder's confidence in any sensitive value by at most β times "
            "its share in the table. Rare values are protected as well as frequent ones."
        ),
        not_protected=(
            "Negative disclosure: a class may reveal that none of its individuals has a certain value. The basic "
            "variant lets a value with a share of 1/2 become certain at β = 1; the enhanced variant does not. Similar "
            "values are not recognized as similar."
        ),
        example=(
            "2 % of all patients have HIV. At β = 1, HIV may have a share of at most 4 % in a class, so a class with "
            "one HIV patient needs 25 patients. t-closeness with t = 0.2 would allow a class of five."
        ),
        paper="J. Cao, P. Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012.",
        sample={"column": "diagnosis", "beta": 1},
        weak=Weak(
            attack="homogeneity",
            parameters={"column": "diagnosis", "beta": 1},
            columns=("age", "zip", "diagnosis"),
            rows=(
                *[("[30, 39]", "476*", "diabetes")] * 3,
                *(("[40, 49]", "479*", diagnosis) for diagnosis in ("asthma", "cold", "flu")),
            ),
            shows="Half of all individuals have diabetes, so that at β = 1 it may become certain.",
        ),
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

    def confidence(self, value: str, share: float) -> float:
        gain = float(self.beta) if self.variant == "basic" else min(float(self.beta), -math.log(share))
        return min(share * (1 + gain), 1.0)

    def passes(self, stats: ClassStats) -> Flags:
        counts = stats.counts(self.column)
        reference = stats.reference(self.column)
        total = small_total(int(reference.sum()))
        expected = reference[counts.values] * counts.totals[counts.class_of]  # N times the count at equal shares
        limit = 1 + fraction(self.beta)  # q/p <= 1 + β also holds wherever q <= p
        within_bound = at_most(counts.counts, total * limit.denominator, expected, limit.numerator)
        if self.variant == "enhanced":
            gain = (counts.counts * total - expected) / expected
            within_bound &= gain <= -np.log(reference[counts.values] / total) + LOG_TOLERANCE
        return counts.every(within_bound)

    def holds(self, evidence: Evidence) -> Finding:
        reference = evidence.reference(self.column).rename({"count": "reference"})
        total = pl.lit(reference["reference"].sum(), dtype=pl.Int128)
        size = pl.col("count").sum().over(CLASS).cast(pl.Int128)
        gains = (
            evidence.counts(self.column)
            .join(reference, on="value", nulls_equal=True)
            .with_columns((pl.col("reference") * size).alias("expected"), (pl.col("count") * total).alias("observed"))
            .filter(pl.col("observed") > pl.col("expected"))
            .with_columns((pl.col("observed") - pl.col("expected")).alias("gain"))
        )
        fails = exceeds(gains["gain"], gains["expected"], fraction(self.beta))
        if self.variant == "enhanced":
            fails |= _above_log(gains, int(reference["reference"].sum()))
        failing = gains.filter(fails)[CLASS].n_unique()
        achieved = {"beta": largest_ratio(gains["gain"], gains["expected"])}
        return Finding(holds=failing == 0, achieved=achieved, failing=failing)


def _above_log(gains: pl.DataFrame, total: int) -> pl.Series:
    """Boolean series: which relative gains exceed −ln p, the bound of the enhanced variant."""
    relative = pl.col("gain").cast(pl.Float64) / pl.col("expected").cast(pl.Float64)
    bound = math.log(total) - pl.col("reference").log() if total else pl.lit(0.0)
    return gains.select((relative > bound + LOG_TOLERANCE).alias("fails"))["fails"]
