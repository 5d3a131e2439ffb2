"""Errors carry their facts apart, have an exit code, and hint at the nearest known name."""

from __future__ import annotations

import copy
import pickle

import pytest

import shoal.studio.problems  # noqa: F401  so that its kinds are judged whichever tests ran before
from shoal import errors
from shoal.errors import CannotBeMet, PlanError, PromiseBroken, ShoalError, did_you_mean

OWN_MODULES = {"shoal.errors", "shoal.studio.problems"}
"""Where kinds of errors are defined; the studio, which little else imports, keeps its own."""
KINDS = [ShoalError, *(kind for kind in ShoalError.__subclasses__() if kind.__module__ in OWN_MODULES)]


@pytest.mark.parametrize(
    ("allowed", "hint", "text"),
    [
        ("", "", "That is wrong."),
        ("This is allowed.", "", "That is wrong. This is allowed."),
        ("", "do this.", "That is wrong. Hint: do this."),
        ("This is allowed.", "do this.", "That is wrong. This is allowed. Hint: do this."),
    ],
)
def test_the_parts_of_an_error_make_one_paragraph(allowed: str, hint: str, text: str) -> None:
    error = PlanError("That is wrong.", allowed=allowed, hint=hint)
    assert str(error) == text
    assert (error.fact, error.allowed, error.hint) == ("That is wrong.", allowed, hint)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_is_described_and_has_an_exit_code(kind: type[ShoalError]) -> None:
    assert kind.__doc__
    assert kind.exit_code in (1, 2, 3, 130)
    with pytest.raises(ShoalError):
        raise kind("No.")


def test_exit_codes_tell_what_went_wrong() -> None:
    assert (PromiseBroken.exit_code, ShoalError.exit_code, CannotBeMet.exit_code) == (1, 2, 3)
    assert errors.Cancelled.exit_code == 130


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_keeps_its_facts_between_processes(kind: type[ShoalError]) -> None:
    error = kind("That is wrong.", allowed="This is allowed.", hint="do this.")
    for same in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(same) is kind and str(same) == str(error)


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("zipp", ["age", "zip"], "did you mean 'zip'?"),
        ("ages", ("age", "zip"), "did you mean 'age'?"),
        ("weight", ["age", "zip"], ""),
        ("age", [], ""),
        ("", ["age"], ""),
    ],
)
def test_the_nearest_name_is_hinted_at_only_where_it_is_near(name: str, known: list[str], hint: str) -> None:
    assert did_you_mean(name, known) == hint
    assert did_you_mean(name, dict.fromkeys(known)) == hint
