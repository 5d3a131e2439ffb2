"""Discernibility: how many rows each row cannot be told apart from."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.measures.base import Outcome


class Discernibility:
    """Sum of squared class sizes, plus all rows for every suppressed one.

    `discernibility_ratio` divides by the square of the rows. `discernibility_per_row` is Σ|class|²/released rows,
    which is k at best.
    Papers: Bayardo, Agrawal 2005; Gal, Chen, Gangopadhyay 2008.
    """

    name: ClassVar[str] = "discernibility"
    goal: ClassVar[str] = "lower"
    about: ClassVar[str] = "Σ|class|², plus all rows for every suppressed one"

    def of(self, outcome: Outcome) -> dict[str, object]:
        squares = _squares(outcome)
        total = squares + outcome.suppressed * outcome.rows_in
        return {
            "discernibility": total,
            "discernibility_ratio": total / outcome.rows_in**2,
            "discernibility_per_row": squares / outcome.released if outcome.released else None,
        }


def _squares(outcome: Outcome) -> int:
    """Sum of squared sizes in Python integers: it may exceed 64 bits."""
    sizes, times = np.unique(outcome.class_rows, return_counts=True)
    return sum(size**2 * count for size, count in zip(sizes.tolist(), times.tolist(), strict=True))
