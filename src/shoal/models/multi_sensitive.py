"""Multi-sensitive l-diversity: ruling out all rows of a class takes at least l sensitive values, from any columns."""

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
from shoal.hierarchies import Prefix
from shoal.models.about import About, Weak
from shoal.models.base import ColumnsModel, Monotone
from shoal.models.evidence import CLASS, COUNT, Evidence, Finding, least
from shoal.models.hitting_sets import COVER, LOWER_BOUND, SEARCH, UNDECIDED, Row, least_touching
from shoal.roles.parameters import one_of, whole_number

if TYPE_CHECKING:
    from shoal.kernels.hitting import Classes

SEARCH_BUDGET = 100_000
"""The most nodes that the search visits for one class; a class that needs more counts as failing."""


class Limits(dict[str, int]):
    """Column → the number of its values that may be ruled out.

    It is immutable, so that a model can be hashed.
    """

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

    A value is a pair of a column and a text. It touches the rows that have it, and may come from any sensitive column.
    The smallest number of values that touch every row (a minimum hitting set) is the *diversity* of the class. An
    intruder who rules out up to l − 2 values still finds two values in every column.
    `limits` bounds the number of values that may be ruled out per column. Limits weaken the promise, which does not
    cover an intruder who rules out more; at least one limit must be l or more. A limit of 0 excludes the column.
    A missing value may be ruled out like any other, but does not count towards l unless the plan says so: rows with a
    missing value (in a column whose limit is not 0) count as touched. So every column alone has l values that count.
    `check` selects how the *search* decides; the promise is the same. "exact" bounds the diversity from both sides and
    decides all other classes by branch and bound. "greedy" is the method of the paper, which rejects some diverse
    classes.
    The diversity of a class is at most the number of values of any of its columns. The finding reports the fewest
    values of every column.

    Monotone: exact is UPWARD, because values that touch every row of a class touch every row of each part of it. Greedy
    is NONE, because more rows may lead it to worse choices. Exact is NONE too if the search tree, with up to m branches
    for each of l − 1 picks from m columns, could exceed the budget, because a class out of budget counts as failing.
    Floor: the larger of k and l. A diverse class has l rows, each touched by a value of its own, in a column with a
    limit of l or more.
    Paper: Gal, Chen, Gangopadhyay 2008.

    >>> from shoal.coded import coded_values, stats_of
    >>> diseases, treatments = ["heart", "heart", "flu", "stomach"], ["medicine", "surgery", "IV", "IV"]
    >>> rows = coded_values({"disease": diseases, "treatment": treatments})
    >>> of_both = [MultiSensitive(l=l, k=2, columns=("disease", "treatment")) for l in (2, 3)]
    >>> [bool(model.passes(stats_of(rows, [[0, 1, 2, 3]]))[0]) for model in of_both]
    [True, False]
    """

    l: int
    """The smallest number of values, from any columns, that touch all rows of a class. Allowed: whole numbers from 2.
    """
    k: int
    """The smallest number of individuals in a class. Allowed: whole numbers from 1."""
    columns: tuple[str, ...] | None = None
    """The columns that are judged together. By default, all sensitive columns of the plan. Allowed: a list of names of
    sensitive columns."""
    limits: Mapping[str, int] | None = None
    """Column → the largest number of its values that count as ruled out. Allowed: a table of whole numbers from 0, in
    which some column has l or more, or no limit."""
    check: str = "exact"
    """How the search decides: exactly, or as in the paper, which rejects some diverse classes. Allowed: `"exact"`,
    `"greedy"`."""

    kind: ClassVar[str] = "multi-sensitive"
    counts_values: ClassVar[bool] = True
    summed: ClassVar[tuple[str, ...]] = (
        *(f"decided by {step}" for step in (LOWER_BOUND, COVER, SEARCH)),
        UNDECIDED,
        "classes shown by the files",
    )
    about: ClassVar[About] = About(
        promise=(
            "An intruder who knows an individual's quasi-identifiers finds at least k matching individuals. After "
            "ruling out up to l − 2 sensitive values, from any columns, the intruder still finds at least two values "
            "in every sensitive column."
        ),
        not_protected=(
            "Probability: one tuple of values may have nearly all the rows. Meaning: l kinds of cancer are l values, "
            "but all of them disclose cancer. Positive knowledge: an intruder who knows a value, instead of ruling "
            "some out, may be left with a single row. With limits: an intruder who rules out more values of a column "
            "than its limit. How many values such a column withstands depends on the class; the manifest states the "
            "fewest."
        ),
        example=(
            "The patients of a class have heart disease with medicine, heart disease with surgery, flu with IV, and "
            "stomach disease with IV. There are three diseases and three treatments, so each column alone is "
            "3-diverse. Yet an intruder who knows that an individual has no heart disease knows the treatment: IV. "
            "Ruling out heart disease and IV leaves no row, so the diversity is 2, and l = 3 fails."
        ),
        paper=(
            "T. S. Gal, Z. Chen, A. Gangopadhyay, A privacy protection model for patient data with multiple sensitive "
            "attributes, IJISP 2(3), 2008."
        ),
        sample={"l": 3, "k": 5},
        weak=Weak(
            attack="similarity",
            parameters={"l": 3, "k": 3},
            columns=("age", "diagnosis", "treatment"),
            rows=(
                ("[30, 39]", "C22", "surgery"),
                ("[30, 39]", "C34", "radiation"),
                ("[30, 39]", "C50", "medicine"),
                ("[40, 49]", "I21", "stent"),
                ("[40, 49]", "J10", "rest"),
                ("[40, 49]", "K35", "operation"),
            ),
            shows="Ruling out one value leaves two rows, but everyone in the first class has cancer (C).",
            sensitive=("diagnosis", "treatment"),
            hierarchies={"diagnosis": Prefix(steps=(1,))},
        ),
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
        """Raises PlanError unless `limits` names columns of the model, at least one of them with l or more."""
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
                allowed="With lower limits only, a class of identical rows would pass.",
                hint="raise one of the limits, or remove one: by default a column has no limit.",
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

    def fewest_values(self, column: str) -> int:
        """The values of a column touch all rows, so that there are l of them, or more than may be ruled out."""
        limit = (self.limits or {}).get(column, self.l)
        return min(limit + 1, self.l)

    def passes(self, stats: ClassStats) -> Flags:
        from shoal.kernels import hitting

        return np.isin(self._decided(stats), (hitting.PASSED_BY_LOWER_BOUND, hitting.PASSED_BY_SEARCH))

    def decisions(self, stats: ClassStats) -> dict[str, int]:
        """The number of classes of at least k that each step of the search decided, by the name of the step."""
        from shoal.kernels import hitting

        classes = np.bincount(self._decided(stats), minlength=hitting.NOT_ASKED + 1).tolist()
        return {
            LOWER_BOUND: classes[hitting.PASSED_BY_LOWER_BOUND],
            COVER: classes[hitting.FAILED_BY_COVER],
            SEARCH: classes[hitting.PASSED_BY_SEARCH] + classes[hitting.FAILED_BY_SEARCH],
            UNDECIDED: classes[hitting.OUT_OF_BUDGET] + classes[hitting.NOT_SHOWN],
        }

    def _decided(self, stats: ClassStats) -> Int8:
        """int8 [classes]: how the search decided each class."""
        from shoal.kernels import hitting

        asked = stats.sizes >= self.k
        limits = np.array([self._limit(column) for column in self._used()], np.int64)
        exact = self.check == "exact"
        decided: Int8 = hitting.decide(touchable(stats, self._used()), asked, limits, self.l, exact, SEARCH_BUDGET)[0]
        return decided

    @property
    def fails_in_persons(self) -> bool:
        return True  # whatever `check` is: a class has at least as many rows as persons, and the same values

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
        """Checks what the counts of unlinked columns can show.

        All values of a column together touch every row. So the diversity of a class is at most the number of values of
        any column from which all values may be chosen. It is at least l if the rows with a missing value, and those of
        the l − 1 most frequent values that may be chosen, cannot add up to the class.
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
        """The number of values of a column that may be chosen, at most l."""
        return min((self.limits or {}).get(column, self.l), self.l)

    def _used(self) -> tuple[str, ...]:
        """The columns from which values may be chosen."""
        return tuple(column for column in self.known_columns if self._limit(column) > 0)


def touchable(stats: ClassStats, columns: tuple[str, ...]) -> Classes:
    """The joint tuples of every class, for the kernels.

    Tuples with a missing value are omitted, because they count as touched.
    """
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
    """Class → its distinct rows, with values as numbers that are unique across columns.

    Rows with a missing value are omitted. Rows whose values are rarest in their class come first.
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
    frequency = pl.sum_horizontal(pl.col(COUNT).sum().over(CLASS, column) for column in columns)
    frame = frame.with_columns(frequency.alias("\x00frequency")).drop(COUNT).unique().sort("\x00frequency", *columns)
    rows_of: dict[Any, list[Row]] = {}
    for c, row in zip(frame[CLASS].to_list(), frame.select(columns).rows(), strict=True):
        rows_of.setdefault(c, []).append(row)
    return rows_of


def _fewest_values(evidence: Evidence, column: str) -> int:
    """The smallest number of values of a column that count in any class."""
    distinct = evidence.counted(column).group_by(CLASS).agg(pl.len().alias("values"))
    classes = evidence.rows.select(CLASS).unique().join(distinct, on=CLASS, how="left")
    return least(classes["values"].fill_null(0))
