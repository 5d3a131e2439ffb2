from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.models import QSCloseness
from tests.models.hand import finding, table, verdicts
from tests.models.strategies import SHARE
from tests.models.tables import ITEMS, evidence
from tests.oracle import quasi_sensitive as oracle

STRATEGY = st.builds(QSCloseness, column=st.just(ITEMS), t=st.one_of(SHARE, st.sampled_from([0, 0.05, 0.15])))
ORACLE = oracle.is_close


def test_a_distance_exactly_at_t_passes() -> None:
    """Half of the rows link to measles alone, half to nothing: both classes are 1/2 away."""
    classes = (["rash"] * 2, ["zest"] * 2)
    assert verdicts(QSCloseness(ITEMS, t=0.5), *classes, column=ITEMS) == [True, True]
    assert verdicts(QSCloseness(ITEMS, t=0.4999999999999), *classes, column=ITEMS) == [False, False]


def test_a_table_of_one_class_is_its_own_reference() -> None:
    assert verdicts(QSCloseness(ITEMS, t=0), ["rash", "cough", None], column=ITEMS) == [True]


def test_the_distance_is_that_of_the_definition() -> None:
    found = finding(QSCloseness(ITEMS, t=1), ["rash"], ["cough"], column=ITEMS)
    assert found.achieved["t_released"] == pytest.approx(math.sqrt(0.25 + 2 * 0.0625), abs=1e-6)


def test_the_distance_to_the_input_is_checked_where_it_is_known_and_told_coarsely() -> None:
    model, made = QSCloseness(ITEMS, t=0.3), table(["rash"], suppressed=["zest", "zest"], column=ITEMS)
    assert model.holds(evidence(made)).failing == 1
    assert model.holds(evidence(made)).achieved == {"t_released": 0.0, "t_input": 0.67}
    alone = model.holds(evidence(made, with_input=False))
    assert alone.holds and alone.achieved == {"t_released": 0.0, "input_reference": "not checked"}


@pytest.mark.parametrize("wrong", [{"t": -0.1}, {"t": 1.5}, {"t": None}, {"column": 3}, {"budget": "long"}])
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=f"QSCloseness {next(iter(wrong))} must be"):
        QSCloseness(**{"column": ITEMS, "t": 0.4, **wrong})
