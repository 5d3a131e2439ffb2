"""Journalist risk is one over the candidates, or over the rows of the class if these are more."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.risks import Candidates, Journalist
from tests.risks.tables import figures, sample_of


def candidates(sizes: list[int], found: list[int], presence: list[float] | None = None) -> Candidates:
    shares = np.array(presence or [0.5])
    return Candidates(("q0",), np.array(sizes), np.array(found), 10, shares, np.ones(len(shares), np.int64))


def test_it_is_the_mean_over_rows() -> None:
    # 2 rows with 4 candidates: 1/4. 3 rows with 1 candidate: at most one of the three is in the reference, 1/3.
    sample = sample_of([("a",)], candidates=candidates([2, 3, 1], [4, 1, 0]))
    found = figures(Journalist, sample)
    assert found["highest"] == pytest.approx(1 / 3)
    assert found["average"] == pytest.approx((2 / 4 + 3 / 3 + 0) / 6)
    assert found["rows_without_candidates"] == 1 and found["columns"] == ["q0"]


def test_without_a_reference_it_says_what_it_lacks() -> None:
    assert "at most prosecutor risk" in Journalist().lacks(sample_of([("a",)]))
