"""Set-valued columns in a profile: recognized by separator or type, remarked on, and dropped from drafts."""

from __future__ import annotations

import random

import polars as pl
import pytest

import shoal
from shoal.datasets import patients
from shoal.profiling.sets import separator_of

ITEMS = ["fever", "cough", "rash", "chest pain", "nausea", "headache", "fatigue", "dizziness"]


def cells(separator: str, rows: int = 60) -> list[str]:
    rng = random.Random(1)
    return [separator.join(rng.sample(ITEMS, rng.randint(1, 4))) for _ in range(rows)]


@pytest.mark.parametrize("separator", ["|", ";", ","])
def test_sets_are_recognized_by_their_separator(separator: str) -> None:
    assert separator_of(pl.Series(cells(separator)).unique()) == separator
    assert separator_of(pl.Series(cells(f"{separator} ")).unique()) == separator


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["fever", "cough"],
        ["Diabetes, type 1", "Diabetes, type 2", "Fracture of femur, closed, left", "Burn, unspecified", "Gout"],
        [f"Seen on day {n}, sent home, came back; no fever" for n in range(30)],
        [f"{a}, {b}" for a in ("Smith", "Jones", "Miller") for b in ("Ann", "Bob", "Cy", "Dee")],
    ],
)
def test_other_texts_are_not(texts: list[str]) -> None:
    assert separator_of(pl.Series(texts, dtype=pl.String)) is None


@pytest.mark.parametrize("separator", ["|", ";"])
def test_a_draft_drops_sets_and_says_what_would_suit_them(separator: str) -> None:
    frame = pl.DataFrame({"age": [30 + n % 9 for n in range(60)], "symptoms": cells(separator)})
    profile = shoal.profile(frame)
    column = profile.columns[1]
    assert column.has_sets and column.role == "sensitive"
    assert 'role = "quasi-sensitive"' in column.reason
    assert ('items = ";"' in column.reason) is (separator == ";")
    assert profile.plan().columns["symptoms"].role == "drop"


def test_lists_are_dropped_from_drafts_without_showing_an_item() -> None:
    frame = pl.DataFrame({"age": [30 + n % 9 for n in range(60)], "symptoms": [cell.split("|") for cell in cells("|")]})
    profile = shoal.profile(frame)
    column = profile.columns[1]
    assert (column.type, column.role, column.has_sets) == ("list", "drop", True)
    assert column.distinct == frame["symptoms"].list.join("|").n_unique()
    assert 'role = "quasi-sensitive"' in column.reason
    assert not any(item in str(profile.figures()) for item in ITEMS)
    assert shoal.anonymize(frame, profile.plan()).frame.columns == ["age"]


def test_the_symptoms_of_the_demo_are_sets() -> None:
    column = next(each for each in shoal.profile(patients(500)).columns if each.name == "symptoms")
    assert column.has_sets
