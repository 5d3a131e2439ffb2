"""km-anonymity: every combination of at most m items that occurs, occurs in at least k rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import ClassVar

import polars as pl

from shoal.arrays import Flags, Int64
from shoal.coded.domains import ItemDomain
from shoal.coded.partition import Rewritten
from shoal.coded.stats import ClassStats
from shoal.models.about import About, Weak
from shoal.models.base import Monotone
from shoal.models.evidence import CLASS, Achieved, Evidence, Finding, least
from shoal.models.items import ItemModel
from shoal.roles.parameters import column_name, whole_number

_AT_ONCE = 4_000_000
"""About so many combinations are counted together in verification."""
_NO_ITEMS: Achieved = {"k": None, "items": "none released"}
"""What is achieved without a single combination: no number of rows, because every k holds."""


@dataclass(frozen=True)
class KmAnonymity(ItemModel):
    """Every combination of at most m items that a released row has, at least k released rows have.

    A class passes if this holds for the combinations of its rows, counted in all released rows. Items are generalized
    over the hierarchy of the column, if it has one, and what is still rare is removed. Rows without items have no
    combination, so removing every item always satisfies the model.

    Monotone: UNION, because each row is judged by itself, given the rows of the table.
    Floor: 1 row.
    Paper: Terrovitis, Mamoulis, Kalnis 2008.

    >>> from shoal.coded.coding import coded_sets
    >>> from shoal.coded.stats import stats_of
    >>> rows = coded_sets({"symptoms": ["cough|fever", "cough", "fever|rash|cough", "rash"]})
    >>> KmAnonymity("symptoms", k=2, m=2).passes(stats_of(rows, [[0, 1], [2], [3]])).tolist()
    [True, False, True]
    """

    column: str
    """The column whose items are protected. Allowed: the name of a quasi-sensitive column."""
    k: int
    """The smallest number of rows with a combination of items. Allowed: whole numbers from 2."""
    m: int
    """The largest number of items that an intruder knows of an individual. Allowed: whole numbers from 1."""

    kind: ClassVar[str] = "km-anonymity"
    removal_suffices: ClassVar[bool] = True
    about: ClassVar[About] = About(
        promise=(
            "An intruder who knows at most m items of an individual, and nothing else, finds at least k rows that "
            "have them, or none."
        ),
        not_protected=(
            "Intruders who know more than m items, or items and quasi-identifiers of the same individual. All rows "
            "with some items may share another one, which these items then disclose."
        ),
        example=(
            "Only one patient has both gout and a fracture. With m = 2, anyone who knows both can find the "
            "row, with all other diagnoses in it, although many patients have either."
        ),
        paper=(
            "M. Terrovitis, N. Mamoulis, P. Kalnis, Privacy-preserving anonymization of set-valued data, "
            "PVLDB 1(1), 2008."
        ),
        sample={"column": "symptoms", "k": 5, "m": 2},
        weak=Weak(
            attack="known-items",
            parameters={"column": "symptoms", "k": 2, "m": 2},
            columns=("sex", "symptoms"),
            rows=(("*", "cough|fever"), ("*", "cough|fever|rash"), ("*", "cough|rash"), ("*", "fever|rash")),
            shows="Whoever knows two symptoms finds at least two rows, but all three symptoms identify one of them.",
            sensitive=("symptoms",),
        ),
    )

    def __post_init__(self) -> None:
        column_name(self, self.column)
        whole_number(self, "k", self.k, 2)
        whole_number(self, "m", self.m, 1)

    @property
    def monotone(self) -> Monotone:
        return Monotone.UNION

    @property
    def floor(self) -> int:
        return 1

    @property
    def relative_to_released(self) -> bool:
        return True

    def passes(self, stats: ClassStats) -> Flags:
        from shoal.items.anonymity import having_rare

        counts, reference = stats.items(self.column), stats.item_reference(self.column)
        rare = having_rare(stats.item_domain(self.column), *reference, self.k, self.m)
        return counts.every(~rare[counts.values])

    def rewritten(self, domain: ItemDomain, rows: Int64) -> Rewritten:
        from shoal.items.anonymity import anonymous_sets

        return anonymous_sets(domain, rows, self.k, self.m)

    def holds(self, evidence: Evidence) -> Finding:
        reference = evidence.reference(self.column)
        separator = evidence.facts[self.column].settings.separator
        supports = _supports(reference, separator, self.m)
        of_class = evidence.counts(self.column).join(supports, on="value", how="left")
        fewest = of_class.group_by(CLASS).agg(pl.col("support").min())["support"].drop_nulls()
        failing = int((fewest < self.k).sum())
        return Finding(failing == 0, {"k": least(fewest)} if len(fewest) else _NO_ITEMS, failing)

    def merged(self, findings: Sequence[Finding]) -> Finding:
        with_items = [finding for finding in findings if finding.achieved != _NO_ITEMS]
        return super().merged(with_items or findings)  # classes without items satisfy every k


def _supports(sets: pl.DataFrame, separator: str, m: int) -> pl.DataFrame:
    """`value`, `support`: for every set with items, the rows of the rarest combination of at most m of them.

    `sets` has `value` and `count`. A combination is counted with its first item, and items share their order.
    """
    numbered = sets.with_row_index("set")
    members = numbered.select("set", "count", item=pl.col("value").str.split(separator)).explode("item")
    members = members.filter(pl.col("item") != "").with_columns(pl.col("item").rank("dense").alias("item"))
    members = members.unique(["set", "item"]).sort("set", "item")
    found = [_rarest(members, firsts, m) for firsts in _batches(members, m)]
    none = pl.DataFrame(schema={"set": numbered.schema["set"], "support": pl.Int64})
    rarest = pl.concat([none, *found]).group_by("set").agg(pl.col("support").min())
    return numbered.join(rarest, on="set").select("value", "support")


def _batches(members: pl.DataFrame, m: int) -> Iterator[pl.Series]:
    """Items whose combinations with later items are counted together."""
    after = members.select("item", after=pl.len().over("set") - 1 - pl.int_range(pl.len()).over("set"))
    each = {n: sum(comb(n, size) for size in range(m)) for n in after["after"].unique().to_list()}
    sizes = pl.col("after").replace_strict(each, default=0, return_dtype=pl.Float64)
    of_item = after.group_by("item").agg(size=sizes.sum()).sort("item")
    batch = (of_item["size"].cum_sum() / _AT_ONCE).floor()
    for _, part in of_item.group_by(batch.alias("batch"), maintain_order=True):
        yield part["item"]


def _rarest(members: pl.DataFrame, firsts: pl.Series, m: int) -> pl.DataFrame:
    """`set`, `support`: the rows of the rarest combination that begins with one of these items."""
    grown = members.filter(pl.col("item").is_in(firsts.implode())).rename({"item": "0"})
    found = []
    for size in range(1, m + 1):
        known = [str(place) for place in range(size)]
        support = pl.col("count").sum().over(known).cast(pl.Int64)
        found.append(grown.select("set", support=support).group_by("set").agg(pl.col("support").min()))
        if size < m:
            later = members.select("set", pl.col("item").alias(str(size)))
            grown = grown.join(later, on="set").filter(pl.col(str(size)) > pl.col(str(size - 1)))
    return pl.concat(found)
