"""What a measure sees of a release."""

from __future__ import annotations

import pytest

from tests.measures.outcomes import HAND, NOTHING


def test_rows_that_are_not_released_are_suppressed() -> None:
    assert (HAND.released, HAND.suppressed) == (5, 1)
    assert (NOTHING.released, NOTHING.suppressed) == (0, 4)


def test_what_is_known_of_classes_is_summed_over_their_rows() -> None:
    assert HAND.summed(HAND.loss).tolist() == pytest.approx([2 * 0.5 + 3 * 1.0, 3 * 0.2])
    assert NOTHING.summed(NOTHING.loss).tolist() == [0.0]
