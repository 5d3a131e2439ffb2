"""What a measure sees of a release."""

from __future__ import annotations

import pytest

from tests.measures.outcomes import HAND, NOTHING


def test_rows_that_are_not_released_are_suppressed() -> None:
    assert (HAND.released, HAND.suppressed) == (5, 1)
    assert (NOTHING.released, NOTHING.suppressed) == (0, 4)


def test_a_suppressed_row_counts_as_fully_lost() -> None:
    assert HAND.mean(HAND.lost).tolist() == pytest.approx([(2 * 0.5 + 3 * 1.0 + 1) / 6, (3 * 0.2 + 1) / 6])
    assert NOTHING.mean(NOTHING.lost).tolist() == [1.0]
