"""Discernibility: the number of rows from which each row is indistinguishable."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.measures.base import Outcome


class Discernibility:
    """The sum of squared class sizes, plus the number of all rows for every suppressed row.

    `discernibility_ratio` divides it by the square of the number of rows. `discernibility_per_row` is
    Σ|class|²/released rows, which is k at best.
    Papers: Bayardo, Agrawal 2005; Gal, Chen, Gangopadhyay 2008.
    """

    name: ClassVar[str] = "discernibility"
    goal: ClassVar[str] = "lower"
    about: ClassVar[str] = "Σ|class|², plus the number of all rows for every suppressed row"

    def of(self, outcome: Outcome) -> dict[str, object]:
        squares = _squares(outcome)
        total = squares + outcome.suppressed * outcome.rows_in
        return {
            "discernibility": total,
            "discernibility_ratio": total / outcome.rows_in**2,
            "discernibility_per_row": squares / outcome.released if outcome.released else None,
        }


def _squares(outcome: Outcome) -> int:
    """The sum of squared sizes in Python integers, because it may exceed 64 bits."""
    sizes, times = np.unique(outcome.class_rows, return_counts=True)
    return sum(size**2 * count for size, count in zip(sizes.tolist(), times.tolist(), strict=True))
