"""Quasi-identifiers that no model of the plan restricts, so that they are released unchanged and identify rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from shoal.arrays import Int64
from shoal.coded.keys import distinct_rows
from shoal.percent import percent
from shoal.plan import Plan
from shoal.warnings.base import NOTEWORTHY, Case, Warning

_ADD_MODEL = "Add a model of classes, such as k-anonymity."


def unrestricted_quasi_identifiers(case: Case) -> Iterator[Warning]:
    """Warns of unique rows if no model is about classes; no row is suppressed or generalized then."""
    if case.plan.searched or not case.coded.names:
        return
    counted = case.coded.counted
    ids = distinct_rows([*counted.quasi]).ids
    yield from of_sizes(np.bincount(ids, counted.weight).astype(np.int64), case.plan)


def of_sizes(sizes: Int64, plan: Plan) -> Iterator[Warning]:
    """The same from the plan and the sizes of the released classes, so that it may be published.

    sizes int64 [classes]: the rows with equal quasi-identifiers.
    """
    if plan.searched or not plan.quasi_identifiers:
        return
    share = int((sizes == 1).sum()) / max(int(sizes.sum()), 1)
    if share >= NOTEWORTHY:
        yield Warning(
            "No model of the plan restricts the quasi-identifiers: they are released unchanged, and "
            f"{percent(share)} of the rows are unique in them. Anyone who knows them finds the row and its items. "
            f"{_ADD_MODEL}",
            serious=True,
            public=True,
            remedy=_ADD_MODEL,
        )
