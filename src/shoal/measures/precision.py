"""Prec: how far values were raised in their hierarchies."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.measures.base import Outcome


class Precision:
    """1 - mean over cells of (level reached / height of the hierarchy); suppressed rows are fully raised.

    Only columns published by hierarchy have levels; null where none has.
    Paper: Sweeney 2002; as in Abad, Kinariwala 2012.
    """

    name: ClassVar[str] = "precision"
    goal: ClassVar[str] = "higher"
    about: ClassVar[str] = "1 minus the mean share of the hierarchy climbed"

    def of(self, outcome: Outcome) -> dict[str, object]:
        raised = (outcome.summed(outcome.level) + outcome.suppressed) / outcome.rows_in
        by_column = {
            name: None if np.isnan(share) else 1 - float(share)
            for name, share in zip(outcome.columns, raised.tolist(), strict=True)
        }
        known = [value for value in by_column.values() if value is not None]
        return {"precision": sum(known) / len(known) if known else None, "precision_by_column": by_column}
