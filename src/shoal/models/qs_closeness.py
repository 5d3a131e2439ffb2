"""QS t-closeness: the items of a class reveal little more about labels than those of the whole table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, cast

import polars as pl

from shoal.arrays import Float64
from shoal.coded.stats import ClassStats
from shoal.exact import fraction
from shoal.items.beliefs import Belief
from shoal.items.rules import Closeness, distances
from shoal.models.about import About, Weak
from shoal.models.base import Monotone
from shoal.models.evidence import CLASS, Evidence, Figure, Finding
from shoal.models.items import LinkingModel, links_of, reference_of
from shoal.models.links import MARGIN, Beliefs, Linked, Whole, linked
from shoal.roles.parameters import number

_NONE = Fraction(0)


@dataclass(frozen=True)
class QSCloseness(LinkingModel):
    """In every class, the distance between β and the reference distribution of labels is at most t.

    A row links to the labels of the knowledge table that have all of its items, each with probability 1/|K|. β of a
    label is the mean of its probabilities over the rows of the class, and its share in the reference distribution the
    mean over all rows. The distance is Euclidean. The reference is that of the released rows, which anyone can compute,
    and that of the input, which is not published.

    Monotone: UNION, because the distance is convex: that of merged classes is at most the weighted mean of theirs.
    Floor: 1 row.
    Paper: Shi, Xiong, Fung 2010.

    >>> from shoal.roles.knowledge import Knowledge
    >>> from shoal.coded.coding import coded_sets
    >>> from shoal.coded.stats import stats_of
    >>> diseases = Knowledge.of({"flu": ["fever", "cough"], "cold": ["cough"]})
    >>> rows = coded_sets({"symptoms": ["cough", "fever", "cough", "cough"]}, diseases)
    >>> QSCloseness("symptoms", t=0.2).passes(stats_of(rows, [[0], [1], [0, 1]])).tolist()
    [True, False, True]
    """

    column: str
    """The column whose items link to labels. Allowed: the name of a quasi-sensitive column."""
    t: int | float
    """The largest distance of a class to the reference distribution. Allowed: numbers from 0 to 1."""
    budget: int | float = 60
    """The seconds after which the search for cheaper removals ends. Allowed: numbers from 0."""

    kind: ClassVar[str] = "qs-closeness"
    largest: ClassVar[tuple[str, ...]] = ("t_released", "t_input")
    about: ClassVar[About] = About(
        promise=(
            "Someone who knows an individual's class, and looks the items of its rows up in the knowledge table, "
            "learns little more about the label than the whole table reveals: the two distributions are at most t "
            "apart."
        ),
        not_protected=(
            "What the whole table reveals, and what a better table than the knowledge table does. Identity: combine "
            "the model with k-anonymity. Rare labels: t bounds a sum of squares, so a rare label may become likely."
        ),
        example=(
            "In the table, one patient in fifty has the symptoms of measles only, but all patients of a class have "
            "them: the belief in measles rises from about 0.02 to 1, and the distance is more than 0.9."
        ),
        paper=("P. Shi, L. Xiong, B. C. M. Fung, Anonymizing data with quasi-sensitive attribute values, CIKM 2010."),
        sample={"column": "symptoms", "t": 0.4},
        weak=Weak(
            attack="linkage",
            parameters={"column": "symptoms", "t": 0},
            columns=("age", "zip", "symptoms"),
            rows=(
                ("31", "47602", "cough"),
                ("34", "47677", "cough"),
                ("42", "47905", "cough"),
                ("47", "47906", "cough"),
            ),
            shows="No class can be closer to the table, but each individual is unique on the quasi-identifiers.",
            sensitive=("symptoms",),
            knowledge={"symptoms": {"cold": ("cough",), "flu": ("cough", "fever")}},
        ),
    )

    def __post_init__(self) -> None:
        self._check_linking_model()
        number(self, "t", self.t, least=0, most=1)

    @property
    def monotone(self) -> Monotone:
        return Monotone.UNION

    @property
    def floor(self) -> int:
        return 1

    @property
    def relative_to_released(self) -> bool:
        return True

    @property
    def input_binds(self) -> bool:
        return True

    reads_input = input_binds

    def rule(self, reference: Callable[[], Belief], slack: Fraction = _NONE) -> Closeness:
        return Closeness(max(fraction(self.t) - slack, _NONE), reference())

    @property
    def radius(self) -> Fraction:
        return fraction(self.t)

    def excess(self, stats: ClassStats) -> Float64:
        links, counts = links_of(stats.item_domain(self.column)), stats.items(self.column)
        return distances(reference_of(stats, self.column), links, counts) - float(self.t)

    def largest_belief(self, labels: int, prior: float) -> float:
        return min(prior + float(self.t), 1.0)  # no label can be farther from its share than all of them together

    def holds(self, evidence: Evidence) -> Finding:
        """Checks every reference distribution that is available, and reports the other as not checked."""
        given = evidence.input_counts.get(self.column)
        references = {"t_released": evidence.reference(self.column)}
        if given is not None:
            references["t_input"] = given.with_columns(pl.col("value").fill_null(""))
        links = linked(evidence, self.column, *(each["value"] for each in references.values()))
        counts, achieved, broken = evidence.counts(self.column), dict[str, Figure](), []
        for name, reference in references.items():
            found = self._distances(links, counts, reference)
            broken.append(found.filter(pl.col("fails"))[CLASS])
            distance = _distance(found["squared"])
            achieved[name] = self._coarse(distance) if name == "t_input" else distance
        if given is None:
            achieved["input_reference"] = "not checked"
        failing = pl.concat(broken).n_unique()
        return Finding(holds=failing == 0, achieved=achieved, failing=failing)

    def _distances(self, links: Linked, counts: pl.DataFrame, reference: pl.DataFrame) -> pl.DataFrame:
        """CLASS, `squared`, `fails`: the square of the distance of each class to the reference."""
        whole = next(links.beliefs(reference.with_columns(pl.lit(0, dtype=counts.schema[CLASS]).alias(CLASS))), None)
        parts = [] if whole is None else [self._judged(part, whole) for part in links.beliefs(counts)]
        empty = pl.DataFrame(schema={CLASS: counts.schema[CLASS], "squared": pl.Float64, "fails": pl.Boolean})
        return pl.concat([empty, *parts])

    def _judged(self, beliefs: Beliefs, whole: Beliefs) -> pl.DataFrame:
        labels, base = beliefs.linked.labels, pl.col("base")
        rest = float(whole.classes["base"][0])  # the share of every label that no row with items links to
        prior = whole.shares.select("label", prior="share")
        total = cast(float, prior["prior"].sum()) + (labels - prior.height) * rest
        squares = cast(float, (prior["prior"] ** 2).sum()) + (labels - prior.height) * rest**2
        own = beliefs.shares.join(prior, on="label", how="left").with_columns(pl.col("prior").fill_null(rest))
        more = (pl.col("share") - pl.col("prior")) ** 2 - (base - pl.col("prior")) ** 2
        sums = own.group_by(CLASS).agg(more=more.sum())
        squared = labels * base**2 - 2 * base * total + squares + pl.col("more").fill_null(0.0)
        found = beliefs.classes.join(sums, on=CLASS, how="left").select(CLASS, squared=squared)
        limit = float(fraction(self.t)) ** 2
        found = found.with_columns(fails=pl.col("squared") > limit)
        doubtful = found.filter((pl.col("squared") - limit).abs() <= MARGIN)[CLASS]
        if not len(doubtful):
            return found
        (exact,) = whole.exact(whole.classes[CLASS]).values()
        wrong = [number for number, each in beliefs.exact(doubtful).items() if self._is_far(each, exact, labels)]
        is_doubtful, is_wrong = (
            pl.col(CLASS).is_in(pl.Series(each, dtype=found.schema[CLASS]).implode()) for each in (doubtful, wrong)
        )
        return found.with_columns(fails=pl.when(is_doubtful).then(is_wrong).otherwise(pl.col("fails")))

    def _is_far(self, beliefs: Whole, whole: Whole, labels: int) -> bool:
        """Whether the distance exceeds t, in whole numbers."""
        named = beliefs.own.keys() | whole.own.keys()
        pairs = [(beliefs.own.get(label, beliefs.base), whole.own.get(label, whole.base)) for label in named]
        squares = sum((one * whole.under - other * beliefs.under) ** 2 for one, other in pairs)
        squares += (labels - len(named)) * (beliefs.base * whole.under - whole.base * beliefs.under) ** 2
        t = fraction(self.t)
        return squares * t.denominator**2 > (t.numerator * beliefs.under * whole.under) ** 2

    def _coarse(self, distance: float) -> float:
        """Rounds up to two places: the exact distance to the input would reveal removed items."""
        rounded = math.ceil(round(distance * 100, 9)) / 100
        return rounded if distance > self.t else min(rounded, float(self.t))


def _distance(squared: pl.Series) -> float:
    """The largest distance, without digits that depend on the order in which shares were added."""
    largest = cast(float, squared.max()) if len(squared) else 0.0
    return round(math.sqrt(max(round(largest, 13), 0.0)), 6)
