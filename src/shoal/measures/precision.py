"""Precision: how far values were raised in their hierarchies."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.measures.base import Outcome


class Precision:
    """1 minus the mean over all cells of (level / height of the hierarchy).

    Suppressed rows count as fully raised. Only columns that are published by hierarchy have levels; null if none has.
    Paper: Sweeney 2002; as in Abad, Kinariwala 2012.
    """

    name: ClassVar[str] = "precision"
    goal: ClassVar[str] = "higher"
    about: ClassVar[str] = "1 minus the mean level, as a share of the height of the hierarchy"

    def of(self, outcome: Outcome) -> dict[str, object]:
        raised = outcome.mean(outcome.raised)
        by_column = {
            name: None if np.isnan(share) else 1 - float(share)
            for name, share in zip(outcome.columns, raised.tolist(), strict=True)
        }
        known = [value for value in by_column.values() if value is not None]
        return {"precision": sum(known) / len(known) if known else None, "precision_by_column": by_column}
