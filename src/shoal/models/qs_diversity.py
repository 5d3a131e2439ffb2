"""QS (c,l)-diversity: the items of a class leave at least l labels, and none of them dominates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, cast

import polars as pl

from shoal.counts import counted
from shoal.exact import fraction
from shoal.items.beliefs import Belief
from shoal.items.rules import Diversity
from shoal.models.about import About, Weak
from shoal.models.base import Monotone
from shoal.models.evidence import CLASS, Evidence, Finding
from shoal.models.items import LinkingModel
from shoal.models.links import MARGIN, Beliefs, Whole, linked
from shoal.roles.parameters import number, whole_number

_NONE = Fraction(0)


@dataclass(frozen=True)
class QSDiversity(LinkingModel):
    """Of the labels that the items of a class link to, the likeliest is at most c times all from the l-th on.

    A row links to the labels of the knowledge table that have all of its items, each with probability 1/|K|. β of a
    label is the mean of its probabilities over the rows of the class. With β sorted downwards, p1 <= c · (p_l + … +
    p_m), so a class that links to a label links to l of them. A class that links to no label passes.
    Achieved are the largest l for which every class passes, and the `confidence`: the largest β of any class and label.
    With m labels, the promise bounds it by 1 / (1 + 1/c + (l - 2) / (c · (m - l + 1))).

    Monotone: UNION, because the tail of the sum of two β is at least the sum of their tails, and its largest value at
    most the sum of their largest.
    Floor: 1 row.
    Paper: Shi, Xiong, Fung 2010.

    >>> from shoal.roles.knowledge import Knowledge
    >>> from shoal.coded.coding import coded_sets
    >>> from shoal.coded.stats import stats_of
    >>> diseases = Knowledge.of({"flu": ["fever", "cough"], "cold": ["cough"], "gout": ["pain"]})
    >>> rows = coded_sets({"symptoms": ["cough", "fever|cough", "pain|fever"]}, diseases)
    >>> QSDiversity("symptoms", c=1, l=2).passes(stats_of(rows, [[0], [1], [2], [0, 1]])).tolist()
    [True, False, True, False]
    """

    column: str
    """The column whose items link to labels. Allowed: the name of a quasi-sensitive column."""
    c: int | float
    """How much more likely the first label may be than all from the l-th on. Allowed: numbers above 0."""
    l: int
    """The number of labels that a class links to at least. Allowed: whole numbers from 2."""
    budget: int | float = 60
    """The seconds after which the search for cheaper removals ends. Allowed: numbers from 0."""

    kind: ClassVar[str] = "qs-diversity"
    removal_suffices: ClassVar[bool] = True
    largest: ClassVar[tuple[str, ...]] = ("confidence",)
    about: ClassVar[About] = About(
        promise=(
            "Someone who knows an individual's class, and looks the items of its rows up in the knowledge table, "
            "is left with at least l labels. The likeliest is at most c times as likely as all from the l-th on."
        ),
        not_protected=(
            "What a better table than the knowledge table reveals, and rows with items that no label of it has. "
            "Identity: combine the model with k-anonymity. Similar labels count as different."
        ),
        example=(
            "All patients of a class have fever and a stiff neck, and of all diseases in the knowledge table only "
            "meningitis has both: the class reveals the diagnosis, although the table has no column for it."
        ),
        paper=("P. Shi, L. Xiong, B. C. M. Fung, Anonymizing data with quasi-sensitive attribute values, CIKM 2010."),
        sample={"column": "symptoms", "c": 1, "l": 3},
        weak=Weak(
            attack="linkage",
            parameters={"column": "symptoms", "c": 1, "l": 2},
            columns=("age", "zip", "symptoms"),
            rows=(
                ("31", "47602", "cough"),
                ("34", "47677", "cough"),
                ("42", "47905", "cough"),
                ("47", "47906", "fever"),
            ),
            shows="Every disease stays uncertain, but each individual is unique on the quasi-identifiers.",
            sensitive=("symptoms",),
            knowledge={"symptoms": {"cold": ("cough", "fever"), "flu": ("cough", "fever")}},
        ),
    )

    def __post_init__(self) -> None:
        self._check_linking_model()
        number(self, "c", self.c, above=0)
        whole_number(self, "l", self.l, 2)

    @property
    def monotone(self) -> Monotone:
        return Monotone.UNION

    @property
    def floor(self) -> int:
        return 1

    def rule(self, reference: Callable[[], Belief], slack: Fraction = _NONE) -> Diversity:
        return Diversity(fraction(self.c), self.l)

    def impossible(self, labels: int) -> str:
        if Diversity(fraction(self.c), self.l).feasible(labels):
            return ""
        most = max((l for l in range(2, labels + 1) if Diversity(fraction(self.c), l).feasible(labels)), default=0)
        able = f"With c = {self.c}, l may be at most {most}." if most else f"No l holds with c = {self.c}."
        few = counted(labels, "label, which is", "labels, which are")
        return f"The knowledge table has {few} too few even for rows without items. {able}"

    def largest_belief(self, labels: int, prior: float) -> float:
        # The shares add up to 1 at most. The tail is at least p1/c, and its largest, which none before it is below, at
        # least the mean of all that it can have.
        tail = 1 / float(self.c)
        return 1 / (1 + tail + (self.l - 2) * tail / max(labels - self.l + 1, 1))

    def holds(self, evidence: Evidence) -> Finding:
        links = linked(evidence, self.column)
        parts = [self._judged(part) for part in links.beliefs(evidence.counts(self.column))]
        if not parts:
            return Finding(holds=True, achieved={"l": links.labels, "confidence": 0.0})
        found = pl.concat(parts)
        failing = int(((found["l"] < self.l) & (found["first"] > 0)).sum())  # not those that link to no label
        confidence = round(cast(float, found["first"].max()), 9)
        return Finding(failing == 0, {"l": int(cast(int, found["l"].min())), "confidence": confidence}, failing)

    def _judged(self, beliefs: Beliefs) -> pl.DataFrame:
        """CLASS, `first`, `l`: the largest share of a label, and the largest l for which the class is diverse.

        Where rounding might decide, whole numbers are compared, unless neither the verdict nor the least l needs it.
        """
        bounds = self._bounds(beliefs)
        low, high = pl.col("low"), pl.col("high")
        decides = (low < bounds["high"].min()) | ((low < self.l) & (high >= self.l))
        doubtful = bounds.filter((low < high) & decides)[CLASS]
        exact = {
            number: self._largest_l(each, beliefs.linked.labels) for number, each in beliefs.exact(doubtful).items()
        }
        known = {
            CLASS: pl.Series([*exact], dtype=bounds.schema[CLASS]),
            "l": pl.Series([*exact.values()], dtype=pl.Int64),
        }
        joined = bounds.join(pl.DataFrame(known), on=CLASS, how="left")
        return joined.select(CLASS, "first", l=pl.coalesce("l", "low"))

    def _bounds(self, beliefs: Beliefs) -> pl.DataFrame:
        """CLASS, `first`, and the largest l as `low` and `high`, which differ where rounding might decide."""
        labels, c, base = beliefs.linked.labels, float(fraction(self.c)), pl.col("base")
        share = pl.col("share").sort(descending=True)
        tail = c * (share.cum_sum(reverse=True) + (labels - pl.len()) * base.first())  # from each rank on, so it falls
        reached = beliefs.shares.group_by(CLASS).agg(
            first=pl.col("share").max(),
            linked=pl.len(),
            low=(tail >= pl.col("share").max() + MARGIN).sum(),
            high=(tail >= pl.col("share").max() - MARGIN).sum(),
        )
        classes = beliefs.classes.join(reached, on=CLASS, how="left").with_columns(
            pl.col("first").fill_null(base), pl.col("linked").fill_null(0)
        )
        return classes.select(
            CLASS, "first", low=_reached("low", MARGIN, c, labels), high=_reached("high", -MARGIN, c, labels)
        )

    def _largest_l(self, beliefs: Whole, labels: int) -> int:
        """The largest l for which a class with these shares is diverse, in whole numbers."""
        c = fraction(self.c)
        shares = sorted(beliefs.own.values(), reverse=True)
        needed = max(shares[0] if shares else 0, beliefs.base) * c.denominator
        others = labels - len(shares)
        if beliefs.base and others:
            fewest = -(-needed // (beliefs.base * c.numerator))  # labels of the base share that suffice
            if fewest <= others:
                return labels + 1 - fewest
        tail = others * beliefs.base
        for l in range(len(shares), 0, -1):
            tail += shares[l - 1]
            if tail * c.numerator >= needed:
                return l
        return 0


def _reached(known: str, margin: float, c: float, labels: int) -> pl.Expr:
    """The largest l, if l labels are linked with the share that rows without items give, or among all others.

    A class that links to no label is diverse for every l.
    """
    first, base = pl.col("first"), pl.col("base")
    beyond = (labels + 1 - (first + margin).clip(0) / (c * base)).floor().clip(0, labels)
    in_base = (base > 0) & (pl.col("linked") < labels) & (beyond > pl.col("linked"))
    reached = pl.when(in_base).then(beyond).otherwise(pl.col(known).fill_null(0))
    return pl.when(first > 0).then(reached).otherwise(labels).cast(pl.Int64)
