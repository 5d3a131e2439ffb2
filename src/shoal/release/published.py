"""The published plan, with the hierarchies that verification needs and nothing known only from the input."""

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
    """The published plan: what verification needs, without source, query, seed and weights."""
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
    part: Path, plan: Plan, tables: Mapping[str, pl.DataFrame], input_counts: Mapping[str, pl.DataFrame]
) -> None:
    """Writes the published plan and its hierarchies into the folder to be published.

    `input_counts`: column → frame of `value`, `count` in the input.
    """
    (part / PLAN).write_text(tomli_w.dumps(published_tables(plan)), encoding="utf-8", newline="\n")
    for name in plan.reads_trees:
        path = part / tree_path(name)
        path.parent.mkdir(exist_ok=True)
        input_values = [input_counts[name]["value"]] if name in input_counts else []
        hierarchies.write(_released_tree(plan.columns[name], _released_values(tables, name), input_values), path)


def _released_tree(column: Column, released: pl.Series, input_values: Sequence[pl.Series]) -> hierarchies.Hierarchy:
    """The hierarchy of the released values, with the levels that it has over the input.

    Leaves that occur only in the input are not published. Neither are labels that depend on them, such as those of a
    learned band: nodes then have numbers instead of labels.
    """
    released = released.cast(pl.String)
    released = released.set(released == "", None)
    of_release = facts(column, released).paths
    of_input = facts(column, released, *input_values).paths
    paths = {value: of_input[value] for value in of_input if value in of_release}
    tree = hierarchies.Hierarchy.from_paths(paths.values())
    return tree if paths == of_release else tree.numbered()


def _released_values(tables: Mapping[str, pl.DataFrame], name: str) -> pl.Series:
    """The published values of a sensitive column, from the table that contains them."""
    main = next(iter(tables.values()))
    return main[name] if name in main.columns else tables[sensitive_table(name)][VALUE]
