from __future__ import annotations

import pytest

from shoal.measures.class_size import ClassSize
from tests.measures.outcomes import HAND, NOTHING


def test_by_hand_with_a_row_left_out() -> None:
    found = ClassSize().of(HAND)
    assert found["average_class_size"] == pytest.approx(2.5)
    assert (found["suppressed_rows"], found["suppressed_share"]) == (1, pytest.approx(1 / 6))


def test_where_nothing_is_released_there_is_no_class() -> None:
    assert ClassSize().of(NOTHING) == {"average_class_size": None, "suppressed_rows": 4, "suppressed_share": 1.0}
