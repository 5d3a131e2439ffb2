"""The words of names, however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.profiling.words import words
from tests.effort import examples


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("patient_id", ["patient", "id"]),
        ("patientId", ["patient", "id"]),
        ("PATIENT-ID", ["patient", "id"]),
        ("identifier.0.value", ["identifier", "0", "value"]),
        ("Blood Pressure (mmHg)", ["blood", "pressure", "mm", "hg"]),
        ("Größe", ["grosse"]),
        ("Straße", ["strasse"]),
        ("Numéro de dossier", ["numero", "de", "dossier"]),
        ("diag1", ["diag", "1"]),
        ("icd10", ["icd10"]),
        ("cd4_count", ["cd4", "count"]),
        ("", []),
        ("___", []),
    ],
)
def test_separators_case_accents_and_digits(name: str, expected: list[str]) -> None:
    assert list(words(name)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("patientage", ["patient", "age"]),
        ("householdincome", ["householdincome"]),  # a phrase of the vocabulary
        ("wardadmissiondx", ["ward", "admission", "dx"]),
        ("behandlungsdatum", ["behandlungsdatum"]),
        ("Befundsdatum", ["befund", "datum"]),  # with the letter that German puts in between
        ("stagecoach", ["stagecoach"]),
        ("agent", ["agent"]),
        ("nominal", ["nominal"]),
        ("fnlwgt2", ["fnlwgt", "2"]),
        ("donationkind", ["donation", "kind"]),
        ("dofall", ["dofall"]),  # no word begins with a connecting one
        ("rokblorp", ["rokblorp"]),
        ("rokgruppe", ["rokgruppe"]),  # short words of northern and Slavic languages are no parts
    ],
)
def test_words_written_together_are_taken_apart_only_if_all_are_known(name: str, expected: list[str]) -> None:
    assert list(words(name)) == expected


@given(st.text())
@settings(max_examples=examples(200), deadline=None)
def test_any_name_has_words_of_letters_and_digits(name: str) -> None:
    assert all(word and word == word.lower() for word in words(name))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ålder", ["alder"]),
        ("Aalder", ["alder"]),  # without a Scandinavian keyboard
        ("Køn", ["kon"]),
        ("Koen", ["kon"]),
        ("Płeć", ["plec"]),
        ("Højde (cm)", ["hojde", "cm"]),
        ("Indlæggelsesmåned", ["indlaeggelse", "maned"]),
    ],
)
def test_scandinavian_and_polish_letters(name: str, expected: list[str]) -> None:
    assert list(words(name)) == expected


@pytest.mark.parametrize("name", ["differ", "sorter", "grouped", "datamined"])
def test_the_end_of_a_verb_is_no_emergency_department(name: str) -> None:
    assert not {"er", "ed"} & set(words(name))
    assert list(words("edvisit")) == ["ed", "visit"]
