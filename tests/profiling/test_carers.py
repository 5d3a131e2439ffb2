"""Names of carers, and their kinds."""

from __future__ import annotations

import pytest

from shoal.profiling.carers import WHAT, are_kinds_of_carers, are_titled_names
from shoal.profiling.naming import readings


@pytest.mark.parametrize("name", ["Dr Weber", "Frau Dr. Beck", "MUDr. Dvořák", "Jane Doe, MD", "Prof. A. O'Neil"])
def test_titles_are_recognized(name: str) -> None:
    assert are_titled_names([name, name])


@pytest.mark.parametrize("text", ["drug 5", "Drain removed 2020", "Medicine", "fr 12", "MS 3", "St. Mary"])
def test_words_that_begin_like_titles_are_no_names(text: str) -> None:
    assert not are_titled_names([text, text])


@pytest.mark.parametrize(
    "kind", ["nurse", "senior consultant", "Cardiologist", "médecin traitant", "Facharzt", "surgery"]
)
def test_kinds_of_carers(kind: str) -> None:
    assert are_kinds_of_carers([kind, "registrar", kind])


@pytest.mark.parametrize("name", ["C. Brown", "Brown, C.", "A. B. van Dijk", "RK", "HYG2", "4631881", "Åberg", "White"])
def test_names_initials_and_numbers_are_none(name: str) -> None:
    assert not are_kinds_of_carers([name, name])
    assert not are_titled_names([name, name])


def test_the_content_is_the_one_of_the_vocabulary() -> None:
    assert readings("surgeon")[0].what == WHAT
