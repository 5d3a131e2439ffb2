"""Multi-sensitive l-diversity: at least l sensitive values, of whatever columns, must be ruled out to empty a class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
import polars as pl

from shoal.arrays import Flags, Int8
from shoal.coded.stats import ClassStats
from shoal.errors import PlanError
from shoal.models.base import About, ColumnsModel, Monotone
from shoal.models.evidence import CLASS, COUNT, Evidence, Finding, least
from shoal.models.hitting_sets import COVER, LOWER_BOUND, SEARCH, UNDECIDED, Row, least_touching
from shoal.roles.parameters import one_of, whole_number

if TYPE_CHECKING:
    from shoal.kernels.hitting import Classes

SEARCH_BUDGET = 100_000
"""Nodes that the search may spend on one class; a class that needs more counts as failing."""


class Limits(dict[str, int]):
    """Column → how many of its values may be ruled out. It cannot be changed, so that a model can be hashed."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("limits cannot be changed")

    __setitem__ = __delitem__ = __ior__ = update = pop = popitem = clear = setdefault = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Limits, (dict(self),)


@dataclass(frozen=True)
class MultiSensitive(ColumnsModel):
    """Every class holds at least k persons, and no fewer than l sensitive values touch all of its rows.

    The values may come from any of the sensitive columns; a value is a pair of column and text. The fewest that touch
    every row, a minimum hitting set, are the class's *diversity*: whoever rules out up to l − 2 values still faces two
    values in every column. `limits` lets at most so many values come from a column: what the limits do not let
    anyone rule out counts as safe, so they weaken the promise, and at least one must be l or more. A limit of 0 leaves
    the column out altogether.
    A missing value may be ruled out like any other but does not count towards l, unless the plan says so: rows that
    miss a value (of a column whose limit is not 0) are touched for free. So every column alone has l values that count.
    `check` says how the *search* decides, the promise stays the same: "exact" bounds the diversity from both sides and
    solves what is left by branch and bound; "greedy" is the paper's, which refuses some classes that are diverse.
    No class is more diverse than its column with fewest values, which the finding tells for every column.

    Monotone: exact is UPWARD, because what touches every row of a class touches every row of a part of it. Greedy is
    NONE: more rows may lead it to worse ones. So is exact where the values to try, at most m for each of l − 1 picks
    with m columns, could exceed the budget of nodes, because a class out of budget counts as failing.
    Floor: l rows, each touched by a value of its own of a column with a limit of l or more; and k.
    Paper: Gal, Chen, Gangopadhyay 2008.

    >>> from shoal.coded import coded_values, stats_of
    >>> diseases, treatments = ["heart", "heart", "flu", "stomach"], ["medicine", "surgery", "IV", "IV"]
    >>> rows = coded_values({"disease": diseases, "treatment": treatments})
    >>> of_both = [MultiSensitive(l=l, k=2, columns=("disease", "treatment")) for l in (2, 3)]
    >>> [bool(model.passes(stats_of(rows, [[0, 1, 2, 3]]))[0]) for model in of_both]
    [True, False]
    """

    l: int
    k: int
    columns: tuple[str, ...] | None = None
    limits: Mapping[str, int] | None = None
    check: str = "exact"

    kind: ClassVar[str] = "multi-sensitive"
    counts_values: ClassVar[bool] = True
    summed: ClassVar[tuple[str, ...]] = (
        *(f"decided by {step}" for step in (LOWER_BOUND, COVER, SEARCH)),
        UNDECIDED,
        "classes shown by the files",
    )
    about: ClassVar[About] = About(
        promise=(
            "Identity is hidden among k, and whoever can rule out up to l − 2 sensitive values of a person, of "
            "whatever columns, still faces at least two values in every sensitive column."
        ),
        not_protected=(
            "Probability: one combination may have nearly all the rows. Meaning: l kinds of cancer are l values. "
            "Knowing a value instead of ruling some out: it may leave a single row. With limits, whoever rules out "
            "more values of a limited column than its limit; that column resists only as many as its fewest values "
            "in a class allow, which the manifest says."
        ),
        example=(
            "Heart disease with medicine, heart disease with surgery, flu with IV, stomach disease with IV: three "
            "diseases and three treatments, so each column alone is 3-diverse. Yet whoever knows that the person has "
            "no heart disease knows the treatment, IV. Ruling out heart disease and IV leaves no row: the diversity "
            "is 2, and l = 3 fails."
        ),
        paper=(
            "T. S. Gal, Z. Chen, A. Gangopadhyay, A privacy protection model for patient data with multiple sensitive "
            "attributes, IJISP 2(3), 2008."
        ),
        sample={"l": 3, "k": 5},
    )

    def __post_init__(self) -> None:
        whole_number(self, "l", self.l, 2)
        whole_number(self, "k", self.k, 1)
        one_of(self, "check", self.check, ("exact", "greedy"))
        self._check_columns()
        if self.limits is not None:
            self._check_limits(self.limits)
            object.__setattr__(self, "limits", Limits(sorted(self.limits.items())))

    def _check_limits(self, limits: object) -> None:
        if not isinstance(limits, Mapping) or not limits:
            raise PlanError(
                "MultiSensitive limits must name columns with a number each.", hint="write limits = { treatment = 2 }."
            )
        for column, limit in limits.items():
            whole_number(self, f"limit of '{column}'", limit, 0)
            if self.columns is not None and column not in self.columns:
                raise PlanError(f"MultiSensitive has a limit for '{column}', which is not among its columns.")
        if self.columns is not None and all(limits.get(column, self.l) < self.l for column in self.columns):
            raise PlanError(
                f"MultiSensitive needs a column whose limit is at least l = {self.l}; all of them are lower.",
                allowed="With lower limits alone, a class whose rows are all alike would pass.",
                hint="raise one of the limits, or leave one out: a column without a limit has none.",
            )

    @property
    def monotone(self) -> Monotone:
        if self.check == "greedy" or self.columns is None:
            return Monotone.NONE
        return Monotone.UPWARD if self.nodes_at_most <= SEARCH_BUDGET else Monotone.NONE

    @property
    def nodes_at_most(self) -> int:
        """The most nodes that the exact search of one class can have: each of l − 1 picks branches over the columns."""
        m = len(self.known_columns)
        return sum(m**depth for depth in range(min(self.l, SEARCH_BUDGET)))

    @property
    def floor(self) -> int:
        return max(self.k, self.l)

    def passes(self, stats: ClassStats) -> Flags:
        from shoal.kernels import hitting

        return np.isin(self._decided(stats), (hitting.PASSED_BY_LOWER_BOUND, hitting.PASSED_BY_SEARCH))

    def decisions(self, stats: ClassStats) -> dict[str, int]:
        """How many classes of at least k each step of the search decided, by the name of the step."""
        from shoal.kernels import hitting

        found = np.bincount(self._decided(stats), minlength=hitting.NOT_ASKED + 1).tolist()
        return {
            LOWER_BOUND: found[hitting.PASSED_BY_LOWER_BOUND],
            COVER: found[hitting.FAILED_BY_COVER],
            SEARCH: found[hitting.PASSED_BY_SEARCH] + found[hitting.FAILED_BY_SEARCH],
            UNDECIDED: found[hitting.OUT_OF_BUDGET] + found[hitting.NOT_SHOWN],
        }

    def _decided(self, stats: ClassStats) -> Int8:
        from shoal.kernels import hitting

        asked = stats.sizes >= self.k
        limits = np.array([self._limit(column) for column in self._used()], np.int64)
        exact = self.check == "exact"
        found: Int8 = hitting.decide(touchable(stats, self._used()), asked, limits, self.l, exact, SEARCH_BUDGET)[0]
        return found

    @property
    def fails_in_persons(self) -> bool:
        return True  # however the search decides: a class has no fewer rows than persons, and the same values

    @property
    def reads_jointly(self) -> bool:
        return len(self.columns or ()) != 1

    def holds(self, evidence: Evidence) -> Finding:
        if not evidence.linked and self.reads_jointly:
            return self._can_hold(evidence)
        sizes = evidence.sizes
        used = self._used()
        steps: Counter[str] = Counter()
        least_diverse, failing = self.l, {c for c, size in sizes.iter_rows() if size < self.k}
        classes = _rows_of_classes(evidence, used)
        for c in sizes[CLASS]:
            diversity, step = least_touching(classes.get(c, []), [self._limit(column) for column in used], self.l)
            steps[step] += 1
            least_diverse = min(least_diverse, diversity)
            if diversity < self.l:
                failing.add(c)
        achieved: dict[str, int] = {"l": least_diverse, "k": least(sizes["size"])}
        achieved |= {f"values of {column}": _fewest_values(evidence, column) for column in self.known_columns}
        achieved |= {f"decided by {step}": steps[step] for step in (LOWER_BOUND, COVER, SEARCH)}
        achieved |= {UNDECIDED: steps[UNDECIDED]}
        return Finding(holds=not failing, achieved=achieved, failing=len(failing))

    def _can_hold(self, evidence: Evidence) -> Finding:
        """What the counts of each column alone show, where nobody can tell which values share a row.

        All values of a column touch every row: no class is more diverse than its column with fewest values (that may
        all be chosen). And l are needed where the l − 1 most frequent values that may be chosen, and the rows that miss
        a value, do not add up to the class.
        """
        classes = evidence.sizes.with_columns(most=pl.lit(None, pl.Int64), touched=pl.lit(0, pl.Int64))
        frequent = []
        for column in self._used():
            counts, limit = evidence.counted(column), self._limit(column)
            of_class = counts.group_by(CLASS).agg(
                pl.len().cast(pl.Int64).alias("values"), pl.col("count").sum().alias("present")
            )
            classes = classes.join(of_class, on=CLASS, how="left").with_columns(
                pl.min_horizontal(
                    "most", pl.when(pl.col("values").fill_null(0) <= limit).then(pl.col("values").fill_null(0))
                ),
                pl.col("touched") + pl.col("size") - pl.col("present").fill_null(0),
            )
            classes = classes.drop("values", "present")
            frequent.append(counts.select(CLASS, "count").group_by(CLASS).agg(pl.col("count").top_k(limit)))
        together = pl.concat(frequent).explode("count", empty_as_null=False).group_by(CLASS)
        top = together.agg(pl.col("count").top_k(self.l - 1).sum().alias("top"))
        classes = classes.join(top, on=CLASS, how="left")
        possible = (pl.col("size") >= self.k) & (pl.col("most").fill_null(self.l) >= self.l)
        shown = possible & (pl.col("touched") + pl.col("top").fill_null(0) < pl.col("size"))
        judged = classes.select("size", "most", possible.alias("possible"), shown.alias("shown"))
        failing = int((~judged["possible"]).sum())
        achieved = {
            "l at most": min(least(judged["most"].fill_null(self.l)), self.l),
            "k": least(judged["size"]),
            "classes shown by the files": int(judged["shown"].sum()),
        }
        return Finding(holds=failing == 0, achieved=achieved, failing=failing)

    def _limit(self, column: str) -> int:
        """How many values of a column may be chosen; more than l − 1 never are."""
        return min((self.limits or {}).get(column, self.l), self.l)

    def _used(self) -> tuple[str, ...]:
        """The columns that values may be chosen from."""
        return tuple(column for column in self.known_columns if self._limit(column) > 0)


def touchable(stats: ClassStats, columns: tuple[str, ...]) -> Classes:
    """The joint tuples of every class for the kernels, without those that miss a value: they are touched for free."""
    from shoal.kernels.hitting import Classes

    (offsets, entries, counts), tuples = stats.joint(columns)
    missing = np.array([stats.domain(column).missing for column in columns])
    if (missing >= 0).any():
        keep = (tuples[entries] != missing).all(axis=1)
        kept = np.concatenate([[0], np.cumsum(keep)])
        offsets, entries, counts = kept[offsets], entries[keep], counts[keep]
    sizes = [stats.domain(column).size for column in columns]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    return Classes(offsets, entries, counts, tuples, starts, int(sum(sizes)))


def _rows_of_classes(evidence: Evidence, columns: Sequence[str]) -> dict[Any, list[Row]]:
    """Class → its distinct rows, values as numbers that no two columns share; rows that miss a value are left out.

    Rows whose values are rarest in their class come first.
    """
    coded, before = [], 0
    counted = evidence.rows
    for column in columns:
        if not evidence.facts[column].missing_counts:
            counted = counted.filter(pl.col(column).is_not_null())
    for column in columns:
        ranks = counted[column].fill_null("\x00missing").rank("dense").cast(pl.Int64)
        coded.append((ranks + before).alias(column))
        before += counted[column].n_unique()
    if counted.is_empty():
        return {}
    frame = pl.DataFrame([counted[CLASS], counted[COUNT], *coded])
    together = pl.sum_horizontal(pl.col(COUNT).sum().over(CLASS, column) for column in columns)
    frame = frame.with_columns(together.alias("\x00together")).drop(COUNT).unique().sort("\x00together", *columns)
    grouped: dict[Any, list[Row]] = {}
    for c, row in zip(frame[CLASS].to_list(), frame.select(columns).rows(), strict=True):
        grouped.setdefault(c, []).append(row)
    return grouped


def _fewest_values(evidence: Evidence, column: str) -> int:
    """The fewest values of a column that count in any class."""
    distinct = evidence.counted(column).group_by(CLASS).agg(pl.len().alias("values"))
    classes = evidence.rows.select(CLASS).unique().join(distinct, on=CLASS, how="left")
    return least(classes["values"].fill_null(0))
