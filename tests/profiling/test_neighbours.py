"""Columns whose names mean nothing, beside clinical columns."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.profiling.facts import facts
from shoal.profiling.neighbours import clinical_beside, neighbours_needed
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
    assert role("blorp", {}, FEW, {"sex": ["f", "m"] * 30, **AFTER, **BEFORE})[0] == DROP
    assert role("blorp", BEFORE | AFTER, FEW, {"zip": ["44101", "44102"] * 30})[0] == DROP


FINDINGS = ["mild", "moderate", "severe"] * 20


@pytest.mark.parametrize("values", [["yes", "no", "no"] * 20, [40.5 + i % 23 / 10 for i in range(60)], FINDINGS])
def test_flags_measured_numbers_and_words_of_findings_need_fewer_clinical_columns(
    values: list[Any],
) -> None:
    assert role("blorp", BEFORE | AFTER, values, {"zip": ["44101", "44102"] * 30}) == (SENSITIVE, "low")
    assert role("blorp", {"sex": ["f", "m"] * 30}, values, {"age": BEFORE["age"], **AFTER, **BEFORE})[0] == DROP


@pytest.mark.parametrize("names", [["Weber", "Lang", "Beck"], ["AK", "RT", "LB"], ["St. Mary", "Left Bank Clinic"]])
def test_other_texts_between_clinical_columns_stay_unknown(names: list[str]) -> None:
    assert role("blorp", BEFORE, (names * 60)[:60], AFTER)[0] == DROP


def test_dropped_columns_are_no_neighbours() -> None:
    assert role("blorp", BEFORE, FEW, {"fnord": ["up", "down", "strange"] * 20, **AFTER})[0] == SENSITIVE


def test_numbers_of_individuals_stay_identifiers_or_unknown() -> None:
    assert role("blorp", BEFORE, [i // 2 + 1 for i in range(60)], AFTER)[0] in (DROP, IDENTIFIER)
    assert role("blorp", BEFORE, [1_000 + i % 25 for i in range(60)], AFTER)[0] in (DROP, IDENTIFIER)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (FEW, 4),
        (["Y", "N"] * 30, 2),
        ([0, 1] * 30, 3),
        ([1, 2] * 30, 4),
        ([i % 28 for i in range(120)], 4),
        ([60.0 + i % 28 for i in range(120)], 4),
        ([1.5 + i % 28 for i in range(120)], 2),
        ([i % 28 + 1 for i in range(120)], None),
        (list(range(120)), None),
        ([i % 55 + 1 for i in range(120)], None),
        ([10_115 + i % 40 * 3 for i in range(120)], None),
        ([52.51234 + i % 40 / 10_000 for i in range(120)], None),
        (["Knee", "Toe", "Toe"] * 20, None),
        (["left", "right", "right"] * 20, 2),
        (["2020-01-01", "2020-02-01"] * 30, None),
        ([None] * 20, None),
    ],
    ids=[
        "few",
        "flag",
        "coded flag",
        "flag or sex",
        "score or age",
        "ages as reals",
        "measured",
        "small study",
        "unique",
        "numbered",
        "postal codes",
        "coordinates",
        "text",
        "finding",
        "dates",
        "empty",
    ],
)
def test_how_many_clinical_neighbours_make_a_column_a_finding(values: list[Any], expected: int | None) -> None:
    assert neighbours_needed(facts(pl.Series("x", values))[0]) == expected


def test_the_two_nearest_released_columns_on_either_side_count() -> None:
    roles = [QUASI, SENSITIVE, SENSITIVE, DROP, SENSITIVE, DROP, SENSITIVE, SENSITIVE, IDENTIFIER]
    assert clinical_beside(roles) == [2, 2, 3, 4, 4, 4, 3, 2, 2]
    assert clinical_beside([]) == []
