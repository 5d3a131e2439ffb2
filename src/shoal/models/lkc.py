"""LKC-privacy: an intruder who knows at most L quasi-identifiers finds K individuals and infers little about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Flags, Float64, Int64
from shoal.coded.combinations import Bound
from shoal.coded.domains import SensitiveDomain
from shoal.coded.stats import ClassStats
from shoal.errors import TableError
from shoal.exact import fraction, highest_below
from shoal.models.about import About, Weak
from shoal.models.alpha_k import AlphaK
from shoal.models.base import CombinationBound, KnowledgeModel, Monotone
from shoal.models.evidence import CLASS, COUNT, PERSON, Evidence, Finding, small_total
from shoal.roles.parameters import number, values, whole_number


@dataclass(frozen=True)
class LKC(KnowledgeModel):
    """Every combination of at most L quasi-identifiers has at least K matching persons and a confidence of at most C.

    The confidence is the largest share that a listed sensitive value has among the matching persons. `values` lists the
    sensitive values to bound, as texts or numbers; by default every value is bounded. If the column has a type, numbers
    and dates match by value; without one, texts match literally, so that 1 and 1.0 differ. A missing value is bounded
    only if the plan lets it count and no values are listed.
    Persons match if they have the same released labels. Wider labels that cover the known values as well do not count:
    an intruder can tell such rows apart, and considers them less likely.
    The model suits wide tables, in which no intruder knows all quasi-identifiers of an individual. If rows are counted,
    it suffices to check combinations of exactly L columns, because the matching rows of a shorter combination are a
    union of theirs. With L = all columns, C = 1 is k-anonymity and C = α is (α,k)-anonymity. With K = 1, only the
    confidence is bounded.
    On wide tables, `pais` loses less information under this model than global recodings lose under k-anonymity. But
    multidimensional recoding (`mondrian`) loses less still, and every class of it has K individuals and confidences of
    at most C, as if all quasi-identifiers were known. If persons are counted, it is refused for C below 1. To predict a
    target, `mondrian` has `cut = "target"`.

    Monotone: UNION, because a share in merged sets of matching rows lies between the two shares; UPWARD if C = 1.
    Floor: K, for a class that is judged alone, as an intruder who knows all quasi-identifiers would.
    Paper: Mohammed, Fung, Hung, Lee 2009.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"surgery": ["Plastic", "Transgender", "Plastic"]})
    >>> model = LKC(l=2, k=2, c=0.5, column="surgery", values=("Transgender",))
    >>> model.passes(stats_of(rows, [[0, 1], [0], [1, 2]])).tolist()
    [True, False, True]
    """

    l: int
    """The largest number of quasi-identifiers that an intruder is assumed to know (L). Allowed: whole numbers from 1.
    """
    k: int
    """The smallest number of individuals who match such knowledge (K). Allowed: whole numbers from 1."""
    c: int | float
    """The largest share of a bounded value among them (C). Allowed: numbers above 0, up to 1; 1 bounds no share."""
    column: str
    """The column whose values are bounded. Allowed: the name of a sensitive column."""
    values: tuple[str | int | float, ...] | None = None
    """The values whose share is bounded. By default, every value is bounded. Allowed: a list of values of the column,
    as texts or numbers."""

    kind: ClassVar[str] = "lkc"
    bounds_shares: ClassVar[bool] = True
    counts_values: ClassVar[bool] = True
    about: ClassVar[About] = About(
        promise=(
            "An intruder who knows at most L quasi-identifiers of an individual finds at least K matching individuals, "
            "and infers any listed sensitive value with a confidence of at most C. This promises "
            "less than k-anonymity, which also covers an intruder who knows all quasi-identifiers."
        ),
        not_protected=(
            "An individual of whom more than L quasi-identifiers are known: classes of a single row are allowed. "
            "Sensitive values that are not listed. Similar values: the share is bounded per value, so with C = 0.5 "
            "half of the matching individuals may have one cancer and half another. Relative frequency: the share is "
            "not compared with that in the table."
        ),
        example=(
            "Two men are 34 years old, and both had the listed surgery. With L = 2, an intruder who knows sex and age "
            "is certain of the surgery. The table fails for every C below 1, although K = 2 holds."
        ),
        paper=(
            "N. Mohammed, B. C. M. Fung, P. C. K. Hung, C. Lee, Anonymizing healthcare data: a case study on the blood "
            "transfusion service, KDD 2009."
        ),
        sample={"l": 3, "k": 5, "c": 0.5, "column": "diagnosis"},
        weak=Weak(
            attack="linkage",
            parameters={"l": 1, "k": 2, "c": 0.5, "column": "diagnosis"},
            columns=("age", "sex", "diagnosis"),
            rows=(
                ("[30, 39]", "female", "flu"),
                ("[30, 39]", "male", "HIV"),
                ("[40, 49]", "female", "HIV"),
                ("[40, 49]", "male", "flu"),
            ),
            shows="Age or sex alone match two rows; together, which is more than L = 1, they match one.",
        ),
    )

    def __post_init__(self) -> None:
        whole_number(self, "l", self.l, 1)
        whole_number(self, "k", self.k, 1)
        number(self, "c", self.c, above=0, most=1)
        self._check_column()
        if self.values is not None:
            object.__setattr__(self, "values", values(self, "values", self.values))

    @property
    def monotone(self) -> Monotone:
        return Monotone.UNION if self.c < 1 else Monotone.UPWARD

    @property
    def floor(self) -> int:
        return self.k

    @property
    def names_values(self) -> tuple[str, ...]:
        return tuple(map(str, self.values or ()))

    def naming(self, values: tuple[str, ...]) -> LKC:
        return replace(self, values=values)

    @property
    def without_shares(self) -> LKC:
        return replace(self, c=1)

    @property
    def _with_full_knowledge(self) -> AlphaK:
        """The promise against an intruder who knows every quasi-identifier."""
        return AlphaK(self.column, self.c, self.k, self.values)

    def bound(self, domain: SensitiveDomain) -> CombinationBound:
        positions = np.full(domain.size, -1, np.int32)
        if self.c < 1:
            named = frozenset(self.names_values)
            bounded = [
                code
                for code, label in enumerate(domain.labels)
                if code != domain.missing and (not named or label in named)
            ]
            positions[bounded] = np.arange(len(bounded), dtype=np.int32)
        return CombinationBound(Bound(self.l, self.k, fraction(self.c)), positions)

    def passes(self, stats: ClassStats) -> Flags:
        return self._with_full_knowledge.passes(stats)

    def remedy(self, stats: ClassStats) -> str:
        counts, listed = stats.counts(self.column), self.bound(stats.domain(self.column)).listed
        size = int(stats.sizes[0])
        largest = max((int(n) for v, n in zip(counts.values, counts.counts, strict=True) if listed[v] >= 0), default=0)
        parameters = []
        if size < self.k:
            parameters.append(f"k of at most {size}")
        if Fraction(largest, size) > fraction(self.c):
            which = "the most frequent value" if self.values is None else "a listed value"
            parameters.append(f"c of at least {math.ceil(largest * 10**4 / size) / 10**4} ({which} has that share)")
        return " and ".join(parameters)

    def holds(self, evidence: Evidence) -> Finding:
        matches = _Matches(evidence, self)
        matches.count()
        achieved: dict[str, float | int | str | None] = {
            "support": matches.support,
            "support_columns": matches.named(matches.support_at),
        }
        if self.c < 1:
            achieved["confidence"] = float(matches.confidence)
            achieved["confidence_columns"] = matches.named(matches.confidence_at)
        return Finding(holds=matches.failing == 0, achieved=achieved, failing=matches.failing)


@dataclass
class _Matches:
    """The matching rows of every combination of a release, counted for one set of columns after the other.

    This is the definition, applied to the distinct released rows. The time grows with the number of sets of L columns
    times the number of distinct released rows. The memory is that of a few copies of the rows.
    """

    evidence: Evidence
    model: LKC
    support: int = 0
    support_at: tuple[int, ...] = ()
    confidence: Fraction = Fraction(0)
    confidence_at: tuple[int, ...] = ()
    failing: int = 0
    names: list[str] = field(default_factory=list)

    def count(self) -> None:
        """Counts and judges the matching rows of all combinations."""
        rows = self._rows()
        if not rows.height:
            return
        coded = [(rows[name].to_numpy().astype(np.int64), name) for name in rows.columns if name.startswith("quasi ")]
        varying = [(codes, name) for codes, name in coded if codes.min() != codes.max()]
        self.names = [name.removeprefix("quasi ") for _, name in varying]
        self._codes = [codes for codes, _ in varying]
        self._widths = [int(codes.max()) + 1 for codes in self._codes]
        self._weight = rows["weight"].to_numpy().astype(np.float64)  # whole numbers below 2⁵³ stay exact
        self._total = small_total(int(self._weight.sum()))
        self._each_once = bool((self._weight == 1).all())
        self._value = rows["value"].to_numpy().astype(np.int64)
        self._with_value = np.flatnonzero(self._value >= 0)
        self._values = int(self._value.max(initial=-1)) + 1
        self._person = rows["person"].to_numpy().astype(np.int64) if "person" in rows.columns else None
        self.support = int(self._weight.sum()) if self._person is None else len(np.unique(self._person))
        start, most = np.zeros(rows.height, np.int64), min(self.model.l, len(varying))
        self._room = np.empty((most + 1, rows.height), np.int64)  # reused: allocation takes longer than counting
        # A person who matches two combinations counts once in their union, where a share may exceed both shares.
        fewest = 0 if len(varying) < len(coded) else min(1, most)
        shares = self._person is not None and self._values > 0
        for known in range(fewest, most + 1) if shares else (most,):
            self._choose(start, 1, (), known)

    def named(self, columns: Sequence[int]) -> str:
        """The names of these columns."""
        return ", ".join(self.names[column] for column in columns)

    def _rows(self) -> pl.DataFrame:
        """The distinct released rows as numbers: `quasi …` per column, `value` (-1 if not listed), `weight`, `person`.

        If persons are counted, the weights are not used, because one person may have several rows.
        """
        evidence, column = self.evidence, self.model.column
        if evidence.labels is None:
            raise TableError("LKC can be checked only if the released quasi-identifiers are known.")
        by = [CLASS, *([column] if self.model.c < 1 else []), *([PERSON] if evidence.counts_persons else [])]
        distinct = evidence.rows.group_by(by).agg(pl.col(COUNT).sum()).join(evidence.labels, on=CLASS, how="left")
        names = [name for name in evidence.labels.columns if name != CLASS]
        numbers = {f"quasi {name}": _numbered(distinct[name]) for name in names}
        unlisted = pl.repeat(-1, distinct.height, eager=True)
        numbers["value"] = self._listed(distinct[column]) if column in by else unlisted
        numbers["weight"] = distinct[COUNT]
        if PERSON in by:
            numbers["person"] = _numbered(distinct[PERSON])
        return pl.DataFrame(numbers)

    def _listed(self, text: pl.Series) -> pl.Series:
        """A number for every sensitive value with a bounded share, -1 for all others."""
        numbers = _numbered(text)
        if self.model.values is not None:
            return numbers.set(~text.is_in(pl.Series(self.model.names_values).implode()).fill_null(False), -1)
        return numbers if self.evidence.facts[self.model.column].missing_counts else numbers.set(text.is_null(), -1)

    def _choose(self, combination: Int64, combinations: int, chosen: tuple[int, ...], left: int) -> None:
        """Refines the combinations by every later column until all columns are chosen, then judges their matching rows.

        combination int64 [rows]: the number of the combination that each row has, below `combinations`. left: the
        number of columns still to choose.
        """
        if left == 0:
            self._judge(combination, combinations, chosen)
            return
        begin = chosen[-1] + 1 if chosen else 0
        for column in range(begin, len(self._codes) - left + 1):
            width = self._widths[column]
            key, room = np.multiply(combination, width, out=self._room[left]), combinations * width
            key += self._codes[column]
            if room > 4 * len(key):
                key = np.unique(key, return_inverse=True)[1].reshape(-1)
                room = int(key.max()) + 1
            self._choose(key, room, (*chosen, column), left - 1)

    def _judge(self, combination: Int64, combinations: int, chosen: tuple[int, ...]) -> None:
        """Judges the matching rows of all combinations of the chosen columns."""
        sizes = self._tally(combination, combinations, self._weight, self._person)
        unsafe = (sizes > 0) & (sizes < self.model.k)
        smallest = int(sizes[sizes > 0].min())
        if smallest < self.support or not self.support_at:
            self.support, self.support_at = min(smallest, self.support), chosen
        if self._values:
            unsafe[self._judge_shares(combination, combinations, sizes, chosen)] = True
        self.failing += int(unsafe.sum())

    def _judge_shares(self, combination: Int64, combinations: int, sizes: Int64, chosen: tuple[int, ...]) -> Int64:
        """The combinations in whose matching rows a listed value is too frequent."""
        rows = self._with_value
        key, room = combination[rows] * self._values + self._value[rows], combinations * self._values
        person = None if self._person is None else self._person[rows]
        if room <= 8 * len(rows):
            tally = self._tally(key, room, self._weight[rows], person)
            pairs = np.flatnonzero(tally)
            counts = tally[pairs]
        else:
            pairs, place = np.unique(key, return_inverse=True)
            counts = self._tally(place.reshape(-1), len(pairs), self._weight[rows], person)
        size = sizes[pairs // self._values]
        if len(pairs):
            self._keep_largest(counts, size, chosen)
        limit = highest_below(fraction(self.model.c), self._total)  # keeps products within 64 bits
        exceeding: Flags = counts * limit.denominator > size * limit.numerator
        unsafe: Int64 = pairs[exceeding] // self._values
        return unsafe

    def _keep_largest(self, counts: Int64, size: Int64, chosen: tuple[int, ...]) -> None:
        """Keeps the largest share seen so far, and the columns in which it was seen."""
        shares = counts / size
        for place in np.flatnonzero(shares >= shares.max() * (1 - 1e-9)).tolist():  # doubles only preselect
            share = Fraction(int(counts[place]), int(size[place]))
            if share > self.confidence or not self.confidence_at:
                self.confidence, self.confidence_at = max(share, self.confidence), chosen

    def _tally(self, key: Int64, room: int, weight: Float64, person: Int64 | None) -> Int64:
        """int64 [room]: the number of rows, or of distinct persons, of every key."""
        if person is None:
            sizes = np.bincount(key, minlength=room) if self._each_once else np.bincount(key, weight, minlength=room)
            rows: Int64 = sizes.astype(np.int64, copy=False)
            return rows
        person_room = int(person.max(initial=0)) + 1  # n rows at most, with 8 n keys at most: 64 bits suffice
        pairs = np.unique(key * person_room + person)
        persons: Int64 = np.bincount(pairs // person_room, minlength=room).astype(np.int64)
        return persons


def _numbered(labels: pl.Series) -> pl.Series:
    """A number from 0 for every label; a missing label equals an empty one."""
    text = labels.cast(pl.String).fill_null("")
    return text.cast(pl.Categorical(pl.Categories.random())).to_physical().cast(pl.Int64)
