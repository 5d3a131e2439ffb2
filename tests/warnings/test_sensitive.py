"""Sensitive columns that nobody guards, or that a model only seems to guard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

import shoal
from shoal import warnings
from shoal.algorithms import Pais
from shoal.hierarchies import Icd10Cm
from shoal.models import (
    LKC,
    AlphaK,
    ExponentialL,
    ExtendedPSensitive,
    KAnonymity,
    LDiversity,
    MultiSensitive,
    PSensitive,
    TCloseness,
)
from shoal.plan import Plan
from shoal.roles.columns import Column, insensitive, quasi, sensitive
from tests.warnings.cases import case


@pytest.mark.parametrize(
    ("listed", "settings", "absent"),
    [
        (("1", "HIV"), {}, 0),
        (("hiv", "1"), {}, 1),
        (("7", "1"), {"type": "integer"}, 1),
        (("1",), {"type": "integer"}, 0),
    ],
)
def test_values_that_a_model_names_and_no_row_has_are_told(
    listed: tuple[str, ...], settings: dict[str, Any], absent: int
) -> None:
    ill = ["1", "01", "2", "NA"] if settings else ["1", "HIV", "2", "NA"]
    frame = pl.DataFrame({"age": [1] * 4, "ill": ill})
    columns = {"age": quasi(), "ill": sensitive(**settings)}
    for model in (AlphaK("ill", 0.9, 2, listed), LKC(1, 2, 0.9, "ill", listed)):
        plan = Plan(columns=columns, models=(model,), algorithm=Pais())
        told = shoal.anonymize(frame, plan).warnings
        expected = (
            f"Model '{model.kind}' names {len(listed)} values of 'ill', of which {absent} occurs in no row. Check "
            "their spelling: other values are not protected."
        )
        assert (expected in told) is (absent > 0)


def test_an_unguarded_sensitive_column_is_told() -> None:
    frame = pl.DataFrame({"age": [1, 2] * 5, "a": ["x", "y"] * 5, "b": ["x", "y"] * 5})
    columns = {"age": quasi(), "a": sensitive(), "b": sensitive()}
    found = list(map(str, warnings.unguarded_sensitive(case(frame, columns, [0] * 10, LDiversity("a", l=2)))))
    assert found == ["No model covers sensitive column 'b': it is released without protection."]


def plan_of(**columns: Column) -> Plan:
    return Plan(columns={"age": quasi(), **columns}, models=[KAnonymity(k=2)])


def test_what_follows_from_the_plan_is_public() -> None:
    many = list(warnings.of_plan(plan_of(**{f"s{number}": sensitive() for number in range(9)})))
    assert len(many) == 6 and many[-1].text == "No model covers 4 more sensitive columns."
    assert all(warning.public and warning.serious for warning in many)
    (none,) = warnings.of_plan(plan_of(note=insensitive()))
    assert "no sensitive column" in none.text and none.public and not none.serious
    assert not list(warnings.of_plan(plan_of()))


def continuous(values: Sequence[object], model: object, **settings: object) -> list[str]:
    frame = pl.DataFrame({"age": [1, 2] * (len(values) // 2), "cost": values})
    columns = {"age": quasi(), "cost": sensitive(**settings)}
    return list(map(str, warnings.near_continuous_sensitive(case(frame, columns, [0] * len(values), model))))


def test_nearly_continuous_numbers_are_told() -> None:
    amounts = [str(100.5 + number) for number in range(60)]
    counting = [LDiversity("cost", l=2), AlphaK("cost", alpha=0.5, k=2), PSensitive(p=2, k=2)]
    for model in (*counting, LKC(1, 2, 0.5, "cost"), MultiSensitive(l=2, k=2), ExponentialL(l=2)):
        (only,) = continuous(amounts, model)
        assert f"60 distinct values. {model.kind} counts" in only
    assert continuous(amounts, LDiversity("cost", l=2), type="real")
    assert continuous([number // 3 for number in range(900)], LDiversity("cost", l=2))


def test_models_that_know_distances_suit_continuous_numbers() -> None:
    amounts = [str(100.5 + number) for number in range(60)]
    assert not continuous(amounts, TCloseness("cost", t=0.5, distance="ordered"), type="real")


def test_codes_and_coarse_numbers_are_not_continuous() -> None:
    model = LDiversity("cost", l=2)
    assert not continuous([f"C{number}" for number in range(60)], model)
    assert not continuous([str(number) for number in range(60)], model, type="text")
    assert not continuous([number % 20 for number in range(60)], model)


def test_an_extended_model_without_protected_nodes_is_told() -> None:
    frame = pl.DataFrame({"age": [1, 2] * 5, "a": ["C50.1", "J45.909"] * 5})
    said = "Sensitive column 'a' has no protected nodes, so 'extended-p-sensitive' counts each of its values as"
    for protected, told in (((), True), (("C00-D49",), False)):
        plan = Plan(
            columns={"age": quasi(), "a": sensitive(Icd10Cm(), protected=protected)},
            models=(ExtendedPSensitive(p=2, k=2),),
        )
        assert any(said in warning for warning in shoal.anonymize(frame, plan).warnings) is told


def test_protected_nodes_that_no_model_keeps_are_told() -> None:
    frame = pl.DataFrame({"age": [1, 2] * 5, "a": ["C50.1", "J45.909"] * 5})
    said = "Sensitive column 'a' has protected nodes, but no model prevents that a class discloses one of them."
    columns = {"age": quasi(), "a": sensitive(Icd10Cm(), protected=("C00-D49",))}
    for model, told in ((LDiversity("a", l=2), True), (ExtendedPSensitive(p=2, k=2), False)):
        release = shoal.anonymize(frame, Plan(columns=columns, models=(model,)))
        assert any(said in warning for warning in release.warnings) is told
        assert (release.manifest.serious_warnings > 0) is told
