"""The JSON schema of plan files."""

from __future__ import annotations

from typing import Any

from shoal.plan.plan import Plan


def schema() -> dict[str, Any]:
    """The JSON schema of a plan file."""
    plan_schema = Plan.model_json_schema()
    properties = plan_schema["properties"]
    properties.pop("seed")
    tables = properties["algorithm"]["oneOf"]
    properties["algorithm"]["oneOf"] = [*map(_with_seed, tables), _kinds(tables)]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **plan_schema, "title": "Shoal plan"}


def _with_seed(table: dict[str, Any]) -> dict[str, Any]:
    return {**table, "properties": {**table["properties"], "seed": {"type": "integer", "default": 0}}}


def _kinds(tables: list[dict[str, Any]]) -> dict[str, Any]:
    """The kinds that need no parameter and so may be written as text."""
    kinds = [table["title"] for table in tables if table["required"] == ["kind"]]
    return {"title": "kind", "description": "An algorithm with its defaults.", "enum": kinds}
