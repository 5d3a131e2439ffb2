"""Attack with few known values: the intruder knows at most L quasi-identifiers of an individual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.attacks import promises
from shoal.attacks.base import Attack, Outcome, of_maximum
from shoal.attacks.target import CLASS, Target
from shoal.counts import counted
from shoal.models.base import ClassModel
from shoal.progress import Progress, silent

_COMBINATIONS_TRIED = 60
_KNOWN = 2
"""The number of known quasi-identifiers if no model of the plan bounds it."""


@dataclass(frozen=True)
class KnownValues(Attack):
    """Finds the knowledge of at most `known` quasi-identifiers that the fewest rows match, and what these disclose.

    Rows match if they have the labels of the individual in the known columns. Knowledge of exactly `known` columns is
    tried: less knowledge matches more rows.
    Paper: Mohammed, Fung, Hung, Lee 2009.
    """

    known: int | None = None
    """The number of quasi-identifiers that the intruder knows; by default L of the model `lkc` of the plan, else 2."""

    kind: ClassVar[str] = "known-values"
    about: ClassVar[str] = "links and infers from any few quasi-identifiers of an individual"
    against: ClassVar[str] = "lkc"
    knows: ClassVar[str] = "At most L quasi-identifiers of an individual, and so their released labels."

    def applies(self, target: Target) -> str:
        return "" if target.quasi_identifiers else "The table has no quasi-identifier."

    def attack(self, target: Target, progress: Progress = silent) -> tuple[Outcome, ...]:
        known = min(self._known(target), len(target.quasi_identifiers))
        tried = _tried(target.quasi_identifiers, known, target.seed)
        sampled = len(tried) < comb(len(target.quasi_identifiers), known)
        knows = f"Any {counted(known, 'quasi-identifier', 'quasi-identifiers')} of an individual."
        any_known = f"any {counted(known, 'known quasi-identifier', 'known quasi-identifiers')}"
        fewest = _fewest(target, tried, progress)
        outcomes = [
            of_maximum(
                self,
                1 / fewest,
                target.rows,
                baseline=1 / target.rows,
                bound=_link_bound(target, known),
                measured=f"The largest chance, over all rows, to find the row of an individual by {any_known}.",
                knows=knows,
                sampled=sampled,
            )
        ]
        for place, column in enumerate(target.sensitive):
            progress(column, (place + 1) / (len(target.sensitive) + 1))
            confidence, limit, share = _inferred(target, tried, column, known)
            outcomes.append(
                of_maximum(
                    self,
                    confidence,
                    target.rows,
                    baseline=share,
                    bound=limit,
                    measured=f"The largest share of a sensitive value among the rows that match {any_known}"
                    + ("." if limit is None else ", of the value that comes closest to what the models allow."),
                    column=column,
                    knows=knows,
                    sampled=sampled,
                )
            )
        return tuple(outcomes)

    def _known(self, target: Target) -> int:
        if self.known is not None:
            return self.known
        return max((model.l for model in _knowledge_models(target.plan.enforced)), default=_KNOWN)


def _knowledge_models(models: Sequence[ClassModel]) -> list[Any]:
    return [model for model in models if model.kind == KnownValues.against]


def _promising(target: Target, known: int) -> list[Any]:
    """The models that promise something to individuals of whom this many quasi-identifiers are known."""
    models = [] if not target.promises_rows or target.is_anatomy else _knowledge_models(target.plan.enforced)
    return [model for model in models if model.l >= known]


def _tried(columns: Sequence[str], known: int, seed: int) -> list[tuple[str, ...]]:
    """All combinations of columns, or a sample of them."""
    every = comb(len(columns), known)
    if every <= _COMBINATIONS_TRIED:
        return list(combinations(columns, known))
    draw = np.random.default_rng(seed)
    places = (sorted(draw.choice(len(columns), known, replace=False)) for _ in range(_COMBINATIONS_TRIED))
    return list(dict.fromkeys(tuple(columns[place] for place in chosen) for chosen in places))


def _fewest(target: Target, tried: Sequence[tuple[str, ...]], progress: Progress) -> int:
    """The smallest number of rows that match any knowledge."""
    groups = _coded(target).with_columns(pl.Series("size", target.labelled.sizes))
    fewest = target.rows
    for place, columns in enumerate(tried):
        progress("known columns", place / len(tried) / (len(target.sensitive) + 1))
        sizes = groups.group_by(columns).agg(pl.col("size").sum())["size"].to_numpy()
        fewest = min(fewest, int(sizes.min(initial=fewest)))
    return max(fewest, 1)


def _coded(target: Target) -> pl.DataFrame:
    """The labels of every group of rows as numbers, which are faster to group."""
    return target.labelled.labels.select(pl.all().rank("dense").cast(pl.UInt32))


def _link_bound(target: Target, known: int) -> float | None:
    """1/K, or 1/k of models of whole classes: the rows that match less knowledge are unions of classes."""
    bounds = [1 / model.k for model in _promising(target, known) if model.k > 1]
    of_classes = promises.link(target)
    return min([*bounds, *([] if of_classes is None else [of_classes])], default=None)


def _inferred(
    target: Target, tried: Sequence[tuple[str, ...]], column: str, known: int
) -> tuple[float, float | None, float]:
    """The confidence of the intruder in a value, the limit of this value, and its share in the table."""
    limits = _limits(target, column, known)
    whole = promises.shares(target, column).with_columns(limit=pl.lit(1.0)) if limits is None else limits
    if target.is_anatomy or not whole.height:
        return float(whole["share"].max() or 0.0), None, float(whole["share"].max() or 0.0)  # type: ignore[arg-type]
    counts = target.counts(column).sort(CLASS)
    rows = pl.concat([_coded(target)[counts[CLASS].to_numpy()], counts.select("value", "count")], how="horizontal")
    best = []
    for columns in tried:
        matching = rows.group_by(*columns, "value").agg(pl.col("count").sum())
        shares = matching.with_columns(confidence=pl.col("count") / pl.col("count").sum().over(columns))
        shares = shares.drop_nulls("value").group_by("value").agg(pl.col("confidence").max())
        best.append(shares.join(whole, on="value"))
    found = pl.concat(best).with_columns(beyond=pl.col("confidence") - pl.col("limit"))
    by = [*(["beyond"] if limits is not None else []), "confidence", "value"]
    worst = found.sort(by, descending=True).row(0, named=True)
    return worst["confidence"], None if limits is None else worst["limit"], worst["share"]


def _limits(target: Target, column: str, known: int) -> pl.DataFrame | None:
    """As `promises.limited`, but also by models of few known values. A union of classes keeps the limits of each."""
    of_classes = promises.limited(target, column)
    limits = promises.shares(target, column).with_columns(limit=pl.lit(1.0)) if of_classes is None else of_classes
    for model in _promising(target, known):
        if model.column == column and model.c < 1:
            named = None if model.values is None else [str(value) for value in model.values]
            bounded = pl.lit(True) if named is None else pl.col("value").is_in(named)
            limit = pl.when(bounded).then(pl.min_horizontal("limit", pl.lit(float(model.c)))).otherwise("limit")
            limits = limits.with_columns(limit=limit)
    return limits if (limits["limit"] < 1).any() else None
