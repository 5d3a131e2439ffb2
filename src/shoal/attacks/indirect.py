"""Indirect disclosure: the items of a class, looked up in a knowledge table, reveal a label that nobody published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.arrays import Float64, Int64
from shoal.attacks.base import Attack, Outcome, of_maximum
from shoal.attacks.target import CLASS, Target
from shoal.progress import Progress, silent
from shoal.roles.knowledge import Knowledge, load_knowledge
from shoal.table import canonical_sets


@dataclass(frozen=True)
class Indirect(Attack):
    """Finds the class and label with the largest belief: the mean over the rows of a class of the chance of a label.

    A row may have each of the labels that have all of its items, with the same chance. The baseline is the largest
    belief of an intruder who does not know the class.
    Paper: Shi, Xiong, Fung 2010.
    """

    kind: ClassVar[str] = "indirect"
    about: ClassVar[str] = "looks the items of a class up in the knowledge table"
    against: ClassVar[str] = "qs-diversity"
    knows: ClassVar[str] = (
        "All quasi-identifiers of an individual, and the items of every label of the knowledge table."
    )

    def applies(self, target: Target) -> str:
        return "" if _columns(target) else "The plan has no set-valued column with a knowledge table at hand."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        outcomes = []
        for place, column in enumerate(columns := _columns(target)):
            progress(column, place / len(columns))
            outcomes.append(self._attacked(target, column))
        return tuple(outcomes)

    def _attacked(self, target: Target, column: str) -> Outcome:
        knowledge = load_knowledge(column, target.plan.columns[column], target.plan.data.absent)
        assert knowledge is not None
        prior = _largest(target, column, knowledge, np.zeros_like(target.main.times))
        models = [model for model in target.plan.linking if model.column == column and target.promises_rows]
        bounds = [model.largest_belief(knowledge.size, prior) for model in models]
        return of_maximum(
            self,
            _largest(target, column, knowledge, target.classes.of_run),
            target.rows,
            baseline=prior,
            bound=min(bounds, default=None),
            measured="The largest belief in a label, of all classes and labels of the knowledge table.",
            column=column,
        )


def _columns(target: Target) -> tuple[str, ...]:
    """The published set-valued columns whose knowledge tables are at hand, and whose items are not generalized."""
    columns = {name: target.plan.columns[name] for name in target.plan.quasi_sensitive}
    known = [name for name, each in columns.items() if each.knowledge is not None and each.hierarchy is None]
    return () if target.is_anatomy else tuple(name for name in known if name in target.main.columns)


def _largest(target: Target, column: str, knowledge: Knowledge, class_of: Int64) -> float:
    """The largest belief in any label about any class."""
    sets = canonical_sets(target.main[column], target.plan.columns[column].separator, target.plan.data.absent)
    runs = pl.DataFrame({CLASS: class_of, "set": sets.fill_null(""), "rows": target.main.times})
    rows = runs.group_by(CLASS, "set").agg(pl.col("rows").sum())
    labels = _labels_of(rows["set"].unique().to_list(), target.plan.columns[column].separator, knowledge)
    sizes = rows.group_by(CLASS).agg(n=pl.col("rows").sum(), empty=pl.col("rows").filter(pl.col("set") == "").sum())
    chances = rows.join(labels, on="set").group_by(CLASS, "label").agg(own=(pl.col("rows") * pl.col("chance")).sum())
    likeliest = chances.group_by(CLASS).agg(pl.col("own").max())
    belief = (pl.col("own").fill_null(0.0) + pl.col("empty") / max(knowledge.size, 1)) / pl.col("n")
    found: Float64 = sizes.join(likeliest, on=CLASS, how="left").select(belief=belief)["belief"].to_numpy()
    return float(found.max(initial=0.0))


def _labels_of(sets: list[str], separator: str, knowledge: Knowledge) -> pl.DataFrame:
    """`set`, `label`, `chance`: the labels that have all items of a set, apart from the empty set, which has all."""
    having: dict[str, set[int]] = {}
    for label, item in knowledge.pairs.rows():
        having.setdefault(item, set()).add(label)
    names, found, chances = list[str](), list[int](), list[float]()
    for text in sets:
        labels = set.intersection(*(having.get(item, set()) for item in text.split(separator))) if text else set()
        names += [text] * len(labels)
        found += labels
        chances += [1 / len(labels) for _ in labels]
    return pl.DataFrame(
        {"set": names, "label": found, "chance": chances},
        schema={"set": pl.String, "label": pl.Int64, "chance": pl.Float64},
    )
