"""l-diversity: every class holds l well-represented sensitive values, distinct, by entropy, or recursive."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int64
from shoal.coded.stats import ClassStats, ValueCounts
from shoal.errors import PlanError
from shoal.exact import at_most, fraction
from shoal.models.base import About, ColumnModel, Monotone
from shoal.models.evidence import CLASS, LOG_TOLERANCE, Evidence, Finding, exceeds, largest_ratio, least
from shoal.roles.parameters import number, one_of, whole_number


@dataclass(frozen=True)
class LDiversity(ColumnModel):
    """Every class holds at least l well-represented values of the sensitive column.

    distinct: at least l different values. entropy: −Σ p·ln p >= ln l, where p are the values' shares in the class.
    recursive: r1 < c · (r_l + r_(l+1) + … + r_m), where r1 >= r2 >= … >= r_m are the counts of the class.
    A missing value is no value unless the plan says so: it is left out of all three, and a class of nothing else fails.

    Monotone: distinct is UPWARD, because rows only add values. Entropy is UNION, because entropy is concave; recursive
    is UNION, because merging at most adds up r1 while what lies beyond the l−1 largest at least adds up.
    Floor: distinct needs l rows, entropy ⌈l⌉ (entropy is at most ln of the number of values). Recursive needs
    l + ⌊1/c⌋: the first l−1 values have a row each, and the rest more than r1/c >= 1/c.
    Paper: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"disease": ["flu", "HIV", "flu"]})
    >>> LDiversity("disease", l=2).passes(stats_of(rows, [[0, 1], [0, 2]])).tolist()
    [True, False]
    """

    column: str
    l: int | float
    variant: str = "distinct"
    c: int | float | None = None

    kind: ClassVar[str] = "l-diversity"
    counts_values: ClassVar[bool] = True
    largest: ClassVar[tuple[str, ...]] = ("c",)
    about: ClassVar[About] = About(
        promise=(
            "Whoever finds a person's class still faces at least l sensitive values there. Distinct counts them; "
            "entropy also asks that they are evenly spread; recursive bounds the most frequent by c times the rarer."
        ),
        not_protected=(
            "Probability: with distinct l, 98 of 100 patients may share one diagnosis. Meaning: three kinds of cancer "
            "are three values, and still say cancer. Several sensitive columns: each is judged alone, so that knowing "
            "one may give away another. Comparison: a disease may be far more frequent in a class than in the table."
        ),
        example=(
            "Five patients of a class have HIV, HIV, HIV, HIV and flu. Distinct l = 2 passes. Entropy fails at l = 2: "
            "exp(entropy) is 1.65. Recursive with c = 3, l = 2 fails: 4 is not below 3 · 1."
        ),
        paper=(
            "A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam, l-diversity: privacy beyond k-anonymity, "
            "ICDE 2006."
        ),
        sample={"column": "diagnosis", "l": 3},
    )

    def __post_init__(self) -> None:
        self._check_column()
        one_of(self, "variant", self.variant, ("distinct", "entropy", "recursive"))
        if self.variant == "entropy":
            number(self, "l", self.l, above=1, most=2**31 - 1)
        else:
            whole_number(self, "l", self.l, 2)
        if self.variant == "recursive":
            number(self, "c", self.c, above=0)
        elif self.c is not None:
            raise PlanError(
                f"LDiversity c belongs to the variant 'recursive'; the variant is '{self.variant}'.",
                hint="leave c out, or set variant = 'recursive'.",
            )

    @property
    def monotone(self) -> Monotone:
        return Monotone.UPWARD if self.variant == "distinct" else Monotone.UNION

    @property
    def floor(self) -> int:
        spare = math.floor(1 / fraction(self.c)) if self.c is not None else 0
        return math.ceil(self.l) + spare

    def least_lost(self, stats: ClassStats, passing: Flags) -> int:
        """Recursive: more than r1 − c · (r_l + …), because what is kept has no more beyond its l − 1 largest."""
        if self.c is None or stats.counts_persons:
            return super().least_lost(stats, passing)
        counts = stats.counts(self.column).without(stats.domain(self.column).missing)
        largest, tail = _recursive_parts(counts, int(self.l))
        lost = np.ceil(largest - float(self.c) * tail - 1e-6)
        return int(np.maximum(lost, 1)[~passing].sum())

    def passes(self, stats: ClassStats) -> Flags:
        counts = stats.counts(self.column).without(stats.domain(self.column).missing)
        if self.variant == "distinct":
            return np.diff(counts.offsets) >= self.l
        if self.variant == "entropy":
            return _entropies(counts) >= math.log(self.l) - LOG_TOLERANCE
        assert self.c is not None
        share = fraction(self.c)
        largest, tail = _recursive_parts(counts, int(self.l))
        return at_most(largest, share.denominator, tail, share.numerator, strict=True)

    def holds(self, evidence: Evidence) -> Finding:
        if self.variant == "distinct":
            return self._distinct_holds(evidence)
        return self._entropy_holds(evidence) if self.variant == "entropy" else self._recursive_holds(evidence)

    def _distinct_holds(self, evidence: Evidence) -> Finding:
        values = _per_class(evidence, self.column, pl.len().alias("values"))["values"].fill_null(0)
        failing = int((values < self.l).sum())
        return Finding(holds=failing == 0, achieved={"l": least(values)}, failing=failing)

    def _entropy_holds(self, evidence: Evidence) -> Finding:
        share = pl.col("count") / pl.col("count").sum()
        found = _per_class(evidence, self.column, -(share * share.log()).sum().alias("entropy"))["entropy"]
        failing = int((found.fill_null(-math.inf) < math.log(self.l) - LOG_TOLERANCE).sum())
        worst = math.exp(found.min()) if len(found) and not found.has_nulls() else 0.0  # type: ignore[arg-type]
        return Finding(holds=failing == 0, achieved={"l": round(worst, 9)}, failing=failing)

    def _recursive_holds(self, evidence: Evidence) -> Finding:
        """`c` of what was achieved: the recursion holds for every c above it; null when it holds for none."""
        assert self.c is not None
        descending = pl.col("count").sort(descending=True)
        parts = _per_class(
            evidence,
            self.column,
            descending.first().alias("largest"),
            descending.slice(int(self.l) - 1).sum().alias("tail"),
        ).fill_null(0)
        fails = exceeds(parts["largest"], parts["tail"], fraction(self.c), or_equals=True)
        bound = None if (parts["tail"] == 0).any() else largest_ratio(parts["largest"], parts["tail"])
        failing = int(fails.sum())
        return Finding(holds=failing == 0, achieved={"l": int(self.l), "c": bound}, failing=failing)


def _entropies(counts: ValueCounts) -> Float64:
    """float64 [classes]: ln n − Σ count·ln count / n; −inf for a class without any value."""
    n = counts.totals
    summed = np.bincount(counts.class_of, counts.counts * np.log(counts.counts), len(n))
    some = np.maximum(n, 1)
    return np.where(n > 0, np.log(some) - summed / some, -np.inf)


def _recursive_parts(counts: ValueCounts, l: int) -> tuple[Int64, Int64]:
    """int64 [classes] each: the largest count, and the sum of all counts from the l-th largest on."""
    class_of = counts.class_of
    descending = counts.counts[np.lexsort((-counts.counts, class_of))]
    place = np.arange(len(descending)) - counts.offsets[class_of]
    return counts.sums(np.where(place == 0, descending, 0)), counts.sums(np.where(place >= l - 1, descending, 0))


def _per_class(evidence: Evidence, column: str, *aggregates: pl.Expr) -> pl.DataFrame:
    """One row per class, aggregated over the values that count; null for a class that has none."""
    classes = evidence.rows.select(CLASS).unique()
    return classes.join(evidence.counted(column).group_by(CLASS).agg(*aggregates), on=CLASS, how="left")
