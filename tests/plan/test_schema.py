"""The schema accepts what the plan accepts, and refuses what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shoal import algorithms, hierarchies, models
from shoal.plan import Plan, schema
from tests.plan.tables import BASE, changed


def test_the_schema_accepts_what_the_plan_accepts_and_refuses_what_it_refuses() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    assert validator.is_valid(BASE)
    assert validator.is_valid(BASE | {"algorithm": "optimal"})
    assert validator.is_valid(BASE | {"algorithm": {"kind": "mondrian", "seed": 3}, "release": {"suppression": 0.1}})
    for place, value in [
        ("columns.age.rol", "x"),
        ("columns.age.role", "quasi"),
        ("models", [{"kind": "k-anonimity", "k": 5}]),
        ("models", [{"kind": "k-anonymity", "k": "5"}]),
        ("models", [{"kind": "k-anonymity"}]),
        ("algorithm", {"kind": "mondrian", "cutt": "loss"}),
        ("algorithm", "optimum"),
        ("release.colour", "red"),
    ]:
        assert not validator.is_valid(changed(place, value)), place


def test_the_schema_is_plain_json() -> None:
    assert json.loads(json.dumps(schema())) == schema()
    assert schema()["title"] == "Shoal plan" and schema()["$schema"].startswith("https://json-schema.org/")


def _kinds(options: list[dict[str, Any]]) -> set[str]:
    return {option["properties"]["kind"]["const"] for option in options if "properties" in option}


def test_the_schema_knows_every_kind() -> None:
    found = schema()["properties"]
    assert _kinds(found["models"]["items"]["oneOf"]) == {cls.kind for cls in models.ALL}
    assert _kinds(found["algorithm"]["oneOf"]) == {cls.kind for cls in algorithms.ALL}
    told = json.dumps(schema())
    assert all(f'"{cls.kind}"' in told for cls in hierarchies.ALL)


def test_the_seed_stands_with_the_algorithm_as_in_a_file() -> None:
    found = schema()["properties"]
    assert "seed" not in found
    tables = [option for option in found["algorithm"]["oneOf"] if "properties" in option]
    assert tables and all(option["properties"]["seed"]["type"] == "integer" for option in tables)


def test_asking_for_the_schema_does_not_change_the_plan() -> None:
    schema()
    assert "seed" in Plan.model_json_schema()["properties"]
    assert schema() == schema()
