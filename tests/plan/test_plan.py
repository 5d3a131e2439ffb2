"""A plan that exists makes sense, and says what of it counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import PlanError
from shoal.models import KAnonymity
from shoal.plan.toml import from_tables
from tests.plan.tables import BASE


def test_a_changed_plan_is_checked_anew() -> None:
    plan = from_tables(BASE, Path())
    assert plan.changed(models=(KAnonymity(k=9),)).models[0].k == 9
    with pytest.raises(PlanError, match="no model"):
        plan.changed(models=())


def test_a_plan_cannot_be_changed_in_place() -> None:
    plan = from_tables(BASE, Path())
    with pytest.raises(Exception, match="frozen"):
        plan.seed = 3  # type: ignore[misc]


def test_models_mean_all_sensitive_columns_unless_they_name_some() -> None:
    tables = BASE | {"models": [{"kind": "p-sensitive", "p": 2, "k": 2}]}
    plan = from_tables(tables, Path())
    assert plan.enforced[0].reads == plan.reads == ("dx",)
