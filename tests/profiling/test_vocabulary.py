"""The vocabulary: complete, in one spelling, and without words that nothing could reach."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from shoal.profiling.vocabulary import LANGUAGES, vocabulary

TABLES = tomllib.loads(files("shoal.profiling").joinpath("vocabulary.toml").read_text(encoding="utf-8"))


def test_every_idea_has_a_kind_and_words() -> None:
    kinds = {
        *("direct", "person", "relative", "event", "care", "place", "setting", "demographic"),
        *("clinical", "technical", "aspect", "connector", "ordinary"),
    }
    assert {table["kind"] for table in TABLES.values()} == kinds
    assert all(any(language in table for language in LANGUAGES) for table in TABLES.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_words_of_health_and_of_demography(language: str) -> None:
    for key in ("diagnosis", "treatment", "laboratory", "course", "habits", "money", "sex", "age", "date", "place"):
        assert len(TABLES[key].get(language, "").split(",")) >= 1 and TABLES[key].get(language, "a"), (key, language)


def test_words_are_lower_case_without_accents() -> None:
    spelled = [*vocabulary().senses, *vocabulary().complete]
    assert not [word for word in spelled if not word.isascii() or not word.isalnum() or word != word.lower()]


def test_the_vocabulary_is_large_and_read_once() -> None:
    assert len(vocabulary().senses) > 5_000
    assert vocabulary() is vocabulary()


@pytest.mark.parametrize(
    ("word", "what"),
    [
        ("atorvastatin", "treatments or drugs"),
        ("thyroidectomy", "treatments or drugs"),
        ("pancreatitis", "diagnoses or findings"),
        ("neuropathie", "diagnoses or findings"),
        ("april", None),
        ("itis", None),
        ("status", None),
    ],
)
def test_endings_of_drugs_and_diseases(word: str, what: str | None) -> None:
    idea = vocabulary().by_ending(word)
    assert (idea and idea.what) == what
