"""Similarity attack: the sensitive values of a class differ, but all of them mean much the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal import table
from shoal.attacks.base import Attack, Outcome, of_share
from shoal.attacks.promises import is_never_similar
from shoal.attacks.target import CLASS, Target
from shoal.hierarchies.base import text_of
from shoal.progress import Progress, silent
from shoal.roles.columns import Column
from shoal.verification.labels import is_readable


@dataclass(frozen=True)
class Similarity(Attack):
    """Finds the rows of classes whose sensitive values all lie under one inner node of their hierarchy.

    If the plan protects nodes, these are the nodes, and a value outside of them is a group of its own. Otherwise they
    are the nodes directly below the top. Classes with a single value count as well. A class with a missing value is
    not similar: it may be anything.
    Paper: Li, Li, Venkatasubramanian 2007; protected nodes: Campan, Truta 2006.
    """

    kind: ClassVar[str] = "similarity"
    about: ClassVar[str] = "reads the common group of all sensitive values of a class from their hierarchy"
    against: ClassVar[str] = "extended-p-sensitive"
    knows: ClassVar[str] = "All quasi-identifiers of an individual, and the hierarchy of the sensitive values."

    def applies(self, target: Target) -> str:
        return "" if _with_trees(target) else "No sensitive column of the plan has a hierarchy that can be read."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        outcomes = []
        for place, column in enumerate(_with_trees(target)):
            progress(column, place / len(target.sensitive))
            nodes = _nodes(target.plan.columns[column], target.whole(column)["value"].drop_nulls())
            similar = _similar(target.counts(column), nodes)
            sizes = target.classes.sizes[similar.to_numpy()]
            whole = _similar(target.counts(column).with_columns(pl.lit(0, pl.Int64).alias(CLASS)), nodes)
            outcomes.append(
                of_share(
                    self,
                    int(sizes.sum()),
                    target.rows,
                    baseline=float(len(whole) > 0),
                    bound=0.0 if is_never_similar(target, column) else None,
                    measured=_MEASURED[bool(target.plan.columns[column].protected)],
                    column=column,
                )
            )
        return tuple(outcomes)


def _with_trees(target: Target) -> list[str]:
    """The sensitive columns with a hierarchy at hand; the file of one that no promise reads is not published."""
    columns = ((name, target.plan.columns[name]) for name in target.sensitive)
    return [name for name, column in columns if column.hierarchy is not None and is_readable(column)]


_MEASURED = {
    False: "The share of rows in a class whose sensitive values all lie under one inner node.",
    True: "The share of rows in a class whose sensitive values all lie under one protected node, or are all equal.",
}


def _nodes(column: Column, values: pl.Series) -> Mapping[str, str]:
    """Value → the group that it tells: a protected node, or the widest below the top, which still says something."""
    typed = table.typed(values, type=column.type or "text", missing=()).values.unique().sort()
    if typed.is_empty():
        return {}
    tree = column.hierarchy.build(typed)
    paths = {text: tree.path(tree.index[text]) for text in text_of(typed)}
    if column.protected:
        return {text: _protected(path, column.protected) for text, path in paths.items()}
    return {text: path[-2] for text, path in paths.items()} if tree.height >= 2 else {}


def _protected(path: tuple[str, ...], protected: tuple[str, ...]) -> str:
    """The highest protected label of a path, with its level, or the value."""
    return next((f"{n} {path[n]}" for n in reversed(range(len(path))) if path[n] in protected), f"0 {path[0]}")


def _similar(counts: pl.DataFrame, nodes: Mapping[str, str]) -> pl.Series:
    """The classes all of whose values lie under the same node."""
    of_value = pl.DataFrame({"value": list(nodes), "node": list(nodes.values())}, schema_overrides={"value": pl.String})
    placed = counts.join(of_value.cast(pl.String), on="value", how="left")
    alike = (pl.col("node").n_unique() == 1) & pl.col("node").is_not_null().all()
    return placed.group_by(CLASS).agg(alike.alias("alike")).filter("alike")[CLASS]
