"""Every role is explained."""

from __future__ import annotations

from typing import get_args

from shoal.roles.columns import Role
from shoal.studio.pages.roles import PURPOSES, ROLES, why
from shoal.studio.working_plan import UNDECIDED


def test_every_role_is_offered_in_plain_words() -> None:
    assert set(ROLES) == {*get_args(Role), UNDECIDED}
    assert all(title and words.endswith(".") for title, words in ROLES.values())


def test_every_purpose_of_a_draft_is_offered() -> None:
    from shoal.profiling.suggesting import Purpose

    assert set(PURPOSES) == set(get_args(Purpose))


def test_why_a_role_was_suggested_is_said_without_the_syntax_of_plans() -> None:
    suggested = {"role": "drop", "reason": 'sets of items, for which role = "quasi-sensitive" may be better'}
    assert why("drop", suggested) == "sets of items, for which the role Quasi-sensitive set may be better"
    assert why("sensitive", suggested).endswith("may be better. Suggested: drop.")
    assert "Suggested" not in why(UNDECIDED, suggested)
