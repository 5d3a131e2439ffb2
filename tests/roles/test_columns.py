"""Roles: short ways to write columns, and what is said when one is wrong."""

from __future__ import annotations

import pytest

import shoal
from shoal.errors import PlanError
from shoal.hierarchies import Prefix
from shoal.roles.columns import Column, Data


def test_short_ways_to_write_columns() -> None:
    assert shoal.identifier() == Column(role="identifier")
    assert shoal.quasi(Prefix(), weight=2.0) == Column(role="quasi-identifier", hierarchy=Prefix(), weight=2.0)
    assert shoal.sensitive(missing_counts=True) == Column(role="sensitive", missing_counts=True)
    assert shoal.quasi_sensitive() == Column(role="quasi-sensitive", items="|")
    assert shoal.quasi_sensitive(items=";", knowledge="x.csv").separator == ";"
    assert shoal.target() == Column(role="target")
    assert Column(role="target").items is None
    assert shoal.insensitive() == Column(role="insensitive")


def test_a_hierarchy_may_be_a_table() -> None:
    assert Column(role="quasi-identifier", hierarchy={"kind": "prefix", "steps": [3, 1]}).hierarchy == Prefix((3, 1))


def test_lists_are_taken_where_tuples_are_meant() -> None:
    assert Data(missing=["-"]).missing == ("-",)


def test_the_empty_text_always_stands_for_missing() -> None:
    assert set(Data(missing=("?",)).absent) == {"", "?"}


def test_what_is_wrong_is_said_in_one_paragraph() -> None:
    with pytest.raises(PlanError) as caught:
        Column(role="quasi-identifyer")  # type: ignore[arg-type]
    assert "did you mean 'quasi-identifier'?" in str(caught.value)
    with pytest.raises(PlanError, match="Key 'weight' of 'column' is invalid: it should be a number"):
        Column(role="quasi-identifier", weight="much")  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="Key 'missing' of 'data' is invalid: it should be a list"):
        Data(missing="NA")  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="'rolle' is not a key of 'column'"):
        Column(rolle="x")  # type: ignore[call-arg]
    with pytest.raises(PlanError, match="needs the key 'role'"):
        Column()  # type: ignore[call-arg]


def test_a_column_cannot_be_changed() -> None:
    with pytest.raises(Exception, match="frozen"):
        Column(role="target").role = "identifier"  # type: ignore[misc]


def test_a_dropped_column_is_removed_like_an_identifier() -> None:
    assert shoal.drop().removed and shoal.identifier().removed
    assert not shoal.insensitive().removed
