"""Prosecutor risk equals the risk of every row, counted one by one."""

from __future__ import annotations

import pytest
from hypothesis import given

from shoal.risks import Prosecutor
from tests.risks.tables import ROWS, Rows, class_size, figures, sample_of


def test_a_table_by_hand() -> None:
    found = figures(Prosecutor, sample_of([("a", "x"), ("a", "x"), ("a", "y"), ("b", "y")], at_risk=0.5))
    assert found["highest"] == 1 and found["average"] == 3 / 4
    assert found["smallest_class"] == 1 and found["rows_at_highest"] == 2
    assert found["rows_at_risk"] == 2  # a risk of one half is not above one half


@given(ROWS)
def test_it_equals_the_risks_of_all_rows(rows: Rows) -> None:
    risks = [1 / class_size(rows, row) for row in rows]
    found = figures(Prosecutor, sample_of(rows, at_risk=0.3))
    assert found["highest"] == max(risks)
    assert found["average"] == pytest.approx(sum(risks) / len(risks))
    assert found["rows_at_risk"] == sum(risk > 0.3 for risk in risks)
    assert found["rows_at_highest"] == sum(risk == max(risks) for risk in risks)
