"""t-closeness: the distribution of sensitive values in every class is close to that in the table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Array, Flags
from shoal.coded.stats import ClassStats
from shoal.exact import at_most, fraction, product
from shoal.models.about import About, Weak
from shoal.models.base import ColumnModel, Monotone
from shoal.models.earth_movers import SEARCHED, no_hierarchy
from shoal.models.evidence import CLASS, Evidence, Finding, SensitiveFacts, exceeds, largest_ratio, small_total
from shoal.roles.parameters import number, one_of


@dataclass(frozen=True)
class TCloseness(ColumnModel):
    """In every class, the earth mover's distance of the sensitive values to the reference distribution is at most t.

    equal: any two values are 1 apart. The distance is ½ Σ |p − q|.
    ordered: the i-th and the j-th of m values are |i − j|/(m − 1) apart. The distance is Σ |P − Q|/(m − 1) over
    cumulative shares.
    hierarchical: two values are as far apart as their lowest common ancestor is high, divided by the tree's height.
    A missing value counts as a value. It is first in the order, and a separate branch of the tree.

    Monotone: UNION, because the distance is convex: that of merged classes is at most the weighted mean of theirs.
    Floor: 1 row.
    Paper: Li, Li, Venkatasubramanian 2007.

    >>> from shoal.coded import coded_values, stats_of
    >>> rows = coded_values({"stage": ["I", "II", "III", "I"]})
    >>> TCloseness("stage", t=0.25).passes(stats_of(rows, [[0, 1, 3], [0, 3], [0, 1, 2]])).tolist()
    [True, False, True]
    """

    column: str
    """The column whose distribution in a class is compared. Allowed: the name of a sensitive column."""
    t: int | float
    """The largest distance of a class to the reference distribution. Allowed: numbers from 0 to 1."""
    distance: str = "equal"
    """How far values are apart; the last needs a hierarchy. Allowed: `"equal"`, `"ordered"`, `"hierarchical"`."""
    reference: str = "both"
    """The rows whose distribution classes are compared with. Allowed: `"both"`, `"released"`, `"input"`."""

    kind: ClassVar[str] = "t-closeness"
    largest: ClassVar[tuple[str, ...]] = ("t_released", "t_input")
    about: ClassVar[About] = About(
        promise=(
            "Knowing an individual's class reveals little more about the sensitive value than the whole table does: "
            "the two distributions are at most t apart. With an order or a hierarchy, similar values count as close."
        ),
        not_protected=(
            "What the whole table reveals. Identity: combine the model with k-anonymity. Rare values: t bounds a sum "
            "of differences, so a value with a share of 0.1 % may reach 10 % at t = 0.1; β-likeness bounds each value "
            "separately."
        ),
        example=(
            "One of ten patients in the table has cancer, but two of the four patients in a class do: a share of 1/2 "
            "instead of 1/10. The distance is 0.4, so t = 0.2 fails, although the class may be 2-diverse."
        ),
        paper=(
            "N. Li, T. Li, S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007."
        ),
        sample={"column": "diagnosis", "t": 0.2},
        weak=Weak(
            attack="linkage",
            parameters={"column": "diagnosis", "t": 0},
            columns=("age", "zip", "diagnosis"),
            rows=tuple(
                (age, zip_code, diagnosis)
                for age, zip_code in (("31", "47602"), ("34", "47677"), ("42", "47905"), ("47", "47906"))
                for diagnosis in ("HIV", "flu")
            ),
            shows="No class can be closer to the table, but every individual is one of two.",
        ),
    )

    def __post_init__(self) -> None:
        self._check_column()
        number(self, "t", self.t, least=0, most=1)
        one_of(self, "distance", self.distance, tuple(SEARCHED))
        one_of(self, "reference", self.reference, ("both", "released", "input"))

    @property
    def monotone(self) -> Monotone:
        return Monotone.UNION

    @property
    def floor(self) -> int:
        return 1

    def confidence(self, value: str, share: float) -> float:
        # Any two values are 1 apart only in the equal distance: in the others, a share may move a short way.
        bounds = self.distance == "equal" and self.reference != "input"
        return min(share + float(self.t), 1.0) if bounds else 1.0

    @property
    def reads_trees(self) -> tuple[str, ...]:
        return () if self.distance == "equal" else (self.column,)

    def needs(self, columns: Mapping[str, Any]) -> str:
        column = columns[self.column]
        if self.distance == "hierarchical" and column.hierarchy is None:
            return f"t-closeness with the hierarchical distance needs a hierarchy for column '{self.column}'."
        if self.distance == "ordered" and column.hierarchy is None and column.type in (None, "text"):
            return (
                f"t-closeness with the ordered distance needs an order for column '{self.column}': "
                'give it type = "integer", "real", "date" or "datetime", or a hierarchy whose leaves are in order.'
            )
        return ""

    @property
    def relative_to_released(self) -> bool:
        return self.reference != "input"

    @property
    def input_binds(self) -> bool:
        return self.reference != "released"

    reads_input = input_binds

    def least_lost(self, stats: ClassStats, passing: Flags) -> int:
        """At least the share (d − t)/(1 − t) of a class at distance d > t.

        The rows that are kept lie within t of the reference, and the suppressed rows within 1. The distance of both
        together is at most the weighted mean of theirs.
        """
        if self.reference == "released" or stats.counts_persons or self.t >= 1:
            return super().least_lost(stats, passing)  # the released rows are the reference, and suppression changes it
        over, under = self._searched(stats)
        distance = over[~passing].astype(np.float64) / under[~passing].astype(np.float64)
        share = np.maximum(distance - self.t - 1e-9, 0.0) / (1 - self.t)
        return max(int(np.ceil((stats.sizes[~passing] * share) - 1e-6).sum()), int(not passing.all()))

    def passes(self, stats: ClassStats) -> Flags:
        over, under = self._searched(stats)
        t = fraction(self.t)
        return at_most(over, t.denominator, under, t.numerator)

    def _searched(self, stats: ClassStats) -> tuple[Array, Array]:
        """The distance of every class to the reference distribution, as over / under."""
        counts = stats.counts(self.column)
        reference = stats.reference(self.column)
        total = small_total(int(reference.sum()))
        over, unit = SEARCHED[self.distance](counts, reference, stats.domain(self.column))
        return over, product(counts.totals, total * unit)

    def holds(self, evidence: Evidence) -> Finding:
        """Checks every reference distribution that is available, and reports the other as not checked."""
        released = self._distances(evidence, evidence.reference(self.column))
        broken = [self._broken(released)] if self.reference != "input" else []
        achieved: dict[str, float | int | str | None] = {"t_released": _widest(released)}
        if self.reference != "released":
            if self.column in evidence.input_counts:
                against_input = self._distances(evidence, evidence.input_counts[self.column])
                broken.append(self._broken(against_input))
                achieved["t_input"] = self._coarse(_widest(against_input))
            else:
                achieved["input_reference"] = "not checked"
        failing = pl.concat(broken).n_unique() if broken else 0
        return Finding(holds=failing == 0, achieved=achieved, failing=failing)

    def _distances(self, evidence: Evidence, reference: pl.DataFrame) -> pl.DataFrame:
        """CLASS, `over`, `under`: the distance of each class to the reference is over / under."""
        facts = evidence.facts[self.column]
        if self.distance == "hierarchical" and not facts.paths:
            raise no_hierarchy(self.column)
        entries = evidence.counts(self.column).with_columns(
            pl.col("count").cast(pl.Int128), pl.col("count").sum().over(CLASS).cast(pl.Int128).alias("n")
        )
        reference = reference.select("value", pl.col("count").cast(pl.Int128).alias("reference"))
        return _VERIFIED[self.distance](entries, reference, facts)

    def _broken(self, distances: pl.DataFrame) -> pl.Series:
        """The classes whose distance exceeds t."""
        return distances.filter(exceeds(distances["over"], distances["under"], fraction(self.t)))[CLASS]

    def _coarse(self, distance: float) -> float:
        """Rounds up to two places: the exact distance to the input would reveal suppressed rows."""
        rounded = math.ceil(round(distance * 100, 9)) / 100
        return rounded if distance > self.t else min(rounded, float(self.t))


# --- for verification: `entries` has CLASS, `value`, `count`, `n`, the reference `value`, `reference`; all Int128 ---


def _equal_verified(entries: pl.DataFrame, reference: pl.DataFrame, facts: SensitiveFacts) -> pl.DataFrame:
    """½ Σ |p − q|: one by one over the values of the class, and in total over those absent from it."""
    total = pl.lit(_sum(reference["reference"]), dtype=pl.Int128)
    joined = entries.join(reference, on="value", how="left", nulls_equal=True).with_columns(
        pl.col("reference").fill_null(0)
    )
    n = pl.col("n").first()
    present = (pl.col("count") * total - pl.col("reference") * pl.col("n")).abs().sum()
    absent = n * (total - pl.col("reference").sum())
    return joined.group_by(CLASS).agg((present + absent).alias("over"), (n * total * 2).alias("under"))


def _ordered_verified(entries: pl.DataFrame, reference: pl.DataFrame, facts: SensitiveFacts) -> pl.DataFrame:
    """Σ |P − Q| / (m − 1) over all m values. Between two values of a class, P is constant and Q only grows."""
    domain = _sorted_domain(entries, reference, facts)
    m, total = len(domain), _sum(domain["reference"])
    below = domain["reference"].cum_sum()
    areas = pl.concat([pl.Series([0], dtype=pl.Int128), below.cum_sum()])  # areas[r]: Σ of `below` before rank r
    steps = _steps(entries, domain).with_columns((pl.col("so_far") * total // pl.col("n")).alias("level"))
    crossing = below.search_sorted(steps["level"], side="right").cast(pl.Int64)
    steps = steps.with_columns(crossing.clip(steps["rank"], steps["next"]).alias("cross"))
    area = {name: areas.gather(steps[name]) for name in ("rank", "cross", "next")}
    width = (2 * pl.col("cross") - pl.col("rank") - pl.col("next")).cast(pl.Int128)
    steps = steps.with_columns((area["cross"] + area["cross"] - area["rank"] - area["next"]).alias("area"))
    moved: Any = (pl.col("so_far") * width * total - pl.col("n") * pl.col("area")).sum()
    under = pl.col("n").first() * pl.lit(total * max(m - 1, 1), dtype=pl.Int128)
    return steps.group_by(CLASS).agg(moved.alias("over"), under.alias("under"))


def _steps(entries: pl.DataFrame, domain: pl.DataFrame) -> pl.DataFrame:
    """CLASS, `n`, `rank`, `next`, `so_far`: the cumulative count of a class is so_far from rank to before next."""
    m = len(domain)
    ranked = entries.join(domain.select("value", "rank"), on="value", nulls_equal=True)
    before = ranked.group_by(CLASS).agg(
        pl.col("n").first(),
        pl.lit(0, dtype=pl.Int64).alias("rank"),
        pl.col("rank").min().alias("next"),
        pl.lit(0, dtype=pl.Int128).alias("so_far"),
    )
    after = ranked.sort(CLASS, "rank").select(
        CLASS,
        "n",
        "rank",
        pl.col("rank").shift(-1).over(CLASS).fill_null(m).alias("next"),
        pl.col("count").cum_sum().over(CLASS).alias("so_far"),
    )
    return pl.concat([before, after])


def _sorted_domain(entries: pl.DataFrame, reference: pl.DataFrame, facts: SensitiveFacts) -> pl.DataFrame:
    """`value`, `reference`, `rank`, in order: the values of the reference, and any others of the release."""
    absent = entries.select("value").unique().join(reference, on="value", how="anti", nulls_equal=True)
    domain = pl.concat([reference, absent.with_columns(pl.lit(0, dtype=pl.Int128).alias("reference"))])
    position = pl.Series("rank", _ranks(domain["value"].to_list(), facts), dtype=pl.Int64)
    return domain.with_columns(position).sort("rank")


def _ranks(values: list[str | None], facts: SensitiveFacts) -> list[int]:
    """The rank of each value: missing first, then in the column's order, then values without a place in it."""
    places = _places([value for value in values if value is not None], facts)
    in_order = sorted(values, key=lambda value: (0, Decimal(), "") if value is None else (*places[value], value))
    rank_of = {value: rank for rank, value in enumerate(in_order)}
    return [rank_of[value] for value in values]


def _places(values: list[str], facts: SensitiveFacts) -> dict[str, tuple[int, Decimal]]:
    """What to sort by before the text itself. Dates and date-times in ISO format need nothing else."""
    if facts.order == "number":
        return {value: _as_number(value) for value in values}
    if facts.order == "tree":
        place = {value: Decimal(i) for i, value in enumerate(facts.paths)}
        return {value: (1, place[value]) if value in place else (2, Decimal()) for value in values}
    return dict.fromkeys(values, (1, Decimal()))


def _as_number(text: str) -> tuple[int, Decimal]:
    """The sort key of a number. Texts that are no numbers come last."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        return 2, Decimal()
    return (2, Decimal()) if value.is_nan() else (1, value)


def _hierarchical_verified(entries: pl.DataFrame, reference: pl.DataFrame, facts: SensitiveFacts) -> pl.DataFrame:
    """At each node, the lesser of the surplus and the deficit of its children moves, at the height of the node."""
    total = _sum(reference["reference"])
    tree = _tree(entries, reference, facts)
    height = len(tree.columns) - 2
    entries = entries.join(tree, on="value", nulls_equal=True)
    reference = reference.join(tree, on="value", nulls_equal=True)
    moved = [_moved(entries, reference, total, h).with_columns(pl.col("cost") * h) for h in range(1, height + 1)]
    classes = entries.group_by(CLASS).agg((pl.col("n").first() * total * max(height, 1)).alias("under"))
    if not moved:
        return classes.with_columns(pl.lit(0, dtype=pl.Int128).alias("over"))
    over = pl.concat(moved).group_by(CLASS).agg(pl.col("cost").sum().alias("over"))
    return classes.join(over, on=CLASS)


def _moved(entries: pl.DataFrame, reference: pl.DataFrame, total: int, height: int) -> pl.DataFrame:
    """CLASS, `cost`: the amount that moves between the children of nodes of this height, times n · N."""
    child, parent = f"level {height - 1}", f"level {height}"
    of_child = reference.group_by(child).agg(pl.col("reference").sum())
    of_parent = reference.group_by(parent).agg(pl.col("reference").sum().alias("reference above"))
    children = entries.group_by(CLASS, parent, child).agg(pl.col("count").sum(), pl.col("n").first())
    observed, expected = pl.col("count") * total, pl.col("reference") * pl.col("n")
    nodes = (
        children.join(of_child, on=child, how="left")
        .with_columns(pl.col("reference").fill_null(0))
        .group_by(CLASS, parent)
        .agg(
            pl.col("n").first(),
            (observed - expected).clip(0).sum().alias("surplus"),
            (expected - observed).clip(0).sum().alias("deficit"),
            pl.col("reference").sum(),
        )
        .join(of_parent, on=parent, how="left")
        .with_columns(pl.col("reference above").fill_null(0))
    )
    absent = (pl.col("reference above") - pl.col("reference")) * pl.col("n")
    lesser = pl.min_horizontal(pl.col("surplus"), pl.col("deficit") + absent)
    return nodes.group_by(CLASS).agg(lesser.sum().alias("cost"))


def _tree(entries: pl.DataFrame, reference: pl.DataFrame, facts: SensitiveFacts) -> pl.DataFrame:
    """`value`, `level 0`, … up to the top. Missing, and any value that the tree lacks, is a separate branch."""
    top = len(next(iter(facts.paths.values()))) - 1
    summit = next(iter(facts.paths.values()))[top]
    values = pl.concat([entries["value"], reference["value"]]).unique().to_list()
    paths = [facts.paths.get(value) if value is not None else None for value in values]
    own = [f"\x00{'' if value is None else value}" for value in values]
    levels = {
        f"level {h}": [path[h] if path else (own[i] if h < top else summit) for i, path in enumerate(paths)]
        for h in range(top + 1)
    }
    labelled = pl.DataFrame({"value": values, **levels}, schema={"value": pl.String} | dict.fromkeys(levels, pl.String))
    return labelled.with_columns(pl.col(*levels).rank("dense").cast(pl.UInt32))  # numbers group faster than labels


def _sum(counts: pl.Series) -> int:
    return int(counts.sum())


def _widest(distances: pl.DataFrame) -> float:
    """The largest distance of any class."""
    return largest_ratio(distances["over"], distances["under"])


_VERIFIED = {"equal": _equal_verified, "ordered": _ordered_verified, "hierarchical": _hierarchical_verified}
