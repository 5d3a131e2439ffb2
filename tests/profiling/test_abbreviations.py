"""Names that have only the first letters of known words and phrases."""

from __future__ import annotations

import pytest

from shoal.profiling.abbreviations import abbreviated, completed, taken_apart
from shoal.profiling.naming import readings


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("harnst", "laboratory"),
        ("medikam", "treatment"),
        ("nachn", "person_name"),
        ("bemerk", "free_text"),
        ("ocupac", "education_work"),
        ("schulabschl", "education_work"),
        ("naturalid", "language"),
    ],
)
def test_the_beginning_of_a_word(written: str, key: str) -> None:
    assert [sense.idea.key for sense in completed(written)] == [key]


@pytest.mark.parametrize("written", ["harn", "inter", "contr", "qwert", "phase", "h2o19", "information"])
def test_a_beginning_that_is_short_ordinary_or_of_different_words_means_nothing(written: str) -> None:
    assert completed(written) == ()


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        (("estado", "civ"), "family"),
        (("sit", "fam"), "family"),
        (("niv", "etude"), "education_work"),
        (("duree", "sej"), "course"),
        (("peso", "nasc"), "measurement"),
    ],
)
def test_the_beginnings_of_the_words_of_a_phrase(parts: tuple[str, ...], key: str) -> None:
    assert [sense.idea.key for sense in abbreviated(parts)] == [key]


@pytest.mark.parametrize("parts", [("es", "ci"), ("blorp", "civ"), ("estado",), ("123", "civ"), ()])
def test_other_words_are_no_beginnings_of_a_phrase(parts: tuple[str, ...]) -> None:
    assert abbreviated(parts) == ()


def test_the_beginnings_may_be_written_together() -> None:
    assert taken_apart("tipvis") == "tipovisita"
    assert taken_apart("blorps") is None and taken_apart("ti") is None


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Leukozy", "sensitive"),
        ("ESTADO_CIVI", "quasi-identifier"),
        ("Bemerku", "identifier"),
        ("dur_degenza", "sensitive"),
    ],
)
def test_abbreviated_names_have_at_most_medium_confidence(name: str, role: str) -> None:
    sign = readings(name)[0]
    assert sign.role == role and sign.confidence != "high"
