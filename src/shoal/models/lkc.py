"""LKC-privacy: who knows at most L of many quasi-identifiers finds at least K persons, and learns little of them."""

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
from shoal.models.alpha_k import AlphaK
from shoal.models.base import About, CombinationBound, KnowledgeModel, Monotone
from shoal.models.evidence import CLASS, COUNT, PERSON, Evidence, Finding, small_total
from shoal.roles.parameters import number, texts, whole_number


@dataclass(frozen=True)
class LKC(KnowledgeModel):
    """Every combination of released values of at most L quasi-identifiers is shared by at least K persons, of whom at
    most a share C has any one listed sensitive value.

    It suits wide tables, in which nobody knows all quasi-identifiers of anybody. Where rows are counted it is enough to
    look at combinations of exactly L columns: shorter ones are unions of them. With L = all columns and C = 1 it is
    k-anonymity, with C = α it is (α,k)-anonymity; with K = 1 it bounds confidence alone. `values` lists the sensitive
    values to bound; without it every value is. A missing value is bounded only where the plan lets it count and no
    values are listed.

    Monotone: UNION, because a share in merged cells lies between the two shares; UPWARD where C = 1.
    Floor: K for a class judged alone, as one who knows all quasi-identifiers would.
    Paper: Mohammed, Fung, Hung, Lee 2009.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"surgery": ["Plastic", "Transgender", "Plastic"]})
    >>> model = LKC(l=2, k=2, c=0.5, column="surgery", values=("Transgender",))
    >>> model.passes(stats_of(rows, [[0, 1], [0], [1, 2]])).tolist()
    [True, False, True]
    """

    l: int
    k: int
    c: int | float
    column: str
    values: tuple[str, ...] | None = None

    kind: ClassVar[str] = "lkc"
    counts_values: ClassVar[bool] = True
    about: ClassVar[About] = About(
        promise=(
            "Whoever knows at most L quasi-identifiers of a person finds at least K matching persons, and is at most C "
            "sure of any listed sensitive value. Far less has to be generalized than for k-anonymity where there are "
            "many quasi-identifiers."
        ),
        not_protected=(
            "A person of whom more than L quasi-identifiers are known: classes of a single row are allowed. Sensitive "
            "values that are not listed. The share is bounded per value: with C = 0.5, half with one cancer and half "
            "with another passes. The share is not compared with the table's."
        ),
        example=(
            "Of the men of 34 there are two, and both had the listed surgery: with L = 2 who knows sex and age learns "
            "it for sure, and the table fails for any C below 1 although K = 2 holds."
        ),
        paper=(
            "N. Mohammed, B. C. M. Fung, P. C. K. Hung, C. Lee, Anonymizing healthcare data: a case study on the blood "
            "transfusion service, KDD 2009."
        ),
        sample={"l": 3, "k": 5, "c": 0.5, "column": "diagnosis"},
    )

    def __post_init__(self) -> None:
        whole_number(self, "l", self.l, 1)
        whole_number(self, "k", self.k, 1)
        number(self, "c", self.c, above=0, most=1)
        self._check_column()
        if self.values is not None:
            object.__setattr__(self, "values", texts(self, "values", self.values))

    @property
    def monotone(self) -> Monotone:
        return Monotone.UNION if self.c < 1 else Monotone.UPWARD

    @property
    def floor(self) -> int:
        return self.k

    @property
    def names_values(self) -> tuple[str, ...]:
        return self.values or ()

    @property
    def without_shares(self) -> LKC:
        return replace(self, c=1)

    @property
    def _of_a_class(self) -> AlphaK:
        """What remains of the promise towards one who knows every quasi-identifier."""
        return AlphaK(self.column, self.c, self.k, self.values)

    def bound(self, domain: SensitiveDomain) -> CombinationBound:
        place = np.full(domain.size, -1, np.int32)
        if self.c < 1:
            bounded = [
                code
                for code, label in enumerate(domain.labels)
                if code != domain.missing and (self.values is None or label in self.values)
            ]
            place[bounded] = np.arange(len(bounded), dtype=np.int32)
        return CombinationBound(Bound(self.l, self.k, fraction(self.c)), place)

    def passes(self, stats: ClassStats) -> Flags:
        return self._of_a_class.passes(stats)

    def remedy(self, stats: ClassStats) -> str:
        counts, listed = stats.counts(self.column), self.bound(stats.domain(self.column)).listed
        size = int(stats.sizes[0])
        largest = max((int(n) for v, n in zip(counts.values, counts.counts, strict=True) if listed[v] >= 0), default=0)
        wishes = []
        if size < self.k:
            wishes.append(f"k of at most {size}")
        if Fraction(largest, size) > fraction(self.c):
            which = "the most frequent value" if self.values is None else "a listed value"
            wishes.append(f"c of at least {math.ceil(largest * 10**4 / size) / 10**4} ({which} has that share)")
        return " and ".join(wishes)

    def holds(self, evidence: Evidence) -> Finding:
        cells = _Cells(evidence, self)
        cells.count()
        achieved: dict[str, float | int | str | None] = {
            "support": cells.support,
            "support_columns": cells.named(cells.support_at),
        }
        if self.c < 1:
            achieved["confidence"] = float(cells.confidence)
            achieved["confidence_columns"] = cells.named(cells.confidence_at)
        return Finding(holds=cells.failing == 0, achieved=achieved, failing=cells.failing)


@dataclass
class _Cells:
    """Every cell of a release, counted set of columns by set of columns: the definition, over distinct released rows.

    The cost is the number of sets of L columns times the number of distinct released rows, and memory that of a few
    copies of the rows.
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
        rows = self._rows()
        if not rows.height:
            return
        coded = [(rows[name].to_numpy().astype(np.int64), name) for name in rows.columns if name.startswith("quasi ")]
        telling = [(codes, name) for codes, name in coded if codes.min() != codes.max()]
        self.names = [name.removeprefix("quasi ") for _, name in telling]
        self._codes = [codes for codes, _ in telling]
        self._widths = [int(codes.max()) + 1 for codes in self._codes]
        self._weight = rows["weight"].to_numpy().astype(np.float64)  # whole numbers below 2⁵³ stay exact
        self._total = small_total(int(self._weight.sum()))
        self._each_once = bool((self._weight == 1).all())
        self._value = rows["value"].to_numpy().astype(np.int64)
        self._with_value = np.flatnonzero(self._value >= 0)
        self._values = int(self._value.max(initial=-1)) + 1
        self._person = rows["person"].to_numpy().astype(np.int64) if "person" in rows.columns else None
        self.support = int(self._weight.sum()) if self._person is None else len(np.unique(self._person))
        start, most = np.zeros(rows.height, np.int64), min(self.model.l, len(telling))
        self._room = np.empty((most + 1, rows.height), np.int64)  # reused: to ask for memory takes longer than to count
        # A person may be in two cells and counts once in their union: a share may be larger there than in both.
        fewest = 0 if len(telling) < len(coded) else min(1, most)
        shares = self._person is not None and self._values > 0
        for known in range(fewest, most + 1) if shares else (most,):
            self._choose(start, 1, (), known)

    def named(self, columns: Sequence[int]) -> str:
        return ", ".join(self.names[column] for column in columns)

    def _rows(self) -> pl.DataFrame:
        """Distinct released rows as numbers: `quasi …` per column, `value` (listed or -1), `weight`, `person`.

        With persons the weights mean nothing: one person may have several rows.
        """
        evidence, column = self.evidence, self.model.column
        if evidence.labels is None:
            raise TableError("LKC can only be checked where the released quasi-identifiers are known.")
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
        """A number for every sensitive value whose share is bounded, -1 for the others."""
        numbers = _numbered(text)
        if self.model.values is not None:
            return numbers.set(~text.is_in(pl.Series(self.model.values).implode()).fill_null(False), -1)
        return numbers if self.evidence.facts[self.model.column].missing_counts else numbers.set(text.is_null(), -1)

    def _choose(self, cell: Int64, cells: int, chosen: tuple[int, ...], left: int) -> None:
        """Refines cells by every column after those chosen, until no more may be known; then judges them."""
        if left == 0:
            self._judge(cell, cells, chosen)
            return
        begin = chosen[-1] + 1 if chosen else 0
        for column in range(begin, len(self._codes) - left + 1):
            width = self._widths[column]
            key, room = np.multiply(cell, width, out=self._room[left]), cells * width
            key += self._codes[column]
            if room > 4 * len(key):
                key = np.unique(key, return_inverse=True)[1].reshape(-1)
                room = int(key.max()) + 1
            self._choose(key, room, (*chosen, column), left - 1)

    def _judge(self, cell: Int64, cells: int, chosen: tuple[int, ...]) -> None:
        sizes = self._tally(cell, cells, self._weight, self._person)
        bad = (sizes > 0) & (sizes < self.model.k)
        smallest = int(sizes[sizes > 0].min())
        if smallest < self.support or not self.support_at:
            self.support, self.support_at = min(smallest, self.support), chosen
        if self._values:
            bad[self._judge_shares(cell, cells, sizes, chosen)] = True
        self.failing += int(bad.sum())

    def _judge_shares(self, cell: Int64, cells: int, sizes: Int64, chosen: tuple[int, ...]) -> Int64:
        """The cells in which a listed value is too frequent."""
        rows = self._with_value
        key, room = cell[rows] * self._values + self._value[rows], cells * self._values
        person = None if self._person is None else self._person[rows]
        if room <= 8 * len(rows):
            every = self._tally(key, room, self._weight[rows], person)
            found = np.flatnonzero(every)
            counts = every[found]
        else:
            found, place = np.unique(key, return_inverse=True)
            counts = self._tally(place.reshape(-1), len(found), self._weight[rows], person)
        size = sizes[found // self._values]
        if len(found):
            self._keep_largest(counts, size, chosen)
        limit = highest_below(fraction(self.model.c), self._total)  # so that 64 bits will do
        wrong: Flags = counts * limit.denominator > size * limit.numerator
        at: Int64 = found[wrong] // self._values
        return at

    def _keep_largest(self, counts: Int64, size: Int64, chosen: tuple[int, ...]) -> None:
        near = counts / size
        for place in np.flatnonzero(near >= near.max() * (1 - 1e-9)).tolist():  # doubles only to find who comes close
            share = Fraction(int(counts[place]), int(size[place]))
            if share > self.confidence or not self.confidence_at:
                self.confidence, self.confidence_at = max(share, self.confidence), chosen

    def _tally(self, key: Int64, room: int, weight: Float64, person: Int64 | None) -> Int64:
        """int64 [room]: rows, or distinct persons, of every key."""
        if person is None:
            sizes = np.bincount(key, minlength=room) if self._each_once else np.bincount(key, weight, minlength=room)
            found: Int64 = sizes.astype(np.int64, copy=False)
            return found
        everybody = int(person.max(initial=0)) + 1  # of n rows at most n, and at most 8 n keys: 64 bits will do
        pairs = np.unique(key * everybody + person)
        persons: Int64 = np.bincount(pairs // everybody, minlength=room).astype(np.int64)
        return persons


def _numbered(labels: pl.Series) -> pl.Series:
    """A number from 0 for every label; a missing label and an empty one are the same."""
    text = labels.cast(pl.String).fill_null("")
    return text.cast(pl.Categorical(pl.Categories.random())).to_physical().cast(pl.Int64)
