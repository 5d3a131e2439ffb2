"""Query error of a release for the steward, on a fixed workload, and why an error is not computed.

Large tables are sampled, so that the report costs little next to the release. Nothing here is published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.engines.base import Engine, Witness
from shoal.engines.local import LocalEngine
from shoal.errors import ShoalError
from shoal.estimating.query_error import asked
from shoal.forms.generalized import RELEASE
from shoal.plan import Plan
from shoal.table import Runs

QUERIES = 200
MOST_ROWS = 10_000
"""Larger tables are sampled."""
MOST_CELLS = 10_000_000
"""The most pairs of a label and a value of one column whose overlap is worked out."""
_SEED = 0


@dataclass(frozen=True)
class Queried:
    """The relative error of random COUNT queries on `rows` rows of the input, which has `rows_in`."""

    mean: float
    median: float
    queries: int
    rows: int
    rows_in: int


@dataclass(frozen=True)
class Errors:
    """The query error, or why there is none; and whether classification error applies, or why it does not."""

    query: Queried | None
    no_query: str = ""
    no_classification: str = ""


@dataclass(frozen=True, eq=False)
class InputSample:
    """Quasi-identifiers and sensitive columns of input rows: of all if `rows` is None, else of those numbers, sorted.

    `total`: the rows of the input.
    """

    frame: pl.DataFrame
    rows: Int64 | None
    total: int


def sampled(given: Engine, plan: Plan) -> InputSample | None:
    """The rows on which queries are counted, with a fixed seed; None if the engine does not hold them in memory."""
    if not isinstance(given, LocalEngine):
        return None
    names, rows = [*plan.quasi_identifiers, *plan.sensitive], None
    if given.rows > MOST_ROWS:
        rows = np.sort(np.random.default_rng(_SEED).choice(given.rows, MOST_ROWS, replace=False, shuffle=False))
    return InputSample(given.cells(names, rows), rows, given.rows)


def errors_of(sample: InputSample | None, tables: Mapping[str, Runs], witness: Witness, plan: Plan) -> Errors:
    """The errors of a release whose tables the witness traces to the input."""
    query = _queried(sample, tables, witness, plan)
    return Errors(
        query if isinstance(query, Queried) else None,
        query if isinstance(query, str) else "",
        _no_classification(plan),
    )


def _no_classification(plan: Plan) -> str:
    if len(plan.targets) != 1:
        return f"it needs one column with role target, and the plan has {len(plan.targets) or 'none'}"
    return "" if plan.release.form == "generalized" else "it needs a generalized table"


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
    return Queried(float(errors.mean()), float(np.median(errors)), QUERIES, sample.frame.height, sample.total)


def _released(sample: InputSample, tables: Mapping[str, Runs], witness: Witness) -> dict[str, pl.DataFrame]:
    """The released tables, or the released rows of the sampled ones."""
    if sample.rows is None:
        return {name: runs.expanded() for name, runs in tables.items()}
    rows = sample.rows
    if witness.input_rows is not None:  # the plan dropped some rows
        places = np.minimum(np.searchsorted(witness.input_rows, rows), len(witness.input_rows) - 1)
        rows = places[witness.input_rows[places] == rows]
    run = np.asarray(witness.run)[rows]
    return {RELEASE: tables[RELEASE].rows[run[run >= 0]]}


def _too_many_labels(frame: pl.DataFrame, released: pl.DataFrame, plan: Plan) -> bool:
    return any(
        frame[name].n_unique() * released[name].n_unique() > MOST_CELLS
        for name in plan.quasi_identifiers
        if name in released.columns
    )
