"""Columns whose names mean nothing, between clinical columns."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.profiling.facts import facts
from shoal.profiling.neighbours import amid_clinical, may_be_finding
from shoal.profiling.profile import profile
from shoal.profiling.signs import DROP, IDENTIFIER, QUASI, SENSITIVE

BEFORE: dict[str, list[Any]] = {
    "age": [30 + i % 50 for i in range(60)],
    "glucose": [90 + i % 40 for i in range(60)],
    "hypertension": ["yes", "no"] * 30,
}
AFTER: dict[str, list[Any]] = {
    "creatinine": [0.5 + i % 17 / 10 for i in range(60)],
    "diagnosis": ["asthma", "gout", "flu"] * 20,
}
FEW = [i % 3 for i in range(60)]


def role(name: str, before: dict[str, list[Any]], values: list[Any], after: dict[str, list[Any]]) -> tuple[str, str]:
    columns = profile(pl.DataFrame({**before, name: values, **after}, strict=False)).columns
    return next((column.role, column.confidence) for column in columns if column.name == name)


@pytest.mark.parametrize(
    "values",
    [FEW, ["yes", "no", "no"] * 20, [40.5 + i % 23 / 10 for i in range(60)], [60 + i * 7 % 30 for i in range(60)]],
    ids=["categories", "flags", "reals", "whole numbers"],
)
def test_an_unknown_finding_between_clinical_columns_is_sensitive(values: list[Any]) -> None:
    assert role("blorp", BEFORE, values, AFTER) == (SENSITIVE, "low")


def test_at_the_end_or_beside_a_quasi_identifier_it_stays_unknown() -> None:
    assert role("blorp", BEFORE | AFTER, FEW, {})[0] == DROP
    assert role("blorp", BEFORE, FEW, {"sex": ["f", "m"] * 30, **AFTER})[0] == DROP
    assert role("blorp", {"glucose": BEFORE["glucose"], **BEFORE}, FEW, {"zip": ["44101", "44102"] * 30})[0] == DROP


def test_dropped_columns_are_no_neighbours() -> None:
    assert role("blorp", BEFORE, FEW, {"fnord": ["up", "down", "strange"] * 20, **AFTER})[0] == SENSITIVE


def test_numbers_of_individuals_stay_identifiers_or_unknown() -> None:
    assert role("blorp", BEFORE, [i // 2 + 1 for i in range(60)], AFTER)[0] in (DROP, IDENTIFIER)
    assert role("blorp", BEFORE, [1_000 + i % 25 for i in range(60)], AFTER)[0] in (DROP, IDENTIFIER)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (FEW, True),
        (["Y", "N"] * 30, True),
        ([i % 28 for i in range(120)], True),
        ([i % 28 + 1 for i in range(120)], False),
        (list(range(120)), False),
        ([i % 55 + 1 for i in range(120)], False),
        ([10_115 + i % 40 * 3 for i in range(120)], False),
        ([52.51234 + i % 40 / 10_000 for i in range(120)], False),
        (["Knee", "Hip", "Hip"] * 20, False),
        (["2020-01-01", "2020-02-01"] * 30, False),
        ([None] * 20, False),
    ],
    ids=[
        "few",
        "flag",
        "score",
        "small study",
        "unique",
        "numbered",
        "postal codes",
        "coordinates",
        "text",
        "dates",
        "empty",
    ],
)
def test_only_flags_and_measured_numbers_may_be_findings(values: list[Any], expected: bool) -> None:
    assert may_be_finding(facts(pl.Series("x", values))[0]) is expected


def test_two_clinical_columns_on_either_side_are_needed() -> None:
    roles = [QUASI, SENSITIVE, SENSITIVE, DROP, SENSITIVE, DROP, SENSITIVE, SENSITIVE, IDENTIFIER]
    assert [place for place, amid in enumerate(amid_clinical(roles)) if amid] == [3, 4, 5]
    assert amid_clinical([]) == []
