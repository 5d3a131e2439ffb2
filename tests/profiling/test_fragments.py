"""Names of which only a part is known."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.profiling.fragments import known_part
from shoal.profiling.profile import profile

CLINICAL: dict[str, list[Any]] = {
    "sex": ["f", "m"] * 60,
    "glucose": [90 + i % 40 for i in range(120)],
    "hypertension": ["yes", "no"] * 60,
    "diagnosis": ["asthma", "gout", "flu"] * 40,
}


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("RACEQX", "race"),
        ("xmonth", "month"),
        ("Blorpkosten", "kosten"),  # the last part of a compound says what it is
        ("blorp_xmonth_2", "blorp month 2"),
    ],
)
def test_the_known_part_of_a_name(name: str, part: str) -> None:
    assert known_part(name) == part


@pytest.mark.parametrize(
    "name", ["glucose", "blorp", "stagecoach", "exchange", "discount", "COUTYP", "q17", "", "42", "costblorp"]
)
def test_names_without_an_unknown_word_that_has_a_known_part(name: str) -> None:
    assert known_part(name) is None


def role(name: str, values: list[Any], others: dict[str, list[Any]]) -> tuple[str, str]:
    found = profile(pl.DataFrame({**others, name: values})).columns[-1]
    return found.role, found.confidence


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("Blorpkosten", [i % 9 for i in range(120)], "sensitive"),
        ("RACEQX", [i % 4 for i in range(120)], "quasi-identifier"),
        ("xmonth", [1 + i % 12 for i in range(120)], "quasi-identifier"),
        ("xmonth", [100 + i % 45 * 17 for i in range(120)], "drop"),  # no months
        ("xxxservice", ["a", "b"] * 60, "drop"),  # a place, or something else
    ],
)
def test_a_part_counts_in_a_clinical_table(name: str, values: list[Any], expected: str) -> None:
    found, confidence = role(name, values, CLINICAL)
    assert (found, confidence) == (expected, "low")
    assert role(name, values, {"ticker": ["A", "B", "C"] * 40})[0] == "drop"
