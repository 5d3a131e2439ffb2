"""Errors in the words of the pages."""

from __future__ import annotations

import pytest

from shoal import KMember, Plan, quasi
from shoal.errors import PlanError, ShoalError
from shoal.models import ALL, KAnonymity
from shoal.plan import ReleaseSettings
from shoal.roles import spec
from shoal.studio.states import Failure
from shoal.studio.wording import in_words, summarized


def problem(error: ShoalError) -> str:
    found = in_words(error)
    return " ".join((found.error, found.allowed, found.hint))


def test_ranges_that_an_algorithm_cannot_publish_are_explained_without_the_syntax_of_plans() -> None:
    with pytest.raises(PlanError) as raised:
        Plan(
            columns={"age": quasi()},
            models=[KAnonymity(k=2)],
            algorithm=KMember(),
            release=ReleaseSettings(ranges="cut"),
        )
    found = problem(raised.value)
    assert "from smallest to largest value" in found
    assert '"' not in found and "[" not in found and "Hint" not in found


def test_a_parameter_that_is_missing_or_wrong_names_no_command() -> None:
    for table in ({"kind": "k-anonymity"}, {"kind": "k-anonymity", "k": 1}):
        with pytest.raises(PlanError) as raised:
            spec.from_table(ALL, "model", table)
        assert "`" not in problem(raised.value) and "shoal" not in problem(raised.value)


def test_what_is_not_known_stays_as_it_is() -> None:
    failure = Failure("The disk is full.", hint="free some space.", exit_code=2)
    assert in_words(failure) == failure


def test_a_model_is_summarized_with_its_columns() -> None:
    assert summarized({"kind": "p-sensitive", "columns": ["ill", "cost"], "p": 2}) == "p-sensitive of ill, cost (p = 2)"
    assert summarized({"kind": "k-anonymity"}) == "k-anonymity"
