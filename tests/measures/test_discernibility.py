from __future__ import annotations

import numpy as np
import pytest

from shoal.measures.discernibility import Discernibility
from tests.measures.outcomes import HAND, NOTHING, outcome


def test_by_hand_with_a_row_left_out() -> None:
    found = Discernibility().of(HAND)
    assert found["discernibility"] == 4 + 9 + 1 * 6
    assert found["discernibility_ratio"] == pytest.approx(19 / 36)
    assert found["discernibility_per_row"] == pytest.approx(13 / 5)


def test_where_nothing_is_released_no_row_has_a_class() -> None:
    assert Discernibility().of(NOTHING) == {
        "discernibility": 16,
        "discernibility_ratio": 1.0,
        "discernibility_per_row": None,
    }


def test_sums_of_squares_beyond_64_bits_are_exact() -> None:
    rows = 2**32
    found = Discernibility().of(outcome([rows, rows], 2 * rows, [[0.0]] * 2, [[np.nan]] * 2))
    assert found["discernibility"] == 2 * rows**2
