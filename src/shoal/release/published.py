"""The plan as it is published, with the trees that verification needs and nothing that only the input had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import tomli_w

from shoal import hierarchies
from shoal.forms.anatomy import VALUE, sensitive_table
from shoal.plan import Plan
from shoal.plan.toml import to_tables
from shoal.roles.columns import Column
from shoal.verification.folder import PLAN, tree_path
from shoal.verification.tables import facts


def published_tables(plan: Plan) -> dict[str, Any]:
    """The plan as it is published: it names no source, query, seed or weight, and only what verification needs."""
    tables = to_tables(plan)
    data = tables.get("data", {})
    for key in ("source", "query", "separator"):
        data.pop(key, None)
    tables["data"] = data
    tables["algorithm"].pop("seed", None)
    for name, column in tables["columns"].items():
        column.pop("weight", None)
        column.pop("knowledge", None)
        column.update(_published_hierarchy(plan, name))
    return tables


def _published_hierarchy(plan: Plan, name: str) -> dict[str, Any]:
    """Only hierarchies that a promise is about are needed to verify; of the others the kind is told, not the leaves."""
    spec = plan.columns[name].hierarchy
    if spec is None:
        return {}
    if name in plan.reads_trees:
        return {"hierarchy": {"kind": "file", "path": tree_path(name), "separator": ";"}}
    if isinstance(spec, hierarchies.File):
        return {"hierarchy": {"kind": "file", "path": Path(spec.path).name}}
    return {}


def write_plan(
    part: Path, plan: Plan, tables: Mapping[str, pl.DataFrame], input_counts: Mapping[str, pl.DataFrame]
) -> None:
    """Writes the plan and the trees it then names into the folder that is to be published.

    `input_counts`: column → frame of `value`, `count` over the whole input.
    """
    (part / PLAN).write_text(tomli_w.dumps(published_tables(plan)), encoding="utf-8", newline="\n")
    for name in plan.reads_trees:
        path = part / tree_path(name)
        path.parent.mkdir(exist_ok=True)
        given = [input_counts[name]["value"]] if name in input_counts else []
        hierarchies.write(_released_tree(plan.columns[name], _released_values(tables, name), given), path)


def _released_tree(column: Column, released: pl.Series, given: Sequence[pl.Series]) -> hierarchies.Hierarchy:
    """The tree over the released values alone, as high as the one that was searched with, over those given too.

    Leaves that only the input had stay with the steward, and so do labels that they had a part in, such as the members
    of a learned group: nodes are then numbered instead.
    """
    released = released.cast(pl.String)
    released = released.set(released == "", None)
    alone = facts(column, released).paths
    seen = facts(column, released, *given).paths
    paths = {value: seen[value] for value in seen if value in alone}
    tree = hierarchies.Hierarchy.from_paths(paths.values())
    return tree if paths == alone else tree.numbered()


def _released_values(tables: Mapping[str, pl.DataFrame], name: str) -> pl.Series:
    """The values of a sensitive column as they are published, in whatever table."""
    main = next(iter(tables.values()))
    return main[name] if name in main.columns else tables[sensitive_table(name)][VALUE]
