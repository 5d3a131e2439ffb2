"""Settings of a release: its origin is checked with the plan, and all of it but the approval is published."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import PlanError
from shoal.plan import ReleaseSettings, read_plan, schema
from shoal.plan.toml import from_tables, to_tables
from tests.plan.tables import BASE

ORIGIN: dict[str, Any] = {
    "title": "Admissions 2025",
    "purpose": "Teaching",
    "steward": "Data office",
    "date": datetime.date(2026, 3, 1),
    "licence": "CC BY 4.0",
    "approval": {"committee": "Ethics board", "number": 117, "date": datetime.date(2025, 11, 20)},
}


def test_a_plan_needs_no_origin() -> None:
    plan = from_tables(BASE, Path())
    assert plan.release.provenance == {} and "release" not in to_tables(plan)


def test_dates_and_numbers_become_text_and_return_to_the_plan_file(tmp_path: Path) -> None:
    release = from_tables(BASE | {"release": ORIGIN}, Path()).release
    assert release.provenance == {**{key: ORIGIN[key] for key in ReleaseSettings.CITED}, "date": "2026-03-01"}
    assert release.approval == {"committee": "Ethics board", "number": "117", "date": "2025-11-20"}
    path = tmp_path / "plan.toml"
    path.write_text(from_tables(BASE | {"release": ORIGIN}, Path()).to_toml(), encoding="utf-8")
    assert read_plan(path).release == release


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        ({"title": ""}, "empty"),
        ({"title": " \t "}, "empty"),
        ({"steward": "a\x1b[31m"}, "control characters"),
        ({"approval": {"number": "\x00"}}, "control characters"),
        ({"purpose": 5}, "'purpose'"),
        ({"approval": "yes"}, "'approval'"),
        ({"approval": {"granted": True}}, "'approval.granted'"),
        ({"titel": "x"}, "'titel' is not a key of 'release'"),
    ],
)
def test_other_values_are_refused_with_the_plan(given: dict[str, object], fact: str) -> None:
    with pytest.raises(PlanError, match=fact):
        from_tables(BASE | {"release": given}, Path())


def test_the_schema_knows_the_keys() -> None:
    assert set(ORIGIN) <= set(schema()["$defs"]["ReleaseSettings"]["properties"])


def test_the_approval_is_not_published_and_verification_does_not_ask_for_it(tmp_path: Path) -> None:
    plan = shoal.Plan(columns={"age": shoal.quasi()}, models=[shoal.KAnonymity(k=2)], release=ReleaseSettings(**ORIGIN))
    shoal.anonymize(pl.DataFrame({"age": [str(row % 5) for row in range(40)]}), plan).save(tmp_path / "out")
    for path in (path for path in (tmp_path / "out").rglob("*") if path.is_file()):
        assert b"Ethics board" not in path.read_bytes(), path
    published = read_plan(tmp_path / "out/plan.toml").release
    assert published.provenance == plan.release.provenance and published.approval == {}
    assert "Ethics board" in (tmp_path / "out.private/plan.toml").read_text(encoding="utf-8")
    assert shoal.verify_folder(tmp_path / "out", plan=plan).holds


def test_a_promise_depends_on_the_form_and_not_on_the_origin() -> None:
    given = ReleaseSettings(**ORIGIN, suppression=0.1)
    assert given.promised == ReleaseSettings(suppression=0.1)
    assert given.promised != ReleaseSettings(suppression=0.2)
