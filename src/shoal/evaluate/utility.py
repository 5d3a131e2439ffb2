"""The utility of a release for a use: one figure that can be compared between plans of the same table.

What a plan leaves out counts: a dropped column is lost completely, and so is every cell of a suppressed row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import polars as pl

from shoal import table
from shoal.errors import MissingExtra, ShoalError, did_you_mean
from shoal.estimating import classifiers
from shoal.estimating.query_error import Asked, asked
from shoal.evaluate.classification_error import target_of
from shoal.plan import Plan
from shoal.release import Release

Loss = Callable[[Release], float]
"""What a release loses for a use; less is better."""

USES: Mapping[str, str] = {
    "general": "information loss",
    "classification": "classification error",
    "counts": "query error",
}
"""Use → the figure that is minimized."""
SPLITS = 3
"""The number of random divisions of the table into training and test rows."""


def loss_for(use: str, frame: pl.DataFrame, plan: Plan, seed: int = 0) -> Loss:
    """How the releases of a table by variants of a plan are measured for a use; raises if the plan does not allow it.

    `general`: the information loss (NCP) over all quasi-identifiers of the plan, each with its weight in the plan.
    `classification`: the share of rows whose target is wrongly predicted, where suppressed rows count as wrong.
    `counts`: the mean relative error of COUNT queries over all quasi-identifiers of the plan.
    """
    require_use(use)
    if use == "general":
        return partial(_information_loss, plan)
    if use == "classification":
        return _classification(frame, plan, seed)
    return partial(_query_error, asked(frame, plan, seed=seed))


def require_use(use: str) -> None:
    """Raises if there is no such use."""
    if use not in USES:
        known = list(USES)
        raise ShoalError(
            f"There is no use '{use}'.", allowed=f"Allowed: {', '.join(known)}.", hint=did_you_mean(use, known)
        )


def _information_loss(plan: Plan, release: Release) -> float:
    lost: Mapping[str, float] = release.measures["ncp_by_column"]
    weights = {name: plan.columns[name].weight for name in plan.quasi_identifiers}
    total = sum(weights.values())
    return sum(weight * lost.get(name, 1.0) for name, weight in weights.items()) / total if total else 0.0


def _query_error(queries: Asked, release: Release) -> float:
    return queries.error(release.tables).all


def _classification(frame: pl.DataFrame, plan: Plan, seed: int) -> Loss:
    target = target_of(plan)
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtra("The use 'classification' needs scikit-learn.", hint="pip install 'shoal[learn]'") from None
    splits = [classifiers.split(frame.height, seed + number) for number in range(SPLITS)]

    def loss(release: Release) -> float:
        released, _ = table.to_polars(release.frame)
        place = np.full(frame.height, -1, np.int64)  # the released row of each input row
        place[release.private.witness.row] = np.arange(released.height)
        known = released.drop(target)
        errors = []
        for train, test in splits:  # of input rows, so that all releases are tested on the same individuals
            learnt, tested = (place[rows][place[rows] >= 0] for rows in (train, test))
            sides = (known[learnt], released[target][learnt], known[tested], released[target][tested])
            wrong = classifiers.held_out_error(*sides, learner="tree", seed=seed) * len(tested)
            errors.append((wrong + len(test) - len(tested)) / len(test))
        return float(np.mean(errors))

    return loss
