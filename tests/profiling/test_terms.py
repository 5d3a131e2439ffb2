"""The words and phrases of a name, and the sense in which they are read."""

from __future__ import annotations

import pytest

from shoal.profiling.terms import is_known, read


@pytest.mark.parametrize(
    ("parts", "keys"),
    [
        (("diagnosis", "date"), ["diagnosis", "date"]),
        (("date", "of", "birth"), ["date"]),
        (("data", "nascita"), ["date"]),
        (("estado", "civ"), ["family"]),
        (("blorp", "glucose"), ["laboratory"]),
    ],
)
def test_the_longest_phrase_counts(parts: tuple[str, ...], keys: list[str]) -> None:
    assert [term.key for term in read(parts).terms] == keys


def test_unknown_and_abbreviated_words_are_guessed() -> None:
    assert not read(("glucose",)).is_guessed
    assert read(("glucose", "blorp")).unknown == 1 and read(("glucose", "blorp")).is_guessed
    assert read(("estado", "civi")).unknown == 0 and read(("estado", "civi")).is_guessed


def test_known_words() -> None:
    assert is_known("glucose") and is_known("12") and is_known("medikam") and not is_known("blorp")
