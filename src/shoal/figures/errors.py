"""Errors of use of a release, for the steward: of counting on a fixed workload, and of predicting its target.

Large tables are sampled, so that the report costs little next to the release. Nothing here is published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.engines.base import Witness
from shoal.errors import ShoalError
from shoal.estimating.query_error import asked
from shoal.figures.classified import Classified, classified
from shoal.figures.sampling import MOST_ROWS, InputSample
from shoal.forms.generalized import RELEASE
from shoal.plan import Plan
from shoal.table import Runs

QUERIES = 1_000
"""Fewer than `shoal.query_error` asks, so that a report costs little."""
MOST_CELLS = 10_000_000
"""The most pairs of a label and a value of one column whose overlap is worked out."""
_SEED = 0


@dataclass(frozen=True)
class Queried:
    """The relative error of random COUNT queries on `rows` rows of the input, which has `rows_in`.

    `spread`: the standard error of the mean, because other random queries would have another mean.
    """

    mean: float
    spread: float
    median: float
    queries: int
    rows: int
    rows_in: int


@dataclass(frozen=True)
class Errors:
    """The query error and the classification error, or why there is none."""

    query: Queried | None
    no_query: str = ""
    classification: Classified | None = None
    no_classification: str = ""


def errors_of(sample: InputSample | None, tables: Mapping[str, Runs], witness: Witness, plan: Plan) -> Errors:
    """The errors of a release whose tables the witness traces to the input."""
    query = _queried(sample, tables, witness, plan)
    predicted = classified(sample, tables, witness, plan)
    return Errors(
        query=query if isinstance(query, Queried) else None,
        no_query=query if isinstance(query, str) else "",
        classification=predicted if isinstance(predicted, Classified) else None,
        no_classification=predicted if isinstance(predicted, str) else "",
    )


def _queried(sample: InputSample | None, tables: Mapping[str, Runs], witness: Witness, plan: Plan) -> Queried | str:
    """The error of the queries, or the reason why there is none."""
    if not plan.quasi_identifiers or not plan.sensitive:
        return "queries need a quasi-identifier and a sensitive column"
    if sample is None:
        return "the input was not held in memory"
    if plan.release.form == "anatomy" and sample.rows is not None:
        return f"an anatomy is not sampled, and the input has more than {MOST_ROWS:,} rows"
    released = _released(sample, tables, witness)
    if _too_many_labels(sample.frame, next(iter(released.values())), plan):
        return "a column has too many different values and labels"
    try:
        errors = asked(sample.frame, plan, queries=QUERIES, seed=_SEED).errors(released)
    except ShoalError as error:
        return error.fact.rstrip(".")
    if not np.isfinite(errors).all():
        return "the numbers of a column are too large"
    spread = float(errors.std(ddof=1)) / QUERIES**0.5
    return Queried(float(errors.mean()), spread, float(np.median(errors)), QUERIES, sample.frame.height, sample.total)


def _released(sample: InputSample, tables: Mapping[str, Runs], witness: Witness) -> dict[str, pl.DataFrame]:
    """The released tables, or the released rows of the sampled ones."""
    if sample.rows is None:
        return {name: runs.expanded() for name, runs in tables.items()}
    run = sample.runs(witness)
    return {RELEASE: tables[RELEASE].rows[run[run >= 0]]}


def _too_many_labels(frame: pl.DataFrame, released: pl.DataFrame, plan: Plan) -> bool:
    return any(
        frame[name].n_unique() * released[name].n_unique() > MOST_CELLS
        for name in plan.quasi_identifiers
        if name in released.columns
    )
