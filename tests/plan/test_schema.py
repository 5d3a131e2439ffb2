"""The schema accepts what the plan accepts, and refuses what it refuses."""

from __future__ import annotations

import pytest

from shoal.plan import schema
from tests.plan.tables import BASE, changed


def test_the_schema_accepts_what_the_plan_accepts_and_refuses_what_it_refuses() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(schema())
    validator.check_schema(schema())
    assert validator.is_valid(BASE)
    assert validator.is_valid(BASE | {"algorithm": {"kind": "mondrian", "seed": 3}, "release": {"suppression": 0.1}})
    for place, value in [
        ("columns.age.rol", "x"),
        ("columns.age.role", "quasi"),
        ("models", [{"kind": "k-anonimity", "k": 5}]),
        ("models", [{"kind": "k-anonymity", "k": "5"}]),
        ("models", [{"kind": "k-anonymity"}]),
        ("algorithm", {"kind": "mondrian", "cutt": "loss"}),
        ("release.colour", "red"),
    ]:
        assert not validator.is_valid(changed(place, value)), place
