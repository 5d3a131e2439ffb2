from __future__ import annotations

import numpy as np
import pytest

from shoal.measures.precision import Precision
from tests.measures.outcomes import HAND, NOTHING, outcome


def test_by_hand_with_a_row_left_out() -> None:
    found = Precision().of(HAND)
    assert found["precision_by_column"] == {"a": pytest.approx(1 - (1 + 3 + 1) / 6), "b": None}
    assert found["precision"] == pytest.approx(1 / 6)


def test_no_column_with_levels_has_no_precision() -> None:
    assert Precision().of(outcome([5], 5, [[0.5]], [[np.nan]]))["precision"] is None


def test_where_nothing_is_released_nothing_is_precise() -> None:
    assert Precision().of(NOTHING) == {"precision": 0.0, "precision_by_column": {"a": 0.0}}
