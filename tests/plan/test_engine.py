"""Settings of the engine: a limit on distinct rows that is checked with the plan and never published."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.errors import PlanError
from shoal.plan import EngineSettings, read_plan, schema
from shoal.plan.engine import FEWEST
from shoal.plan.toml import from_tables, to_tables
from tests.plan.tables import BASE


def test_a_plan_searches_fifty_million_distinct_rows_at_a_time() -> None:
    plan = from_tables(BASE, Path())
    assert plan.engine.distinct_limit == 50_000_000 and "engine" not in to_tables(plan)


def test_the_limit_comes_from_the_plan_file_and_returns_to_it(tmp_path: Path) -> None:
    plan = from_tables(BASE | {"engine": {"distinct_limit": 20_000}}, Path())
    path = tmp_path / "plan.toml"
    path.write_text(plan.to_toml(), encoding="utf-8")
    assert read_plan(path).engine == EngineSettings(distinct_limit=20_000)


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        ({"distinct_limit": FEWEST - 1}, "greater than or equal to 1000"),
        ({"distinct_limit": 2.5}, "'distinct_limit'"),
        ({"distinct_limit": True}, "'distinct_limit'"),
        ({"distinct_limits": 5000}, "'distinct_limits' is not a key of 'engine'"),
    ],
)
def test_other_values_are_refused_with_the_plan(given: dict[str, object], fact: str) -> None:
    with pytest.raises(PlanError, match=fact):
        from_tables(BASE | {"engine": given}, Path())


def test_the_schema_knows_the_limit() -> None:
    limit = schema()["$defs"]["EngineSettings"]["properties"]["distinct_limit"]
    assert (limit["minimum"], limit["default"]) == (FEWEST, 50_000_000)


def test_the_limit_is_not_published(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [str(row % 5) for row in range(40)]})
    plan = shoal.Plan(
        columns={"age": shoal.quasi()}, models=[shoal.KAnonymity(k=2)], engine=EngineSettings(distinct_limit=1234)
    )
    shoal.anonymize(frame, plan).save(tmp_path / "out")
    assert "1234" not in (tmp_path / "out/plan.toml").read_text(encoding="utf-8")
    assert read_plan(tmp_path / "out/plan.toml").engine == EngineSettings()
