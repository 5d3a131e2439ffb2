"""Parameters that a model cannot mean are refused, with what would be allowed."""

from __future__ import annotations

import pytest

from shoal.errors import PlanError
from shoal.models import KAnonymity
from shoal.roles.parameters import column_name, number, one_of, texts, whole_number

MODEL = KAnonymity(k=2)


@pytest.mark.parametrize("value", [1, 0, -3, 2.0, "2", None, True, float("nan"), 2**31, 10**400])
def test_whole_number_refuses(value: object) -> None:
    with pytest.raises(PlanError, match=r"^KAnonymity k must be "):
        whole_number(MODEL, "k", value, 2)


def test_whole_number_says_what_is_allowed() -> None:
    with pytest.raises(PlanError, match=r"^KAnonymity k must be an integer of at least 2; got 1\.$"):
        KAnonymity(k=1)


@pytest.mark.parametrize("value", [0, 1.01, -0.1, float("nan"), float("inf"), "0.5", None, True, 10**400])
def test_number_refuses(value: object) -> None:
    with pytest.raises(PlanError, match=r"must be a number above 0 and at most 1; got "):
        number(MODEL, "alpha", value, above=0, most=1)


def test_number_refuses_what_no_double_can_hold() -> None:
    with pytest.raises(PlanError, match="delta must be a number above 0; got a number that is too large"):
        number(MODEL, "delta", 10**400, above=0)


@pytest.mark.parametrize("value", [1e-300, 0.5, 1, 1.0])
def test_number_accepts(value: float) -> None:
    number(MODEL, "alpha", value, above=0, most=1)
    number(MODEL, "t", 0, least=0)


def test_words_and_names() -> None:
    one_of(MODEL, "variant", "a", ("a", "b"))
    column_name(MODEL, "diagnosis")
    with pytest.raises(PlanError, match="variant must be one of 'a', 'b'; got 'c'"):
        one_of(MODEL, "variant", "c", ("a", "b"))
    for wrong in ("", 3, None):
        with pytest.raises(PlanError, match="must be the name of a sensitive column"):
            column_name(MODEL, wrong)


def test_texts_are_kept_as_a_tuple() -> None:
    assert texts(MODEL, "values", ["a", "b"]) == ("a", "b")
    for wrong in ("ab", [], [1], ["a", ""], ["a", "a"], {"a"}, None):
        with pytest.raises(PlanError, match="must be a non-empty list of distinct texts"):
            texts(MODEL, "values", wrong)
