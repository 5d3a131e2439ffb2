"""Classification error of a release for the steward: how much worse its target is predicted than from the input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.engines.base import Witness
from shoal.errors import MissingExtra, ShoalError
from shoal.estimating import classifiers
from shoal.figures.sampling import InputSample
from shoal.forms.generalized import RELEASE
from shoal.plan import Plan
from shoal.table import Runs

SPLITS = 3
MOST_ROWS = 3_000
"""The most rows that a classifier is trained and tested on."""
MOST_COLUMNS = 60
MOST_CLASSES = 50
"""The most values of a target."""
_SEED = 0


@dataclass(frozen=True)
class Classified:
    """The shares of wrongly predicted rows, as in `shoal.classification_error`, on `rows` released rows.

    `raw`: from the input, `released`: from the release, `removed`: from the input without its quasi-identifiers.
    """

    raw: float
    released: float
    removed: float
    splits: int
    rows: int
    rows_released: int


def classified(
    sample: InputSample | None, tables: Mapping[str, Runs], witness: Witness, plan: Plan
) -> Classified | str:
    """The classification error, or the reason why there is none."""
    if len(plan.targets) != 1:
        return f"it needs one column with role target, and the plan has {len(plan.targets) or 'none'}"
    if RELEASE not in tables:
        return "it needs a generalized table"
    if sample is None:
        return "the input was not held in memory"
    if sample.frame.width > MOST_COLUMNS:
        return f"the table has more than {MOST_COLUMNS} columns"
    run = sample.runs(witness)
    rows = np.flatnonzero(run >= 0)
    if len(rows) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(_SEED).choice(rows, MOST_ROWS, replace=False, shuffle=False))
    rows = rows[np.argsort(run[rows], kind="stable")]  # as they were released
    raw, released = sample.frame[rows], tables[RELEASE].rows[run[rows]]
    try:
        return _compared(raw, released, plan, tables[RELEASE].height)
    except MissingExtra as error:
        return f"scikit-learn is not installed ({error.hint})"
    except ShoalError as error:
        return error.fact.rstrip(".")


def _compared(raw: pl.DataFrame, released: pl.DataFrame, plan: Plan, rows_released: int) -> Classified | str:
    (target,) = plan.targets
    outcome = released[target]
    if outcome.n_unique() > MOST_CLASSES:
        return f"the target has more than {MOST_CLASSES} values"
    known = [name for name in released.columns if name != target]
    others = [name for name in known if name not in plan.quasi_identifiers]

    def error(rows: pl.DataFrame) -> float:
        return classifiers.error(rows, outcome, seeds=SPLITS).mean

    return Classified(
        raw=error(raw.select(known)),
        released=error(released.select(known)),
        removed=error(raw.select(others)),
        splits=SPLITS,
        rows=len(outcome),
        rows_released=rows_released,
    )
