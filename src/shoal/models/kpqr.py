"""(k,p,q,r)-anonymity: classes of at least k persons, in which rare values stand beside others that differ widely."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from shoal.arrays import Array, Flags, Int64
from shoal.coded.domains import SensitiveDomain
from shoal.coded.stats import ClassStats, ValueCounts
from shoal.errors import PlanError
from shoal.exact import at_most, fraction
from shoal.labels import MISSING
from shoal.models.about import About, Weak
from shoal.models.base import ColumnModel, Monotone
from shoal.models.evidence import CLASS, Evidence, Figure, Finding, SensitiveFacts, exceeds, least
from shoal.roles.parameters import number, one_of, whole_number


@dataclass(frozen=True)
class KPQR(ColumnModel):
    """Every class holds at least k persons. If it holds a rare value, it holds p values, of a variance of at least r·V.

    A value is rare if its share in the reference distribution is below q. V is the variance of the reference
    distribution; variances are means of squared distances to the mean. Numbers and dates are their own positions. The
    values of a text column with a hierarchy have positions 0, 1, 2, … in the order of its leaves, among the values of
    the reference. r = 0 requires no variance, and suits columns without an order.
    A missing value is rare, and counts towards p, only if the plan lets it count. It has no position. It always counts
    towards the size of the class and of the table.

    Monotone: UNION if r = 0, because p values of a part are p values of the union, and a union holds a rare value only
    if a part does. NONE otherwise: a passing class without rare values may have no variance at all, and lowers that of
    the union.
    Floor: k, which is at least p.
    Paper: Domingo-Ferrer, Sebé, Solanas 2008.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"disease": ["flu", "flu", "flu", "HIV", "HIV"]})
    >>> KPQR("disease", k=2, p=2, q=0.5).passes(stats_of(rows, [[0, 1], [3, 4], [0, 3]])).tolist()
    [True, False, True]
    """

    column: str
    """The column whose rare values are protected. Allowed: the name of a sensitive column."""
    k: int
    """The smallest number of individuals in a class. Allowed: whole numbers from 2."""
    p: int
    """The smallest number of different values in a class with a rare value. Allowed: whole numbers from 2 to k."""
    q: int | float
    """The share in the table below which a value is rare. Allowed: numbers from 0 to 1."""
    r: int | float = 0
    """The smallest variance of a class with a rare value, as a share of the variance of the table; above 0, the column
    needs an order. Allowed: numbers from 0 to 1."""
    reference: str = "both"
    """The rows in which values are rare, and with whose variance classes are compared. Allowed: `"both"`,
    `"released"`, `"input"`."""

    kind: ClassVar[str] = "kpqr"
    counts_values: ClassVar[bool] = True
    about: ClassVar[About] = About(
        promise=(
            "An intruder who knows an individual's quasi-identifiers finds at least k matching individuals. If any of "
            "them has a value with a share below q in the table, they have at least p values, whose variance is at "
            "least r times that of the table."
        ),
        not_protected=(
            "Frequent values: a class in which everyone has the same value passes if the value is not rare. "
            "Probability: a rare value may have nearly all the rows of a class, however small its share in the table "
            "is (skewness); t-closeness and β-likeness bound this. Similar values, unless r is above 0."
        ),
        example=(
            "1 % of all patients have HIV, and q = 0.05. A class of five patients, two with HIV and three with flu, "
            "holds a rare value but only two values, so p = 3 fails. A class of five patients with flu passes."
        ),
        paper=(
            "J. Domingo-Ferrer, F. Sebé, A. Solanas, An anonymity model achievable via microaggregation, Secure Data "
            "Management 2008."
        ),
        sample={"column": "diagnosis", "k": 5, "p": 3, "q": 0.05},
        weak=Weak(
            attack="homogeneity",
            parameters={"column": "diagnosis", "k": 3, "p": 3, "q": 0.2},
            columns=("age", "zip", "diagnosis"),
            rows=(
                *[("[30, 39]", "476*", "diabetes")] * 3,
                *(("[40, 49]", "479*", diagnosis) for diagnosis in ("asthma", "cold", "flu")),
            ),
            shows="Diabetes is not rare, so that a class may have no other diagnosis.",
        ),
    )

    def __post_init__(self) -> None:
        self._check_column()
        whole_number(self, "k", self.k, 2)
        whole_number(self, "p", self.p, 2)
        number(self, "q", self.q, least=0, most=1)
        number(self, "r", self.r, least=0, most=1)
        one_of(self, "reference", self.reference, ("both", "released", "input"))
        if self.p > self.k:
            raise PlanError(
                f"KPQR p must be at most k; got p = {self.p} and k = {self.k}.",
                allowed="A class of k rows cannot hold more than k values.",
                hint="raise k, or lower p.",
            )

    @property
    def monotone(self) -> Monotone:
        return Monotone.NONE if self.r > 0 else Monotone.UNION

    @property
    def floor(self) -> int:
        return self.k

    @property
    def reads_trees(self) -> tuple[str, ...]:
        return (self.column,) if self.r > 0 else ()

    def needs(self, columns: Mapping[str, Any]) -> str:
        column = columns[self.column]
        if self.r > 0 and column.hierarchy is None and column.type in (None, "text"):
            return (
                f'kpqr with r above 0 needs an order for column \'{self.column}\': give it type = "integer", "real", '
                '"date" or "datetime", or a hierarchy whose leaves are in order. Hint: r = 0 requires no variance.'
            )
        return ""

    @property
    def without_shares(self) -> KPQR:
        return replace(self, q=0, r=0)

    @property
    def relative_to_released(self) -> bool:
        return self.reference != "input"

    @property
    def input_binds(self) -> bool:
        return self.reference != "released"

    reads_input = input_binds

    def passes(self, stats: ClassStats) -> Flags:
        domain, reference = stats.domain(self.column), stats.reference(self.column)
        counts = stats.counts(self.column).without(domain.missing)
        q = fraction(self.q)
        rare = at_most(reference, q.denominator, np.full_like(reference, reference.sum()), q.numerator, strict=True)
        no_rare_value = counts.every(~rare[counts.values])
        passing: Flags = (stats.sizes >= self.k) & (no_rare_value | (np.diff(counts.offsets) >= self.p))
        undecided = passing & ~no_rare_value
        if self.r > 0 and undecided.any():
            passing &= no_rare_value | self._varied(counts, reference, domain)
        return passing

    def _varied(self, counts: ValueCounts, reference: Int64, domain: SensitiveDomain) -> Flags:
        """bool [classes]: which classes have at least r times the variance of the reference."""
        position, placed = _positions(domain, reference)
        weight = np.where(placed, 1, 0)
        n, over = _spread(counts, weight, position)
        whole = ValueCounts(np.array([0, domain.size]), np.arange(domain.size, dtype=np.int32), reference)
        (total,), (table,) = _spread(whole, weight, position)
        r = fraction(self.r)
        n = np.maximum(n, 1)  # without a position, a class has no variance
        return np.asarray(over * (total * total * r.denominator) >= n * n * (table * r.numerator), np.bool_)

    def holds(self, evidence: Evidence) -> Finding:
        """Checks every reference distribution that is available, and reports the other as not checked."""
        sizes = evidence.sizes
        broken = [sizes.filter(pl.col("size") < self.k)[CLASS]]
        achieved: dict[str, Figure] = {"k": least(sizes["size"])}
        released = self._against(evidence, evidence.reference(self.column))
        broken += [released.broken] if self.reference != "input" else []
        achieved |= self._figures("released", released)
        if self.reference != "released" and self.column in evidence.input_counts:
            against_input = self._against(evidence, evidence.input_counts[self.column])
            broken.append(against_input.broken)
            achieved |= self._figures("input", against_input)
        elif self.reference != "released":
            achieved["input_reference"] = "not checked"
        failing = pl.concat(broken).n_unique()
        return Finding(holds=failing == 0, achieved=achieved, failing=failing)

    def _figures(self, against: str, judged: _Judged) -> dict[str, Figure]:
        """The fewest values, and with r the least share of the variance, of a class with a rare value."""
        share = judged.share
        if share is not None and against == "input":  # the exact share would reveal suppressed rows
            coarse = math.floor(round(share * 100, 9)) / 100
            share = coarse if share < self.r else max(coarse, float(self.r))
        return {f"p_{against}": judged.values, **({f"r_{against}": share} if self.r > 0 else {})}

    def _against(self, evidence: Evidence, reference: pl.DataFrame) -> _Judged:
        """What classes with a rare value hold; rarity and variance are those of the reference."""
        total = int(reference["count"].sum())
        entries = evidence.counted(self.column).join(
            reference.rename({"count": "reference"}), on="value", how="left", nulls_equal=True
        )
        shares = entries["reference"].fill_null(0), pl.Series([total]).new_from_index(0, entries.height)
        rare = ~exceeds(*shares, fraction(self.q), or_equals=True)
        classes = entries.group_by(CLASS).agg(pl.len().alias("values"))
        classes = classes.join(entries.filter(rare).select(CLASS).unique(), on=CLASS)
        few = classes.filter(pl.col("values") < self.p)[CLASS]
        values = least(classes["values"]) if classes.height else None
        if self.r == 0 or not classes.height:
            return _Judged(few, values, None)
        uniform, share = self._variances(entries.join(classes, on=CLASS), reference, evidence.facts[self.column])
        return _Judged(pl.concat([few, uniform.cast(few.dtype)]), values, share)

    def _variances(
        self, entries: pl.DataFrame, reference: pl.DataFrame, facts: SensitiveFacts
    ) -> tuple[pl.Series, float | None]:
        """The classes whose variance is too small, and the least variance of a class over that of the reference."""
        place = _places(reference["value"].to_list(), facts)
        table = _variance(list(reference.select("value", "count").iter_rows()), place)
        by_class: dict[Any, list[tuple[str | None, int]]] = {}
        for class_, value, count in entries.select(CLASS, "value", "count").iter_rows():
            by_class.setdefault(class_, []).append((value, count))
        variances = {class_: _variance(counts, place) for class_, counts in by_class.items()}
        needed = table * fraction(self.r)
        uniform = [class_ for class_, variance in variances.items() if variance < needed]
        return pl.Series(CLASS, uniform), float(min(variances.values()) / table) if table else None

    def _worst(self, name: str, figures: Sequence[Figure]) -> Figure:
        """As for other models, but None means that no class holds a rare value, which is not the worst."""
        known = [figure for figure in figures if figure is not None]
        return super()._worst(name, known) if known else None


class _Judged(NamedTuple):
    """What classes with a rare value hold: those that fail, the fewest values, the least share of the variance."""

    broken: pl.Series
    values: int | None
    share: float | None


# --- for the search ---


def _positions(domain: SensitiveDomain, reference: Int64) -> tuple[Array, Flags]:
    """[codes] the position of every value as a whole number, and whether it has one; ranks count occurring values."""
    if domain.positions is not None:
        return domain.positions
    placed = np.array([label != MISSING for label in domain.labels], np.bool_) & (reference > 0)
    return np.maximum(np.cumsum(placed) - 1, 0), placed


def _spread(counts: ValueCounts, weight: Array, position: Array) -> tuple[Array, Array]:
    """object [classes], twice: the number n of values with a position, and n² times their variance."""
    each = counts.counts * weight[counts.values]
    largest = int(position.max(initial=0)) ** 2 * max(int(counts.counts.sum()), 1)
    at = position[counts.values].astype(np.int64 if largest < 2**62 else object)
    n, first, second = (_sums(counts, entries).astype(object) for entries in (each, each * at, each * at * at))
    return n, n * second - first * first


def _sums(counts: ValueCounts, entries: Array) -> Array:
    """[classes]: numbers given per entry, summed over each class, exactly if they are Python integers."""
    running: Array = np.concatenate([np.zeros(1, entries.dtype), np.cumsum(entries, dtype=entries.dtype)])
    return running[counts.offsets[1:]] - running[counts.offsets[:-1]]


# --- for verification ---


def _variance(counts: Sequence[tuple[str | None, int]], place: Mapping[str | None, int]) -> Fraction:
    """The variance of the values that have a place, each with its number of persons; 0 if there is none."""
    known = [(place[value], count) for value, count in counts if value in place]
    n = sum(count for _, count in known)
    if not n:
        return Fraction()
    total, squares = sum(at * count for at, count in known), sum(at * at * count for at, count in known)
    return Fraction(n * squares - total * total, n * n)


def _places(values: Sequence[str | None], facts: SensitiveFacts) -> dict[str | None, int]:
    """The position of each value that has one, as a whole number: all are scaled alike, which no ratio depends on."""
    known = [value for value in values if value is not None]
    read = _READ.get(facts.settings.type or "text")
    if read is not None:
        places = {value: place for value in known if (place := read(value)) is not None}
        scale = math.lcm(*(place.denominator for place in places.values()))
        return {value: int(place * scale) for value, place in places.items()}
    present = set(known)
    return {value: rank for rank, value in enumerate(value for value in facts.paths if value in present)}


def _number(text: str) -> Fraction | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return Fraction(value) if value.is_finite() else None


def _day(text: str) -> Fraction:
    return Fraction(date.fromisoformat(text).toordinal())


def _moment(text: str) -> Fraction:
    return Fraction((datetime.fromisoformat(text) - datetime.min) // timedelta(microseconds=1))


_READ: Mapping[str, Callable[[str], Fraction | None]] = {
    "integer": _number,
    "real": _number,
    "date": _day,
    "datetime": _moment,
}
