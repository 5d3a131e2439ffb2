"""The published plan, with the hierarchies that verification needs and nothing known only from the input."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import tomli_w

from shoal import hierarchies
from shoal.forms.anatomy import VALUE, sensitive_table
from shoal.plan import Plan
from shoal.plan.toml import to_tables
from shoal.roles.columns import Column
from shoal.roles.knowledge import Knowledge
from shoal.table import Runs
from shoal.verification.folder import PLAN, tree_path
from shoal.verification.knowledge import knowledge_path, published_knowledge
from shoal.verification.tables import facts


def published_tables(plan: Plan) -> dict[str, Any]:
    """The TOML tables of a published plan, as `public_plan` makes it."""
    tables = to_tables(plan)
    tables.setdefault("data", {})
    tables["algorithm"].pop("seed", None)
    for name, column in tables["columns"].items():
        column.update(_published_hierarchy(plan, name))
    return tables


def published_text(plan: Plan) -> str:
    """The published plan as TOML, as `public_plan` makes it."""
    return tomli_w.dumps(published_tables(plan))


def _published_hierarchy(plan: Plan, name: str) -> dict[str, Any]:
    """Only hierarchies that a promise uses are published completely; of a file, only the name is published."""
    spec = plan.columns[name].hierarchy
    if spec is None:
        return {}
    if name in plan.reads_trees:
        return {"hierarchy": {"kind": "file", "path": tree_path(name), "separator": ";"}}
    if isinstance(spec, hierarchies.File):
        return {"hierarchy": {"kind": "file", "path": Path(spec.path).name}}
    return {}


def write_plan(
    part: Path, plan: Plan, tables: Mapping[str, Runs], knowledge: Mapping[str, Knowledge] | None = None
) -> None:
    """Writes the published plan, its hierarchies and its knowledge tables into the folder to be published."""
    (part / PLAN).write_text(published_text(plan), encoding="utf-8", newline="\n")
    for name in plan.reads_trees:
        path = part / tree_path(name)
        path.parent.mkdir(exist_ok=True)
        hierarchies.write(_released_tree(plan.columns[name], released_values(tables, name)), path)
    for name in published_knowledge(plan):
        path = part / knowledge_path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text((knowledge or {})[name].text, encoding="utf-8", newline="\n")


def _released_tree(column: Column, released: pl.Series) -> hierarchies.Hierarchy:
    """The hierarchy of the released values; leaves that only the input has are not published."""
    return hierarchies.Hierarchy.from_paths(facts(column, released).paths.values())


def released_values(tables: Mapping[str, Runs], name: str) -> pl.Series:
    """The distinct published values of a sensitive column as text, null if missing, from the table that has them."""
    main = next(iter(tables.values()))
    values = (main[name] if name in main.columns else tables[sensitive_table(name)][VALUE]).unique().cast(pl.String)
    return values.set(values == "", None)
