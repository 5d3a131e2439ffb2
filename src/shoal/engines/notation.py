"""The notation of numbers and dates in a whole table: what its columns show, and what an earlier table settled."""

from __future__ import annotations

from shoal.engines.base import Engine
from shoal.plan import Plan
from shoal.roles.columns import Column
from shoal.table import Notation, shown_notation
from shoal.table.moments import DayOrder
from shoal.table.types import Decimal


def settled_notation(engine: Engine, plan: Plan) -> Notation:
    """The notation in which a table is read: that of the plan, or the one of all columns that show one."""
    stated, (decimals, orders) = plan.data.notation, _shown(engine, plan)
    return Notation(
        stated.decimal or (decimals.pop() if len(decimals) == 1 else None),
        stated.dates or (orders.pop() if len(orders) == 1 else None),
    )


def with_notation(engine: Engine, plan: Plan, usual: Notation) -> Plan:
    """The plan with the `usual` notation, as far as neither the plan nor a column of the table has another one."""
    if not any(usual):
        return plan
    stated, (decimals, orders) = plan.data.notation, _shown(engine, plan)
    read_as = {
        "decimal": stated.decimal or (usual.decimal if decimals <= {usual.decimal} else None),
        "dates": stated.dates or (usual.dates if orders <= {usual.dates} else None),
    }
    return plan.changed(data=plan.data.model_copy(update=read_as))


def _shown(engine: Engine, plan: Plan) -> tuple[set[Decimal], set[DayOrder]]:
    """The notations of the columns that are read as numbers or dates; a sensitive one is text without a type."""
    columns = [name for name in engine.columns if name in plan.columns and _is_read(plan.columns[name])]
    shown = [
        shown_notation(engine.distinct(name).values, type=plan.columns[name].type, missing=plan.data.absent)
        for name in columns
    ]
    return {each.decimal for each in shown if each.decimal}, {each.dates for each in shown if each.dates}


def _is_read(column: Column) -> bool:
    return column.role == "quasi-identifier" or (column.role == "sensitive" and column.type is not None)
