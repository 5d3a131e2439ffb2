"""l-diversity: every class holds l well-represented sensitive values (distinct, entropy or recursive)."""

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
from shoal.models.about import About, Weak
from shoal.models.base import ColumnModel, Monotone
from shoal.models.evidence import CLASS, LOG_TOLERANCE, Evidence, Finding, exceeds, largest_ratio, least
from shoal.roles.parameters import number, one_of, whole_number


@dataclass(frozen=True)
class LDiversity(ColumnModel):
    """Every class holds at least l well-represented values of the sensitive column.

    distinct: at least l different values.
    entropy: −Σ p·ln p >= ln l, where p are the shares of the values in the class.
    recursive: r1 < c · (r_l + r_(l+1) + … + r_m), where r1 >= r2 >= … >= r_m are the counts of the values in the class.
    A missing value does not count in any variant unless the plan says so. A class with missing values only fails.

    Monotone: distinct is UPWARD, because added rows only add values. Entropy is UNION, because entropy is concave.
    Recursive is UNION, because merging at most adds up r1 and at least adds up the counts beyond the l−1 largest.
    Floor: l rows for distinct. ⌈l⌉ for entropy, because it is at most ln of the number of values. l + ⌊1/c⌋ for
    recursive, because the first l−1 values have a row each, and the others together more than r1/c >= 1/c.
    Paper: Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"disease": ["flu", "HIV", "flu"]})
    >>> LDiversity("disease", l=2).passes(stats_of(rows, [[0, 1], [0, 2]])).tolist()
    [True, False]
    """

    column: str
    """The column whose values must be diverse in every class. Allowed: the name of a sensitive column."""
    l: int | float
    """The smallest number of well-represented values in a class. Allowed: whole numbers from 2; with `variant =
    "entropy"`, numbers above 1."""
    variant: str = "distinct"
    """What counts as well represented: different values, their entropy, or the most frequent value against the rarer
    ones. Allowed: `"distinct"`, `"entropy"`, `"recursive"`."""
    c: int | float | None = None
    """By how much the most frequent value may exceed the rarer ones. Required with `variant = "recursive"`, refused
    otherwise. Allowed: numbers above 0."""

    kind: ClassVar[str] = "l-diversity"
    counts_values: ClassVar[bool] = True
    largest: ClassVar[tuple[str, ...]] = ("c",)
    about: ClassVar[About] = About(
        promise=(
            "An intruder who knows an individual's class still finds at least l sensitive values there. The distinct "
            "variant counts the values. The entropy variant also requires that they are evenly distributed. The "
            "recursive variant bounds the most frequent value by c times the rarer ones."
        ),
        not_protected=(
            "Probability: with distinct l, 98 of 100 patients may share one diagnosis. Meaning: three kinds of cancer "
            "are three values, but all of them disclose cancer. Several sensitive columns: each is judged separately, "
            "so a known value of one column may reveal another. Relative frequency: a disease may be far more frequent "
            "in a class than in the table."
        ),
        example=(
            "The five patients of a class have HIV, HIV, HIV, HIV and flu. Distinct l = 2 passes. Entropy l = 2 fails, "
            "because exp(entropy) is 1.65. Recursive with c = 3 and l = 2 fails, because 4 is not less than 3 · 1."
        ),
        paper=(
            "A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam, l-diversity: privacy beyond k-anonymity, "
            "ICDE 2006."
        ),
        sample={"column": "diagnosis", "l": 3},
        weak=Weak(
            attack="skewness",
            parameters={"column": "diagnosis", "l": 2},
            columns=("age", "zip", "diagnosis"),
            rows=(
                *(("[30, 39]", "476*", diagnosis) for diagnosis in ("HIV", "HIV", "HIV", "HIV", "flu")),
                *(("[40, 49]", "479*", diagnosis) for diagnosis in ("cold", "flu", "flu", "flu", "flu")),
            ),
            shows="Both classes have two diagnoses, but four of the five individuals in the first have HIV.",
        ),
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
                hint="remove c, or set variant = 'recursive'.",
            )

    @property
    def monotone(self) -> Monotone:
        return Monotone.UPWARD if self.variant == "distinct" else Monotone.UNION

    @property
    def floor(self) -> int:
        spare = math.floor(1 / fraction(self.c)) if self.c is not None else 0
        return math.ceil(self.l) + spare

    def least_lost(self, stats: ClassStats, passing: Flags) -> int:
        """Recursive: more than r1 − c · (r_l + …) rows of each class.

        Suppression adds no rows beyond the l − 1 largest values, so r1 must fall below c times their present number.
        """
        if self.c is None or stats.counts_persons:
            return super().least_lost(stats, passing)
        counts = stats.counts(self.column).without(stats.domain(self.column).missing)
        largest, tail = _recursive_parts(counts, int(self.l))
        lost = np.ceil(largest - float(self.c) * tail - 1e-6)
        return int(np.maximum(lost, 1)[~passing].sum())

    def fewest_values(self, column: str) -> int:
        return math.ceil(self.l)

    def confidence(self, value: str, share: float) -> float:
        """With c, the other values have more than 1/c of the rows of any value."""
        return 1.0 if self.c is None else float(self.c / (1 + self.c))

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
        entropies = _per_class(evidence, self.column, -(share * share.log()).sum().alias("entropy"))["entropy"]
        failing = int((entropies.fill_null(-math.inf) < math.log(self.l) - LOG_TOLERANCE).sum())
        worst = math.exp(entropies.min()) if len(entropies) and not entropies.has_nulls() else 0.0  # type: ignore[arg-type]
        return Finding(holds=failing == 0, achieved={"l": round(worst, 9)}, failing=failing)

    def _recursive_holds(self, evidence: Evidence) -> Finding:
        """Checks the recursive variant.

        The recursion holds for every c above the achieved `c`. It is null if the recursion holds for no c.
        """
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
    """float64 [classes]: the entropy ln n − Σ count·ln count / n; −inf for a class without values."""
    n = counts.totals
    summed = np.bincount(counts.class_of, counts.counts * np.log(counts.counts), len(n))
    positive = np.maximum(n, 1)
    return np.where(n > 0, np.log(positive) - summed / positive, -np.inf)


def _recursive_parts(counts: ValueCounts, l: int) -> tuple[Int64, Int64]:
    """int64 [classes] each: the largest count, and the sum of all counts from the l-th largest on."""
    class_of = counts.class_of
    descending = counts.counts[np.lexsort((-counts.counts, class_of))]
    place = np.arange(len(descending)) - counts.offsets[class_of]
    return counts.sums(np.where(place == 0, descending, 0)), counts.sums(np.where(place >= l - 1, descending, 0))


def _per_class(evidence: Evidence, column: str, *aggregates: pl.Expr) -> pl.DataFrame:
    """One row per class, aggregated over the values that count; null for a class without such values."""
    classes = evidence.rows.select(CLASS).unique()
    return classes.join(evidence.counted(column).group_by(CLASS).agg(*aggregates), on=CLASS, how="left")
