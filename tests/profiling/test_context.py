"""Names that mean something only among clinical columns."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.profiling.profile import profile

CLINICAL = {
    "age": [30 + i % 50 for i in range(60)],
    "glucose": [90 + i % 40 for i in range(60)],
    "hypertension": ["yes", "no"] * 30,
    "creatinine": [0.5 + i % 17 / 10 for i in range(60)],
}
FINANCIAL = {"age": CLINICAL["age"], "ticker": ["A", "B", "C"] * 20, "yield": list(range(10)) * 6}


def role(name: str, values: list[object], others: dict[str, list[object]]) -> tuple[str, str]:
    found = profile(pl.DataFrame({**others, name: values})).columns[-1]
    return found.role, found.confidence


@pytest.mark.parametrize("name", ["sg", "al", "pot", "bu", "num", "Dataset", "binaryClass", "cens", "cp"])
def test_short_names_are_sensitive_in_a_clinical_table(name: str) -> None:
    assert role(name, [i % 3 for i in range(60)], CLINICAL) == ("sensitive", "low")  # type: ignore[arg-type]
    assert role(name, [i % 3 for i in range(60)], FINANCIAL)[0] == "drop"  # type: ignore[arg-type]


def test_three_clinical_columns_of_many_are_enough() -> None:
    others = {f"blorp{place}": ["red", "green", "blue"] * 20 for place in range(20)}
    assert role("sg", [i % 3 for i in range(60)], {**CLINICAL, **others}) == ("sensitive", "low")  # type: ignore[dict-item]


def test_names_that_are_not_listed_stay_unknown() -> None:
    assert role("blorp", [i % 3 for i in range(60)], CLINICAL)[0] == "drop"  # type: ignore[arg-type]


def test_numbers_of_records_stay_identifiers() -> None:
    assert role("num", list(range(60)), CLINICAL)[0] == "identifier"  # type: ignore[arg-type]
