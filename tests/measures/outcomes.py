"""Releases in numbers, small enough to work out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.measures import Outcome


def outcome(class_rows: list[int], rows_in: int, loss: list[list[float]], level: list[list[float]]) -> Outcome:
    rows = np.array(class_rows)
    return Outcome(tuple("abc"[: len(loss[0])]), rows_in, rows, rows @ np.array(loss), rows @ np.array(level))


HAND = replace(
    outcome([2, 3], 6, loss=[[0.5, 0.0], [1.0, 0.2]], level=[[0.5, np.nan], [1.0, np.nan]]), removal={"ill": (1.0, 4.0)}
)
"""Two classes, one row left out, and some items removed."""
NOTHING = Outcome(("a",), 4, np.zeros(0, np.int64), np.zeros(1), np.zeros(1))
"""All four rows left out."""
