"""The input rows on which a report computes errors: of large tables a fixed random sample, which costs little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.arrays import Int64
from shoal.engines.base import Engine, Witness
from shoal.engines.fitting import published_columns
from shoal.engines.local import LocalEngine
from shoal.plan import Plan

MOST_ROWS = 10_000
"""Larger tables are sampled."""
_SEED = 0


@dataclass(frozen=True, eq=False)
class InputSample:
    """The columns of input rows that errors need: of all if `rows` is None, else of those numbers, sorted.

    `total`: the rows of the input.
    """

    frame: pl.DataFrame
    rows: Int64 | None
    total: int

    def runs(self, witness: Witness) -> Int64:
        """int64 [rows of the sample]: the run that shows each row in the main table; -1 if it was not released."""
        rows = np.arange(self.total) if self.rows is None else self.rows
        run = np.asarray(witness.run)
        if (kept := witness.input_rows) is None:
            return run[rows].astype(np.int64)
        found = np.full(len(rows), -1, np.int64)  # the plan dropped some rows, none of which the witness traces
        if len(kept):
            places = np.minimum(np.searchsorted(kept, rows), len(kept) - 1)
            known = kept[places] == rows
            found[known] = run[places[known]]
        return found


def sampled(given: Engine, plan: Plan) -> InputSample | None:
    """The rows on which errors are computed, with a fixed seed; None if the engine does not hold them in memory."""
    if not isinstance(given, LocalEngine):
        return None
    names = published_columns(given.columns, plan) if plan.targets else (*plan.quasi_identifiers, *plan.sensitive)
    rows = None
    if given.rows > MOST_ROWS:
        rows = np.sort(np.random.default_rng(_SEED).choice(given.rows, MOST_ROWS, replace=False, shuffle=False))
    return InputSample(given.cells(names, rows), rows, given.rows)
