"""The JSON schema of plan files."""

from __future__ import annotations

from typing import Any

from shoal.plan.plan import Plan


def schema() -> dict[str, Any]:
    """The JSON schema of a plan file."""
    plan_schema = Plan.model_json_schema()
    properties = plan_schema["properties"]
    properties.pop("seed")
    properties["algorithm"]["oneOf"] = [
        {**option, "properties": {**option["properties"], "seed": {"type": "integer", "default": 0}}}
        for option in properties["algorithm"]["oneOf"]
    ]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **plan_schema, "title": "Shoal plan"}
