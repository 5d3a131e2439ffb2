"""Tables for measures of risk that an engine counts, because their rows do not fit in memory or lie in Spark."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from shoal.engines.base import Engine
from shoal.engines.choosing import chosen_engine
from shoal.engines.fitting import published_columns
from shoal.engines.spark_source import spark_engine, sparked
from shoal.engines.stream import streamed
from shoal.models.evidence import COUNT
from shoal.plan import Plan
from shoal.roles.columns import Column
from shoal.table import Runs

COUNTED = (
    "The engine counted equal rows. The attack 'row-order' was not tried, because the order of counted rows is not "
    "known; other attacks that draw a sample of rows may draw another one than without this engine."
)


def engine_for(data: str | Path, plan: Plan, engine: str | None) -> str:
    """The engine that is named, or the one that fits a table file."""
    return chosen_engine(_reading(data, plan), engine)


def counted_table(data: str | Path, plan: Plan, engine: str, master: str | None = None) -> tuple[Runs, Plan]:
    """The distinct rows of a raw table with their numbers, and the plan for its columns.

    Its columns are those that a release has, the persons and the sampling weights. The engine is "stream", or "spark"
    at this `master`.
    """
    with _opened(_reading(data, plan), engine, master) as rows:
        return _counted(rows, plan)


def counted_frame(frame: Any, plan: Plan) -> tuple[Runs, Plan]:
    """The distinct rows of a Spark frame with their numbers, and the plan for its columns; see `counted_table`."""
    with spark_engine(frame, _reading(None, plan)) as rows:
        return _counted(rows, plan)


def _opened(plan: Plan, engine: str, master: str | None) -> AbstractContextManager[Engine]:
    return sparked(plan, master) if engine == "spark" else streamed(plan)


def _reading(data: str | Path | None, plan: Plan) -> Plan:
    """The plan with this table as its source; the engine keeps the cells of sampling weights, whatever their role."""
    source: dict[str, Any] = {} if data is None else {"source": str(data)}
    if plan.data.unlisted == "error":  # measures of risk need no role for every column
        source["unlisted"] = "drop"
    weight, columns = plan.risk.weight, dict(plan.columns)
    if weight is not None and (weight not in columns or columns[weight].removed):
        columns[weight] = Column(role="insensitive")
    return plan.changed(columns=columns, data=plan.data.model_copy(update=source))


def _needed(columns: Sequence[str], plan: Plan) -> list[str]:
    also = {plan.data.person, plan.risk.weight}
    published = set(published_columns(columns, plan))
    return [name for name in columns if name in published or name in also]


def _counted(rows: Engine, plan: Plan) -> tuple[Runs, Plan]:
    plan = plan.for_table(rows.columns, complete=False)
    found = rows.raw_rows(_needed(rows.columns, plan))
    return Runs(found.drop(COUNT), found[COUNT].to_numpy()), plan
