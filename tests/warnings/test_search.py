"""What a search was asked for in vain."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal.algorithms import Pais
from shoal.plan import Plan
from shoal.roles.columns import quasi, target
from tests.warnings.cases import K


@pytest.mark.parametrize(("value", "warned"), [(0.99, False), (0.001, True)])
def test_a_measure_that_was_not_reached_is_told(value: float, warned: bool) -> None:
    plan = Plan(columns={"sex": quasi(), "relationship": quasi()}, models=(K,), algorithm=Pais(stop_at={"ncp": value}))
    frame = pl.DataFrame({"sex": ["F", "M"] * 6, "relationship": [f"r{i}" for i in range(12)]})
    found = [each for each in shoal.anonymize(frame, plan).warnings if "should stop at ncp" in each]
    assert len(found) == warned


def test_a_target_of_one_value_is_told() -> None:
    columns = {"sex": quasi(), "dead": target()}
    plan = Plan(columns=columns, models=(K,), algorithm=Pais(goal="classification"))
    frame = pl.DataFrame({"sex": ["F", "M"] * 6, "dead": ["no"] * 12})
    assert any("'dead' has a single value" in each for each in shoal.anonymize(frame, plan).warnings)
    varied = frame.with_columns(dead=pl.Series(["no", "yes", "yes"] * 4))
    assert not any("single value" in each for each in shoal.anonymize(varied, plan).warnings)
