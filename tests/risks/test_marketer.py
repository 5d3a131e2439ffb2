"""Marketer risk is the expected share of correct links."""

from __future__ import annotations

import pytest
from hypothesis import given

from shoal.risks import Marketer
from tests.risks.tables import ROWS, Rows, figures, sample_of
from tests.risks.test_journalist import candidates


@given(ROWS)
def test_without_a_reference_one_row_of_each_class_is_expected(rows: Rows) -> None:
    found = figures(Marketer, sample_of(rows))
    assert found["success"] == pytest.approx(len(set(rows)) / len(rows))
    assert found["expected_rows"] == len(set(rows))


def test_with_a_reference_it_follows_from_the_candidates() -> None:
    sample = sample_of([("a",)] * 6, candidates=candidates([2, 3, 1], [4, 1, 0]))
    assert figures(Marketer, sample)["expected_rows"] == pytest.approx(2 / 4 + 3 / 3)
    assert figures(Marketer, sample)["success"] == pytest.approx(1.5 / 6)
