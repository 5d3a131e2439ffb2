"""What the models of a plan promise against an attack, from their parameters alone.

Nothing is promised if the plan counts persons, whom the published rows do not distinguish, or covers some rows only.
"""

from __future__ import annotations

import polars as pl

from shoal.attacks.target import CLASS, Target
from shoal.models.base import ClassModel


def link(target: Target) -> float | None:
    """The largest chance to find the row of an individual whose quasi-identifiers are all known; None if unbounded.

    A class has at least as many rows as the models require. An anatomy does not generalize quasi-identifiers.
    """
    if target.is_anatomy:
        return None
    smallest = max((model.floor for model in _class_models(target)), default=1)
    return 1 / smallest if smallest > 1 else None


def is_never_certain(target: Target, column: str) -> bool:
    """Whether the models promise that no class has a single value of a column."""
    models = [model for model in _class_models(target) if column in model.reads]
    if any(model.fewest_values(column) >= 2 for model in models):
        return True
    limits = limited(target, column)
    return limits is not None and bool((limits["limit"] < 1).all())


def is_never_similar(target: Target, column: str) -> bool:
    """Whether the models promise that no class lies under a single protected node of a column.

    Without protected nodes, they promise nothing about inner nodes.
    """
    if not target.plan.columns[column].protected:
        return False
    return any(model.fewest_groups(column) >= 2 for model in _class_models(target) if column in model.reads)


def limited(target: Target, column: str) -> pl.DataFrame | None:
    """`value`, its `share` in the table, and the largest share in a class that the models allow it, `limit`.

    None if they bound the share of no value. Missing values are left out.
    """
    models = [model for model in _class_models(target) if column in model.reads]
    whole = shares(target, column)
    limits = [
        min((model.confidence(value, share) for model in models), default=1.0)
        for value, share in whole.select("value", "share").iter_rows()
    ]
    return whole.with_columns(pl.Series("limit", limits, dtype=pl.Float64)) if min(limits, default=1.0) < 1 else None


def shares(target: Target, column: str) -> pl.DataFrame:
    """`value`, `total` and `share` of every value of a column in the whole table, without missing ones."""
    whole = target.whole(column).with_columns(share=pl.col("total") / max(target.rows, 1))
    return whole.drop_nulls("value").sort("value")


def class_shares(target: Target, column: str) -> pl.DataFrame:
    """CLASS, `value`, `count`, `size` and `confidence`: the share of every value in every class, without missing ones.

    Missing values count towards the size of their class: the intruder cannot rule them out.
    """
    counts = target.counts(column)
    counts = counts.with_columns(pl.Series("size", target.classes.sizes[counts[CLASS].to_numpy()]))
    return counts.drop_nulls("value").with_columns(confidence=pl.col("count") / pl.col("size"))


def _class_models(target: Target) -> list[ClassModel]:
    """The models that promise something of every class; others bound what an intruder with less knowledge learns."""
    if not target.promises_rows:
        return []
    return [model for model in target.plan.enforced if not model.judges_table]
