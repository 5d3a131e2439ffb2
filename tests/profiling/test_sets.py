"""Set-valued columns in a profile: recognized by separator or type, remarked on, and dropped from drafts."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

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
        [f"{a}, {b}" for a in ("Burn", "Fracture", "Wound") for b in ("left", "right", "both")] + ["Burn", "Wound"],
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
    assert (column.type, column.role, column.has_sets) == ("list", "sensitive", True)
    assert column.distinct == frame["symptoms"].list.join("|").n_unique()
    assert 'role = "quasi-sensitive"' in column.reason
    assert not any(item in str(profile.figures()) for item in ITEMS)
    assert shoal.anonymize(frame, profile.plan()).frame.columns == ["age"]


def test_lists_are_recognized_by_their_name_and_items() -> None:
    """Beside clinical columns too, where an unknown column of findings would be sensitive."""
    rng = random.Random(2)
    frame = pl.DataFrame(
        {
            "diagnosis": [rng.choice(["E11.9", "I10", "J45.9", "C50.9"]) for _ in range(200)],
            "treatment": [rng.choice(["insulin", "aspirin", "surgery"]) for _ in range(200)],
            "blood_pressure": [rng.randint(100, 160) for _ in range(200)],
            "stage": [rng.choice(["I", "II", "III"]) for _ in range(200)],
            "patient_ids": [[str(rng.randint(10**6, 10**7)) for _ in range(2)] for _ in range(200)],
            "x": [rng.sample(["red", "green", "blue", "grey"], rng.randint(0, 3)) for _ in range(200)],
            "cities": [rng.sample(["Austin", "Boston", "Denver", "Miami"], 2) for _ in range(200)],
            "medications": [rng.sample(["insulin", "aspirin", "statin"], rng.randint(0, 3)) for _ in range(200)],
            "symptoms": [[] for _ in range(200)],
        }
    )
    found = {column.name: column for column in shoal.profile(frame).columns}
    roles = {name: column.role for name, column in found.items() if column.type == "list"}
    assert roles == {
        "patient_ids": "identifier",
        "x": "drop",
        "cities": "drop",
        "medications": "sensitive",
        "symptoms": "sensitive",
    }
    assert all('role = "quasi-sensitive"' in found[name].reason for name in ("x", "cities", "medications"))
    assert shoal.profile(frame).person is None


@pytest.mark.parametrize("most", [2, 3])
@pytest.mark.parametrize("least", [0, 2])
def test_short_sets_are_recognized_by_items_in_several_places(least: int, most: int) -> None:
    rng = random.Random(3)
    pool = ["penicillin", "nuts", "latex", "pollen", "eggs"]
    texts = [", ".join(rng.sample(pool, rng.randint(least, most))) or "none" for _ in range(300)]
    assert separator_of(pl.Series(texts).unique()) == ","


@pytest.mark.parametrize("write", [str, json.dumps, lambda items: "{" + ",".join(items) + "}"])
def test_lists_written_as_text_are_not_split_inside_their_brackets(write: Callable[[list[str]], str]) -> None:
    rng = random.Random(4)
    texts = [write(rng.sample(ITEMS, rng.randint(0, 4))) for _ in range(200)]
    assert separator_of(pl.Series(texts).unique()) is None


def test_the_symptoms_of_the_demo_are_sets() -> None:
    column = next(each for each in shoal.profile(patients(500)).columns if each.name == "symptoms")
    assert column.has_sets
